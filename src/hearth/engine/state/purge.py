"""Purging: one document erased for good, and said what may still hold it elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hearth.engine.history.history import History
from hearth.engine.state.erasure import Eraser
from hearth.errors import UsageError
from hearth.lazy import dataclass
from hearth.model.identity import INTERNAL
from hearth.model.journal.change import Purged
from hearth.model.journal.event import Draft
from hearth.ports import MemoryFiles, StoredDocument

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
            left.insert(
                0, f"the file {self.roots[document.collection]}/{document.path}, which is not searched any more"
            )
        if scope == "file":
            left[-2] = "other machines: the file itself stays there, no longer searched"
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
    name = f"{stored.document.collection}/{stored.document.path}"
    return {
        "memory": f"this would erase the memory {name}, its former texts and everything derived from them",
        "file": f"this would delete your file {name} and everything derived from it",
        "index": f"this would erase everything derived from {name}, and keep your file out of every search (--file: "
        "delete that too)",
    }[scope]
