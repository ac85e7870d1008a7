"""Codex. It speaks Claude Code's dialect but for strict output and its own places. Contracts as of 0.169.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hearth.core.hook import HookEvent, HookReply
from hearth.hosts import claude_code, command, fields
from hearth.hosts.command import Launcher
from hearth.hosts.fields import Registration

# It cuts the time of a session's end down to this, with a complaint on the screen where an entry asks for more.
_SESSION_END_SECONDS = 3
# It has no event for a tool that failed.
_EVENTS = {hook: event for hook, event in claude_code.EVENTS.items() if hook != "failure-inject"}


class Codex:
    """Fills ``fields.Host``. Its alias of ``apply_patch`` lets the matcher of Claude Code's editors match."""

    name = "codex"
    title = "Codex"
    registrations = tuple(
        replace(item, seconds=min(item.seconds, _SESSION_END_SECONDS)) if item.event == "SessionEnd" else item
        for item in claude_code.REGISTRATIONS
        if item.hook in _EVENTS
    )
    grouped = True

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        kind = fields.check(self.name, hook, _EVENTS.get(hook), payload)
        session = fields.text(payload, "session_id")
        return claude_code.event(kind, payload, claude_code.common(self.name, session, payload, None))

    def render(self, hook: str, reply: HookReply) -> str:
        empty = "{}" if _EVENTS.get(hook) == "Stop" else ""
        return claude_code.injection(_EVENTS.get(hook), reply) or empty

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        line = command.shell(launcher, registration.hook, self.name, self.render(registration.hook, HookReply()))
        return {"type": "command", "command": line, "timeout": registration.seconds}

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        return f"{folder(home, environ)}/hooks.json"

    def project_settings(self, root: str) -> str:
        return f"{root}/.codex/hooks.json"


def folder(home: str, environ: Mapping[str, str]) -> str:
    """Where Codex keeps its own things."""
    return fields.absolute(environ.get("CODEX_HOME")) or f"{home}/.codex"
