"""OpenClaw, OpenCode and Hermes: what our plugins (``integrations``) send to hooks, and what they get back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.core.hook import HookEvent, HookReply, PromptSubmitted, TurnEnded
from hearth.hosts import claude_code, fields

_EVENTS = {
    "context-surfacing": "prompt",
    "session-bootstrap": "session_start",
    "postcompact-inject": "session_start",
    "feedback-loop": "turn_end",
    "session-end": "session_end",
}
_INJECTING = frozenset({"prompt", "session_start", "tool_failed"})
# In the line that says how to ask for more.
_HINT = "Nothing was added automatically; memory_retrieve"
# Messages kept of one turn.
_MAX_SAID = 200


class _Plugin:
    """Fills ``fields.Dialect`` but for its name and settings. A session is shared unless the plugin says that only the
    owner takes part."""

    name = ""
    _events: Mapping[str, str] = {**_EVENTS, "failure-inject": "tool_failed"}

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, self._events.get(hook), payload)
        common = claude_code.common(self.name, fields.text(payload, "session_id"), payload, None)
        common["shared"] = fields.field(payload, "private") is not True
        if kind is PromptSubmitted:
            asked = fields.field(payload, "trigger") == "user"
            return PromptSubmitted(**common, prompt=fields.text(payload, "prompt") or "", by_person=asked)
        if kind is TurnEnded:
            said = _read_turns(payload)
            prompts = [text for role, text, _ in said if role == "user"]
            replies = [text for role, text, _ in said if role == "assistant"]
            return TurnEnded(**common, reply="\n\n".join(replies), prompt=prompts[-1] if prompts else None, said=said)
        return claude_code.event(kind, payload, common)

    def render(self, hook: str, reply: HookReply) -> str:
        """Only the text, which the plugin puts where the model reads it."""
        return (reply.context or "") if self._events.get(hook) in _INJECTING else ""


class OpenClaw(_Plugin):
    name = "openclaw"
    title = "OpenClaw"
    _events: Mapping[str, str] = {**_EVENTS, "precompact-extract": "before_compaction"}

    def render(self, hook: str, reply: HookReply) -> str:
        """The search has another name there."""
        return super().render(hook, reply).replace(_HINT, _HINT.replace("memory_retrieve", "memory_search"))

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        given = fields.absolute(environ.get("OPENCLAW_CONFIG_PATH"))
        folder = fields.absolute(environ.get("OPENCLAW_STATE_DIR")) or f"{home}/.openclaw"
        return given or f"{folder}/openclaw.json"


class OpenCode(_Plugin):
    name = "opencode"
    title = "OpenCode"

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{folder_of_opencode(home, environ)}/plugin/hearth.js"


class Hermes(_Plugin):
    name = "hermes"
    title = "Hermes"

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{folder_of_hermes(home, environ)}/config.yaml"


def folder_of_opencode(home: str, environ: Mapping[str, str]) -> str:
    named = fields.absolute(environ.get("OPENCODE_CONFIG_DIR"))
    return named or f"{fields.absolute(environ.get('XDG_CONFIG_HOME')) or f'{home}/.config'}/opencode"


def folder_of_hermes(home: str, environ: Mapping[str, str]) -> str:
    return fields.absolute(environ.get("HERMES_HOME")) or f"{home}/.hermes"


def _read_turns(payload: Mapping[str, Any]) -> tuple[tuple[str, str, int | None], ...]:
    """The messages of a turn that say something."""
    given = fields.field(payload, "turns")
    found: list[tuple[str, str, int | None]] = []
    for item in given if isinstance(given, list) else []:
        if not isinstance(item, Mapping):
            continue
        role, text, at = fields.text(item, "role"), fields.text(item, "text"), fields.field(item, "at")
        if role in ("user", "assistant") and text is not None and text.strip():
            found.append((role, text, at if isinstance(at, int) and at > 0 else None))
    return tuple(found[:_MAX_SAID])
