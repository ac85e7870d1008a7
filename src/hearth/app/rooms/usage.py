"""The room in which it is kept what was shown and used."""

from __future__ import annotations

from hearth.app.adapters import Adapters
from hearth.engine.dream.signals import SignalRecorder
from hearth.engine.sessions.record import SessionLog
from hearth.engine.usage.record import UsageLog


def build(adapters: Adapters, sessions: SessionLog, zone: str) -> UsageLog:
    signals = SignalRecorder(adapters.chosen.loaded.config.dream.record, adapters.clock, zone)
    return UsageLog(sessions.history, sessions, adapters.clock, adapters.hash_prompt, signals)
