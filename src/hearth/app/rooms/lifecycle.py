"""The room in which memories age."""

from __future__ import annotations

from collections.abc import Callable

from hearth.app.settings import Settings
from hearth.engine.lifecycle.archiver import Archiver
from hearth.engine.lifecycle.policy import Policy
from hearth.engine.state.erasure import Eraser
from hearth.engine.usage.statistics import statistics
from hearth.engine.vault import Core


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
        uses=statistics,
        ask=core.query,
        prepare=prepare,
    )
