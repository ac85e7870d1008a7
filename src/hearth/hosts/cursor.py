"""Cursor: its own names for everything. Contracts as of its documentation of October 2026 and client 3.20."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hearth.core.hook import HookEvent, HookReply, SessionStarted, TurnEnded
from hearth.hosts import claude_code, command, fields
from hearth.hosts.command import Launcher
from hearth.hosts.fields import Registration

# It says nothing after a compaction, and starts a session in one way only.
_REGISTRATIONS = (
    Registration(hook="context-surfacing", event="beforeSubmitPrompt", seconds=5),
    Registration(hook="session-bootstrap", event="sessionStart", seconds=10, bootstrap=True),
    Registration(hook="precompact-extract", event="preCompact", seconds=10),
    Registration(hook="feedback-loop", event="stop", seconds=5),
    Registration(hook="session-end", event="sessionEnd", seconds=5),
    Registration(hook="pretool-inject", event="preToolUse", matcher="Write|Edit", seconds=5),
)
_EVENTS = {item.hook: item.event for item in _REGISTRATIONS} | {
    "staleness-check": "sessionStart",
    "curator-nudge": "sessionStart",
}
_INJECTING = frozenset({"beforeSubmitPrompt", "sessionStart", "preToolUse"})


class Cursor:
    """Fills ``fields.Host``."""

    name = "cursor"
    title = "Cursor"
    registrations = _REGISTRATIONS
    grouped = False

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, _EVENTS.get(hook), payload)
        session = fields.text(payload, "conversation_id", "session_id")
        common = claude_code.common(self.name, session, payload, _root(payload, environ))
        common["turn"] = fields.text(payload, "generation_id")
        common["unattended"] = fields.field(payload, "is_background_agent") is True
        if kind is SessionStarted:
            return SessionStarted(**common)
        if kind is TurnEnded:
            return TurnEnded(**common)
        return claude_code.event(kind, payload, common)

    def render(self, hook: str, reply: HookReply) -> str:
        event = _EVENTS.get(hook)
        if not reply.context or event not in _INJECTING:
            return ""
        allowed = {"continue": True} if event == "beforeSubmitPrompt" else {}
        return json.dumps({**allowed, "additional_context": reply.context})

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        line = command.shell(launcher, registration.hook, self.name, self.render(registration.hook, HookReply()))
        matcher = {"matcher": registration.matcher} if registration.matcher else {}
        return {"command": line, "timeout": registration.seconds, **matcher}

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{home}/.cursor/hooks.json"

    def project_settings(self, root: str) -> str:
        return f"{root}/.cursor/hooks.json"


def _root(payload: Mapping[str, Any], environ: Mapping[str, str]) -> str | None:
    roots = fields.field(payload, "workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return first if isinstance(first, str) else environ.get("CURSOR_PROJECT_DIR")
