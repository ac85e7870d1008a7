"""How two statements stand to each other, and what says so; how a document stands at a moment: whether it still
holds, since when and until when, and what replaced it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from hearth.core.document import OVER, PROPOSED, Document, DocumentState
from hearth.core.instants import show_date
from hearth.core.lazy import dataclass

SURE = 0.9
"""From here on the older of two statements gives way by itself."""
LIKELY = 0.5
"""From here on a person is asked; below it nothing happens."""

Side = Literal["older", "newer"]


class Relation(StrEnum):
    """``same``: the newer one says nothing else. ``refines``: it adds to the older one, and both hold. ``update``: what
    the older one says was so and has changed. ``contradiction``: both can't hold. ``unrelated``: neither bears on the
    other, be they ever so alike."""

    SAME = "same"
    REFINES = "refines"
    UPDATE = "update"
    CONTRADICTION = "contradiction"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Said:
    """A statement: ``at`` (ms UTC) is when it began to hold, ``content_type`` what kind it is, ``subject`` what it is
    about where that was given."""

    text: str
    content_type: str = "note"
    subject: str | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """Words of one of the two statements, as they stand there."""

    side: Side
    quote: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """``current`` is the statement that holds, ``both`` where neither gives way; ``confidence`` lies in [0, 1].
    ``reason`` is one line for people, ``spans`` are the words that it rests on, ``path`` is ``rules`` or names the
    model, ``attribute`` is what the two give different values, where that is known."""

    relation: Relation
    confidence: float
    current: Side | Literal["both"] = "both"
    reason: str = ""
    spans: tuple[Cited, ...] = ()
    attribute: str | None = None
    path: str = "rules"

    @property
    def replaces(self) -> bool:
        """Whether the older statement gives way to the newer one without anybody being asked."""
        clashes = self.relation in (Relation.UPDATE, Relation.CONTRADICTION)
        return clashes and self.current == "newer" and self.confidence >= SURE

    @property
    def doubtful(self) -> bool:
        """Whether a person is asked: the two clash, and confidence is too low that the older one gives way."""
        clashes = self.relation in (Relation.UPDATE, Relation.CONTRADICTION)
        return clashes and self.confidence >= LIKELY and not self.replaces

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "relation": self.relation.value,
            "confidence": self.confidence,
            "current": self.current,
            "reason": self.reason,
            "spans": [{"side": span.side, "quote": span.quote} for span in self.spans],
            "attribute": self.attribute,
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class LaterStatement:
    """What was said later about the same thing: ``at`` is ms UTC, 0 where nobody knows, ``text`` one line."""

    docid: str
    at: int
    text: str

    @property
    def words(self) -> str:
        """As "later, 2026-09-22: we format with gofumpt (#4k2…)"."""
        return f"later{f', {show_date(self.at)}' if self.at else ''}: {self.text} (#{self.docid})"

    def to_dict(self) -> dict[str, Any]:
        return {"docid": self.docid, "at": self.at, "text": self.text}


@dataclass(frozen=True, slots=True)
class Validity:
    """``hidden`` is why only a search that includes such documents finds it; ``superseded_by`` is a docid; instants are
    ms UTC. ``doubts`` are docids of what may contradict it, about which a person is asked; ``later`` is what was said
    about the same thing since, the newest first. ``status`` is what the text says of its standing; ``cited`` what
    became of the code that it cites, where somebody looked: "fresh", "changed (names)", "gone (names)"."""

    hidden: tuple[str, ...] = ()
    superseded_by: str | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    doubts: tuple[str, ...] = ()
    later: tuple[LaterStatement, ...] = ()
    status: str | None = None
    cited: str | None = None

    @classmethod
    def of(cls, document: Document, state: DocumentState, now: int) -> Validity:
        hidden, by = state.veils_at(now), state.superseded_by
        return cls(hidden, by, document.valid_from, state.valid_to, status=document.status)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "hidden": list(self.hidden),
            "superseded_by": self.superseded_by,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            **({"status": self.status} if self.status else {}),
            **({"cited": self.cited} if self.cited else {}),
            **({"doubts": list(self.doubts)} if self.doubts else {}),
            **({"marks": ["older"], "later": [one.to_dict() for one in self.later]} if self.later else {}),
        }

    @property
    def says_more(self) -> bool:
        """Whether it is anything but current."""
        return bool(self.hidden or self.doubts or self.later or self.standing or self.has_changed_code)

    @property
    def words(self) -> str:
        """As "superseded by #4k2…, true from 2025-11-02 to 2026-03-01"; empty where nothing hides the document."""
        if not self.hidden:
            return ""
        reasons = [self._explain(veil) for veil in self.hidden]
        if self.valid_to is not None:
            since = "" if self.valid_from is None else f"from {show_date(self.valid_from)} "
            reasons.append(f"true {since}to {show_date(self.valid_to)}")
        return ", ".join(reasons)

    def label(self, *, loud: bool = False) -> str:
        """As "not current: archived" or "not yet approved"; empty where nothing hides the document."""
        if not self.hidden:
            return ""
        head, rest = ("not yet approved", "") if self.hidden == ("pending",) else ("not current", f": {self.words}")
        return f"{head.upper() if loud else head}{rest}"

    def _explain(self, veil: str) -> str:
        if veil == "superseded":
            return f"superseded by #{self.superseded_by}"
        return "not yet approved" if veil == "pending" else veil

    @property
    def doubt(self) -> str:
        """As "in doubt: #4k2… may contradict it"; empty where nobody is asked about it."""
        return f"in doubt: {', '.join(f'#{docid}' for docid in self.doubts)} may contradict it" if self.doubts else ""

    @property
    def is_over(self) -> bool:
        """Whether its text says that it does not hold: it was rejected, say."""
        return self.status in OVER

    @property
    def standing(self) -> str:
        """As "status: rejected"; empty where its text says that it holds, or nothing."""
        return f"status: {self.status}" if self.is_over or self.status == PROPOSED else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The lines that a reader sees beside a document. Words of notes in them are not escaped."""
        cited = f"cited: {self.cited}" if self.has_changed_code else ""
        return (*filter(None, (self.standing, self.doubt, cited)), *(one.words for one in self.later))

    @property
    def has_changed_code(self) -> bool:
        """Whether code that it cites is not as it was."""
        return self.cited not in (None, "fresh")


CURRENT = Validity()
"""What nothing hides, and of whose time nothing is known."""


def may_cite(text: str) -> bool:
    """Whether a text may name code: most don't."""
    return "." in text or "`" in text or "()" in text
