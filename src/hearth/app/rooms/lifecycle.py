"""The room in which memories age."""

from __future__ import annotations

from collections.abc import Callable

from hearth.app.locks import Settings
from hearth.memory.lifecycle.archiver import Archiver
from hearth.memory.lifecycle.plan import Policy
from hearth.memory.sessions.statistics import read_statistics
from hearth.memory.state.purge import Eraser
from hearth.vault.vault import Core


def build(settings: Settings, core: Core, eraser: Eraser, prepare: Callable[[], None]) -> Archiver:
    chosen = settings.loaded.config.lifecycle
    policy = Policy(
        archive_after_days=chosen.archive_after_days,
        overrides=chosen.type_overrides,
        purge_after_days=chosen.purge_after_days,
        exempt=chosen.exempt_collections,
        collections=tuple(name for name, item in settings.vault.collections.items() if item.lifecycle),
        dry_run=chosen.dry_run,
    )
    return Archiver(
        history=eraser.history,
        eraser=eraser,
        recaller=core.recaller,
        policy=policy,
        clock=core.clock,
        zone=core.zone,
        uses=read_statistics,
        ask=core.query,
        prepare=prepare,
    )
