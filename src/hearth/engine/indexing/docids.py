"""Naming: which docid a file bears when it names one itself, as memories do."""

from __future__ import annotations

from dataclasses import replace

from hearth.lazy import dataclass
from hearth.model.conflict import original_of
from hearth.model.identity import docid
from hearth.ports import Collection, DocumentRecord, Files, IndexedFile, Store, Walk


@dataclass(frozen=True, slots=True)
class Named:
    """``moved``: the docid was another path's until now. ``former``: a docid that this path loses."""

    record: DocumentRecord
    moved: bool = False
    former: str | None = None


@dataclass(frozen=True)
class Naming:
    """Of one collection during one scan."""

    store: Store
    files: Files
    collection: Collection
    walk: Walk

    def of(self, record: DocumentRecord, path: str, known: IndexedFile | None) -> Named:
        """A docid that a file names is its own unless another file has a better claim: one whose name ends in it, one
        that it is a conflict copy of, or one that is indexed under it and still there. A copy is then named by its
        path."""
        own, claimed = docid(self.collection.name, path), record.document.docid
        expected = known.raw_hash if known is not None else None
        if claimed == own or (known is not None and known.docid == claimed):
            return Named(replace(record, expected_hash=expected))
        with self.store.read() as reader:
            holder = reader.document(claimed)
        if holder is not None and holder.document.path == path:
            return Named(replace(record, expected_hash=holder.document.raw_hash))
        elsewhere = holder is not None and self.files.state(self.collection, holder.file.disk_path) is not None
        if elsewhere or self._better_named(path, claimed):
            former = known.docid if known is not None and known.docid != own else None
            record = replace(record, document=replace(record.document, docid=own), expected_hash=expected)
            return Named(record, former=former)
        if holder is None:
            return Named(replace(record, expected_hash=expected))
        former = known.docid if known is not None else None
        return Named(replace(record, expected_hash=holder.document.raw_hash), moved=True, former=former)

    def _better_named(self, path: str, claimed: str) -> bool:
        if original_of(path, ours=self.collection.origin == "engine") in self.walk.files:
            return True
        end = f"{claimed}.md"
        return not path.endswith(end) and any(other.endswith(end) for other in self.walk.files)
