"""The review queue: pairs of documents that may not both be true, shown with both texts, and settled by a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hearth.core import subjects
from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.journal import Decision, Draft, ReviewEntry
from hearth.core.lazy import dataclass
from hearth.core.types import CONTENT_TYPES, Merge
from hearth.memory import reviews, undo
from hearth.memory.reviews import list_reviews
from hearth.ports import Reader, StoredDocument
from hearth.vault.documents import read_beginning
from hearth.vault.history import History

_TEXT_CHARS = 600
MOST = 10
"""So many are shown at a time."""
_LIGHT = frozenset({"observation", "deduction"})
_EDGES = ("contradicts", "refines")


@dataclass(frozen=True, slots=True)
class ReviewSide:
    """One of the two texts, with where it comes from."""

    docid: str
    collection: str
    path: str
    title: str
    said: str
    dated_at: int | None
    source: str
    trust: str

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """An entry of the queue with both its sides; a side whose document is gone is ``None``."""

    number: int
    entry: ReviewEntry
    newer: ReviewSide | None
    older: ReviewSide | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        entry = self.entry
        names = ("relation", "confidence", "why", "evidence", "asked_at", "decision", "decided_at")
        about = {name: getattr(entry, name) for name in names}
        sides = {"newer": self.newer, "older": self.older}
        data = {name: None if side is None else side.to_dict() for name, side in sides.items()}
        return {"number": self.number, "id": entry.id, **about, **data}


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """``events`` are the ids for ``undo``; undoing the last takes all back."""

    case: ReviewCase
    decision: Decision
    events: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"decision": self.decision, "case": self.case.to_dict(), "events": list(self.events)}


def queue(reader: Reader, now: int) -> list[ReviewCase]:
    """What waits for a decision and matters, the newest first; what nobody could decide any more, since one of the two
    is gone or hidden, is left out."""
    waiting = [entry for entry in list_reviews(reader, now) if entry.open]
    found: list[ReviewCase] = []
    for entry in sorted(waiting, key=lambda one: -one.asked_at):
        pair = [one for one in (reader.document(entry.newer), reader.document(entry.older)) if one is not None]
        if len(pair) == 2 and not any(one.state.hidden for one in pair) and any(_matters(one) for one in pair):
            found.append(_case(reader, len(found) + 1, entry))
    return found


def _matters(stored: StoredDocument) -> bool:
    """Whether a person is asked about it: not about what was only observed or concluded, which runs out by itself."""
    return stored.document.content_type not in _LIGHT


def find_case(reader: Reader, name: str, now: int) -> ReviewCase:
    """By its number in the queue, or by its id. Raises ``NotFound``."""
    cases = queue(reader, now)
    if name.isdigit() and 0 < int(name) <= len(cases):
        return cases[int(name) - 1]
    for case in cases:
        if case.entry.id == name.lower():
            return case
    entry = next((entry for entry in list_reviews(reader, now) if entry.id == name.lower()), None)
    if entry is None:
        raise NotFound(f"nothing in the review queue matches {name[:32]!r}; list the queue to see its items")
    return _case(reader, 0, entry)


def plan(
    reader: Reader, history: History, case: ReviewCase, decision: Decision, metadata: Mapping[str, Any]
) -> list[Draft]:
    """The events of a decision. ``keep-new`` and ``merge`` replace the older one, ``keep-old`` the newer one; ``merge``
    also keeps what both were taken from, and only links two files that gather facts; ``both`` takes back the doubt.
    Raises ``Conflict`` for what is decided, and ``NotFound`` where a document is gone."""
    entry = case.entry
    if entry.decision is not None and entry.decided_at is not None:
        raise Conflict(f"{entry.id} is already decided: {entry.decision}; undo that first")
    newer, older = reader.document(entry.newer), reader.document(entry.older)
    if newer is None or older is None:
        raise NotFound("one of the two documents is gone, so there is nothing to decide")
    drafts = [_decide(newer, entry, decision, metadata)]
    if decision == "both":
        return drafts + _doubt_taken_back(reader, history, newer, older, metadata)
    if decision == "merge" and CONTENT_TYPES[newer.document.content_type].merge is Merge.GATHER:
        # Each of the two holds facts of its own: none goes out of sight.
        return [*drafts, _same(newer, older, metadata), _same(older, newer, metadata)]
    loser, winner = (newer, older) if decision == "keep-old" else (older, newer)
    wanted: dict[str, Any] = {"superseded_by": winner.document.docid}
    if entry.relation == "fulfils" and decision == "keep-new":
        wanted = {"fulfilled_at": newer.document.valid_from or entry.asked_at}
    drafts += history.draft_change(reader, loser.document, wanted, metadata)
    if decision == "merge":
        drafts += merge_sources(winner, loser, metadata) + draft_tags(reader, history, winner, [loser], metadata)
    return drafts


def _same(one: StoredDocument, other: StoredDocument, metadata: Mapping[str, Any]) -> Draft:
    document = one.document
    data = {"type": "same", "target": other.document.docid, **metadata, "was": None}
    return Draft("relate", document.docid, document.path, document.body_hash, data)


def merge_sources(winner: StoredDocument, loser: StoredDocument, metadata: Mapping[str, Any]) -> list[Draft]:
    """What the loser was taken from is kept with the winner."""
    source = loser.document.facts.get("source") or loser.document.place
    data = {"type": "evidence", "target": source[:1_000], "of": loser.document.docid, **metadata, "was": None}
    return [Draft("relate", winner.document.docid, winner.document.path, winner.document.body_hash, data)]


def draft_tags(
    reader: Reader,
    history: History,
    winner: StoredDocument,
    losers: Iterable[StoredDocument],
    metadata: Mapping[str, Any],
) -> list[Draft]:
    """What the losers are tagged with goes over to the winner."""
    own = set(winner.document.tags)
    taken = dict.fromkeys((*winner.state.tags, *(tag for loser in losers for tag in loser.tags)))
    wanted = [tag for tag in taken if tag not in own] or None
    return history.draft_change(reader, winner.document, {"tags": wanted}, metadata)


def check_decision(decision: str) -> Decision:
    for known in ("keep-new", "keep-old", "both", "merge"):
        if decision == known:
            return known
    raise UsageError(f"{decision[:32]!r} is not a decision; choose keep-new, keep-old, both or merge")


def settle(history: History, name: str, decision: Decision, now: int, metadata: Mapping[str, Any]) -> ReviewOutcome:
    """Journals a decision. Raises as ``find_case`` and ``plan``."""
    with history.store.read() as reader:
        case = find_case(reader, name, now)
        drafts = plan(reader, history, case, decision, metadata)
    return ReviewOutcome(case, decision, tuple(history.record(undo.together(drafts))))


def _decide(newer: StoredDocument, entry: ReviewEntry, decision: Decision, metadata: Mapping[str, Any]) -> Draft:
    document = newer.document
    data = {"older": entry.older, "decision": decision, **metadata, "was": None}
    return Draft("decide", document.docid, document.path, document.body_hash, data)


def _doubt_taken_back(
    reader: Reader, history: History, newer: StoredDocument, older: StoredDocument, metadata: Mapping[str, Any]
) -> list[Draft]:
    """Edges that say that the two clash, and the confidence that the older one lost by them."""
    drafts: list[Draft] = []
    for one, other in ((newer, older), (older, newer)):
        for register, value in reader.registers(one.document.docid, subjects.RELATION).items():
            kind, target = subjects.read_relation(register)
            if isinstance(value, dict) and kind in _EDGES[:1] and target == other.document.docid:
                data = {"type": kind, "target": target, **metadata, "was": value}
                drafts.append(Draft("unrelate", one.document.docid, one.document.path, one.document.body_hash, data))
    return drafts + reviews.draft_return(reader, history, newer.document.docid, older, metadata)


def _case(reader: Reader, number: int, entry: ReviewEntry) -> ReviewCase:
    newer, older = (_side(reader, docid) for docid in (entry.newer, entry.older))
    return ReviewCase(number, entry, newer, older)


def _side(reader: Reader, docid: str) -> ReviewSide | None:
    stored = reader.document(docid)
    if stored is None:
        return None
    document = stored.document
    return ReviewSide(
        docid=docid,
        collection=document.collection,
        path=document.path,
        title=document.title,
        said=read_beginning(reader, stored, _TEXT_CHARS),
        dated_at=document.valid_from,
        source=document.facts.get("source") or ("a person's file" if document.trust == "human" else "a memory"),
        trust=document.trust,
    )
