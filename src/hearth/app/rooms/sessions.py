"""The room in which sessions with agents are kept."""

from __future__ import annotations

from hearth.app import rooms
from hearth.app.adapters import Adapters
from hearth.memory.sessions.focus import FocusRecord
from hearth.memory.sessions.record import SessionLog


def build(adapters: Adapters, zone: str) -> SessionLog:
    history, clock = adapters.history(), adapters.clock
    curations = lambda: rooms.curations.build(adapters.cache, clock, zone)  # noqa: E731
    return SessionLog(history, clock, adapters.project, FocusRecord(history, clock), curations)
