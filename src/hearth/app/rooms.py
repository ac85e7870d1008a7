"""The rooms of one vault, each built when it is first entered."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters, redact, scrub
from hearth.app.privacy import own_folders, remnant_folders
from hearth.app.rebuild import rebuild, remove_index, side_index
from hearth.config.tree import SearchSettings
from hearth.disk import remnants
from hearth.engine.capture.work import pending
from hearth.engine.indexing.freshness import ChangeProbe
from hearth.engine.indexing.index import Index, Tools
from hearth.engine.recall import Recaller
from hearth.engine.recall.question import Language
from hearth.engine.recall.settings import RankingSettings
from hearth.engine.vault import Core
from hearth.errors import Unavailable
from hearth.files import locked
from hearth.model import instants
from hearth.model.identity import INTERNAL
from hearth.model.query import Recall
from hearth.model.types import CONTENT_TYPES
from hearth.ports import Collection

if TYPE_CHECKING:
    from hearth.engine.capture.capture import Capture
    from hearth.engine.compat.memory import Compat
    from hearth.engine.exchange.exchange import Exchange
    from hearth.engine.indexing.sync import Syncer
    from hearth.engine.lifecycle.archiver import Archiver
    from hearth.engine.sessions.record import SessionLog
    from hearth.engine.spaces.upkeep import Upkeep
    from hearth.engine.state.changer import Changer
    from hearth.engine.state.erasure import Eraser
    from hearth.engine.usage.record import UsageLog
    from hearth.engine.writing.memories import Memories


class VaultRooms:
    """Fills ``engine.vault.Rooms``."""

    def __init__(self, adapters: Adapters) -> None:
        self._adapters = adapters
        self._config = adapters.chosen.loaded.config
        self._spaces = adapters.models.spaces()
        collections = adapters.collections()
        ranking = ranking_settings(self._config.search, collections)
        recaller = Recaller(adapters.store, self._spaces, ranking, adapters.models.rerank())
        name, zone = adapters.chosen.vault.name, adapters.chosen.loaded.zone
        self._memories_seen = False
        self.core = Core(name, zone, adapters.clock, adapters.store, adapters.files, collections, recaller, redact)

    def close(self) -> None:
        self._adapters.models.close()

    @cached_property
    def index(self) -> Index:
        adapters = self._adapters
        store, locks = adapters.store, adapters.locks
        tools = Tools(
            syncer=lambda: self._syncer,
            upkeep=lambda: self._upkeep,
            eraser=lambda: self._eraser,
            rebuild=partial(rebuild, adapters),
            graph=adapters.models.graph,
        )
        probe = ChangeProbe(store, adapters.files, adapters.history(), adapters.clock, locks.scan, adapters.commits)
        stale = lambda: store.stale  # noqa: E731
        return Index(store, self.core.collections, adapters.clock, probe, locks, tools, stale, store.checkpoint)

    @cached_property
    def memories(self) -> Memories:
        from hearth.app.models import quantize
        from hearth.disk.memories import DiskMemories
        from hearth.engine.writing.lookup import Lookup
        from hearth.engine.writing.memories import Memories
        from hearth.engine.writing.vectors import OneDocument
        from hearth.engine.writing.writer import MemoryWriter

        adapters, core = self._adapters, self.core
        own = DiskMemories(adapters.memory)
        writer = MemoryWriter(
            memories=own,
            store=adapters.store,
            syncer=self._syncer,
            collection=adapters.internal(),
            lookup=Lookup(own, adapters.store, core.roots, redact, lambda: self._syncer.run(core.collections)),
            machine=adapters.machine(),
            zone=core.zone,
            clock=adapters.clock,
            exclusive=adapters.locks.write,
            embed=OneDocument(adapters.store, adapters.models.embedder, quantize),
        )
        return Memories(writer, lambda: self.sessions, self._prepare_memories)

    @cached_property
    def state(self) -> Changer:
        from hearth.disk.memories import DiskMemories
        from hearth.engine.state.changer import Changer
        from hearth.engine.state.purge import Purger
        from hearth.engine.state.targets import Targets

        adapters, core = self._adapters, self.core

        def ask(text: str, hidden: bool) -> Recall:
            return core.recaller(core.query(text, limit=50, include_hidden=hidden))

        history = self._eraser.history
        purger = Purger(history, self._eraser, core.roots, lambda root: DiskMemories(Path(root)))
        targets = Targets(adapters.store, core.roots, ask)
        return Changer(history, targets, purger, adapters.clock, self.index.prepare)

    @cached_property
    def lifecycle(self) -> Archiver:
        from hearth.engine.lifecycle.archiver import Archiver
        from hearth.engine.lifecycle.policy import Policy
        from hearth.engine.usage.statistics import statistics

        chosen, core = self._config.lifecycle, self.core
        governed = tuple(name for name, item in self._adapters.chosen.vault.collections.items() if item.lifecycle)
        policy = Policy(
            archive_after_days=chosen.archive_after_days,
            overrides=chosen.type_overrides,
            purge_after_days=chosen.purge_after_days,
            exempt=chosen.exempt_collections,
            collections=governed,
            dry_run=chosen.dry_run,
        )
        return Archiver(
            history=self._eraser.history,
            eraser=self._eraser,
            recaller=core.recaller,
            policy=policy,
            clock=core.clock,
            zone=core.zone,
            uses=statistics,
            ask=core.query,
            prepare=self.index.prepare,
        )

    @cached_property
    def sessions(self) -> SessionLog:
        from hearth.engine.sessions.focus import FocusRecord
        from hearth.engine.sessions.record import SessionLog

        history, clock = self._adapters.history(), self._adapters.clock
        return SessionLog(history, clock, self._adapters.project, FocusRecord(history, clock))

    def capture_waits(self) -> bool:
        with self._adapters.store.read() as reader:
            return bool(pending(reader, self._adapters.machine()))

    @cached_property
    def capture(self) -> Capture:
        from hearth.disk.inbox import DiskInbox
        from hearth.disk.transcripts import DiskTranscripts
        from hearth.engine.capture.capture import Capture
        from hearth.engine.capture.conversations import Conversations
        from hearth.engine.capture.distiller import Distiller
        from hearth.engine.capture.handover import Handover
        from hearth.engine.capture.work import CaptureRules
        from hearth.engine.capture.worker import CaptureChoices, Worker
        from hearth.extract.rules.extract import extract

        adapters, chosen, sessions = self._adapters, self._config.capture, self.sessions
        clock, locks = adapters.clock, adapters.locks
        transcripts = DiskTranscripts()
        embed = lambda texts: adapters.models.embedder().embed(texts, "document")  # noqa: E731
        rules = partial(extract, embed=embed, zone=instants.zone_of(self.core.zone))
        worker = Worker(
            history=sessions.history,
            sessions=sessions,
            transcripts=transcripts,
            handover=Handover(DiskInbox(adapters.memory), sessions, redact, locks.write, clock),
            conversations=Conversations(self.memories.writer),
            distiller=Distiller(self.memories, transcripts, rules),
            state=lambda: self.state,
            choices=CaptureChoices(
                CaptureRules(chosen.mode, chosen.turns, chosen.minutes),
                chosen.conversations,
                chosen.keep_days,
                chosen.exclude,
                chosen.patterns,
            ),
            clock=clock,
        )
        prepare = self.memories.prepare
        return Capture(sessions.history, worker, worker.state, adapters.machine(), clock, locks.jobs, prepare)

    @cached_property
    def usage(self) -> UsageLog:
        from hearth.engine.usage.record import UsageLog

        return UsageLog(self.sessions.history, self.sessions, self._adapters.clock, self._adapters.hash_prompt)

    @cached_property
    def exchange(self) -> Exchange:
        from hearth import __version__
        from hearth.app.exchange import DiskExchange
        from hearth.engine.exchange.exchange import Exchange
        from hearth.engine.exchange.exporter import Exporter
        from hearth.engine.exchange.importer import Importer

        adapters, core, log = self._adapters, self.core, self._adapters.journal()
        own = DiskExchange(adapters.memory, adapters.data / "journal", log, scrub, adapters.locks.write)
        exporter = Exporter(
            program=__version__,
            vault=core.name,
            collections=core.collections,
            store=core.store,
            files=core.files,
            log=log,
            own=own,
            redact=redact,
            clock=core.clock,
        )
        return Exchange(exporter, Importer(own, redact), self.index.prepare, lambda: self.index.sync())

    @cached_property
    def compat(self) -> Compat:
        from hearth.engine.compat.get import Getter
        from hearth.engine.compat.memory import Compat

        core = self.core
        getter = Getter(core.store, core.files, core.collections, redact)
        citations = self._config.search.citations
        return Compat(core.recaller, core.store, getter, citations, core.query, lambda: self.usage)

    # -- what several rooms share ----------------------------------------------------------------------------------

    @cached_property
    def _syncer(self) -> Syncer:
        """Before the first look at the folders, what killed processes left half written goes."""
        remnants.sweep(own_folders(self._adapters.chosen), remnants.SETTLED_SECONDS)
        return self._adapters.syncer()

    @cached_property
    def _upkeep(self) -> Upkeep:
        return self._adapters.models.upkeep(self._spaces)

    @cached_property
    def _eraser(self) -> Eraser:
        from hearth.disk.memories import DiskMemories
        from hearth.engine.state.erasure import Eraser

        adapters = self._adapters
        return Eraser(
            store=adapters.store,
            history=adapters.history(),
            memories=DiskMemories(adapters.memory),
            embeddings=adapters.models.embeddings,
            reranks=adapters.models.scores,
            exclusive=adapters.locks.write,
            sweep=partial(_sweep, adapters),
        )

    def _prepare_memories(self) -> None:
        """A scan where the index is stale or knows nothing of memories that are there."""
        stale = self._adapters.store.stale
        if not stale and self._memories_seen:
            return
        with self._adapters.store.read() as reader:
            seen = INTERNAL in reader.collections()
        own = next((c for c in self.core.collections if c.name == INTERNAL), None)
        if stale or (not seen and own is not None and self.core.files.walk(own).files):
            self.index.scan()
        self._memories_seen = True


def ranking_settings(search: SearchSettings, collections: tuple[Collection, ...]) -> RankingSettings:
    """What the settings say of ranking."""
    half_lives = {name: kind.half_life_days for name, kind in CONTENT_TYPES.items()} | dict(search.half_life_days)
    language = Language(
        synonyms=search.synonyms,
        stop_words=frozenset(word.casefold() for word in search.stop_words),
        expand_dates=search.expand_dates,
        expand_synonyms=search.expand_synonyms,
    )
    contexts = {collection.name: collection.context for collection in collections}
    surfaces = {collection.name: collection.surface for collection in collections}
    return RankingSettings(
        language, half_lives, search.temporal_decay, search.mmr, search.mmr_lambda, contexts, search.scoring, surfaces
    )


def _sweep(adapters: Adapters) -> str | None:
    """Removes what holds texts and can't be cleaned: half-written files, graphs of vectors, indexes that were moved
    aside. Says what is in the way."""
    from hearth.store.hnsw import HnswFolder

    remnants.sweep(remnant_folders(adapters.chosen))
    HnswFolder(adapters.cache).prune(())
    for path in adapters.cache.glob("index.sqlite.corrupt-*"):
        path.unlink(missing_ok=True)
    side = side_index(adapters.cache)
    try:
        with locked(adapters.cache / "sync.lock", wait=0):
            remove_index(side)
    except Unavailable:
        return "an index is being rebuilt" if side.exists() else None
    return None
