"""The format of an export, and the files of a vault that an export reads and an import writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal, NoReturn, Protocol

from hearth.core.errors import Remedy, UsageError
from hearth.core.journal import Event
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import MAX_FILE_BYTES

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
            raise UsageError(f"line {number} comes after the end; this is not one export")
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
        raise UsageError("line 1: this is no export of Hearth", Remedy("export", lead="make one with: "))
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
        raise UsageError(f"line {number} is no object with a kind")
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
        raise UsageError(f"line {number}: {name} is no valid Unicode") from None
    if size > MAX_FILE_BYTES:
        raise UsageError(f"line {number}: {name} takes {size:,} bytes; at most {MAX_FILE_BYTES:,}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
