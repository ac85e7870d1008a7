"""Stages that rank newer statements above the older ones they replace, and lower old fragments that say the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import ClassVar, NamedTuple

from hearth.core.document import QUOTING, SAID, find_lower, is_foreign
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.language.likeness import compare
from hearth.language.slots import read_statement
from hearth.language.statement_values import Telling, find_tellings, token_keys
from hearth.language.statements import sentences
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.ranking.candidate import Candidate, order
from hearth.recall.ranking.diversify import stands_in
from hearth.recall.ranking.gate import put_above
from hearth.recall.ranking.prior import Ageing, ages, factors, written_at
from hearth.recall.ranking.weights import PRIOR
from hearth.recall.statements import is_of_another_number
from hearth.text.lines import split_sentences
from hearth.text.similarity import near_identical
from hearth.text.terms import terms
from hearth.text.words import LANGUAGES, cues
from hearth.vault import validity

# How many of the best fragments are read, none below this share of the best score.
_READ = 16
_LEAST = 0.4
# The share of the question's weight that a sentence must hold to be about it.
_ABOUT = 0.2
_ALIKE = 0.6
_COVER = 0.3
_LONGEST = 600
_TABLE = "recall/questions"


class _Told(NamedTuple):
    """What the sentences of a fragment say about the question: ``held`` are the question's words in them, ``lately``
    the values that they call current, and ``counts`` the verb, thing and figure of anything that the question asks to
    be counted."""

    candidate: Candidate
    held: frozenset[str]
    values: frozenset[tuple[str, str]]
    lately: frozenset[tuple[str, str]]
    counts: frozenset[tuple[str, str, str]]


@dataclass(frozen=True)
class LatestStage(Stage):
    """Ranks a later fragment above earlier ones that give other figures or times for the same thing, if it says that
    its value is current or changed, or if both count what the question asks for. Nothing else moves: a later fragment
    may be about something else."""

    name: ClassVar[str] = "latest"

    def applies(self, context: Context) -> bool:
        question = context.question
        if question.then or question.only or "superseded" in question.within.include:
            return False
        # For a value that holds now, and not for several of them or how they differ.
        has_value, has_several = (cues(_TABLE, kind).search(question.text) is not None for kind in ("value", "several"))
        return has_value and not has_several

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = max(candidate.score for candidate in pool.candidates)
        read = [c for c in pool.candidates[:_READ] if c.score >= _LEAST * best and not c.document.state.pending]
        tellings = [one for one in (_tell(context, candidate) for candidate in read) if one.values]
        weights = context.lexicon.idf_by_term
        found = list(pool.candidates)
        for one in sorted(tellings, key=_at):
            before = [other for other in tellings if _replaces(one, other) and _is_alike(one, other, weights)]
            before = [other for other in before if not _is_of_another_number(context, one.candidate, other.candidate)]
            before += [
                other for other in tellings if _differs(one, other) and any(_repeats(other, old) for old in before)
            ]
            others = [other.candidate.fragment.id for other in before]
            found = put_above(found, one.candidate.fragment.id, others, self.name, "told after {}, and as recent")
        return replace(pool, candidates=found)


def _tell(context: Context, candidate: Candidate) -> _Told:
    weights = context.lexicon.idf_by_term
    document = candidate.document.document
    asked = _find_counted(context.question.text, document.language)
    found: list[Telling] = []
    shared: set[str] = set()
    for sentence, words_here in _split(candidate.fragment.text, document.language):
        if context.lexicon.is_about(words_here, _ABOUT):
            tellings = _read(sentence, document.language)
            found += tellings
            shared |= words_here & weights.keys() if tellings else frozenset()
    fresh = (one for one in found if one.lately and (asked is None or _may_count(one, asked)))
    return _Told(
        candidate,
        frozenset(shared),
        frozenset((one.kind, one.form) for one in found),
        frozenset((one.kind, one.form) for one in fresh),
        frozenset((one.before, unit, one.form) for one in found for unit in one.units if asked and unit in asked),
    )


@lru_cache(maxsize=64)
def _find_counted(text: str, language: str) -> frozenset[str] | None:
    """The words of a question that asks how many; ``None`` for other questions."""
    if cues(_TABLE, "count").search(text) is None or language not in LANGUAGES:
        return None
    return frozenset(form for kind, form in token_keys(text, language) if not kind and form)


def _may_count(telling: Telling, asked: frozenset[str]) -> bool:
    """Whether a figure counts what is asked for, or names no unit at all: "has grown to 7"."""
    return telling.kind == "figure" and (not telling.units or not asked.isdisjoint(telling.units))


@lru_cache(maxsize=1024)
def _split(text: str, language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Sentences, each with its terms."""
    return tuple((sentence, frozenset(terms(sentence, language))) for sentence in sentences(text))


