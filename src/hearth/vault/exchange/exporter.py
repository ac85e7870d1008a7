"""Export: everything that a vault knows and nothing can derive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from hearth.core.document import INTERNAL
from hearth.core.lazy import dataclass
from hearth.memory.state.purged import due, is_purged
from hearth.ports import Clock, Collection, EventLog, Files, Redactor, Store, StoredDocument
from hearth.vault.exchange.lines import COUNTED, HEAD, VERSION, ExchangeFiles, from_event, line
from hearth.vault.indexing.analysis import decode_text


@dataclass(frozen=True)
class Exporter:
    """Reads piece by piece: nothing is held while the one who takes the lines is slow."""

    program: str
    vault: str
    collections: tuple[Collection, ...]
    store: Store
    files: Files
    log: EventLog
    own: ExchangeFiles
    redact: Redactor
    clock: Clock

    def lines(self, *, files: bool = True) -> Iterator[bytes]:
        """The last line says how many there were; where it is missing, the export is not complete."""
        counts: Counter[str] = Counter()
        redacted = 0
        yield line(HEAD, version=VERSION, program=self.program, vault=self.vault, exported_at=self.clock())
        for kind, row, secrets in self._rows(files=files):
            counts[kind] += 1
            redacted += secrets
            yield row
        yield line("end", **{kind: counts[kind] for kind in COUNTED}, redacted=redacted)

    def _rows(self, *, files: bool) -> Iterator[tuple[str, bytes, int]]:
        yield from self._collections()
        yield from self._memories()
        if files:
            yield from self._files()
        yield from self._events()

    def _collections(self) -> Iterator[tuple[str, bytes, int]]:
        with self.store.read() as reader:
            states = reader.collections()
        for one in self.collections:
            if one.name != INTERNAL:
                documents = states[one.name].documents if one.name in states else 0
                fields = {"name": one.name, "pattern": one.pattern, "trust": one.trust, "documents": documents}
                yield "collection", line("collection", **fields), 0

    def _memories(self) -> Iterator[tuple[str, bytes, int]]:
        erased = self._list_purged()
        for kept in self.own.memories():
            if kept.path in erased:
                continue
            if kept.data is None:
                yield _problem(kept.path, kept.reason or "can't be read")
                continue
            try:
                cleaned = self.redact(kept.data.decode("utf-8"))
                fields = {"path": kept.path, "modified_at": kept.modified_at, "text": cleaned.text}
                yield "memory", line("memory", **fields), len(cleaned.secrets)
            except UnicodeError:
                yield _problem(kept.path, "is not UTF-8")

    def _list_purged(self) -> set[str]:
        """Memories that were purged and whose files are still there, since something was in the way."""
        with self.store.read() as reader:
            if not due(reader):
                return set()
            own = [(docid, path) for docid, (name, path) in reader.docids().items() if name == INTERNAL]
            return {path for docid, path in own if (found := reader.document(docid)) and is_purged(found.document)}

    def _files(self) -> Iterator[tuple[str, bytes, int]]:
        with self.store.read() as reader:
            known = reader.docids()
        by_name = {collection.name: collection for collection in self.collections}
        for (collection, _), docid in sorted((place, docid) for docid, place in known.items()):
            if collection == INTERNAL or collection not in by_name:
                continue
            with self.store.read() as reader:
                stored = reader.document(docid)
            if stored is not None and not is_purged(stored.document):
                yield self._file(by_name[collection], stored)

    def _file(self, collection: Collection, stored: StoredDocument) -> tuple[str, bytes, int]:
        document = stored.document
        try:
            file = self.files.state(collection, stored.file.disk_path)
            if file is None:
                return _problem(document.uri, "is gone since it was indexed")
            data = self.files.read(collection, file)
            cleaned = self.redact(_decode(data) or decode_text(data))
            fields = {
                "collection": document.collection,
                "path": document.path,
                "docid": document.docid,
                "title": document.title,
                "content_type": document.content_type,
                "tags": list(document.tags),
                "authored_at": document.authored_at,
                "modified_at": document.modified_at,
                "text": cleaned.text,
            }
            return "file", line("file", **fields), len(cleaned.secrets)
        except UnicodeError:
            return _problem(document.uri, "its name is no text")
        except (OSError, ValueError) as error:
            return _problem(document.uri, f"can't be read: {error}")

    def _events(self) -> Iterator[tuple[str, bytes, int]]:
        position: Mapping[str, Any] = {}
        more = True
        seen: set[str] = set()
        while more:
            batch = self.log.read_after(position)
            for event in batch.events:
                if event.id not in seen:
                    seen.add(event.id)
                    yield "event", line("event", event=from_event(event)), 0
            position, more = batch.position, batch.more
            for said in batch.problems:
                yield _problem("journal", said)


def _decode(data: bytes) -> str | None:
    """The text whose bytes these are; ``None`` where they are of another encoding."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _problem(where: str, reason: str) -> tuple[str, bytes, int]:
    valid = where.encode("utf-8", "replace").decode("utf-8")
    return "problem", line("problem", where=valid, reason=reason[:500].encode("utf-8", "replace").decode()), 0
