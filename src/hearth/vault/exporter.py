"""Export: everything that a vault knows and nothing can derive, and its format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal, NoReturn, Protocol

from hearth.core.document import INTERNAL
from hearth.core.errors import Remedy, UsageError
from hearth.core.journal import Event
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import MAX_FILE_BYTES
from hearth.memory.state.purged import due, is_purged
from hearth.ports import Clock, Collection, EventLog, Files, Redactor, Store, StoredDocument
from hearth.vault.indexing.analysis import decode_text

Put = Literal["written", "unchanged", "kept"]
"""``kept`` is what was there and says something else."""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of the memory folder; ``data`` is ``None`` where it can't be read, for the ``reason``. ms UTC."""

    path: str
    data: bytes | None
    modified_at: int = 0
    reason: str | None = None


class ExchangeFiles(Protocol):
    def memories(self) -> Iterator[ExportedFile]:
        """Every file that the engine wrote, former revisions included, by path."""

    def put_memory(self, path: str, data: bytes, modified_at: int) -> Put:
        """Raises ``UsageError`` for a path that leads elsewhere, ``Unavailable`` where it can't be written."""

    def put_file(self, folder: str, path: str, data: bytes, modified_at: int) -> Put:
        """The same for a file of a person, below a folder of theirs."""

    def adopt(self, events: Iterable[Event]) -> int:
        """Journals those that are not known, with their stamps, on the disk on return; says how many."""

    def writing(self) -> AbstractContextManager[None]:
        """Keeps other writers of memories away."""


VERSION = 1
HEAD = "hearth-export"
COUNTED = ("collection", "memory", "file", "event", "problem")
MAX_LINE_BYTES = 6 * MAX_FILE_BYTES + 64 * 1024
"""A file of control characters alone takes six times its size."""
_INSTANT_END = 2**53
_HLC_END = 2**62
_ULID = regex(r"[0-9A-HJKMNP-TV-Z]{26}")
_MACHINE = regex(r"[0-9a-hjkmnp-tv-z]{10}")
_TEXTS = ("doc", "path", "body_hash")
_NEEDED: Mapping[str, tuple[tuple[str, type], ...]] = {
    "collection": (("name", str),),
    "memory": (("path", str), ("modified_at", int), ("text", str)),
    "file": (("collection", str), ("path", str), ("modified_at", int), ("text", str)),
    "event": (("event", dict),),
    "problem": (("where", str), ("reason", str)),
}


def line(kind: str, **fields: Any) -> bytes:
    """Raises ``UnicodeEncodeError`` for a name that is no text."""
    return json.dumps({"kind": kind, **fields}, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def from_event(event: Event) -> dict[str, Any]:
    named = {name: value for name in _TEXTS if (value := getattr(event, name)) is not None}
    stamp = {"id": event.id, "hlc": event.hlc, "at": event.at, "machine": event.machine, "kind": event.kind}
    return stamp | named | ({"data": dict(event.data)} if event.data else {})


def to_event(row: Mapping[str, Any]) -> Event:
    """Raises ``UsageError`` naming the field that is wrong."""
    _field(row, "id", str, lambda value: _ULID.fullmatch(value) is not None)
    _field(row, "hlc", int, lambda value: 0 <= value < _HLC_END)
    _field(row, "at", int, lambda value: 0 <= value < _INSTANT_END)
    _field(row, "machine", str, lambda value: _MACHINE.fullmatch(value) is not None)
    _field(row, "kind", str, bool)
    for name in _TEXTS:
        if row.get(name) is not None:
            _field(row, name, str, lambda value: len(value) <= 4_096)
    data = row.get("data", {})
    if not isinstance(data, dict):
        raise UsageError("data of an event is no object")
    doc, path, body_hash = (row.get(name) for name in _TEXTS)
    return Event(row["id"], row["hlc"], row["at"], row["machine"], row["kind"], doc, path, body_hash, data)


def _field(row: Mapping[str, Any], name: str, kind: type, fits: Any) -> None:
    value = row.get(name)
    if type(value) is not kind or not fits(value):
        raise UsageError(f"field {name} is missing or wrong")


def checked(given: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The lines between the first and the last, each of a known shape. Raises ``UsageError`` with the number of the
    first that is not, and where the last is missing: then the export is not complete."""
    counts = dict.fromkeys(COUNTED, 0)
    ended = False
    number = 0
    for number, raw in enumerate(given, 1):
        row = _row(raw, number)
        kind = row["kind"]
        if ended:
            raise UsageError(f"line {number} comes after the end; this is more than one export")
        if number == 1:
            _head(row)
        elif kind == "end":
            ended = True
            if any(row.get(name) != count for name, count in counts.items()):
                raise UsageError(f"line {number}: the export lost or gained lines; export again")
        elif kind in counts:
            counts[kind] += 1
            _shape(row, kind, number)
            yield row
        else:
            raise UsageError(f"line {number}: unknown kind {str(kind)[:40]!r}; a newer Hearth may have written it")
    if not ended:
        raise UsageError(f"the export ends early, after line {number}; export again")


def _head(row: Mapping[str, Any]) -> None:
    if row["kind"] != HEAD:
        raise UsageError("line 1: this is not a Hearth export", Remedy("export", lead="make one with: "))
    if row.get("version") != VERSION:
        raise UsageError(f"line 1: version {str(row.get('version'))[:20]}; this Hearth reads {VERSION}")


def _row(raw: bytes, number: int) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise UsageError(f"line {number} is longer than {MAX_LINE_BYTES:,} bytes")
    try:
        row = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise UsageError(f"line {number} is not JSON") from None
    if not isinstance(row, dict) or not isinstance(row.get("kind"), str):
        raise UsageError(f"line {number} is not an object with a kind")
    return row


def _shape(row: Mapping[str, Any], kind: str, number: int) -> None:
    for name, wanted in _NEEDED[kind]:
        value = row.get(name)
        if type(value) is not wanted:
            raise UsageError(f"line {number}: {name} is missing or wrong")
        if isinstance(value, str):
            _text(value, number, name)
    if not 0 <= row.get("modified_at", 0) < _INSTANT_END:
        raise UsageError(f"line {number}: modified_at is out of range")
    if kind == "event":
        try:
            to_event(row["event"])
        except UsageError as error:
            raise UsageError(f"line {number}: {error}") from None


def _text(value: str, number: int, name: str) -> None:
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise UsageError(f"line {number}: {name} is not valid Unicode") from None
    if size > MAX_FILE_BYTES:
        raise UsageError(f"line {number}: {name} takes {size:,} bytes; at most {MAX_FILE_BYTES:,}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


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
                return _problem(document.uri, "was deleted since it was indexed")
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
