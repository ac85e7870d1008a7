"""Naming: which docid a file bears when it names one itself, as memories do.

Where several files name one, as copies do, who bears it follows from which files there are, not from which came first.
While files are read each takes what is free; in the end of a scan it is put right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from hearth.core.conflict import original_of
from hearth.core.document import docid
from hearth.core.lazy import dataclass
from hearth.ports import Collection, DocumentRecord, Files, IndexedFile, Reader, Store, StoredDocument, Walk, Writer
from hearth.vault.linking import Attach, find_superseded, reconsider, retire


@dataclass(frozen=True, slots=True)
class Named:
    """``moved``: the docid was another path's until now. ``former``: a docid that this path loses."""

    record: DocumentRecord
    moved: bool = False
    former: str | None = None


@dataclass(frozen=True)
class Naming:
    """Of one collection during one scan. ``taken`` are docids of files read before, ``holders`` documents just looked
    up, by docid."""

    store: Store
    files: Files
    collection: Collection
    walk: Walk
    taken: set[str]
    holders: Mapping[str, StoredDocument | None] = field(default_factory=dict)

    def of(self, record: DocumentRecord, path: str, known: IndexedFile | None) -> Named:
        """A docid that a file names is its own unless another file has a better claim, or bears it and is still there.
        A copy is then named by its path."""
        own, claimed = docid(self.collection.name, path), record.document.docid
        if known is not None and known.docid == claimed:
            return Named(replace(record, expected_hash=known.raw_hash))
        holder = self._find_holder(claimed)
        if holder is not None and (holder.document.collection, holder.document.path) == (self.collection.name, path):
            return Named(replace(record, expected_hash=holder.document.raw_hash))
        # What the path bore goes, with its row.
        former = known.docid if known is not None else None
        if claimed != own and (claimed in self.taken or self._better_named(path, claimed) or self._is_there(holder)):
            if known is not None and known.docid == own:
                return Named(replace(_under(record, own), expected_hash=known.raw_hash))
            return Named(replace(_under(record, own), expected_hash=None), former=former)
        self.taken.add(claimed)
        expected = None if holder is None else holder.document.raw_hash
        return Named(replace(record, expected_hash=expected), moved=holder is not None, former=former)

    def _find_holder(self, claimed: str) -> StoredDocument | None:
        if claimed in self.holders:
            return self.holders[claimed]
        with self.store.read() as reader:
            return reader.document(claimed)

    def _is_there(self, holder: StoredDocument | None) -> bool:
        if holder is None:
            return False
        if holder.document.collection != self.collection.name:
            return True
        return self.files.state(self.collection, holder.file.disk_path) is not None

    def _better_named(self, path: str, claimed: str) -> bool:
        if original_of(path, ours=self.collection.origin == "engine") in self.walk.files:
            return True
        end = f"{claimed}.md"
        return not path.endswith(end) and any(other.endswith(end) for other in self.walk.files)


def find_misnamed(reader: Reader, collection: str) -> list[tuple[StoredDocument, str]]:
    """Documents with the docids that they should bear instead of their own: of the files that name one, that bears it
    whose name ends in it, else that with the shortest path, else the first."""
    claims: dict[str, list[StoredDocument]] = {}
    for stored in reader.misnamed(collection):
        claims.setdefault(stored.document.named or "", []).append(stored)
    found = []
    for claimed, files in sorted(claims.items()):
        holder = reader.document(claimed)
        if holder is not None and (holder.document.collection, holder.document.named) != (collection, claimed):
            continue
        best = min([*files, *([holder] if holder else [])], key=lambda one: _rank(claimed, one.document.path))
        if best is not holder:
            # Who bears it gives it up first.
            found += [(holder, docid(collection, holder.document.path))] if holder else []
            found.append((best, claimed))
    return found


def rename(writer: Writer, renamed: Iterable[tuple[str, DocumentRecord]], attach: Attach) -> Iterator[DocumentRecord]:
    """Writes documents, each with the docid that it had, under the one of its record; gives those that were written."""
    for former, record in renamed:
        retire(writer, former, attach)
        if writer.put(record):
            attach(writer, record.document.docid)
            reconsider(writer, find_superseded(writer, record.document.docid), attach)
            yield record


def as_new(record: DocumentRecord, identity: str) -> DocumentRecord:
    """The record of a row that is to be written anew, under a docid that its file need not name."""
    record = replace(record, expected_hash=None)
    return record if record.document.docid == identity else _under(record, identity)


def _under(record: DocumentRecord, identity: str) -> DocumentRecord:
    """Marked: it says what another file says, or is meant to."""
    document = replace(record.document, docid=identity)
    return replace(
        record, document=document, problem=record.problem or f"names the id of another file, {document.named}"
    )


def _rank(claimed: str, path: str) -> tuple[bool, int, str]:
    return not path.endswith(f"{claimed}.md"), len(path), path
