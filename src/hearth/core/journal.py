"""Journal events, the state that they fold to, in whatever order they came, and what a change came to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import date
from typing import Any, Literal

from hearth.core.document import CROCKFORD
from hearth.core.graph import TYPES
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.subjects import RELATION, read_relation

JOURNAL_VERSION = 1
_ULID_TIME = 10
_DIGITS = {char: value for value, char in enumerate(CROCKFORD.upper())}

# fmt: off
STATE_KINDS = frozenset({
    "pin", "unpin", "snooze", "unsnooze", "forget", "unforget", "archive", "restore", "confidence", "supersede",
    "invalidate", "relate", "unrelate", "retag", "moved", "named", "session", "focus", "turn", "captured",
    "duplicate", "revised", "tombstone", "purge", "fulfill", "review", "decide", "reread", "dreamt",
    "promoted", "dismiss", "alias", "approve", "unapprove",
})
# fmt: on
USAGE_KINDS = frozenset({"surfaced", "referenced", "recalled", "coactive", "seen", "noticed"})
"""What a power cut may take: it is no wish of anybody, and is counted or found out again."""
NOTE_KINDS = frozenset({"note", "evolved", "thread"})
"""What a language model says of documents, in files of its own: it holds words of theirs, and leaves with them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What an event is to say, before the journal stamps it; ``data`` is JSON."""

    kind: str
    doc: str | None = None
    path: str | None = None
    body_hash: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a journal.

    ``id`` is a ULID; ``hlc`` a hybrid logical clock in milliseconds * 2**16 + counter, which orders events;
    ``at`` the wall clock in ms UTC, for display and decay. ``path`` and ``body_hash`` let state find a document that
    was renamed while no index existed.
    """

    id: str
    hlc: int
    at: int
    machine: str
    kind: str
    doc: str | None = None
    path: str | None = None
    body_hash: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stamp(self) -> tuple[int, str, str]:
        """Total order of events: last writer wins by hlc, machine, id."""
        return (self.hlc, self.machine, self.id)


def instant(event: str) -> int | None:
    """The time in a ULID, ms UTC; ``None`` where it is none."""
    value = 0
    for char in event[:_ULID_TIME].upper():
        if char not in _DIGITS:
            return None
        value = value * 32 + _DIGITS[char]
    return value if len(event) >= _ULID_TIME else None


@dataclass(frozen=True, slots=True)
class Register:
    """A field of a subject; the write with the greatest stamp (hlc, machine, event id) wins. ``value`` is JSON."""

    subject: str
    field: str
    value: Any
    stamp: tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Member:
    """A distinct key in a set of a subject; ``at`` (ms UTC) is the latest instant it was seen."""

    subject: str
    name: str
    key: str
    at: int


MAX_REASON_CHARS = 200

Action = Literal[
    "pinned",
    "unpinned",
    "snoozed",
    "woken",
    "forgotten",
    "reverted",
    "restored",
    "superseded",
    "invalidated",
    "fulfilled",
    "dismissed",
    "related",
    "unrelated",
    "undone",
    "unchanged",
]


@dataclass(frozen=True, slots=True)
class Changed:
    """``unchanged`` where it was so already: nothing is journaled then. ``reverted`` is a document whose text is again
    what it was without what was taken out of it. ``events`` are the ids for ``undo``, ``fields``
    what has which value now, ``note`` what else somebody should know."""

    action: Action
    docid: str
    collection: str
    path: str
    events: tuple[str, ...] = ()
    fields: tuple[tuple[str, Any], ...] = ()
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "action": self.action,
            "docid": self.docid,
            "collection": self.collection,
            "path": self.path,
            "events": list(self.events),
            "state": dict(self.fields),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Purged:
    """``scope`` is ``memory``, ``file`` or ``index`` (the file stays); ``erased`` names files that are gone, ``left``
    says what may still hold the text, ``pending`` why erasing is not complete yet."""

    docid: str
    collection: str
    path: str
    scope: str
    event: str
    erased: tuple[str, ...]
    left: tuple[str, ...]
    pending: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "action": "purged",
            "docid": self.docid,
            "collection": self.collection,
            "path": self.path,
            "scope": self.scope,
            "event": self.event,
            "erased": list(self.erased),
            "left": list(self.left),
            "pending": self.pending,
        }


