"""The stage that orders statements about one thing by time: the newest first, for a question about the past last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.statements import StatementFragment, read_statement
from hearth.language.slots import Likeness, compare_slots
from hearth.lazy import dataclass
from hearth.ranking.newest import order_by_time
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import NEWEST


@dataclass(frozen=True)
class NewestStage(Stage):
    """Nobody has to have judged them: what answers about as well, or gives the same thing another value, in one scope,
    is ordered by its date, and the older one brings the newer one along."""

    name: ClassVar[str] = "newest"

    def applies(self, context: Context) -> bool:
        return not context.question.only and context.question.within.as_of is None

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = max(candidate.score for candidate in pool.candidates)
        read = (read_statement(candidate) for candidate in pool.candidates if candidate.score >= NEWEST.least * best)
        statements = sorted(filter(None, read), key=lambda one: one.at)
        compare = _Comparison(context, statements)
        # How well the best of what a statement takes the place of answers.
        level = [one.candidate.score for one in statements]
        later: dict[int, list[Candidate]] = {}
        beside: dict[int, list[Candidate]] = {}
        for place, newer in enumerate(statements):
            for before in range(place if newer.states else 0):
                if level[before] >= NEWEST.answers * best and compare.is_rival(before, place, level[before]):
                    found = beside if newer.adds else later
                    found.setdefault(statements[before].candidate.fragment.id, []).insert(0, newer.candidate)
                    level[place] = level[place] if newer.adds else max(level[place], level[before])
        if not later and not beside:
            return pool
        marked = [_mark(candidate, later, beside) for candidate in pool.candidates]
        return replace(pool, candidates=order_by_time(marked, former=context.question.former))


def _mark(
    candidate: Candidate, later: Mapping[int, Sequence[Candidate]], beside: Mapping[int, Sequence[Candidate]]
) -> Candidate:
    row = candidate.fragment.id
    if row not in later and row not in beside:
        return candidate
    return replace(candidate, later=tuple(later.get(row, ())), beside=tuple(beside.get(row, ())))


class _Comparison:
    """Statements of one question, compared two by two."""

    def __init__(self, context: Context, statements: Sequence[StatementFragment]) -> None:
        self._context = context
        self._statements = statements

    @cached_property
    def _vectors(self) -> Any:
        vectors = self._context.vectors
        return None if vectors is None else vectors.embed([one.text for one in self._statements])

    def is_rival(self, before: int, place: int, level: float) -> bool:
        """Whether two statements answer the question about the same thing, the newer one ``level`` or nearly."""
        older, newer = self._statements[before], self._statements[place]
        if older.scope != newer.scope or older.at >= newer.at or _is_one_document(older, newer):
            return False
        ratio = newer.candidate.score / level
        if ratio < NEWEST.same or newer.is_of_before(older.at):
            return False
        like = compare_slots(older.text, newer.text)
        if like.apart and not _fits_better(self._context.question.text, older.text, newer.text):
            return False
        if like.is_same or ratio >= NEWEST.as_well or like.named - self._asked(older.text).named:
            return True
        return ratio >= NEWEST.near and bool(like.kinds or self._are_close(before, place))

    def _asked(self, text: str) -> Likeness:
        """How a statement stands to the question."""
        return compare_slots(self._context.question.text, text)

    def _are_close(self, one: int, other: int) -> bool:
        return self._vectors is not None and float(self._vectors[one] @ self._vectors[other]) >= NEWEST.close


def _is_one_document(one: StatementFragment, other: StatementFragment) -> bool:
    return one.candidate.document.id == other.candidate.document.id


def _fits_better(question: str, older: str, newer: str) -> bool:
    """Whether of two that hold of different persons or under different conditions the newer one is what is asked."""
    return bool(compare_slots(question, older).apart) and not compare_slots(question, newer).apart
