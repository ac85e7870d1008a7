"""One event as one line of JSON, stamped by a hybrid logical clock that orders events across machines."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from json.scanner import make_scanner
from math import isfinite
from typing import Any, NoReturn
from zlib import crc32

from hearth.core.errors import HearthError, UsageError
from hearth.core.journal import JOURNAL_VERSION, NOTE_KINDS, STATE_KINDS, USAGE_KINDS, Draft, Event
from hearth.core.lazy import regex

COUNTER_BITS = 16
SKEW_MS = 5 * 60 * 1000
HLC_END = 2**62  # stays clear of SQLite's signed 64-bit integers, with room to count on
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MS_END = HLC_END >> COUNTER_BITS
_STEP_BYTES = 8


class Clock:
    """Stamps that only grow; ``now`` gives the wall clock in ms UTC and may jump back."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._last = 0

    def now(self) -> int:
        """The wall clock, ms UTC, within what a stamp and a ULID can hold."""
        return min(max(self._now(), 0), _MS_END - 1)

    def tick(self) -> int:
        """A stamp greater than all stamps given, resumed or observed before."""
        self._last = max(self.now() << COUNTER_BITS, self._last + 1)
        return self._last

    def observe(self, *hlcs: int) -> None:
        """Other machines' stamps: ours will exceed them, except those over 5 minutes ahead of the wall clock."""
        limit = (self.now() + SKEW_MS) << COUNTER_BITS
        self._last = max(self._last, *(hlc for hlc in hlcs if hlc <= limit), 0)

    def resume(self, hlc: int) -> None:
        """A stamp of this machine's own journal; trusted however far ahead it is."""
        self._last = max(self._last, hlc)


class UlidSource:
    """Makes ULIDs that grow within the process: 48 bits of ms UTC, 80 random bits, as 26 Crockford characters.

    Within a millisecond the random part grows by a random step rather than by one, so that processes forked from
    one another don't repeat each other's identifiers.
    """

    def __init__(self, now: Callable[[], int], random: Callable[[int], bytes] = os.urandom) -> None:
        self._now = now
        self._random = random
        self._last = 0

    def __call__(self) -> str:
        ms = self._now()
        if ms > self._last >> 80:
            self._last = ms << 80 | int.from_bytes(self._random(10), "big")
        else:
            self._last += 1 + int.from_bytes(self._random(_STEP_BYTES), "big")
        return _spell(self._last)


def _spell(value: int) -> str:
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


REASON_LENGTH = 200
MAX_DEPTH = 16
PLAIN = regex(r"[0-9a-z-]{0,20}|[0-9a-f]{32}")
"""Docids, days and digests: no rule finds a secret in so little, and looking would load all of them for each search."""


def clean(draft: Draft, redact: Callable[[str], str]) -> Draft:
    """The draft with ``redact`` applied to every string value of its data and reasons cut at 200 characters.

    Raises ``UsageError`` for an unknown kind or for data that is not JSON.
    """
    if draft.kind not in STATE_KINDS | USAGE_KINDS | NOTE_KINDS:
        raise UsageError(f"can't journal an event of the unknown kind {draft.kind!r}; update Hearth")
    data = _object(draft.data, redact, draft.kind, 0)
    return Draft(draft.kind, draft.doc, draft.path, draft.body_hash, data)


def _object(data: Mapping[str, Any], redact: Callable[[str], str], kind: str, depth: int) -> dict[str, Any]:
    result = {}
    for key, value in data.items():
        if not isinstance(key, str):
            raise UsageError(f"can't journal {kind}: the key {key!r} is not text")
        item = _value(value, redact, kind, depth + 1)
        result[str(key)] = item[:REASON_LENGTH] if key == "reason" and isinstance(item, str) else item
    return result


