"""The rooms in which people change their mind, and what is then erased."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters
from hearth.app.privacy import remnant_folders
from hearth.app.rebuild import remove_index, side_index
from hearth.core.errors import Unavailable
from hearth.core.files import locked
from hearth.core.query import Recall
from hearth.disk import temp_files
from hearth.disk.memories import DiskMemories
from hearth.memory.state.changer import Changer, Targets
from hearth.memory.state.purge import Eraser, Purger
from hearth.pages.document_notes import forget_gone
from hearth.truth.review import queue
from hearth.truth.truth import Truth
from hearth.vault.vault import Core, Rooms

if TYPE_CHECKING:
    from hearth.truth.approval import Approvals
    from hearth.truth.consolidator import Consolidator

_CONSOLIDATION = "-consolidation"
"""What the file is called in which a model's conclusions wait to be carried out."""


def build(
    adapters: Adapters, core: Core, eraser: Eraser, prepare: Callable[[], None], follow: Callable[[], None]
) -> Changer:
    purger = Purger(eraser.history, eraser, core.roots, lambda root: DiskMemories(Path(root)))
    return Changer(eraser.history, build_targets(adapters, core), purger, adapters.clock, prepare, follow)


def build_truth(
    adapters: Adapters,
    core: Core,
    eraser: Eraser,
    prepare: Callable[[], None],
    rooms: Rooms,
) -> Truth:
    @cache
    def consolidator() -> Consolidator:
        from hearth.truth.consolidator import Consolidator

        conclusions = None
        if adapters.chosen.loaded.config.llm.provider != "none":
            from hearth.app.llm import open_writer
            from hearth.truth.consolidation_plan import Conclusions

            conclusions = Conclusions(lambda: open_writer(adapters), adapters.answers(_CONSOLIDATION))
        return Consolidator(eraser.history, rooms.memories, adapters.clock, adapters.locks.jobs, conclusions)

    def approvals() -> Approvals:
        from hearth.truth.approval import Approvals

        clock = adapters.clock
        cases = lambda reader: len(queue(reader, clock()))  # noqa: E731
        return Approvals(
            eraser.history, clock, prepare, cases, rooms.memories.follow, lambda: rooms.knowledge.refresh()
        )

    return Truth(
        eraser.history,
        build_targets(adapters, core),
        adapters.clock,
        core.zone,
        prepare,
        consolidator,
        lambda *given: rooms.capture.undo(*given),
        lambda run: rooms.dream.undo(run),
        approvals,
    )


def build_targets(adapters: Adapters, core: Core) -> Targets:
    def ask(text: str, hidden: bool) -> Recall:
        return core.recaller(core.query(text, limit=50, include_hidden=hidden))

    return Targets(adapters.store, core.roots, ask)


def build_eraser(adapters: Adapters) -> Eraser:
    agents = adapters.chosen.loaded.config.agents
    return Eraser(
        store=adapters.store,
        history=adapters.history(),
        memories=DiskMemories(adapters.memory),
        workspaces=tuple(DiskMemories(one.workspace) for name, one in agents.items() if adapters.folders(name)),
        embeddings=adapters.models.embeddings,
        reranks=adapters.models.scores,
        exclusive=adapters.locks.write,
        forget=lambda: forget_gone(adapters.store, adapters.notes(), adapters.locks.write),
        sweep=partial(_sweep, adapters),
    )


def _sweep(adapters: Adapters) -> str | None:
    """Removes what holds texts and can't be cleaned: half-written files, graphs of vectors, indexes that were moved
    aside, a language model's last answer. Says what is in the way."""
    from hearth.store.hnsw import HnswFolder

    temp_files.sweep(remnant_folders(adapters.chosen))
    HnswFolder(adapters.cache).prune(())
    adapters.answers().drop()
    adapters.answers(_CONSOLIDATION).drop()
    for path in adapters.cache.glob("index.sqlite.corrupt-*"):
        path.unlink(missing_ok=True)
    side = side_index(adapters.cache)
    try:
        with locked(adapters.cache / "sync.lock", wait=0):
            remove_index(side)
    except Unavailable:
        return "an index is being rebuilt" if side.exists() else None
    return None
