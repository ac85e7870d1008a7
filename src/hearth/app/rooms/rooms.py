"""The rooms of one vault, each built when it is first entered."""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from hearth.app import rooms
from hearth.app.adapters import Adapters, redact
from hearth.app.privacy import own_folders
from hearth.app.rebuild import rebuild
from hearth.capture.work import pending
from hearth.config.tree import SearchSettings
from hearth.core.types import CONTENT_TYPES
from hearth.disk import temp_files
from hearth.ports import Collection
from hearth.recall.interfaces import RankingSettings
from hearth.recall.question import Language
from hearth.recall.recall import Recaller
from hearth.recall.routing import Interpreter
from hearth.vault.indexing.freshness import ChangeProbe
from hearth.vault.indexing.index import Index, Tools
from hearth.vault.vault import Core

if TYPE_CHECKING:
    from hearth.capture.capture import Capture
    from hearth.context.compat.memory import Compat
    from hearth.graph.graph import Graph
    from hearth.memory.lifecycle.archiver import Archiver
    from hearth.memory.sessions.record import SessionLog
    from hearth.memory.sessions.usage import UsageLog
    from hearth.memory.state.changer import Changer
    from hearth.memory.state.purge import Eraser
    from hearth.memory.writing.memories import Memories
    from hearth.pages.dream.dreamer import Dreamer
    from hearth.pages.knowledge import Knowledge
    from hearth.truth.truth import Truth
    from hearth.vault.importer import Exchange
    from hearth.vault.indexing.sync import Syncer


class VaultRooms:
    """Fills ``vault.vault.Rooms``."""

    def __init__(self, adapters: Adapters) -> None:
        self._adapters = adapters
        self._config = adapters.chosen.loaded.config
        self._spaces = adapters.models.spaces()
        self._eraser = cache(partial(_build_eraser, adapters))
        self._syncer = cache(partial(_build_syncer, adapters))
        collections = adapters.collections()
        ranking = ranking_settings(self._config.search, collections)
        recaller = Recaller(adapters.store, self._spaces, ranking, adapters.models.rerank())
        name, zone = adapters.chosen.vault.name, adapters.chosen.loaded.zone
        clock, store, files = adapters.clock, adapters.store, adapters.files
        model = None if self._config.llm.provider == "none" else _open_interpreter(adapters)
        self.core = Core(name, zone, clock, store, files, collections, recaller, redact, model, adapters.privacy)

    def close(self) -> None:
        self._adapters.models.close()

    @cached_property
    def index(self) -> Index:
        adapters = self._adapters
        store, locks = adapters.store, adapters.locks
        tools = Tools(
            syncer=self._syncer,
            upkeep=cache(partial(adapters.models.upkeep, self._spaces)),
            eraser=self._eraser,
            rebuild=partial(rebuild, adapters),
            graph=adapters.models.graph,
        )
        probe = ChangeProbe(store, adapters.files, adapters.history(), adapters.clock, locks.scan, adapters.commits)
        stale = lambda: store.stale  # noqa: E731
        return Index(store, self.core.collections, adapters.clock, probe, locks, tools, stale, store.checkpoint)

    @cached_property
    def memories(self) -> Memories:
        prepare = rooms.memories.Preparation(self._adapters, self.core, self.index.scan)
        return rooms.memories.build(self._adapters, self.core, self._syncer(), lambda: self.sessions, prepare)

    @cached_property
    def state(self) -> Changer:
        return rooms.state.build(
            self._adapters, self.core, self._eraser(), self.index.prepare, lambda: self.knowledge.refresh()
        )

    @cached_property
    def graph(self) -> Graph:
        return rooms.graph.build(self._adapters, self._spaces, self.state)

    @cached_property
    def lifecycle(self) -> Archiver:
        return rooms.lifecycle.build(self._adapters.chosen, self.core, self._eraser(), self.index.prepare)

    @cached_property
    def truth(self) -> Truth:
        return rooms.state.build_truth(self._adapters, self.core, self._eraser(), self.index.prepare, self)

    @cached_property
    def sessions(self) -> SessionLog:
        return rooms.sessions.build(self._adapters, self.core.zone)

    def capture_waits(self) -> bool:
        if self._config.daemon.mode != "never":
            return False
        with self._adapters.store.read() as reader:
            return bool(pending(reader, self._adapters.machine()))

    @cached_property
    def capture(self) -> Capture:
        rivals = rooms.memories.build_rivals(self._adapters, self.core)
        return rooms.capture.build(
            self._adapters, self.core.zone, self.sessions, self.memories, rivals, lambda: self.state
        )

    @cached_property
    def usage(self) -> UsageLog:
        return rooms.usage.build(self._adapters, self.sessions, self.core.zone)

    @cached_property
    def dream(self) -> Dreamer:
        return rooms.dream.build(self._adapters, self.core, self.index.prepare, self)

    @cached_property
    def knowledge(self) -> Knowledge:
        return rooms.knowledge.build(self._adapters, self.memories, self.index.prepare)

    @cached_property
    def exchange(self) -> Exchange:
        return rooms.exchange.build(self._adapters, self.core, self.index)

    @cached_property
    def compat(self) -> Compat:
        return rooms.compat.build(self.core, self._config.search.citations, lambda: self.usage)


def _build_syncer(adapters: Adapters) -> Syncer:
    """Before the first look at the folders, what killed processes left half written goes."""
    temp_files.sweep(own_folders(adapters.chosen), temp_files.SETTLED_SECONDS)
    return adapters.syncer()


def _open_interpreter(adapters: Adapters) -> Interpreter:
    return Interpreter(adapters.models.questions, adapters.clock)


def _build_eraser(adapters: Adapters) -> Eraser:
    return rooms.state.build_eraser(adapters)


def ranking_settings(search: SearchSettings, collections: tuple[Collection, ...]) -> RankingSettings:
    """What the settings say of ranking."""
    half_lives = {name: kind.half_life_days for name, kind in CONTENT_TYPES.items()} | dict(search.half_life_days)
    language = Language(
        synonyms=search.synonyms,
        stop_words=frozenset(word.casefold() for word in search.stop_words),
        expand_dates=search.expand_dates,
        expand_synonyms=search.expand_synonyms,
    )
    return RankingSettings(
        language=language,
        half_lives=half_lives,
        temporal_decay=search.temporal_decay,
        mmr=search.mmr,
        mmr_weight=search.mmr_lambda,
        contexts={collection.name: collection.context for collection in collections},
        scoring=search.scoring,
        surfaces={collection.name: collection.surface for collection in collections},
        min_score=search.min_score,
    )
