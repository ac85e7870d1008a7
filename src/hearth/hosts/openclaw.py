"""OpenClaw: what our plugin for it (``integrations/openclaw``) sends to hooks, and what it gets back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.core.hook import HookEvent, HookReply, PromptSubmitted, SessionStarted, TurnEnded
from hearth.hosts import claude_code, fields

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
# Messages kept of one turn.
MAX_SAID = 200


class OpenClaw:
    """Fills ``fields.Dialect``. A session is shared unless the plugin says that only the owner takes part."""

    name = "openclaw"
    title = "OpenClaw"

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
            turns = said_in(payload)
            prompts = [text for role, text, _ in turns if role == "user"]
            replies = [text for role, text, _ in turns if role == "assistant"]
            return TurnEnded(**common, reply="\n\n".join(replies), prompt=prompts[-1] if prompts else None, said=turns)
        return claude_code.event(kind, payload, common)

    def render(self, hook: str, reply: HookReply) -> str:
        """Only the text, which the plugin puts where the model reads it. The search has another name there."""
        text = (reply.context or "") if _EVENTS.get(hook) in _INJECTING else ""
        return text.replace(_HINT, _HINT.replace("memory_retrieve", "memory_search"))

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        given = fields.absolute(environ.get("OPENCLAW_CONFIG_PATH"))
        folder = fields.absolute(environ.get("OPENCLAW_STATE_DIR")) or f"{home}/.openclaw"
        return given or f"{folder}/openclaw.json"


def said_in(payload: Mapping[str, Any]) -> tuple[tuple[str, str, int | None], ...]:
    """The messages of the turn that say something."""
    given = fields.field(payload, "turns")
    found: list[tuple[str, str, int | None]] = []
    for item in given if isinstance(given, list) else []:
        if not isinstance(item, Mapping):
            continue
        role, text, at = fields.text(item, "role"), fields.text(item, "text"), fields.field(item, "at")
        if role in ("user", "assistant") and text is not None and text.strip():
            found.append((role, text, at if isinstance(at, int) and at > 0 else None))
    return tuple(found[:MAX_SAID])
