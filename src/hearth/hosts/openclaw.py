"""OpenClaw, whose plugin of ours (``integrations/openclaw``) says in its own words what the host's hooks tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.core.hook import HookEvent, HookReply, PromptSubmitted, SessionStarted, TurnEnded
from hearth.hosts import claude_code, fields
from hearth.hosts.command import Launcher
from hearth.hosts.fields import Registration

_EVENTS = {
    "context-surfacing": "prompt",
    "session-bootstrap": "session_start",
    "postcompact-inject": "session_start",
    "precompact-extract": "before_compaction",
    "feedback-loop": "turn_end",
    "session-end": "session_end",
}
_INJECTING = frozenset({"prompt", "session_start"})
# In the line that says how to ask for more.
_HINT = "Nothing was added automatically; memory_retrieve"
# Of one turn; more is no conversation.
MAX_SAID = 200


class OpenClaw:
    """Fills ``dialect.Host``; a session is shared unless the plugin says that it is the owner's alone."""

    name = "openclaw"
    title = "OpenClaw"
    registrations: tuple[Registration, ...] = ()
    grouped = False

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, _EVENTS.get(hook), payload)
        common = claude_code.common(self.name, fields.text(payload, "session_id"), payload, None)
        common["shared"] = fields.field(payload, "private") is not True
        if kind is PromptSubmitted:
            asked = fields.field(payload, "trigger") == "user"
            return PromptSubmitted(**common, prompt=fields.text(payload, "prompt") or "", by_person=asked)
        if kind is SessionStarted:
            return SessionStarted(**common, source=fields.source(payload))
        if kind is TurnEnded:
            said = _said(payload)
            prompts = [text for role, text, _ in said if role == "user"]
            replies = [text for role, text, _ in said if role == "assistant"]
            return TurnEnded(**common, reply="\n\n".join(replies), prompt=prompts[-1] if prompts else None, said=said)
        return claude_code.event(kind, payload, common)

    def render(self, hook: str, reply: HookReply) -> str:
        """The text alone: the plugin puts it where the model reads it. Its search has a name of its own."""
        text = (reply.context or "") if _EVENTS.get(hook) in _INJECTING else ""
        return text.replace(_HINT, _HINT.replace("memory_retrieve", "memory_search"))

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        raise NotImplementedError("the plugin asks the daemon itself")

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        given = fields.absolute(environ.get("OPENCLAW_CONFIG_PATH"))
        folder = fields.absolute(environ.get("OPENCLAW_STATE_DIR")) or f"{home}/.openclaw"
        return given or f"{folder}/openclaw.json"

    def project_settings(self, root: str) -> str:
        raise NotImplementedError("OpenClaw has no settings of a project")


def _said(payload: Mapping[str, Any]) -> tuple[tuple[str, str, int | None], ...]:
    """The parts of the turn in which somebody said something."""
    given = fields.field(payload, "turns")
    found: list[tuple[str, str, int | None]] = []
    for item in given if isinstance(given, list) else []:
        if not isinstance(item, Mapping):
            continue
        role, text, at = fields.text(item, "role"), fields.text(item, "text"), fields.field(item, "at")
        if role in ("user", "assistant") and text is not None and text.strip():
            found.append((role, text, at if isinstance(at, int) and at > 0 else None))
    return tuple(found[:MAX_SAID])
