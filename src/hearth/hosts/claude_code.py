"""Claude Code, and what other hosts took over from it. Contracts as of 2.1.329."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hearth.core.hook import (
    ENTRYPOINT,
    HEADLESS,
    CompactionImminent,
    HookEvent,
    HookReply,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolAboutToRun,
    ToolFailed,
    TurnEnded,
)
from hearth.core.lazy import regex
from hearth.hosts import command, fields
from hearth.hosts.command import Launcher
from hearth.hosts.fields import Registration

EDITORS = "Edit|Write|MultiEdit|NotebookEdit"
_FAILURE = "PostToolUseFailure"
# A session's end shares 1.5 s among all hooks unless a hook's own entry raises it.
REGISTRATIONS = (
    Registration(hook="context-surfacing", event="UserPromptSubmit", seconds=5),
    Registration(hook="postcompact-inject", event="SessionStart", matcher="compact", seconds=10),
    Registration(hook="session-bootstrap", event="SessionStart", matcher="startup|clear", seconds=10, bootstrap=True),
    Registration(hook="precompact-extract", event="PreCompact", seconds=10),
    Registration(hook="feedback-loop", event="Stop", seconds=5),
    Registration(hook="session-end", event="SessionEnd", seconds=5),
    Registration(hook="pretool-inject", event="PreToolUse", matcher=f"{EDITORS}|Bash", seconds=5),
    Registration(hook="failure-inject", event=_FAILURE, matcher=f"{EDITORS}|Bash", seconds=5),
)
# These two run within session-bootstrap; by themselves they answer the same event.
EVENTS = {item.hook: item.event for item in REGISTRATIONS} | {
    "staleness-check": "SessionStart",
    "curator-nudge": "SessionStart",
}
# Where the agent reads what a hook adds. After a turn it would start another one; at the end nobody reads it.
INJECTING = frozenset({"UserPromptSubmit", "SessionStart", "PreToolUse", _FAILURE})
_PROGRAMS = frozenset({"sdk-ts", "sdk-py"})


class ClaudeCode:
    """Fills ``fields.Host``."""

    name = "claude-code"
    title = "Claude Code"
    registrations = REGISTRATIONS
    grouped = True

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, EVENTS.get(hook), payload)
        session = fields.text(payload, "session_id") or environ.get("CLAUDE_CODE_SESSION_ID")
        found = common(self.name, session, payload, environ.get("CLAUDE_PROJECT_DIR"))
        found["unattended"] = _is_unattended(environ)
        return event(kind, payload, found)

    def render(self, hook: str, reply: HookReply) -> str:
        if EVENTS.get(hook) == "PreCompact":
            # Plain text here becomes instructions to the summariser.
            return reply.context or ""
        return injection(EVENTS.get(hook), reply) or ""

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        """One line for the shell, since others that read this file drop ``args``."""
        line = command.shell(launcher, registration.hook, self.name, self.render(registration.hook, HookReply()))
        return {"type": "command", "command": line, "timeout": registration.seconds}

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{folder(home, environ)}/settings.json"

    def project_settings(self, root: str) -> str:
        """The file that the host keeps out of git: the entries name programs of this machine."""
        return f"{root}/.claude/settings.local.json"


def _is_unattended(environ: Mapping[str, str]) -> bool:
    """What the host says; it also calls a program with its SDK unattended, though a person may sit there."""
    started = environ.get(ENTRYPOINT)
    return started in HEADLESS or (environ.get("CLAUDE_CODE_SESSION_ATTENDED") == "0" and started not in _PROGRAMS)


def folder(home: str, environ: Mapping[str, str]) -> str:
    """Where Claude Code keeps its own things."""
    return fields.absolute(environ.get("CLAUDE_CONFIG_DIR")) or f"{home}/.claude"


def common(host: str, session: str | None, payload: Mapping[str, Any], root: str | None) -> fields.Common:
    """``root`` is the folder from the environment, for an event without one."""
    return {
        "host": host,
        "session": fields.session(host, session),
        "cwd": fields.absolute(fields.text(payload, "cwd")) or fields.absolute(root),
        "transcript": fields.absolute(fields.text(payload, "transcript_path")),
        "turn": fields.text(payload, "prompt_id", "turn_id"),
        "agent": fields.agent(payload),
        "unattended": False,
        "shared": fields.is_shared(payload),
    }


def event(kind: type, payload: Mapping[str, Any], common: fields.Common) -> HookEvent:
    """The event of a host that names its fields as Claude Code does."""
    if kind is PromptSubmitted:
        asked = fields.field(payload, "source") in (None, "user", "sdk")
        return PromptSubmitted(**common, prompt=fields.text(payload, "prompt") or "", by_person=asked)
    if kind is SessionStarted:
        return SessionStarted(**common, source=fields.source(payload))
    if kind is CompactionImminent:
        return CompactionImminent(**common, trigger=fields.trigger(payload))
    if kind is TurnEnded:
        paused = bool(fields.field(payload, "background_tasks"))
        return TurnEnded(**common, reply=fields.text(payload, "last_assistant_message"), paused=paused)
    if kind is SessionEnded:
        return SessionEnded(**common, reason=fields.text(payload, "reason") or "other")
    tool = fields.text(payload, "tool_name") or ""
    files, run = fields.files(payload, common["cwd"]), fields.command(payload)
    if kind is ToolFailed:
        return ToolFailed(**common, tool=tool, error=fields.text(payload, "error") or "", files=files, command=run)
    return ToolAboutToRun(**common, tool=tool, files=files, command=run)


def injection(
    event: str | None, reply: HookReply, injecting: frozenset[str] = INJECTING, *, in_words: bool = False
) -> str | None:
    """The object with which the agent gets something to read; ``None`` if there is nothing, or nobody reads it.
    ``in_words`` is for a host that escapes angle brackets."""
    if not reply.context or event not in injecting:
        return None
    context = spell_out(reply.context) if in_words else reply.context
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})


# The markers that ``guard.fence`` sets, which stand alone on their lines and nowhere in what is quoted.
_MARKER = regex(r"^<(/?)(vault-[a-z]{1,32})>$", re.MULTILINE)
_QUOTE = regex(r"^>(?= |$)", re.MULTILINE)


def spell_out(block: str) -> str:
    """A block that reads the same where a host turns its angle brackets into entities."""
    marked = _MARKER.sub(lambda found: f"[{found[2]} {'ends' if found[1] else 'begins'}]", block)
    return _QUOTE.sub("|", marked)
