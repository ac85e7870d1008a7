"""Gemini CLI, and Qwen Code, which grew out of it and takes Claude Code's hooks. Contracts as of 0.61.0 and 0.24.4.

Both turn ``<`` and ``>`` of a hook's text into entities, so they get blocks with markers in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hearth.core.hook import HookEvent, HookReply, PromptSubmitted, ToolFailed, TurnEnded
from hearth.core.lazy import regex
from hearth.hosts import claude_code, command, fields
from hearth.hosts.command import Launcher
from hearth.hosts.fields import Registration

_TOOLS = "run_shell_command|write_file|replace|edit"
# Gemini reads nothing before a tool runs, has one event after any tool, failed or not, and announces a compaction
# before every request, whether one comes or not.
_REGISTRATIONS = (
    Registration(hook="context-surfacing", event="BeforeAgent", seconds=5),
    # Its matcher of a start is one word, not a pattern; a resumed session gets nothing anyway.
    Registration(hook="session-bootstrap", event="SessionStart", seconds=10, bootstrap=True),
    Registration(hook="feedback-loop", event="AfterAgent", seconds=5),
    Registration(hook="session-end", event="SessionEnd", seconds=5),
    Registration(hook="failure-inject", event="AfterTool", matcher=_TOOLS, seconds=5),
)
_INJECTING = frozenset({"BeforeAgent", "SessionStart", "AfterTool"})
# Qwen reads nothing before a tool runs either.
_QWEN = tuple(
    replace(item, matcher=_TOOLS) if item.hook == "failure-inject" else item
    for item in claude_code.REGISTRATIONS
    if item.hook != "pretool-inject"
)
# What hooks said at the start of a session, before a prompt that came with the command.
_ADDED = regex(r"\A(?:<hook_context>.*?</hook_context>\s*)+", re.DOTALL)
_EXIT = regex(r"^\[?Exit Code: (?!0\b)-?\d+", re.MULTILINE)


def _events(registrations: tuple[Registration, ...]) -> dict[str, str]:
    beside = {"staleness-check": "SessionStart", "curator-nudge": "SessionStart"}
    return {item.hook: item.event for item in registrations} | beside


class Gemini:
    """Fills ``fields.Host``."""

    name = "gemini"
    title = "Gemini CLI"
    registrations = _REGISTRATIONS
    grouped = True
    _events = _events(_REGISTRATIONS)

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, self._events.get(hook), payload)
        session = fields.text(payload, "session_id") or environ.get("GEMINI_SESSION_ID")
        common = claude_code.common(self.name, session, payload, environ.get("GEMINI_PROJECT_DIR"))
        if kind is TurnEnded:
            prompt = fields.text(payload, "prompt")
            return TurnEnded(**common, reply=fields.text(payload, "prompt_response"), prompt=prompt)
        found = claude_code.event(kind, payload, common)
        if isinstance(found, PromptSubmitted):
            return replace(found, prompt=_ADDED.sub("", found.prompt))
        return replace(found, error=_failure(payload)) if isinstance(found, ToolFailed) else found

    def render(self, hook: str, reply: HookReply) -> str:
        """Always an object: standard output has to be JSON and nothing else."""
        return claude_code.injection(self._events.get(hook), reply, _INJECTING, in_words=True) or "{}"

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        """Its times are in milliseconds."""
        line = command.shell(launcher, registration.hook, self.name, self.render(registration.hook, HookReply()))
        name = f"hearth-{registration.hook}"
        return {"name": name, "type": "command", "command": line, "timeout": registration.seconds * 1000}

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{home}/.gemini/settings.json"

    def project_settings(self, root: str) -> str:
        return f"{root}/.gemini/settings.json"


def _failure(payload: Mapping[str, Any]) -> str:
    """What went wrong; empty if the tool succeeded."""
    response = fields.field(payload, "tool_response")
    if not isinstance(response, Mapping):
        return ""
    error, output = fields.field(response, "error"), fields.text(response, "llm_content") or ""
    if isinstance(error, Mapping):
        return fields.text(error, "message") or output
    return output if _EXIT.search(output) else ""


class Qwen:
    """Fills ``fields.Host``."""

    name = "qwen"
    title = "Qwen Code"
    registrations = _QWEN
    grouped = True
    _events = _events(_QWEN)

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        """It submits an empty prompt after each round of tools, which nobody typed."""
        kind = fields.check(self.name, hook, self._events.get(hook), payload)
        session = fields.text(payload, "session_id") or environ.get("QWEN_CODE_SESSION_ID")
        common = claude_code.common(self.name, session, payload, environ.get("QWEN_PROJECT_DIR"))
        found = claude_code.event(kind, payload, common)
        if isinstance(found, PromptSubmitted) and not found.prompt.strip():
            return replace(found, by_person=False)
        return found

    def render(self, hook: str, reply: HookReply) -> str:
        return claude_code.injection(self._events.get(hook), reply, in_words=True) or "{}"

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        line = command.shell(launcher, registration.hook, self.name, self.render(registration.hook, HookReply()))
        name = f"hearth-{registration.hook}"
        return {"name": name, "type": "command", "command": line, "timeout": registration.seconds}

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{fields.absolute(environ.get('QWEN_HOME')) or f'{home}/.qwen'}/settings.json"

    def project_settings(self, root: str) -> str:
        return f"{root}/.qwen/settings.json"
