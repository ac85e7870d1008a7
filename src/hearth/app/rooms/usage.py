"""The room in which it is kept what was shown and used."""

from __future__ import annotations

from hearth.app.adapters import Adapters
from hearth.memory.sessions.record import SessionLog, is_unattended
from hearth.memory.sessions.usage import UsageLog
from hearth.pages.dream.scores import SignalRecorder


def build(adapters: Adapters, sessions: SessionLog, zone: str) -> UsageLog:
    return UsageLog(sessions.history, sessions, adapters.clock, adapters.hash_prompt, recorder(adapters, zone))


def recorder(adapters: Adapters, zone: str) -> SignalRecorder:
    """Tells the passages that events of usage are about."""
    record = adapters.chosen.loaded.config.dream.record
    return SignalRecorder(record, adapters.clock, zone, lambda session: is_unattended(adapters.store, session))