@lru_cache(maxsize=1024)
def _read(sentence: str, language: str) -> tuple[Telling, ...]:
    return tuple(find_tellings(sentence[:_LONGEST], language))


def _is_alike(one: _Told, other: _Told, weights: Mapping[str, float]) -> bool:
    """Whether both are about the same part of the question."""
    own, theirs = (math.fsum(weights[term] for term in side.held) for side in (one, other))
    shared = math.fsum(weights[term] for term in one.held & other.held)
    return shared >= _ALIKE * own and shared >= _COVER * theirs


def _replaces(one: _Told, other: _Told) -> bool:
    later, earlier = (each.candidate.document.document.trust for each in (one, other))
    # What others say stands beside the person's own words and replaces nothing.
    if is_foreign(later) and find_lower(later, earlier) != earlier:
        return False
    return _differs(one, other) and _is_later(one.candidate, other.candidate)


def _differs(one: _Told, other: _Told) -> bool:
    """Whether one gives another current value than the other, or they count the same thing differently."""
    stale = {kind for kind, _ in other.values - one.values}
    if any(kind in stale for kind, _ in one.lately - other.values):
        return True
    theirs = {(verb, unit): figure for verb, unit, figure in other.counts}
    return any(theirs.get((verb, unit), figure) != figure for verb, unit, figure in one.counts)


def _is_of_another_number(context: Context, later: Candidate, earlier: Candidate) -> bool:
    return is_of_another_number(context.question.text, earlier.fragment.text, later.fragment.text)


def _repeats(one: _Told, other: _Told) -> bool:
    """Whether it is a memory that quotes the other fragment."""
    document = one.candidate.document.document
    return validity.is_memory(document) and stands_in(one.candidate.fragment.text, other.candidate.fragment.text)


def _at(one: _Told) -> tuple[int, int]:
    return (one.candidate.document.document.dated_at or 0, one.candidate.fragment.start_line)


def _is_later(one: Candidate, other: Candidate) -> bool:
    if one.document.id == other.document.id:
        # In conversations, lines are in the order of time.
        return one.fragment.kind == "turn" and one.fragment.start_line > other.fragment.end_line
    mine, theirs = one.document.document, other.document.document
    if mine.dated_at is None or theirs.dated_at is None:
        return False
    # A memory that gathers statements goes on after its date, so only two plain memories can be ordered within a day.
    written = all(validity.is_memory(each) and each.content_type not in QUOTING for each in (mine, theirs))
    return mine.dated_at - theirs.dated_at >= (1 if written else DAY_MS)


# No fragment below this share of the best score is read.
_AGED_LEAST = 0.3
# The share of the question's weight that a sentence must hold to answer.
_ANSWERS = 0.5
_ANSWER_CHARS = 400
# How many words sentences must share that differ only in their values.
_SHARED = 4
_FIGURE = regex(r"\d+")


class _Answer(NamedTuple):
    """A sentence with its terms, and those of them that the question asks for."""

    text: str
    terms: frozenset[str]
    asked: frozenset[str]


class _DatedFragment(NamedTuple):
    candidate: Candidate
    written: int
    answers: tuple[_Answer, ...]


