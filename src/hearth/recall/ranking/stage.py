"""What travels through the stages of a recipe."""

from __future__ import annotations

from collections.abc import Callable

from hearth.core.graph import PathStep
from hearth.core.lazy import dataclass
from hearth.core.query import LaneScore, Move
from hearth.ports import StoredDocument, StoredFragment


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fragment on its way to becoming a hit; ``score`` is calibrated to [0, 1]. ``reread`` is its relevance after
    reranking; ``packed`` holds the fragment's index terms as ``text.packed`` has them. What ``leads`` stays before all
    that does not. ``chain`` is the way along relations that leads to it."""

    fragment: StoredFragment
    document: StoredDocument
    score: float
    fused: float = 0.0
    lanes: tuple[LaneScore, ...] = ()
    moves: tuple[Move, ...] = ()
    also_in: tuple[str, ...] = ()
    reread: float | None = None
    packed: bytes = b""
    leads: bool = False
    chain: tuple[PathStep, ...] = ()
    later: tuple[Candidate, ...] = ()
    added: tuple[Candidate, ...] = ()
    beside: tuple[Candidate, ...] = ()
    said_at: int | None = None
    said: str = ""

    @property
    def relevance(self) -> float:
        """How well it answers, before metadata moved it."""
        return self.fused if self.reread is None else self.reread

    @property
    def dated_at(self) -> int:
        """ms UTC, 0 for what is undated."""
        return (self.document.document.dated_at if self.said_at is None else self.said_at) or 0

    @property
    def said_later(self) -> tuple[Candidate, ...]:
        return (*self.later, *self.added, *self.beside)

    def move(self, stage: str, score: float, why: str = "") -> Candidate:
        if score == self.score:
            return self
        moves = (*self.moves, Move(stage, self.score, score, why))
        # What ``replace`` would do, at a quarter of the cost: a question moves hundreds of them.
        return Candidate(
            self.fragment,
            self.document,
            score,
            self.fused,
            self.lanes,
            moves,
            self.also_in,
            self.reread,
            self.packed,
            self.leads,
            self.chain,
            self.later,
            self.added,
            self.beside,
            self.said_at,
            self.said,
        )

    def score_before(self, stage: str) -> float:
        """The score that a stage found, whether or not it moved it."""
        return next((move.before for move in self.moves if move.stage == stage), self.score)

    def score_without(self, stage: str) -> float:
        """The score without what a stage made of it."""
        moved = next((move for move in self.moves if move.stage == stage and move.after), None)
        return self.score if moved is None else self.score * moved.before / moved.after

    def lane(self, name: str) -> float | None:
        """The calibrated score of one lane."""
        return next((s.score for s in self.lanes if s.lane == name), None)


Stage = Callable[[list[Candidate]], list[Candidate]]


def order(candidates: list[Candidate]) -> list[Candidate]:
    """Best first; ties break on docid and place, so that the same index gives the same list."""
    return sorted(candidates, key=lambda c: (-c.score, c.document.document.docid, c.fragment.seq))
