"""The composition root: from the configuration to a vault that answers. The only module that picks adapters."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from hearth import guard, paths
from hearth.config import Loaded, VaultConfig, later, load, vault
from hearth.config.tree import DEFAULT_VAULT, Search
from hearth.config.tree import Collection as ConfiguredCollection
from hearth.engine.analysis import Analyzer
from hearth.engine.embedding import Filler
from hearth.engine.history import History
from hearth.engine.question import Language
from hearth.engine.recall import Recaller, Taste
from hearth.engine.spaces import Space
from hearth.engine.sync import Progress, Syncer, SyncReport
from hearth.engine.vault import Parts, Vault
from hearth.errors import Unavailable
from hearth.files import holder, locked
from hearth.guard import secrets
from hearth.journal import Clock, Journal, machine_id
from hearth.markdown import fragments as fragmenter
from hearth.model.identity import INTERNAL
from hearth.model.types import CONTENT_TYPES
from hearth.ports import Collection, Embedder, Reader
from hearth.store.sqlite.embeddings import SqliteEmbeddings
from hearth.store.sqlite.store import SqliteStore
from hearth.text import terms
from hearth.vault import DiskFiles

if TYPE_CHECKING:
    from hearth.ports import Bytes, VectorIndex, Vectors
    from hearth.store.cache import VectorCache

# Seconds that a search waits for a scan under way: most end sooner, and a long one must not hold up an answer.
_PATIENCE = 1.0
_OS_MACHINE_ID = Path("/etc/machine-id")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Settings:
    """Everything that composing a vault reads from outside, once."""

    folders: paths.Folders
    loaded: Loaded
    vault: VaultConfig


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
    return Settings(folders, loaded, vault(loaded.config, folders, chosen))


def open_vault(name: str | None = None, *, environ: Mapping[str, str] | None = None) -> Vault:
    """Opens a vault by name, making its folders as needed.

    Raises ``ConfigError``, ``NotFound`` for an unknown name, ``Unavailable`` where the index can't be opened.
    """
    return compose(settings(name, environ=environ))


def open_folder(folder: Path, work: Path) -> Vault:
    """A throw-away vault over one folder, its data and index below ``work``: for measuring, with default settings."""
    environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
    chosen = settings(environ=environ)
    collections = {"notes": ConfiguredCollection(path=folder.resolve())}
    return compose(replace(chosen, vault=replace(chosen.vault, collections=collections)))


def compose(chosen: Settings) -> Vault:
    return _Composer(chosen).vault()


def fingerprint(words: int, overlap: int) -> str:
    """What the content of an index depends on; a different one means rebuild."""
    table = json.loads(files("hearth.models.static").joinpath("model.json").read_text(encoding="utf-8"))["revision"]
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
        self._embeddings = SqliteEmbeddings(self._cache / "embeddings.sqlite", self._config.embedding.cache_entries)
        self._store = SqliteStore(self._cache / "index.sqlite", fingerprint(self._words, self._overlap))

    def vault(self) -> Vault:
        collections = self.collections()
        syncer = self.syncer(self._store)
        space = Space(self.embedder, self.vector_index)
        parts = Parts(
            name=self._chosen.vault.name,
            zone=self._chosen.loaded.zone,
            store=self._store,
            files=DiskFiles(),
            collections=collections,
            syncer=syncer,
            filler=Filler(self._store, quantize, self.exclusive, self._embeddings),
            space=space,
            recaller=Recaller(self._store, space, taste(self._config.search, collections)),
            clock=now_ms,
            rebuild=self.rebuild,
            graph=self.graph,
            stale=lambda: self._store.stale,
            watched=self.busy,
            holder=lambda: holder(self._cache / "sync.lock"),
            close=self._embeddings.close,
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
        memory = self._chosen.vault.data / "memory"
        if memory.is_dir():
            found.append(Collection(INTERNAL, str(memory), origin="engine", trust="agent"))
        return tuple(found)

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
        analyzer = Analyzer(secrets.redact, self._words, self._overlap)
        exclusive = _unlocked if nested else self.exclusive
        return Syncer(store, DiskFiles(), analyzer, History(self.journal(), store), now_ms, exclusive)

    def journal(self) -> Journal:
        folder = self._chosen.vault.data / "journal"
        machine = machine_id(Path(self._chosen.folders.state), self._chosen.vault.data, os_machine_id())
        return Journal(folder, machine, Clock(now_ms), lambda text: secrets.redact(text).text)

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
                Filler(side, quantize, _unlocked, self._embeddings).run(self.embedder())
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

    def graph(self, progress: Callable[[int], None]) -> None:
        from hearth.store.hnsw import MIN_VECTORS, HnswFolder

        with self._store.read() as reader:
            if reader.statistics().fragments >= MIN_VECTORS:
                HnswFolder(self._cache).build(
                    reader, self.embedder().fingerprint, reader.statistics().generation, progress
                )


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
    return Taste(language, half_lives, search.temporal_decay, search.mmr, search.mmr_lambda, contexts)


def os_machine_id() -> str | None:
    try:
        return _OS_MACHINE_ID.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


class _unlocked:
    """Stands in for a lock that the caller already holds."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None


def _remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