@dataclass(frozen=True)
class AgeStage(Stage):
    """Lowers a fragment that says the same as a younger one, whatever its heading, by the half-life of its type.
    Fragments without a date and types that never age keep their place; nothing moves if the question asks about the
    past."""

    name: ClassVar[str] = "age"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        settings, former = context.settings, context.question.then or context.question.order == "oldest"
        ageing = Ageing(context.query.at, settings.half_lives, settings.temporal_decay)
        found = sorted(_find_dated(context, pool, ageing), key=lambda one: -one.written)
        scores: dict[int, tuple[float, str]] = {}
        for place, older in enumerate(found):
            younger = [one for one in found[:place] if one.written > older.written and _tells_same(one, older)]
            younger = [one for one in younger if not _is_of_another_number(context, one.candidate, older.candidate)]
            if younger and not former:
                best = max(older.candidate.score, *(one.candidate.score for one in younger))
                recency = factors(older.candidate.document, ageing).recency
                lowered = best * (1 - PRIOR.age_band * (1 - recency))
                why = f"tells the same as {younger[0].candidate.document.document.uri}"
                scores[older.candidate.fragment.id] = (min(older.candidate.score, lowered), f"older, {why}")
                for one in younger:
                    if best > scores.get(one.candidate.fragment.id, (one.candidate.score, ""))[0]:
                        scores[one.candidate.fragment.id] = (best, f"younger, {why}")
        if not scores:
            return pool
        moved = [c.move(self.name, *scores[c.fragment.id]) if c.fragment.id in scores else c for c in pool.candidates]
        return replace(pool, candidates=order(moved))


def _find_dated(context: Context, pool: Pool, ageing: Ageing) -> Iterator[_DatedFragment]:
    best = max(candidate.score for candidate in pool.candidates)
    lexicon = context.lexicon
    for candidate in pool.candidates[:_READ]:
        document = candidate.document.document
        written = written_at(document)
        talks = candidate.fragment.kind in ("turn", SAID)  # greetings come again, and tell no state
        if talks or written is None or candidate.score < _AGED_LEAST * best or not ages(document, ageing):
            continue
        answers = tuple(
            _Answer(sentence, words_here, words_here & lexicon.idf_by_term.keys())
            for sentence, words_here in _split_answers(candidate.fragment.text, document.language)
            if lexicon.is_about(words_here, _ANSWERS)
        )
        if answers:
            yield _DatedFragment(candidate, written, answers)


@lru_cache(maxsize=512)
def _split_answers(text: str, language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Sentences, headings left out, each with its terms."""
    sentences = (sentence for sentence in split_sentences(text) if not sentence.startswith("#"))
    return tuple(
        (sentence[:_ANSWER_CHARS], frozenset(terms(sentence[:_ANSWER_CHARS], language))) for sentence in sentences
    )


def _tells_same(one: _DatedFragment, other: _DatedFragment) -> bool:
    mine, theirs = (each.candidate.document.document.language for each in (one, other))
    for answer, before in product(one.answers, other.answers):
        if near_identical(answer.text, before.text):
            return True
        if mine == theirs and (_differ_in_a_word(answer, before) or _give_values(answer.text, before.text, mine)):
            return True
    return False


def _differ_in_a_word(one: _Answer, other: _Answer) -> bool:
    """Whether two sentences differ only in a word or two, and none of these is asked for."""
    apart = (one.terms - other.terms, other.terms - one.terms)
    return one.asked == other.asked and len(one.terms & other.terms) >= _SHARED and all(1 <= len(a) <= 2 for a in apart)


@lru_cache(maxsize=1024)
def _give_values(one: str, other: str, language: str) -> bool:
    """Whether two sentences give values for the same thing: of a known kind, or different figures."""
    like = compare(read_statement(other, language), read_statement(one, language))
    figures, theirs = (frozenset(_FIGURE.findall(text)) for text in (one, other))
    return like.is_same and (bool(like.kinds) or (bool(figures and theirs) and figures != theirs))
