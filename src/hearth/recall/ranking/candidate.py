"""What travels through the stages of a recipe, its fused score, and what leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import mul

from hearth.core.graph import PathStep
from hearth.core.lazy import dataclass
from hearth.core.query import LaneScore, Move
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.ranking.weights import RERANK


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
    def later_statements(self) -> tuple[Candidate, ...]:
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


def fuse(scores: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean of the lanes' scores, in the order of ``weights``: 0 for a lane that missed this candidate,
    weight 0 for one that did not answer."""
    total = sum(weights)
    return sum(map(mul, weights, scores)) / total if total > 0 else 0.0


_STAGE = "rerank"


def apply_answers(candidates: Sequence[Candidate], answers: Sequence[float]) -> list[Candidate]:
    """``answers`` holds the probability in [0, 1] that a candidate answers, for the first so many; the others were not
    read and come after those. What lowered a score before (an assistant's words) lowers the new one by as much."""
    read = [_blend(candidate, answer) for candidate, answer in zip(candidates, answers, strict=False)]
    unread = candidates[len(answers) :]
    if not read or not unread:
        return order([*read, *unread])
    lowest = min(candidate.score for candidate in read)
    share = min(1.0, lowest / max(max(candidate.score for candidate in unread), 1e-9))
    why = f"not read: beyond the first {len(answers)}"
    after = [
        replace(candidate.move(_STAGE, candidate.score * share, why), reread=candidate.fused * share)
        for candidate in unread
    ]
    return [*order(read), *order(after)]


def _blend(candidate: Candidate, answer: float) -> Candidate:
    relevance = RERANK.fused * candidate.fused + (1 - RERANK.fused) * answer
    lowered = candidate.score / candidate.fused if candidate.fused > 0 else 1.0
    moved = candidate.move(_STAGE, min(1.0, relevance * lowered), f"read as an answer with {answer:.2f}")
    return replace(moved, reread=relevance)


# Room above the rest, so that those that lead can be told apart.
_MOST = 0.99


def lead(candidates: list[Candidate], leads: Callable[[Candidate], bool], stage: str, why: str) -> list[Candidate]:
    """Moves those that lead above all others, in the order of their scores."""
    first = {id(candidate) for candidate in candidates if leads(candidate)}
    if not 0 < len(first) < len(candidates):
        return candidates
    best = min(_MOST, max(candidate.score for candidate in candidates if id(candidate) not in first))
    return order([_move(c, best, stage, why) if id(c) in first else _hold(c, best, stage) for c in candidates])


def _move(candidate: Candidate, best: float, stage: str, why: str) -> Candidate:
    return replace(candidate.move(stage, best + (1 - best) * candidate.score, why), leads=True)


def _hold(candidate: Candidate, best: float, stage: str) -> Candidate:
    return candidate.move(stage, min(best, candidate.score), "others lead")
