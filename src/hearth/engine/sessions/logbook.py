"""What records sessions, usage and focus in one vault, over one journal."""

from __future__ import annotations

from dataclasses import dataclass

from hearth.engine.history import History
from hearth.engine.sessions.focus import FocusRecord
from hearth.engine.sessions.record import SessionRecord
from hearth.engine.usage.record import UsageRecord


@dataclass(frozen=True)
class Logbook:
    history: History
    sessions: SessionRecord
    usage: UsageRecord
    focus: FocusRecord
