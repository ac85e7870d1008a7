"""The room of those who know the markdown pair."""

from __future__ import annotations

from collections.abc import Callable

from hearth.app.adapters import redact
from hearth.context.compat.memory import Compat, Getter
from hearth.memory.sessions.usage import UsageLog
from hearth.vault.vault import Core


def build(core: Core, citations: str, usage: Callable[[], UsageLog]) -> Compat:
    getter = Getter(core.store, core.files, core.collections, redact)
    return Compat(core.recaller, core.store, getter, citations, core.query, usage)
