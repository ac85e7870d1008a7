"""Gemini CLI. Contracts as of 0.61.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.core.hook import HookEvent, HookReply, TurnEnded
from hearth.hosts import claude_code, command, fields
from hearth.hosts.command import Launcher
from hearth.hosts.fields import Registration

# It says nothing after a compaction and reads nothing before a tool runs.
_REGISTRATIONS = (
    Registration(hook="context-surfacing", event="BeforeAgent", seconds=5),
    Registration(hook="session-bootstrap", event="SessionStart", matcher="startup|clear", seconds=10, bootstrap=True),
    Registration(hook="precompact-extract", event="PreCompress", seconds=10),
    Registration(hook="feedback-loop", event="AfterAgent", seconds=5),
    Registration(hook="session-end", event="SessionEnd", seconds=5),
)
_EVENTS = {item.hook: item.event for item in _REGISTRATIONS} | {
    "staleness-check": "SessionStart",
    "curator-nudge": "SessionStart",
}
_INJECTING = frozenset({"BeforeAgent", "SessionStart"})


class Gemini:
    """Fills ``fields.Host``."""

    name = "gemini"
    title = "Gemini CLI"
    registrations = _REGISTRATIONS
    grouped = True

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, _EVENTS.get(hook), payload)
        session = fields.text(payload, "session_id") or environ.get("GEMINI_SESSION_ID")
        common = claude_code.common(self.name, session, payload, environ.get("GEMINI_PROJECT_DIR"))
        if kind is TurnEnded:
            return TurnEnded(
                **common, reply=fields.text(payload, "prompt_response"), prompt=fields.text(payload, "prompt")
            )
        return claude_code.event(kind, payload, common)

    def render(self, hook: str, reply: HookReply) -> str:
        """Always an object: standard output has to be JSON and nothing else."""
        return claude_code.injection(_EVENTS.get(hook), reply, _INJECTING) or "{}"

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        """Its times are in milliseconds."""
        line = command.shell(launcher, registration.hook, self.name, self.render(registration.hook, HookReply()))
        name = f"hearth-{registration.hook}"
        return {"name": name, "type": "command", "command": line, "timeout": registration.seconds * 1000}

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{home}/.gemini/settings.json"

    def project_settings(self, root: str) -> str:
        return f"{root}/.gemini/settings.json"
