"""What a change of a document's state came to, the same for every surface."""

from __future__ import annotations

from typing import Any, Literal

from hearth.lazy import dataclass

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
