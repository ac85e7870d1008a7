"""Purging: one document erased for good, and what is then due on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from hearth.core.conflict import original_of
from hearth.core.document import CONVERSATIONS, INBOX, INTERNAL, FileState
from hearth.core.errors import HearthError, Unavailable, UsageError
from hearth.core.journal import Draft, Purged
from hearth.core.lazy import dataclass
from hearth.core.memory import REVISIONS
from hearth.core.session import is_handed_over
from hearth.markdown.fragments import embedding_text
from hearth.memory.files import machine_of
from hearth.ports import EmbeddingCache, MemoryFiles, Reader, RerankCache, Store, StoredDocument
from hearth.vault import changes
from hearth.vault.history import History
from hearth.vault.linking import retire

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Erased:
    """``files`` are gone, relative to the memory folder; ``pending`` says why it has to go on another time."""

    files: tuple[str, ...]
    pending: str | None = None


@dataclass(frozen=True)
class Eraser:
    """``workspaces`` are the folders of agents, where pages tell of memories, too; ``exclusive`` keeps writers of
    memories apart; ``forget`` takes out what a language model said of what is gone; ``sweep`` removes half-written
    files and a language model's last answer, whatever they hold; ``clean_pages`` takes what is gone off the pages of a
    folder."""

    store: Store
    history: History
    memories: MemoryFiles
    workspaces: tuple[MemoryFiles, ...]
    embeddings: EmbeddingCache
    reranks: Callable[[], RerankCache]
    exclusive: Callable[[], AbstractContextManager[None]]
    forget: Callable[[], None]
    sweep: Callable[[], object]
    clean_pages: Callable[[MemoryFiles, frozenset[str], list[str]], None]

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
        self.sweep()
        if not (self.reranks().clear() and cached):
            problems.append("a cache could not be cleaned")
        try:
            if not self.store.scrub():
                problems.append("a search is reading the index")
        except Unavailable as error:
            problems.append(str(error))
        if not problems:
            with self.store.write() as writer:
                changes.settle(writer)
        return Erased(tuple(files), "; ".join(problems) or None)

    def _files(self) -> tuple[list[str], list[str]]:
        files: list[str] = []
        problems: list[str] = []
        with self.store.read() as reader:
            purged = reader.holders("purged")
            gone, docids = frozenset(purged), [docid for docid, what in purged.items() if what == changes.MEMORY]
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
            self.clean_pages(folder, gone, problems)
        return files, problems

    def _of(self, docid: str, stored: StoredDocument | None, copies: Iterable[str]) -> Iterator[str]:
        """The file, copies of it by their names or since they name its id, and its former texts."""
        if stored is not None and stored.document.collection == INTERNAL:
            path = _place(stored.file)
            yield path
            folder, slash, _ = path.rpartition("/")
            beside = [f"{folder}{slash}{name}" for name in self.memories.names(folder or ".")]
            yield from (name for name in beside if docid in name or self._is_copy(name, path))
            if path.startswith(CONVERSATIONS):
                yield from (f"{INBOX}/{name}" for name in self.memories.names(INBOX) if is_handed_over(name, path))
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


def texts_of(reader: Reader) -> Iterator[str]:
    """What the caches may know: the text of every fragment, as it is embedded."""
    last = 0
    while parts := reader.fragments_after(last, _BATCH):
        documents = reader.documents(sorted({part.document for part in parts}))
        for part in parts:
            yield embedding_text(part, documents[part.document].document.title)
        last = parts[-1].id


_ELSEWHERE = "git history, versions kept by sync programs, and backups"
_OTHERS = "other machines, until they see the purge in the journal"
_COPIES = "other documents and transcripts that quote it"


@dataclass(frozen=True)
class Purger:
    """``folders`` gives the files of a collection by its root; ``roots`` maps collections to these."""

    history: History
    eraser: Eraser
    roots: Mapping[str, str]
    folders: Callable[[str], MemoryFiles]

    def purge(self, stored: StoredDocument, remarks: Mapping[str, Any], *, yes: bool, file: bool) -> Purged:
        """Journals the purge first, so that an end at any point after it is made good by the next scan."""
        document, scope = stored.document, scope_of(stored, file=file)
        if not yes:
            raise UsageError(f"{_warning(stored, scope)}; this can't be undone: add --yes")
        named = scope != "memory"
        # The name of a memory's file says what it is about.
        path, body_hash = (document.path, document.body_hash) if named else (None, None)
        [event] = self.history.record([Draft("purge", document.docid, path, body_hash, {"scope": scope, **remarks})])
        erased: list[str] = []
        if scope == "file":
            on_disk = stored.file.disk_path.decode("utf-8", "surrogateescape")
            root = self.roots[document.collection]
            if self.folders(root).remove(on_disk):
                erased.append(f"{root}/{on_disk}")
        done = self.eraser.run()
        erased += [f"{self.eraser.memories.root}/{path}" for path in done.files]
        return Purged(
            document.docid,
            document.collection,
            document.path,
            scope,
            event,
            tuple(erased),
            self._list_left(stored, scope),
            done.pending,
        )

    def _list_left(self, stored: StoredDocument, scope: str) -> tuple[str, ...]:
        document = stored.document
        left = [_ELSEWHERE, _OTHERS, _COPIES]
        if scope == "index":
            left.insert(0, f"the file {self.roots[document.collection]}/{document.path}, which is no longer searched")
        if scope == "file":
            left[-2] = "other machines: the file stays there but is no longer searched"
        with self.eraser.store.read() as reader:
            if "path" in reader.registers(document.docid):
                left.append("the journal: the file's name and reasons given, never its text")
        return tuple(left)


def scope_of(stored: StoredDocument, *, file: bool) -> str:
    """``memory`` for what the engine wrote, ``file`` for a person's file to be deleted, else ``index``."""
    document = stored.document
    if document.collection == INTERNAL and "machine" in document.facts:
        return "memory"
    return "file" if file else "index"


def _warning(stored: StoredDocument, scope: str) -> str:
    name = stored.document.place
    return {
        "memory": f"this would erase the memory {name}, its earlier versions and everything derived from them",
        "file": f"this would delete your file {name} and everything derived from it",
        "index": f"this would erase everything derived from {name}, and keep your file out of every search (--file: "
        "delete that too)",
    }[scope]
