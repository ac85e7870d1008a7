"""A vault of this machine: its adapters, and each of its rooms, loaded and built when it is first entered."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from hearth.app.adapters import RESULTS, Adapters, build_signals
from hearth.app.models import build_expander
from hearth.app.settings import capture_choices, own_folders, redact
from hearth.core.document import INTERNAL
from hearth.core.errors import HearthError, Unavailable, UsageError
from hearth.core.judgement import may_cite
from hearth.core.memory import CONTENT_TYPES
from hearth.core.session import MAIN_AGENT
from hearth.disk import state_files
from hearth.disk.state_files import DiskCuration
from hearth.recall.interfaces import RankingSettings
from hearth.recall.question import Language
from hearth.recall.ranking.weights import CUT
from hearth.recall.recall import Recaller
from hearth.vault.usage_statistics import read_statistics
from hearth.vault.vault import Core, Vault

if TYPE_CHECKING:
    from hearth.capture.beads import Beads
    from hearth.capture.capture import Capture
    from hearth.capture.work import CaptureWork
    from hearth.config.tree import SearchSettings
    from hearth.context.engine.engine import ContextEngine
    from hearth.context.memory_tools import MemoryTools
    from hearth.core.document import Document
    from hearth.core.query import Query, Recall
    from hearth.disk.session_logs import SessionResults
    from hearth.graph.graph import Graph
    from hearth.memory.archiver import Archiver
    from hearth.memory.changer import Changer
    from hearth.memory.memories import Memories
    from hearth.memory.purge import Eraser
    from hearth.memory.session_record import SessionLog
    from hearth.memory.usage import UsageLog
    from hearth.pages.curation_log import CurationLog
    from hearth.pages.dream.dreamer import Dreamer
    from hearth.pages.knowledge import Knowledge
    from hearth.ports import Collection, Store
    from hearth.truth.truth import Truth
    from hearth.vault.documents import Excerpt
    from hearth.vault.exchange import Exchange
    from hearth.vault.indexing.index import Index
    from hearth.vault.indexing.plan import SyncReport
    from hearth.vault.indexing.sync import Progress, Syncer
    from hearth.vault.upkeep import Upkeep


MAX_AGENTS = 64
"""Seen at a time: each takes a connection and caches of its own."""


class LocalVault(Vault):
    """What surfaces show is what ``agent`` sees; the folders, the index and capture serve all agents."""

    def __init__(self, adapters: Adapters, agent: str = MAIN_AGENT) -> None:
        self._adapters, self.agent = adapters, agent
        self._seen = adapters.as_agent(agent)
        self._views: dict[str, Vault] = {}
        self._viewing = threading.Lock()
        self._config = adapters.chosen.loaded.config
        self._spaces = self._seen.models.spaces()
        collections = adapters.collections()
        ranking = ranking_settings(self._config.search, collections)
        models = self._seen.models
        expander = build_expander(models, self._config.search.expand_by_model, adapters.clock)
        core = Core(
            name=adapters.chosen.vault.name,
            zone=adapters.chosen.loaded.zone,
            clock=adapters.clock,
            store=self._seen.store,
            files=adapters.files,
            collections=collections,
            recaller=Recaller(self._seen.store, self._spaces, ranking, models.rerank(), expander),
            redact=redact,
            interpreter=models.interpreter(),
            privacy=self._seen.privacy,
            off=adapters.find_agent_off(agent, None, None),
        )
        super().__init__(core)

    def close(self) -> None:
        for view in self._views.values():
            view.close()
        self.store.close()
        self._seen.models.close()
        if self._seen is not self._adapters:
            self._adapters.store.close()
            self._adapters.models.close()

    def as_agent(self, agent: str) -> Vault:
        if agent == self.agent:
            return self
        with self._viewing:
            if agent not in self._views:
                if len(self._views) >= MAX_AGENTS:
                    raise Unavailable(f"{len(self._views)} agents have the vault open; no more than that can")
                self._views[agent] = AgentVault(self, agent)
            return self._views[agent]

    def get(self, reference: str, *, raw: bool = False) -> Excerpt:
        """Also ``session:<session>#<entry>``: a message of a session held here, whole."""
        if reference.startswith("session:"):
            from hearth.app.context import read_entry

            return read_entry(self, reference)
        return super().get(reference, raw=raw)

    def cite(self, recall: Recall) -> Recall:
        """The best memories of an answer say what became of the code that they cite."""
        places = [at for at, hit in enumerate(recall.hits) if hit.collection == INTERNAL and may_cite(hit.text)]
        if not places:
            return recall
        from hearth.app.citations import cite_hits

        return cite_hits(self, recall, places)

    def find_cited(self, document: Document, text: str) -> str | None:
        """What became of the code that a memory cites."""
        if document.collection != INTERNAL or not may_cite(text):
            return None
        from hearth.app.citations import find_cited

        return find_cited(self, document, text)

    @cached_property
    def index(self) -> Index:
        from hearth.vault.indexing.index import ChangeProbe, Index, Tools

        adapters = self._adapters
        store, locks = adapters.store, adapters.locks
        tools = Tools(
            syncer=lambda: self._syncer,
            upkeep=lambda: self._upkeep,
            erase=lambda: self._eraser.run().pending,
            rebuild=partial(_rebuild, adapters),
            graph=store.build_graphs,
            derive=self._derive,
        )
        probe = ChangeProbe(store, adapters.files, adapters.history(), adapters.clock, locks.scan, adapters.commits)
        return Index(
            store,
            self.collections,
            adapters.clock,
            probe,
            locks,
            tools,
            lambda: store.condition != "current",
            store.checkpoint,
        )

    def _derive(self) -> None:
        if self._config.context.index_transcripts:
            with suppress(HearthError, OSError):
                self._results.catch_up()

    @cached_property
    def _results(self) -> SessionResults:
        from hearth.app.context import SESSIONS
        from hearth.disk.session_logs import SessionResults

        data = self._adapters.data
        return SessionResults(data / SESSIONS, data / RESULTS, self.clock, self._adapters.without_memory)

    @cached_property
    def memories(self) -> Memories:
        from hearth.app.writing import Preparation, build_memories

        prepare = Preparation(self._adapters, self.core, self.index.scan)
        return build_memories(self._seen, self.core, self._syncer, lambda: self.sessions, prepare, self.agent)

    @cached_property
    def state(self) -> Changer:
        from hearth.app.writing import build_changer

        return build_changer(self._seen, self.core, self._eraser, self.index.prepare, lambda: self.knowledge.refresh())

    @cached_property
    def graph(self) -> Graph:
        from hearth.app.writing import build_graph

        return build_graph(self._seen, self._spaces, self.state)

    @cached_property
    def lifecycle(self) -> Archiver:
        from hearth.memory.archive import Policy
        from hearth.memory.archiver import Archiver

        chosen, collections = self._config.lifecycle, self._adapters.chosen.vault.collections
        policy = Policy(
            archive_after_days=chosen.archive_after_days,
            overrides=chosen.type_overrides,
            purge_after_days=chosen.purge_after_days,
            exempt=chosen.exempt_collections,
            collections=tuple(name for name, item in collections.items() if item.lifecycle),
            dry_run=chosen.dry_run,
        )
        return Archiver(
            history=self._seen.history(),
            eraser=self._eraser,
            find=self._find_in,
            sure=CUT.weak,
            policy=policy,
            clock=self.clock,
            zone=self.zone,
            uses=read_statistics,
            ask=self.query,
            prepare=self.index.prepare,
        )

    def _find_in(self, store: Store, query: Query) -> Recall:
        recaller = self.core.recaller
        return Recaller(store, recaller.spaces, recaller.settings, recaller.rerank)(query)

    @cached_property
    def truth(self) -> Truth:
        from hearth.app.writing import build_truth

        return build_truth(self._seen, self, self._eraser)

    @cached_property
    def sessions(self) -> SessionLog:
        return self._build_sessions(self._seen)

    @cached_property
    def _all_sessions(self) -> SessionLog:
        return self.sessions if self._seen is self._adapters else self._build_sessions(self._adapters)

    def _build_sessions(self, adapters: Adapters) -> SessionLog:
        from hearth.memory.session_record import FocusRecord, SessionLog

        def open_curations() -> CurationLog:
            from hearth.pages.curation_log import CurationLog

            return CurationLog(DiskCuration(adapters.cache), clock, self.zone)

        history, clock = adapters.history(), adapters.clock
        return SessionLog(history, clock, adapters.project, FocusRecord(history, clock), open_curations)

    def run_waiting_captures(self) -> None:
        if self._config.daemon.mode == "never" and self._pending_captures():
            with suppress(HearthError, OSError):
                self.capture.run(patient=False)

    def find_capture_hindrance(self, project: str | None, folder: str | None) -> str | None:
        choices = capture_choices(self._config.capture)
        return choices.find_hindrance(self._pending_captures(), self.clock(), project, folder)

    def _pending_captures(self) -> list[CaptureWork]:
        from hearth.capture.work import pending

        with self._adapters.store.read() as reader:
            return pending(reader, self._adapters.machine())

    @cached_property
    def capture(self) -> Capture:
        from hearth.app.capture import build_capture
        from hearth.app.writing import build_rivals

        rivals = build_rivals(self._seen, self.core)
        return build_capture(self._adapters, self.zone, self._all_sessions, self.memories, rivals, lambda: self.state)

    @cached_property
    def usage(self) -> UsageLog:
        from hearth.memory.usage import UsageLog

        adapters, sessions = self._adapters, self._all_sessions
        return UsageLog(
            sessions.history, sessions, adapters.clock, adapters.hash_prompt, build_signals(adapters, self.zone)
        )

    @cached_property
    def dream(self) -> Dreamer:
        from hearth.app.pages import build_dreamer

        return build_dreamer(self._seen, self)

    @cached_property
    def knowledge(self) -> Knowledge:
        from hearth.app.pages import build_knowledge

        return build_knowledge(self._seen, self)

    @cached_property
    def exchange(self) -> Exchange:
        from hearth.app.imports import build_exchange

        # What is taken elsewhere is the person's vault, not what an agent sees of it.
        whole = replace(self.core, store=self._adapters.store)
        return build_exchange(self._adapters, whole, self.index)

    @cached_property
    def compat(self) -> MemoryTools:
        from hearth.context.memory_tools import Getter, MemoryTools

        core, citations = self.core, self._config.search.citations
        getter = Getter(core.store, core.files, core.collections, redact)
        return MemoryTools(core.recaller, core.store, getter, citations, core.query, lambda: self.usage)

    @cached_property
    def context(self) -> ContextEngine:
        from hearth.app.context import build_context
        from hearth.app.surfacing import build_hooks

        return build_context(self._adapters, self, lambda: build_hooks(self, self._config))

    @cached_property
    def beads(self) -> Beads:
        from hearth.app.capture import build_beads

        return build_beads(self._adapters, self.memories)

    # -- what rooms share ------------------------------------------------------------------------------------------

    @cached_property
    def _syncer(self) -> Syncer:
        """Before the first look at the folders, what killed processes left half written goes."""
        state_files.sweep_left(own_folders(self._adapters.chosen), state_files.SETTLED_SECONDS)
        return self._adapters.syncer()

    @cached_property
    def _upkeep(self) -> Upkeep:
        spaces = self._spaces if self._seen is self._adapters else self._adapters.models.spaces()
        return self._adapters.models.upkeep(spaces)

    @cached_property
    def _eraser(self) -> Eraser:
        from hearth.app.writing import build_eraser

        return build_eraser(self._adapters)


