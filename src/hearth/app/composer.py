"""Builds the parts of one vault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from hearth import guard
from hearth.app.models import VaultModels, quantize
from hearth.app.settings import Settings, now_ms, os_machine_id
from hearth.config.tree import Search
from hearth.engine.freshness import Look
from hearth.engine.history import History
from hearth.engine.question import Language
from hearth.engine.recall import Recaller, Taste
from hearth.engine.vault import Parts, Vault
from hearth.errors import Unavailable
from hearth.files import holder, locked
from hearth.journal import Clock, Journal, machine_id
from hearth.markdown import fragments as fragmenter
from hearth.model.identity import INTERNAL
from hearth.model.query import Query, Recall
from hearth.model.types import CONTENT_TYPES
from hearth.paths import home
from hearth.ports import Collection
from hearth.store.sqlite.store import SqliteStore
from hearth.text import terms
from hearth.vault import DiskFiles

if TYPE_CHECKING:
    from hearth.engine.exchange.facade import Carrier
    from hearth.engine.hooks.desk import Desk
    from hearth.engine.intake import Load, Outcome
    from hearth.engine.lifecycle.policy import Policy
    from hearth.engine.lifecycle.steward import Steward
    from hearth.engine.sessions.logbook import Logbook
    from hearth.engine.state.changer import Changer
    from hearth.engine.sync import Progress, Syncer, SyncReport
    from hearth.engine.writing.scribe import Scribe

# Seconds that a search waits for a scan under way: most end sooner, and a long one must not hold up an answer.
_PATIENCE = 1.0
# What is remembered is nobody else's; a folder that is there already stays as its owner made it.
_PRIVATE = 0o700
# Seconds that a writer waits for others' writes, of some hundredths each.
_WRITERS_WAIT = 60.0


def fingerprint(words: int, overlap: int) -> str:
    """What the content of an index depends on; a different one means rebuild."""
    table = json.loads(files("hearth.models").joinpath("static/model.json").read_text(encoding="utf-8"))["revision"]
    versions = (terms.VERSION, fragmenter.VERSION, guard.VERSION, table)
    return ".".join(map(str, (*versions, words, overlap)))


class Composer:
    """Builds the parts of one vault; vectors and models are loaded when first used."""

    def __init__(self, chosen: Settings) -> None:
        self._chosen = chosen
        self._config = chosen.loaded.config
        sizes = self._config.fragments
        self._words = sizes.words or fragmenter.DEFAULT_WORDS
        self._overlap = fragmenter.DEFAULT_OVERLAP if sizes.overlap is None else sizes.overlap
        self._cache = chosen.vault.cache
        for folder in (chosen.vault.cache, chosen.vault.data):
            with suppress(OSError):  # whoever needs it says so
                folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        self._store = SqliteStore(self._cache / "index.sqlite", fingerprint(self._words, self._overlap))
        self._models = VaultModels(chosen, self._store, self.exclusive)

    def vault(self) -> Vault:
        collections = self.collections()
        spaces = self._models.spaces()
        recaller = Recaller(self._store, spaces, taste(self._config.search, collections), self._models.rerank())
        parts = Parts(
            name=self._chosen.vault.name,
            zone=self._chosen.loaded.zone,
            store=self._store,
            files=DiskFiles(),
            collections=collections,
            look=Look(self._store, DiskFiles(), self.history(self._store), now_ms, self.exclusive),
            scanner=cache(lambda: self.syncer(self._store)),
            keeper=cache(lambda: self._models.upkeep(spaces)),
            recaller=recaller,
            clock=now_ms,
            rebuild=self.rebuild,
            graph=self._models.graph,
            stale=lambda: self._store.stale,
            watched=self.busy,
            holder=lambda: holder(self._cache / "sync.lock"),
            embedding=self._models.busy,
            scribe=cache(lambda: self.scribe(collections)),
            changer=cache(lambda: self.changer(collections, recaller)),
            logbook=cache(self.logbook),
            steward=cache(lambda: self.steward(collections, recaller)),
            citations=self._config.search.citations,
            carrier=cache(lambda: self.carrier(collections)),
            checkpoint=self._store.checkpoint,
            desk=self.desk,
            close=self._models.close,
        )
        return Vault(parts)

    # -- collections -----------------------------------------------------------------------------------------------

    def collections(self) -> tuple[Collection, ...]:
        given = self._chosen.vault.collections
        roots = {name: str(item.path) for name, item in given.items()}
        found = [
            Collection(
                name=name,
                root=str(item.path),
                pattern=item.pattern,
                exclude=item.exclude,
                trust=item.trust,
                inner_roots=tuple(r for n, r in roots.items() if n != name and Path(r).is_relative_to(item.path)),
                context=item.context,
            )
            for name, item in given.items()
        ]
        # Always one of them where it can be made: a process that did not know it would drop what others remember.
        with suppress(OSError):
            self._memory.mkdir(parents=True, exist_ok=True)
        if self._memory.is_dir():
            found.append(self._internal())
        return tuple(found)

    @property
    def _memory(self) -> Path:
        return self._chosen.vault.data / "memory"

    def _internal(self) -> Collection:
        return Collection(INTERNAL, str(self._memory), origin="engine", trust="agent")

    # -- memories --------------------------------------------------------------------------------------------------

    def scribe(self, collections: tuple[Collection, ...]) -> Scribe:
        from hearth.engine.writing.scribe import Scribe
        from hearth.engine.writing.vectors import OneDocument
        from hearth.memories import DiskMemories

        syncer = self.syncer(self._store)
        return Scribe(
            memories=DiskMemories(self._memory),
            store=self._store,
            syncer=syncer,
            collection=self._internal(),
            roots=roots(collections),
            machine=self.machine(),
            zone=self._chosen.loaded.zone,
            clock=now_ms,
            exclusive=self.one_writer,
            embed=OneDocument(self._store, self._models.embedder, quantize),
            scan=lambda: syncer.run(collections),
        )

    # -- hooks -----------------------------------------------------------------------------------------------------

    def desk(self, vault: Vault) -> Desk:
        from hearth.engine.hooks.desk import Desk
        from hearth.transcripts import DiskTranscripts

        surface = self._config.surface
        return Desk(
            vault=vault,
            transcripts=DiskTranscripts(),
            project=lambda cwd: None if cwd is None else vault.project(cwd),
            profile=self._config.profile,
            heartbeats=surface.heartbeats,
            other_projects=surface.other_projects,
            sweeps=not self._config.lifecycle.dry_run,
        )

    def carrier(self, collections: tuple[Collection, ...]) -> Carrier:
        from hearth import __version__
        from hearth.app.exchange import DiskShelf
        from hearth.engine.exchange.facade import Carrier
        from hearth.engine.exchange.give import Giver
        from hearth.engine.exchange.take import Taker
        from hearth.guard.secrets import redact

        name, log = self._chosen.vault.name, self.journal()
        shelf = DiskShelf(self._memory, self._chosen.vault.data / "journal", log, scrubbed, self.one_writer)
        giver = Giver(__version__, name, collections, self._store, DiskFiles(), log, shelf, redact, now_ms)
        return Carrier(giver, Taker(shelf, redact))

    # -- state -----------------------------------------------------------------------------------------------------

    def changer(self, collections: tuple[Collection, ...], recaller: Recaller) -> Changer:
        from hearth.engine.state.changer import Changer
        from hearth.engine.state.erasure import Eraser
        from hearth.engine.state.purge import Purger
        from hearth.engine.state.targets import Targets
        from hearth.memories import DiskMemories

        history = self.history(self._store)
        folders = roots(collections)

        def ask(text: str, hidden: bool) -> Recall:
            zone, name = self._chosen.loaded.zone, self._chosen.vault.name
            return recaller(Query(text, at=now_ms(), zone=zone, vault=name, limit=50, include_hidden=hidden))

        eraser = Eraser(
            store=self._store,
            history=history,
            memories=DiskMemories(self._memory),
            embeddings=self._models.embeddings,
            reranks=self._models.scores,
            exclusive=self.one_writer,
            sweep=self.sweep,
        )
        purger = Purger(history, eraser, folders, lambda root: DiskMemories(Path(root)))
        return Changer(history, Targets(self._store, folders, ask), purger, now_ms)

    def steward(self, collections: tuple[Collection, ...], recaller: Recaller) -> Steward:
        from hearth.engine.lifecycle.steward import Steward
        from hearth.engine.usage.statistics import statistics

        changer = self.changer(collections, recaller)
        zone = self._chosen.loaded.zone
        return Steward(changer.history, changer.eraser, recaller, self.policy(), now_ms, zone, statistics)

    def policy(self) -> Policy:
        """What the settings say of archiving."""
        from hearth.engine.lifecycle.policy import Policy

        chosen = self._config.lifecycle
        return Policy(
            archive_after_days=chosen.archive_after_days,
            overrides=chosen.type_overrides,
            purge_after_days=chosen.purge_after_days,
            exempt=chosen.exempt_collections,
            collections=tuple(name for name, item in self._chosen.vault.collections.items() if item.lifecycle),
            dry_run=chosen.dry_run,
        )

    # -- sessions --------------------------------------------------------------------------------------------------

    def logbook(self) -> Logbook:
        from hearth.engine.sessions.focus import FocusRecord
        from hearth.engine.sessions.logbook import Logbook
        from hearth.engine.sessions.record import SessionRecord
        from hearth.engine.usage.record import UsageRecord
        from hearth.local_key import digest, local_key

        history = self.history(self._store)
        key = cache(lambda: local_key(Path(self._chosen.folders.state)))
        sessions = SessionRecord(history, now_ms, self.project)
        usage = UsageRecord(history, sessions, now_ms, lambda text: digest(key(), text))
        return Logbook(history, sessions, usage, FocusRecord(history, now_ms))

    def project(self, folder: str) -> str | None:
        """The identity of the project that a folder belongs to."""
        from hearth.project import project_of

        found = project_of(folder, home(self._chosen.environ))
        return None if found is None else found.key

    def sweep(self) -> None:
        """Removes what holds derived data and can't be cleaned: graphs of vectors, indexes that were moved aside."""
        from hearth.store.hnsw import HnswFolder

        HnswFolder(self._cache).prune(())
        for path in self._cache.glob("index.sqlite.corrupt-*"):
            path.unlink(missing_ok=True)
        with suppress(Unavailable), locked(self._cache / "sync.lock", wait=0):
            _remove_index(self._cache / "rebuild" / "index.sqlite")

    def machine(self) -> str:
        return machine_id(Path(self._chosen.folders.state), self._chosen.vault.data, os_machine_id())

    def one_writer(self) -> AbstractContextManager[None]:
        return locked(self._cache / "memory.lock", wait=_WRITERS_WAIT)

    # -- sync ------------------------------------------------------------------------------------------------------

    def exclusive(self) -> AbstractContextManager[None]:
        return locked(self._cache / "sync.lock")

    def busy(self) -> bool:
        """Whether another process has been scanning for longer than a search should wait."""
        try:
            with locked(self._cache / "sync.lock", wait=_PATIENCE):
                return False
        except Unavailable:
            return True

    def syncer(self, store: SqliteStore, *, nested: bool = False) -> Syncer:
        from hearth.engine.analysis import Analyzer
        from hearth.engine.sync import Syncer
        from hearth.guard.secrets import redact

        analyzer = Analyzer(redact, self._words, self._overlap)
        exclusive = nullcontext if nested else self.exclusive
        return Syncer(store, DiskFiles(), analyzer, self.history(store), now_ms, exclusive, _spread)

    def history(self, store: SqliteStore) -> History:
        return History(self.journal(), store)

    def journal(self) -> Journal:
        folder = self._chosen.vault.data / "journal"
        return Journal(folder, self.machine(), Clock(now_ms), scrubbed)

    def rebuild(self, progress: Progress, *, force: bool) -> SyncReport:
        """Fills a side index from the files and the journal, then copies it over the live one in one transaction."""
        collections = self.collections()
        with self.exclusive():
            if not force:
                self._refuse_loss(collections)
            side_path = self._cache / "rebuild" / "index.sqlite"
            _remove_index(side_path)
            side = SqliteStore(side_path, self._store.fingerprint)
            try:
                report = self.syncer(side, nested=True).run(collections, progress=progress)
                self._models.refill(side)
            finally:
                side.close()
            self._store.replace_with(side_path)
            _remove_index(side_path)
        self._models.graph(lambda done: None)
        return report

    def _refuse_loss(self, collections: tuple[Collection, ...]) -> None:
        with self._store.read() as reader:
            known = reader.collections()
        for collection in collections:
            state = known.get(collection.name)
            walk = DiskFiles().walk(collection)
            if state is not None and state.documents and not walk.files:
                why = walk.missing or f"{collection.root} is empty"
                raise Unavailable(
                    f"collection {collection.name!r} can't be rebuilt ({why}) and its {state.documents} documents "
                    "would be lost; bring the folder back, or run: hearth reindex --force"
                )


def scrubbed(text: str) -> str:
    from hearth.guard.secrets import redact

    return redact(text).text


def roots(collections: tuple[Collection, ...]) -> dict[str, str]:
    return {collection.name: collection.root for collection in collections}


def taste(search: Search, collections: tuple[Collection, ...]) -> Taste:
    """What the settings say of ranking."""
    half_lives = {name: kind.half_life_days for name, kind in CONTENT_TYPES.items()} | dict(search.half_life_days)
    language = Language(
        synonyms=search.synonyms,
        stop_words=frozenset(word.casefold() for word in search.stop_words),
        expand_dates=search.expand_dates,
        expand_synonyms=search.expand_synonyms,
    )
    contexts = {collection.name: collection.context for collection in collections}
    return Taste(language, half_lives, search.temporal_decay, search.mmr, search.mmr_lambda, contexts, search.scoring)


def _spread(work: Callable[[Load], list[Outcome]], items: Iterable[Load]) -> Iterator[list[Outcome]]:
    # Imported only when there is much to read.
    from hearth.workers import spread

    return spread(work, items)


def _remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
