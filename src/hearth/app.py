"""The composition root: from the configuration to a vault that answers. The only module that picks adapters."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from hearth import guard, paths
from hearth.config import Loaded, VaultConfig, later, load, vault
from hearth.config.tree import DEFAULT_VAULT, Search
from hearth.config.tree import Collection as ConfiguredCollection
from hearth.engine import ledger
from hearth.engine.freshness import Look
from hearth.engine.history import History
from hearth.engine.question import Language
from hearth.engine.recall import Recaller, Taste
from hearth.engine.spaces import Model, Space, Spaces
from hearth.engine.vault import Parts, Vault
from hearth.errors import Unavailable
from hearth.files import holder, locked
from hearth.journal import Clock, Journal, machine_id
from hearth.markdown import fragments as fragmenter
from hearth.model.identity import INTERNAL
from hearth.model.query import Query, Recall
from hearth.model.types import CONTENT_TYPES
from hearth.models.chosen import ChosenModels, Remembered
from hearth.ports import Collection, Embedder, Reader
from hearth.store.sqlite.embeddings import SqliteEmbeddings
from hearth.store.sqlite.store import SqliteStore
from hearth.text import terms
from hearth.vault import DiskFiles

if TYPE_CHECKING:
    from hearth.engine.intake import Load, Outcome
    from hearth.engine.rerank import Rerank
    from hearth.engine.state.changer import Changer
    from hearth.engine.sync import Progress, Syncer, SyncReport
    from hearth.engine.upkeep import Upkeep
    from hearth.engine.writing.scribe import Scribe
    from hearth.ports import Bytes, VectorIndex, Vectors
    from hearth.store.cache import VectorCache
    from hearth.store.sqlite.reranks import SqliteReranks

# Seconds that a search waits for a scan under way: most end sooner, and a long one must not hold up an answer.
_PATIENCE = 1.0
# Seconds that a writer waits for others' writes, of some hundredths each.
_WRITERS_WAIT = 60.0
_OS_MACHINE_ID = Path("/etc/machine-id")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Settings:
    """Everything that composing a vault reads from outside, once. ``environ`` holds the keys of models' servers; it is
    never shown."""

    folders: paths.Folders
    loaded: Loaded
    vault: VaultConfig
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def key(self, variable: str | None) -> str | None:
        """The key in a variable that a setting names; ``None`` where none is named or it is empty."""
        return (self.environ.get(variable) or None) if variable else None


def settings(
    name: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Settings:
    """Reads configuration; ``name`` defaults to ``HEARTH_VAULT``, else ``default``."""
    environ = os.environ if environ is None else environ
    folders = paths.folders(environ)
    loaded = load(folders, environ, flags)
    later.refuse(loaded)
    chosen = name or environ.get("HEARTH_VAULT") or DEFAULT_VAULT
    return Settings(folders, loaded, vault(loaded.config, folders, chosen), environ)


def open_vault(name: str | None = None, *, environ: Mapping[str, str] | None = None) -> Vault:
    """Opens a vault by name, making its folders as needed.

    Raises ``ConfigError``, ``NotFound`` for an unknown name, ``Unavailable`` where the index can't be opened.
    """
    return compose(settings(name, environ=environ))


def open_folder(folder: Path, work: Path, given: Mapping[str, str] | None = None) -> Vault:
    """A throw-away vault over one folder, its data and index below ``work``: for measuring, with default settings but
    for the variables ``given``."""
    environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
    environ |= given or {}
    chosen = settings(environ=environ)
    collections = {"notes": ConfiguredCollection(path=folder.resolve())}
    return compose(replace(chosen, vault=replace(chosen.vault, collections=collections)))


def compose(chosen: Settings) -> Vault:
    return _Composer(chosen).vault()


def fingerprint(words: int, overlap: int) -> str:
    """What the content of an index depends on; a different one means rebuild."""
    table = json.loads(files("hearth.models").joinpath("static/model.json").read_text(encoding="utf-8"))["revision"]
    versions = (terms.VERSION, fragmenter.VERSION, guard.VERSION, table)
    return ".".join(map(str, (*versions, words, overlap)))


class _Composer:
    """Builds the parts of one vault; vectors and models are loaded when first used."""

    def __init__(self, chosen: Settings) -> None:
        self._chosen = chosen
        self._config = chosen.loaded.config
        sizes = self._config.fragments
        self._words = sizes.words or fragmenter.DEFAULT_WORDS
        self._overlap = fragmenter.DEFAULT_OVERLAP if sizes.overlap is None else sizes.overlap
        self._cache = chosen.vault.cache
        self._vectors: VectorCache | None = None
        self._embedder: Embedder | None = None
        self._reranks: SqliteReranks | None = None
        self._models = ChosenModels(self._config, chosen.key, self.remembered, Path(chosen.folders.cache))
        self._embeddings = SqliteEmbeddings(self._cache / "embeddings.sqlite", self._config.embedding.cache_entries)
        self._store = SqliteStore(self._cache / "index.sqlite", fingerprint(self._words, self._overlap))

    def vault(self) -> Vault:
        collections = self.collections()
        spaces = self.spaces()
        recaller = Recaller(self._store, spaces, taste(self._config.search, collections), self.rerank())
        parts = Parts(
            name=self._chosen.vault.name,
            zone=self._chosen.loaded.zone,
            store=self._store,
            files=DiskFiles(),
            collections=collections,
            look=Look(self._store, DiskFiles(), self.history(self._store), now_ms, self.exclusive),
            scanner=cache(lambda: self.syncer(self._store)),
            keeper=cache(lambda: self.upkeep(spaces)),
            recaller=recaller,
            clock=now_ms,
            rebuild=self.rebuild,
            graph=self.graph,
            stale=lambda: self._store.stale,
            watched=self.busy,
            holder=lambda: holder(self._cache / "sync.lock"),
            embedding=self.embedding,
            scribe=cache(lambda: self.scribe(collections)),
            changer=cache(lambda: self.changer(collections, recaller)),
            close=self.close,
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
            roots={collection.name: collection.root for collection in collections},
            machine=self.machine(),
            zone=self._chosen.loaded.zone,
            clock=now_ms,
            exclusive=lambda: locked(self._cache / "memory.lock", wait=_WRITERS_WAIT),
            embed=OneDocument(self._store, self.embedder, quantize),
            scan=lambda: syncer.run(collections),
        )

    # -- state -----------------------------------------------------------------------------------------------------

    def changer(self, collections: tuple[Collection, ...], recaller: Recaller) -> Changer:
        from hearth.engine.state.changer import Changer
        from hearth.engine.state.erasure import Eraser
        from hearth.engine.state.purge import Purger
        from hearth.engine.state.targets import Targets
        from hearth.memories import DiskMemories

        history = self.history(self._store)
        roots = {collection.name: collection.root for collection in collections}

        def ask(text: str, hidden: bool) -> Recall:
            zone, name = self._chosen.loaded.zone, self._chosen.vault.name
            return recaller(Query(text, at=now_ms(), zone=zone, vault=name, limit=50, include_hidden=hidden))

        eraser = Eraser(
            store=self._store,
            history=history,
            memories=DiskMemories(self._memory),
            embeddings=self._embeddings,
            reranks=self.scores,
            exclusive=lambda: locked(self._cache / "memory.lock", wait=_WRITERS_WAIT),
            sweep=self.sweep,
        )
        purger = Purger(history, eraser, roots, lambda root: DiskMemories(Path(root)))
        return Changer(history, Targets(self._store, roots, ask), purger, now_ms)

    def scores(self) -> SqliteReranks:
        """The cache of reranked scores, also where no reranker is configured any more."""
        if self._reranks is None:
            from hearth.store.sqlite.reranks import SqliteReranks

            self._reranks = SqliteReranks(self._cache / "reranks.sqlite")
        return self._reranks

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
                self.refill(side)
            finally:
                side.close()
            self._store.replace_with(side_path)
            _remove_index(side_path)
        self.graph(lambda done: None)
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

    # -- vectors ---------------------------------------------------------------------------------------------------

    def embedder(self) -> Embedder:
        if self._embedder is None:
            from hearth.models.static import StaticEmbedder

            self._embedder = StaticEmbedder()
        return self._embedder

    def cache(self) -> VectorCache:
        if self._vectors is None:
            from hearth.store.cache import VectorCache
            from hearth.store.hnsw import HnswFolder

            self._vectors = VectorCache(HnswFolder(self._cache))
        return self._vectors

    def vector_index(self, reader: Reader, space: str, generation: int) -> VectorIndex:
        return self.cache().index(reader, space, generation)

    def rest(self, reader: Reader, space: str, lacking: str, generation: int) -> VectorIndex | None:
        return self.cache().rest(reader, space, lacking, generation)

    def graph(self, progress: Callable[[int], None]) -> None:
        from hearth.store.hnsw import MIN_VECTORS, HnswFolder

        with self._store.read() as reader:
            if reader.statistics().fragments < MIN_VECTORS:
                return
            folder, spaces = HnswFolder(self._cache), reader.spaces()
            for space in spaces:
                folder.build(reader, space, progress)
            folder.prune(spaces)

    # -- models ----------------------------------------------------------------------------------------------------

    def spaces(self) -> Spaces:
        given = self._config.embedding
        static = Space(self.embedder, self.vector_index)
        if given.provider == "static":
            return Spaces(static)
        label = given.model or given.url or given.provider
        model = Model(label, self._models.embedder, self._models.embedder_anew)
        return Spaces(static, model, self.rest, strict=given.fallback == "error")

    def remembered(self, fingerprint: str) -> Remembered | None:
        with self._store.read() as reader:
            facts = ledger.newest(ledger.read(reader), fingerprint)
        return None if facts is None else Remembered(facts.served, facts.dimensions)

    def rerank(self) -> Rerank | None:
        """The second look at the best passages; nothing of it is loaded where no model is configured."""
        if self._config.rerank.provider == "none":
            return None
        from hearth.engine.rerank import Rerank
        from hearth.store.sqlite.reranks import SqliteReranks

        self._reranks = SqliteReranks(self._cache / "reranks.sqlite")
        return Rerank(self._models.reranker, now_ms, self._reranks)

    def close(self) -> None:
        self._embeddings.close()
        self._models.close()
        if self._reranks is not None:
            self._reranks.close()

    def upkeep(self, spaces: Spaces) -> Upkeep:
        from hearth.engine.embedding import Filler
        from hearth.engine.upkeep import Upkeep

        filler = Filler(self._store, quantize, self.exclusive, self._embeddings)
        backfill = lambda embedder: self._models.backfill(embedder, self._cache)  # noqa: E731
        local = self._config.embedding.provider == "onnx"
        return Upkeep(self._store, spaces, filler, self.one_embedding, now_ms, local, backfill)

    def one_embedding(self, wait: float | None) -> AbstractContextManager[None]:
        return locked(self._cache / "embed.lock", wait=wait)

    def embedding(self) -> str | None:
        """Who embeds by a model at this moment."""
        lock = self._cache / "embed.lock"
        try:
            with locked(lock, wait=0):
                return None
        except Unavailable:
            return holder(lock) or "another process"

    def refill(self, side: SqliteStore) -> None:
        """Every space of the present index again, a model's from the cache alone; ``embed`` does what is left."""
        from hearth.engine.embedding import Filler
        from hearth.engine.upkeep import refill

        filler = Filler(side, quantize, nullcontext, self._embeddings)
        refill(self._store, filler, self.embedder())


def scrubbed(text: str) -> str:
    from hearth.guard.secrets import redact

    return redact(text).text


def quantize(vectors: Vectors) -> tuple[Bytes, Vectors]:
    from hearth.models.quantize import quantize as to_int8

    return to_int8(vectors)


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


def os_machine_id() -> str | None:
    try:
        return _OS_MACHINE_ID.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _spread(work: Callable[[Load], list[Outcome]], items: Iterable[Load]) -> Iterator[list[Outcome]]:
    # Imported only when there is much to read.
    from hearth.workers import spread

    return spread(work, items)


def _remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
