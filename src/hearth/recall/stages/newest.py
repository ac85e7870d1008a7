"""The stage that orders statements about one thing by time: the newest first, for a question about the past last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from hearth.core.document import INTERNAL, SAID, Document, is_session_note
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONVERSATION, is_of_project
from hearth.language.likeness import Likeness, compare
from hearth.language.slots import read_statement as read_slot
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.gate import STEP, TimeOrder, order_by_time, put_above, put_below
from hearth.recall.ranking.weights import NEWEST
from hearth.recall.statements import StatementFragment, is_of_another_number, language_of, read_statement
from hearth.text.language import is_stop_word
from hearth.text.similarity import flatten
from hearth.text.words import cues
from hearth.vault.validity import may_rule

_WORD = regex(r"[\w-]+")
_STEM = 4
"""Characters that inflections of a word share."""
Standing = Literal["newer", "added", "beside"]


@dataclass(frozen=True)
class NewestStage(Stage):
    """Nobody has to have judged them: what answers about as well, or gives the same thing another value, in one scope,
    is ordered by its date, and the older one brings the newer one along. What the person had remembered stands before
    general notes that answer about as well."""

    name: ClassVar[str] = "newest"

    def applies(self, context: Context) -> bool:
        return not context.question.only and context.question.within.as_of is None

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = max(candidate.score for candidate in pool.candidates)
        if best <= 0:
            return pool
        near = (candidate for candidate in pool.candidates if candidate.score >= NEWEST.least * best)
        read = (read_statement(candidate, context.query.zone) for candidate in near)
        statements = sorted(filter(None, read), key=lambda one: one.place_in_time)
        pool = replace(pool, candidates=_put_own_first(context, statements, pool.candidates))
        known = {one.candidate.fragment.id: one for one in statements}
        comparison = _Comparison(context, statements)
        # How well the best of what a statement takes the place of answers.
        level = [one.candidate.score for one in statements]
        found: dict[Standing, dict[int, list[Candidate]]] = {"newer": {}, "added": {}, "beside": {}}
        for place, newer in enumerate(statements):
            for before in range(place):
                if level[before] < NEWEST.answers * best:
                    continue
                standing = comparison.judge(before, place, level[before])
                if standing is not None:
                    row = statements[before].candidate.fragment.id
                    found[standing].setdefault(row, []).insert(0, _note(newer.candidate, newer))
                if standing == "newer":
                    level[place] = max(level[place], level[before])
        if not statements:
            return pool
        candidates = [_note(candidate, known.get(candidate.fragment.id)) for candidate in pool.candidates]
        candidates = _put_asked_project_first(context, statements, candidates)
        if any(found.values()):
            marked = _mark_copies([_mark(candidate, found) for candidate in candidates])
            candidates = order_by_time(marked, find_order(context, marked))
        return replace(pool, candidates=candidates)


def find_order(context: Context, candidates: Sequence[Candidate]) -> TimeOrder:
    """The order that the question asks for. A past time before which nothing was said is one to come: "in December"."""
    order = context.question.order
    dates = [candidate.dated_at for candidate in candidates if candidate.said]
    if order != "found" or not dates:
        return order
    ends = (time.end for time in context.question.times if time.inside and time.end <= context.query.at)
    return "newest" if min(dates) >= max(ends) else order


def _put_own_first(
    context: Context, statements: Sequence[StatementFragment], candidates: list[Candidate]
) -> list[Candidate]:
    """Where a question speaks of the asker's own ("when do we deploy?"), puts the best memory that answers about as
    well as a general note above it, unless the note is newer or the question is its name."""
    text = context.question.text
    own = cues("asking", "self").search(text) is not None and cues("asking", "howto").search(text) is None
    if not own or context.question.then or context.question.order != "newest":
        return candidates
    memories = (one for one in statements if _is_own_answer(context, one))
    best = max(memories, key=lambda one: one.candidate.score, default=None)
    if best is None:
        return candidates
    notes = [
        one.fragment.id
        for one in candidates
        if one.document.document.collection != INTERNAL
        and not one.lane("name")
        and best.candidate.score >= NEWEST.as_well * one.score
        and (best.candidate.lane("keyword") or 0.0) >= NEWEST.as_well * (one.lane("keyword") or 0.0)
        and (one.document.document.dated_at or 0) <= best.at
    ]
    return put_above(candidates, best.candidate.fragment.id, notes, "own", "your own words, as good as {}", STEP)


def _is_own_answer(context: Context, one: StatementFragment) -> bool:
    """Whether it is a memory of what nobody else said, waits for no approval, shares words with the question and says
    how something is, of no other project."""
    candidate, here = one.candidate, context.query.project
    document = candidate.document.document
    if document.content_type == CONVERSATION or not may_rule(document) or candidate.document.state.pending:
        return False
    if not candidate.lane("keyword"):
        return False
    elsewhere = bool(one.scope) and here is not None and not is_of_project(one.scope, here)
    return one.speaks and not one.asks and not elsewhere


def _put_asked_project_first(
    context: Context, statements: Sequence[StatementFragment], candidates: list[Candidate]
) -> list[Candidate]:
    """Where a question names a project, or is asked in one, what is said of others stands below the best of what is
    said of that; of one that it does not name only what answers as well."""
    words = frozenset(_WORD.findall(context.question.text.casefold()))
    bound = [one for one in statements if one.scope]
    asked = [one for one in bound if one.project_name in words]
    here = context.query.project
    if not asked and here is not None:
        asked = [one for one in bound if is_of_project(one.scope, here)]
        if cues("guards", "here").search(context.question.text) is None:
            level = NEWEST.as_well * max((one.candidate.score for one in bound), default=0.0)
            asked = [one for one in asked if one.candidate.score >= level]
    if not asked:
        return candidates
    best = max(asked, key=lambda one: one.candidate.score).candidate
    scopes = {one.scope for one in asked}
    others = {one.candidate.fragment.id for one in bound if one.scope not in scopes}
    personal = {one.candidate.document.id for one in statements if not one.scope}
    others |= {
        candidate.fragment.id
        for candidate in candidates
        if candidate.document.id not in personal and _talks_of_other(candidate.document.document, scopes)
    }
    return put_below(candidates, others, best, "belongs to another project than")


def _talks_of_other(document: Document, scopes: Set[str]) -> bool:
    """Whether it is the conversation of another project."""
    return document.content_type == CONVERSATION and document.facts.get("project", "") not in {"", *scopes}


def _note(candidate: Candidate, statement: StatementFragment | None) -> Candidate:
    return candidate if statement is None else replace(candidate, said_at=statement.at, said=statement.text)


def _mark(candidate: Candidate, found: Mapping[Standing, Mapping[int, Sequence[Candidate]]]) -> Candidate:
    row = candidate.fragment.id
    if not any(row in rows for rows in found.values()):
        return candidate
    later, added, beside = (tuple(rows.get(row, ())) for rows in found.values())
    return replace(candidate, later=later, added=added, beside=beside)


def _mark_copies(candidates: list[Candidate]) -> list[Candidate]:
    """What we noted of a session that repeats an older statement is as old as that is."""
    older = [candidate for candidate in candidates if candidate.later]

    def copy(candidate: Candidate) -> Candidate:
        if candidate.said or not is_session_note(candidate.document.document):
            return candidate
        repeated = (one.later for one in older if flatten(one.said) in flatten(candidate.fragment.text))
        return replace(candidate, later=next(repeated, ()))

    return [copy(candidate) for candidate in candidates]


class _Comparison:
    """Statements of one question, compared two by two."""

    def __init__(self, context: Context, statements: Sequence[StatementFragment]) -> None:
        self._context = context
        self._statements = statements
        self._asked: dict[str, Likeness] = {}

    @cached_property
    def _vectors(self) -> Any:
        vectors = self._context.vectors
        return None if vectors is None else vectors.embed([one.text for one in self._statements])

    def judge(self, before: int, place: int, level: float) -> Standing | None:
        """How a statement stands to an older one that answers as well as ``level``: ``newer`` where both answer the
        question about the same thing, ``added`` where it names one more, ``beside`` where both may hold; else
        ``None``."""
        older, newer = self._statements[before], self._statements[place]
        if older.scope != newer.scope or older.at >= newer.at or _is_one_text(older, newer):
            return None
        if not newer.speaks or newer.is_of_before(older.at) or newer.repeats(older.text):
            return None
        if is_of_another_number(self._context.question.text, older.text, newer.text):
            return None
        ratio = newer.candidate.score / level
        like, asked = self._compare(older.text, newer.text), self._compare_asked(older.text)
        cosine = self._measure(before, place)
        settles = like.is_same or like.named - asked.named or like.kinds & self._kinds
        meant = cosine >= NEWEST.close and self._covers_as_much(older.text, newer.text)
        answers = ratio >= NEWEST.as_well or (ratio >= NEWEST.near and (like.kinds or meant))
        changes = newer.tells_change and (settles or like.is_near)
        if not (settles or answers or changes):
            return "beside" if cosine >= NEWEST.beside and not like.apart else None
        apart = like.apart and not (asked.apart and not self._compare_asked(newer.text).apart)
        if apart or newer.asks or (ratio < NEWEST.same and not changes):
            return "beside"
        return "added" if newer.adds else "newer"

    def _covers_as_much(self, older: str, newer: str) -> bool:
        """Whether the newer one holds as many words of the question as the older one, but for one."""
        counts = [sum(word in text.casefold() for word in self._question_stems) for text in (older, newer)]
        return counts[1] + 1 >= counts[0]

    @cached_property
    def _question_stems(self) -> list[str]:
        """The beginnings of the question's words, which inflections share."""
        words = (word.casefold() for word in _WORD.findall(self._context.question.text))
        return [word[:_STEM] for word in words if len(word) >= _STEM and not is_stop_word(word, ("en",))]

    def _measure(self, one: int, other: int) -> float:
        return 0.0 if self._vectors is None else float(self._vectors[one] @ self._vectors[other])

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The kinds of things that the question asks for."""
        return read_slot(self._context.question.text).kinds

    def _compare_asked(self, text: str) -> Likeness:
        """How a statement stands to the question."""
        if text not in self._asked:
            self._asked[text] = self._compare(self._context.question.text, text)
        return self._asked[text]

    def _compare(self, one: str, other: str) -> Likeness:
        language = language_of(one)
        return compare(read_slot(one, language), read_slot(other, language))


def _is_one_text(one: StatementFragment, other: StatementFragment) -> bool:
    """Whether both stand in one memory, or are of one conversation and not both what was said in a turn of its own."""
    first, second = one.candidate, other.candidate
    return first.document.id == second.document.id and (first.fragment.kind, second.fragment.kind) != (SAID, SAID)
