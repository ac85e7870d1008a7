"""The room in which a vault dreams."""

from __future__ import annotations

from collections.abc import Callable

from hearth.app.adapters import Adapters
from hearth.disk.memories import DiskMemories
from hearth.dream.score import Gates
from hearth.engine.dream.dreamer import Dreamer
from hearth.engine.dream.pages import DreamPages
from hearth.engine.dream.plan import DreamRules
from hearth.engine.dream.reflector import Reflector
from hearth.engine.vault import Core


def build(adapters: Adapters, core: Core, prepare: Callable[[], None]) -> Dreamer:
    chosen = adapters.chosen.loaded.config.dream
    gates = Gates(chosen.min_score, chosen.min_signals, chosen.min_questions, chosen.min_confirmations)
    collections = tuple(name for name, item in adapters.chosen.vault.collections.items() if item.dream)
    return Dreamer(
        history=adapters.history(),
        pages=DreamPages(DiskMemories(adapters.memory)),
        rules=DreamRules(gates, chosen.per_night, chosen.max_tokens, collections),
        machine=adapters.machine(),
        clock=core.clock,
        zone=core.zone,
        roots=core.roots,
        at=chosen.at,
        lease=adapters.locks.jobs,
        exclusive=adapters.locks.write,
        prepare=prepare,
        reflector=Reflector(core.store, core.clock, core.zone, prepare),
    )
