"""Erasure: what is due on this machine once its journal says that something was purged."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager

from hearth.dream import diary, page
from hearth.dream.page import BrokenPage
from hearth.engine.history.history import History
from hearth.engine.indexing.analysis import embedding_text
from hearth.engine.indexing.linking import retire
from hearth.engine.state import purged
from hearth.engine.writing.days import machine_of
from hearth.engine.writing.names import REVISIONS
from hearth.errors import HearthError, Unavailable
from hearth.lazy import dataclass
from hearth.model.conflict import original_of
from hearth.model.document import FileState
from hearth.model.identity import INTERNAL, content_hash
from hearth.ports import EmbeddingCache, MemoryFiles, Reader, RerankCache, Store, StoredDocument

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Erased:
    """``files`` are gone, relative to the memory folder; ``pending`` says why it has to go on another time."""

    files: tuple[str, ...]
    pending: str | None = None


@dataclass(frozen=True)
class Eraser:
    """``workspaces`` are the folders of agents, where pages tell of memories, too; ``exclusive`` keeps writers of
    memories apart; ``forget`` takes out what a language model said of what is gone; ``sweep`` removes graphs of vectors
    and indexes that were moved aside, whatever they hold, and says what it can't."""

    store: Store
    history: History
    memories: MemoryFiles
    workspaces: tuple[MemoryFiles, ...]
    embeddings: EmbeddingCache
    reranks: Callable[[], RerankCache]
    exclusive: Callable[[], AbstractContextManager[None]]
    forget: Callable[[], None]
    sweep: Callable[[], str | None]

    def run(self) -> Erased:
        """Removes the files of purged memories, and what index and caches still hold of anything purged. Harmless at
        any time and after an end at any point; without problems nothing is due any more."""
        with self.exclusive():
            files, problems = self._files()
        try:
            self.forget()
        except HearthError as error:
            problems.append(str(error))
        with self.store.read() as reader:
            cached = self.embeddings.keep(texts_of(reader))
        if (left := self.sweep()) is not None:
            problems.append(left)
        if not (self.reranks().clear() and cached):
            problems.append("a cache could not be cleaned")
        try:
            if not self.store.scrub():
                problems.append("a search is reading the index")
        except Unavailable as error:
            problems.append(str(error))
        if not problems:
            with self.store.write() as writer:
                purged.settle(writer)
        return Erased(tuple(files), "; ".join(problems) or None)

    def _files(self) -> tuple[list[str], list[str]]:
        files: list[str] = []
        problems: list[str] = []
        with self.store.read() as reader:
            gone = frozenset(reader.holders("purged"))
            docids = reader.subjects_with("purged", purged.MEMORY)
            stored = {docid: reader.document(docid) for docid in docids}
            indexed = {_place(one.file): one.docid for one in reader.files(INTERNAL).values()} if docids else {}
            named = [(one.document.named, _place(one.file)) for one in reader.misnamed(INTERNAL)] if docids else []
        for docid in docids:
            copies = [path for name, path in named if name == docid]
            removed: list[str] = []
            try:
                removed += (path for path in self._of(docid, stored[docid], copies) if self.memories.remove(path))
                # What copies say is in the index by itself.
                self._retire({docid, *(indexed[path] for path in removed if path in indexed)})
            except HearthError as error:
                problems.append(str(error))
            files += removed
        for folder in (self.memories, *self.workspaces) if gone else ():
            _take_off_pages(folder, gone, problems)
        return files, problems

    def _of(self, docid: str, stored: StoredDocument | None, copies: Iterable[str]) -> Iterator[str]:
        """The file, copies of it by their names or since they name its id, and its former texts."""
        if stored is not None and stored.document.collection == INTERNAL:
            path = _place(stored.file)
            yield path
            folder, slash, _ = path.rpartition("/")
            beside = [f"{folder}{slash}{name}" for name in self.memories.names(folder or ".")]
            yield from (name for name in beside if docid in name or self._is_copy(name, path))
        yield from copies
        former = f"{REVISIONS}/{docid}"
        yield from (f"{former}/{name}" for name in self.memories.names(former))

    def _is_copy(self, name: str, path: str) -> bool:
        """A person may have given a name that begins like one of ours."""
        original = original_of(path, ours=True) or path
        if original_of(name, ours=True) != original:
            return False
        return original_of(name) is not None or machine_of(self.memories.read(name) or b"") is not None

    def _retire(self, docids: Iterable[str]) -> None:
        """Out of the index; what they superseded, by what their files said, comes back."""
        with self.store.write() as writer:
            for docid in sorted(docids):
                retire(writer, docid, self.history.attach)


def _place(file: FileState) -> str:
    return os.fsdecode(file.disk_path)


def _take_off_pages(folder: MemoryFiles, gone: Collection[str], problems: list[str]) -> None:
    """What nights wrote down of them, but for lines that a person made their own."""
    try:
        diaries = diary.choose(folder.names("."))
    except HearthError as error:
        problems.append(str(error))
        return
    for name, without in ((page.NAME, page.without_sources), *((name, diary.without_sources) for name in diaries)):
        try:
            data = folder.read(name)
            text = "" if data is None else data.decode("utf-8")
            left = without(text, gone)
            if data is not None and left != text:
                folder.replace(name, left.encode("utf-8"), content_hash(data))
        except (BrokenPage, UnicodeDecodeError):
            continue  # whatever it is, it is a person's now
        except HearthError as error:
            problems.append(str(error))


def texts_of(reader: Reader) -> Iterator[str]:
    """What the caches may know: the text of every fragment, as it is embedded."""
    last = 0
    while parts := reader.fragments_after(last, _BATCH):
        documents = reader.documents(sorted({part.document for part in parts}))
        for part in parts:
            yield embedding_text(part.headings, part.context, part.text, documents[part.document].document.title)
        last = parts[-1].id