Decision = Literal["keep-new", "keep-old", "both", "merge"]
REVIEW_DAYS = 90
"""So long after it was asked, a question that nobody answered is answered with ``both``."""


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """What the ``newer`` document may be to the ``older`` one (docids): ``relation`` as ``update`` or
    ``contradiction``, how sure that is, ``why`` and ``evidence`` in words. Instants are ms UTC. ``decision`` is what a
    person decided, or what time did."""

    newer: str
    older: str
    relation: str
    asked_at: int
    confidence: float | None = None
    why: str = ""
    evidence: str = ""
    decision: Decision | None = None
    decided_at: int | None = None

    @property
    def id(self) -> str:
        """The same on every machine and whichever of the two was noticed."""
        pair = ":".join(sorted((self.newer, self.older)))
        return hashlib.sha256(pair.encode()).hexdigest()[:8]

    @property
    def open(self) -> bool:
        return self.decision is None


def read_review(opened: Mapping[str, Any], decision: Mapping[str, Any] | None, now: int) -> ReviewEntry:
    """From the two registers of a question."""
    asked = int(opened["at"])
    decided: Decision | None = None if decision is None else decision["decision"]
    at = None if decision is None else int(decision["at"])
    end = asked + REVIEW_DAYS * DAY_MS
    if decided is None and now >= end:
        decided, at = "both", end
    confidence = opened.get("confidence")
    return ReviewEntry(
        newer=opened["newer"],
        older=opened["older"],
        relation=opened["relation"],
        asked_at=asked,
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        why=str(opened.get("why", "")),
        evidence=str(opened.get("evidence", "")),
        decision=decided,
        decided_at=at,
    )


Stamp = tuple[int, str, str]


class Folded:
    """Registers keep the greatest stamp, sets the latest instant of each key."""

    def __init__(self) -> None:
        self._registers: dict[str, dict[str, tuple[Stamp, str]]] = {}
        self._members: dict[str, dict[tuple[str, str], int]] = {}

    def fork(self) -> Folded:
        """A copy that may change without changing this one."""
        other = Folded()
        other._registers = {subject: dict(fields) for subject, fields in self._registers.items()}
        other._members = {subject: dict(keys) for subject, keys in self._members.items()}
        return other

    def apply(self, primitives: Iterable[Register | Member]) -> None:
        for item in primitives:
            if isinstance(item, Register):
                fields = self._registers.setdefault(item.subject, {})
                known = fields.get(item.field)
                if known is None or item.stamp > known[0]:
                    fields[item.field] = (item.stamp, _canonical(item.value))
            else:
                keys = self._members.setdefault(item.subject, {})
                keys[item.name, item.key] = max(item.at, keys.get((item.name, item.key), item.at))

    def registers(self, subject: str, prefix: str = "") -> dict[str, Any]:
        fields = sorted(self._registers.get(subject, {}).items())
        return {field: json.loads(value) for field, (_, value) in fields if field.startswith(prefix)}

    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        """Name of each set of the subject -> (distinct keys, latest ms UTC)."""
        found: dict[str, tuple[int, int]] = {}
        for (name, _), at in self._members.get(subject, {}).items():
            count, latest = found.get(name, (0, at))
            found[name] = (count + 1, max(at, latest))
        return found

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        members = self._members.get(subject, {}).items()
        found = sorted((-at, key) for (set_name, key), at in members if set_name == name)
        return {key: -at for at, key in found[:limit]}

    def set_by(self, subject: str, field: str) -> str | None:
        known = self._registers.get(subject, {}).get(field)
        return None if known is None else known[0][2]

    def subjects_with(self, field: str, value: Any) -> list[str]:
        wanted = _canonical(value)
        subjects = self._registers.items()
        return sorted(subject for subject, fields in subjects if field in fields and fields[field][1] == wanted)

    def find_relations(self, docids: Iterable[str]) -> list[Register]:
        """Registers of relations and of what supersedes, with one of the documents at either end."""
        wanted = set(docids)
        found = []
        for subject, fields in self._registers.items():
            for name, (stamp, text) in fields.items():
                value = json.loads(text)
                if name == "superseded_by":
                    other = value
                elif name.startswith(RELATION):
                    kind, other = read_relation(name)
                    if kind not in TYPES and subject not in wanted:
                        continue
                else:
                    continue
                if subject in wanted or (isinstance(other, str) and other in wanted):
                    found.append(Register(subject, name, value, stamp))
        return sorted(found, key=lambda one: (one.subject, one.field))

    def holders(self, field: str) -> dict[str, Any]:
        subjects = sorted(self._registers.items())
        return {subject: json.loads(fields[field][1]) for subject, fields in subjects if field in fields}

    def dump(self) -> str:
        """The whole state as canonical JSON: equal states give equal text."""
        registers = [
            [subject, field, value, *stamp]
            for subject, fields in self._registers.items()
            for field, (stamp, value) in fields.items()
        ]
        members = [
            [subject, name, key, at] for subject, keys in self._members.items() for (name, key), at in keys.items()
        ]
        return _canonical({"registers": sorted(registers), "members": sorted(members)})


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_INSTANT_END = 2**53
TEXT_LENGTH = 1024
_DOCID = regex(r"[0-9A-Za-z_-]{1,64}")
_COMMENTS = frozenset(("reason", "actor", "run", "was", "after", "was_along", "undoes", "reinstates", "more"))


