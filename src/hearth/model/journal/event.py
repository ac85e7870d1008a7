"""Journal events: all state that markdown can't carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from hearth.lazy import dataclass
from hearth.model.identity import CROCKFORD

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