def _value(value: Any, redact: Callable[[str], str], kind: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise UsageError(f"can't journal {kind}: its data is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else redact(value)
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, Mapping):
        return _object(value, redact, kind, depth)
    if isinstance(value, list | tuple):
        return [_value(item, redact, kind, depth + 1) for item in value]
    raise UsageError(f"can't journal {kind}: {type(value).__name__} {value!r} is not JSON")


AT_END = 2**53  # what every JSON reader holds exactly
_ID_LENGTH = 26


class BadLine(HearthError):
    """A line that holds no event; the message is the reason."""

    code = "bad_line"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _read_float(digits: str) -> float:
    """A number that JSON can hold again: 1e999 is read as infinite, which it can't."""
    value = float(digits)
    if not isfinite(value):
        raise ValueError(digits)
    return value


_EMPTY: dict[str, Any] = {}  # read only, as all data of events is
_SUM = b',"sum":"%08x"}'
_SUM_LENGTH = len(_SUM % 0)
_DUMP = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
_SCAN: Any = make_scanner(json.JSONDecoder(parse_constant=_no_constant, parse_float=_read_float))  # type: ignore[arg-type]  # stub is wrong


def encode(event: Event) -> bytes:
    """The line without its newline. Raises ``ValueError`` or ``TypeError`` where ``data`` is not JSON."""
    fields: dict[str, Any] = {
        "v": JOURNAL_VERSION,
        "id": event.id,
        "hlc": event.hlc,
        "at": event.at,
        "machine": event.machine,
        "kind": event.kind,
    }
    for name in ("doc", "path", "body_hash"):
        value = getattr(event, name)
        if value is not None:
            fields[name] = value
    if event.data:
        fields["data"] = event.data
    line = _DUMP(fields).encode("ascii")
    return line[:-1] + _SUM % crc32(line)


def decode(line: bytes) -> Event:
    """The event of a line, with or without its newline. Raises ``BadLine``."""
    line = line.rstrip(b"\r\n")
    try:
        text = line.decode("utf-8")
        fields, end = _SCAN(text, 0)
    except (ValueError, StopIteration, RecursionError) as error:
        raise BadLine("not JSON") from error
    if end != len(text) or type(fields) is not dict:
        raise BadLine("not one JSON object")
    get: Any = fields.get
    if get("v") != JOURNAL_VERSION:
        _refuse_version(fields)
    if line[-_SUM_LENGTH:] != _SUM % crc32(b"}", crc32(line[:-_SUM_LENGTH])):
        raise BadLine("bad checksum" if "sum" in fields else "field sum is missing")
    id_, hlc, at, data = get("id"), get("hlc"), get("at"), get("data", _EMPTY)
    doc, path, body_hash, machine, kind = get("doc"), get("path"), get("body_hash"), get("machine"), get("kind")
    if (
        type(id_) is str
        and len(id_) == _ID_LENGTH
        and type(hlc) is int
        and 0 <= hlc < HLC_END
        and type(at) is int
        and 0 <= at < AT_END
        and type(machine) is type(kind) is str
        and (doc is None or type(doc) is str)
        and (path is None or type(path) is str)
        and (body_hash is None or type(body_hash) is str)
        and type(data) is dict
    ):
        return Event(id_, hlc, at, machine, kind, doc, path, body_hash, data)
    raise BadLine(_bad_field(fields))


def _refuse_version(fields: dict[str, Any]) -> NoReturn:
    version = fields.get("v")
    if type(version) is int and version > JOURNAL_VERSION:
        raise BadLine(f"version {version} is newer than this program; update Hearth")
    raise BadLine("field v is missing" if version is None else "field v is ill-typed")


def _bad_field(fields: dict[str, Any]) -> str:
    for name in ("id", "hlc", "at", "machine", "kind"):
        if name not in fields:
            return f"field {name} is missing"
    ends = {"hlc": HLC_END, "at": AT_END}
    for name, end in ends.items():
        if type(fields[name]) is not int or not 0 <= fields[name] < end:
            return f"field {name} is ill-typed"
    for name in ("machine", "kind", "doc", "path", "body_hash"):
        if type(fields.get(name, "")) is not str:
            return f"field {name} is ill-typed"
    return "field data is ill-typed" if type(fields.get("data", {})) is not dict else "field id is ill-typed"