def _rebuild(adapters: Adapters, progress: Progress, *, force: bool) -> SyncReport:
    from hearth.app.rebuild import rebuild

    return rebuild(adapters, progress, force=force)


class AgentVault(LocalVault):
    """A vault as another agent than the main one sees it; the folders and the index are those of ``whole``."""

    def __init__(self, whole: LocalVault, agent: str, *, alone: bool = False) -> None:
        """Where it is opened ``alone``, the whole vault is closed with it."""
        super().__init__(whole._adapters, agent)
        self._whole, self._alone = whole, alone

    def close(self) -> None:
        self.store.close()
        self._seen.models.close()
        if self._alone:
            self._whole.close()

    def as_agent(self, agent: str) -> Vault:
        return self if agent == self.agent else self._whole.as_agent(agent)

    @cached_property
    def index(self) -> Index:
        return self._whole.index

    @cached_property
    def capture(self) -> Capture:
        return self._whole.capture

    @cached_property
    def usage(self) -> UsageLog:
        return self._whole.usage

    @cached_property
    def exchange(self) -> Exchange:
        raise UsageError(f"the agent {self.agent} can't export or import the vault")

    @cached_property
    def _syncer(self) -> Syncer:
        return self._whole._syncer

    @cached_property
    def _eraser(self) -> Eraser:
        return self._whole._eraser


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
        weights=search.weights,
    )
