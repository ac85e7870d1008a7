"""Export and import: everything that a vault knows and nothing can derive, as lines of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import field
from typing import Any, BinaryIO, Literal, NoReturn, Protocol

from hearth.core.document import INTERNAL
from hearth.core.errors import HearthError, Remedy, UsageError
from hearth.core.journal import Event
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import MAX_FILE_BYTES, REVISIONS
from hearth.ports import Clock, Collection, EventLog, Files, Redactor, Store, StoredDocument, read_whole
from hearth.vault.changes import due, is_purged
from hearth.vault.history import problem
from hearth.vault.indexing.analysis import decode_text
from hearth.vault.indexing.plan import SyncReport
from hearth.vault.payload import KINDS

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
        seen: set[str] = set()
        for batch in read_whole(self.log):
            for event in batch.events:
                if event.id not in seen:
                    seen.add(event.id)
                    yield "event", line("event", event=from_event(event)), 0
            for fault in batch.problems:
                yield _problem("journal", fault)


def _decode(data: bytes) -> str | None:
    """The text whose bytes these are; ``None`` where they are of another encoding."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _problem(where: str, reason: str) -> tuple[str, bytes, int]:
    valid = where.encode("utf-8", "replace").decode("utf-8")
    return "problem", line("problem", where=valid, reason=reason[:500].encode("utf-8", "replace").decode()), 0


MAX_LISTED = 100
"""Things left out that a result spells out; it always counts all."""


@dataclass
class Imported:
    """What an import did: files written, there already, or ``kept`` since another text stands there; events that were
    new; ``left`` are files of people, for which no folder was named; ``problems`` says what was left out and why."""

    memories: int = 0
    files: int = 0
    events: int = 0
    unchanged: int = 0
    kept: int = 0
    left: int = 0
    redacted: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)

    def say(self, problem: str) -> None:
        self.skipped += 1
        if len(self.problems) < MAX_LISTED:
            self.problems.append(problem)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        numbers = ("memories", "files", "events", "unchanged", "kept", "left", "redacted", "skipped")
        return {name: getattr(self, name) for name in numbers} | {"problems": list(self.problems)}


@dataclass(frozen=True)
class Importer:
    """``redact`` takes secrets out of whatever is written."""

    own: ExchangeFiles
    redact: Redactor

    def run(self, source: BinaryIO, files_to: str | None = None) -> Imported:
        """Nothing is written before every line is checked, and nothing is replaced: a second run changes nothing.

        Raises ``UsageError`` for what is no whole export."""
        for _ in checked(_lines(source)):
            pass
        source.seek(0)
        done = Imported()
        with self.own.writing():
            done.events = self.own.adopt(self._carry_out(source, files_to, done))
        return done

    def _carry_out(self, source: BinaryIO, files_to: str | None, done: Imported) -> Iterator[Event]:
        """Writes the files on the way and hands on the events."""
        for row in checked(_lines(source)):
            kind = row["kind"]
            if kind == "event":
                event = to_event(row["event"])
                if event.kind not in KINDS:
                    done.say(f"event {event.id}: unknown kind {event.kind[:40]!r}")
                elif (why := problem(event)) is not None:
                    done.say(why[:500])
                else:
                    yield event
            elif kind in ("memory", "file"):
                self._file(row, files_to, done)
            elif kind == "problem":
                done.say(f"not in the export: {row['where'][:200]}: {row['reason'][:200]}")

    def _file(self, row: dict[str, Any], files_to: str | None, done: Imported) -> None:
        kind, path = row["kind"], row["path"]
        if kind == "file" and files_to is None:
            done.left += 1
            return
        cleaned = self.redact(row["text"])
        data = cleaned.text.encode("utf-8")
        try:
            if kind == "memory":
                _refuse_foreign(path)
                put = self.own.put_memory(path, data, row["modified_at"])
            else:
                folder = f"{files_to}/{_collection(row['collection'])}"
                put = self.own.put_file(folder, path, data, row["modified_at"])
        except (HearthError, OSError) as error:
            done.say(f"{path[:200]!r}: {error}"[:500])
            return
        _count(done, kind, put)
        if put == "written":
            done.redacted += len(cleaned.secrets)
        if put == "kept":
            done.say(f"{path[:200]!r}: a different text is already there and was kept")
            done.skipped -= 1  # counted as kept


def _count(done: Imported, kind: str, put: Put) -> None:
    if put == "unchanged":
        done.unchanged += 1
    elif put == "kept":
        done.kept += 1
    elif kind == "memory":
        done.memories += 1
    else:
        done.files += 1


def _refuse_foreign(path: str) -> None:
    """The engine writes markdown, hidden only where it keeps revisions."""
    parts = path.split("/")
    visible = parts[1:] if parts[0] == REVISIONS and len(parts) == 3 else parts
    if not path.endswith(".md") or any(part.startswith(".") or not part for part in visible):
        raise UsageError("is not a file that Hearth writes")


def _collection(name: str) -> str:
    if not name or name.startswith(".") or "/" in name or "\\" in name or "\0" in name:
        raise UsageError(f"{name[:100]!r} can't name a collection")
    return name


def _lines(source: BinaryIO) -> Iterator[bytes]:
    while raw := source.readline(MAX_LINE_BYTES + 1):
        if raw.strip() or len(raw) > MAX_LINE_BYTES:
            yield raw


@dataclass(frozen=True, slots=True)
class Exchange:
    """``prepare`` brings an index of another version up to date, ``sync`` the index what was taken in."""

    exporter: Exporter
    importer: Importer
    prepare: Callable[[], None]
    sync: Callable[[], SyncReport]

    def export(self, *, files: bool = True) -> Iterator[bytes]:
        """Lines of JSON, secrets scrubbed: the memories with their former revisions, the journal, and unless ``files``
        is false the texts of people's files. The format is in ``vault/exporter.py``."""
        self.prepare()
        return self.exporter.lines(files=files)

    def import_(self, source: BinaryIO, *, files_to: str | None = None) -> Imported:
        """Takes in an export from a file that can be read twice, and brings the index up to date.

        People's files go below the folder ``files_to``, by collection, else nowhere. What is there already stays as it
        is. Raises ``UsageError`` for what is no whole export, before anything is written.
        """
        self.prepare()
        done = self.importer.run(source, files_to)
        for trouble in self.sync().problems:
            done.say(trouble)
        return done