class MalformedPayload(ValueError):
    """The payload does not fit its kind; the message names the field."""


def read_text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= TEXT_LENGTH:
        raise MalformedPayload(f"{name} is not a text of 1 to {TEXT_LENGTH} characters")
    return value


def read_day(data: Mapping[str, Any], name: str) -> str:
    """A local date, YYYY-MM-DD."""
    day = read_text(data, name)
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError as error:
        raise MalformedPayload(f"{name} is not a date") from error


def check_docid(value: Any, name: str) -> str:
    if not isinstance(value, str) or _DOCID.fullmatch(value) is None:
        raise MalformedPayload(f"{name} is not a docid")
    return value


def read_doc(event: Event) -> str:
    return check_docid(event.doc, "doc")


def read_whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if type(value) is not int or not 0 <= value < _INSTANT_END:
        raise MalformedPayload(f"{name} is not a whole number from 0 to 2**53")
    return value


def read_details(event: Event, *known: str) -> dict[str, Any]:
    """The payload without remarks and without ``known`` fields."""
    return {name: value for name, value in event.data.items() if name not in _COMMENTS and name not in known}


def read_table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    if not isinstance(value, dict):
        raise MalformedPayload(f"{name} is not a table")
    return value


def is_given(data: Mapping[str, Any], name: str) -> bool:
    """Whether a field is there and not null; it must be there, since null takes a value back."""
    if name not in data:
        raise MalformedPayload(f"{name} is missing")
    return data[name] is not None


def read_occasion(event: Event) -> str:
    """What makes a use distinct: its turn, else its key, else the event."""
    if event.data.get("session") is not None:
        turn = event.data.get("turn")
        return json.dumps([read_text(event.data, "session"), turn if turn is None else read_text(event.data, "turn")])
    return read_text(event.data, "key") if "key" in event.data else event.id


def read_documents(event: Event) -> list[str]:
    """The event's own document and those of ``docs``, without repetition."""
    others = event.data.get("docs", [])
    if not isinstance(others, list):
        raise MalformedPayload("docs is not a list")
    own = [] if event.doc is None else [event.doc]
    docs = sorted({check_docid(doc, "docs") for doc in [*own, *others]})
    if not docs:
        raise MalformedPayload("it names no document")
    return docs
