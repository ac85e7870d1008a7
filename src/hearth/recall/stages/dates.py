"""Stages that order by age, by the time asked for, and by the asked name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import ClassVar, NamedTuple

from hearth.core.fragment import SAID
from hearth.core.lazy import dataclass, regex
from hearth.language.likeness import compare
from hearth.language.slots import read_statement
from hearth.recall.candidates import Context
from hearth.recall.interfaces import Pool, Stage
from hearth.recall.ranking.candidate import Candidate, lead, order
from hearth.recall.ranking.prior import Ageing, ages, factors, written_at
from hearth.recall.ranking.weights import CUT, PRIOR
from hearth.text.lines import split_sentences
from hearth.text.similarity import near_identical
from hearth.text.terms import terms
from hearth.text.times.expressions import asks_more, split_times

# So many of the best fragments are read, and none that scores less than this share of the best.
_READ = 16
_LEAST = 0.3
# A sentence answers where it holds this share of what the question's words weigh.
_ABOUT = 0.5
_LONGEST = 400
# Sentences that are one but for their values share so many words.
_SHARED = 4
_FIGURE = regex(r"\d+")


class _Answer(NamedTuple):
    """A sentence with its terms, and those of them that are asked for."""

    text: str
    terms: frozenset[str]
    asked: frozenset[str]


class _DatedFragment(NamedTuple):
    candidate: Candidate
    written: int
    answers: tuple[_Answer, ...]


@dataclass(frozen=True)
class AgeStage(Stage):
    """Whatever its heading, and by how much is a matter of the half-life of its type. What is undated has no age, and
    types that never age keep their place; so does everything where a question asks about the past."""

    name: ClassVar[str] = "age"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        settings, former = context.settings, context.question.then or context.question.order == "oldest"
        ageing = Ageing(context.query.at, settings.half_lives, settings.temporal_decay)
        found = sorted(_find_dated(context, pool, ageing), key=lambda one: -one.written)
        scores: dict[int, tuple[float, str]] = {}
        for place, older in enumerate(found):
            younger = [one for one in found[:place] if one.written > older.written and _tells_same(one, older)]
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
    weights, mass = context.lexicon.idf_by_term, sum(word.idf for word in context.lexicon.words) or 1.0
    for candidate in pool.candidates[:_READ]:
        document = candidate.document.document
        written = written_at(document)
        talks = candidate.fragment.kind in ("turn", SAID)  # greetings come again, and tell no state
        if talks or written is None or candidate.score < _LEAST * best or not ages(document, ageing):
            continue
        answers = tuple(
            _Answer(sentence, held, held & weights.keys())
            for sentence, held in _split(candidate.fragment.text, document.language)
            if sum(weights.get(term, 0.0) for term in held) >= _ABOUT * mass
        )
        if answers:
            yield _DatedFragment(candidate, written, answers)


@lru_cache(maxsize=512)
def _split(text: str, language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Sentences, headings left out, each with its terms."""
    said = (sentence for sentence in split_sentences(text) if not sentence.startswith("#"))
    return tuple((sentence[:_LONGEST], frozenset(terms(sentence[:_LONGEST], language))) for sentence in said)


def _tells_same(one: _DatedFragment, other: _DatedFragment) -> bool:
    mine, theirs = (each.candidate.document.document.language for each in (one, other))
    for said, before in product(one.answers, other.answers):
        if near_identical(said.text, before.text):
            return True
        if mine == theirs and (_differ_in_a_word(said, before) or _give_values(said.text, before.text, mine)):
            return True
    return False


def _differ_in_a_word(one: _Answer, other: _Answer) -> bool:
    """Whether two sentences are one but for a word or two, and none of those is asked for."""
    apart = (one.terms - other.terms, other.terms - one.terms)
    return one.asked == other.asked and len(one.terms & other.terms) >= _SHARED and all(1 <= len(a) <= 2 for a in apart)


@lru_cache(maxsize=1024)
def _give_values(one: str, other: str, language: str) -> bool:
    """Whether two sentences give one thing a value each: of a known kind, or other figures."""
    like = compare(read_statement(other, language), read_statement(one, language))
    figures, theirs = (frozenset(_FIGURE.findall(text)) for text in (one, other))
    return like.is_same and (bool(like.kinds) or (bool(figures and theirs) and figures != theirs))


# What is of the time leads where it answers this nearly as well as the best of all: people also ask for a time at which
# nobody spoke of it. On the 94 questions of LoCoMo that name one, the mean of one over the rank is .904 with it, and
# .888 where the best passage of the time leads whatever it says.
_NEAR = 0.85
# Of so many of the best passages one may name the time.
_BEST = 3
_WHY = "of the time asked for"
_FIGURES = regex(r"\d+")


@dataclass(frozen=True)
class DatedStage(Stage):
    """What answers about as well as the best leads, and all of the time where nothing else is asked for; where nothing
    of it does, its best passage stands second. Where nobody asked, only what answers at all: a command may come with a
    time, too."""

    name: ClassVar[str] = "dated"

    def applies(self, context: Context) -> bool:
        return bool(context.question.only) or any(time.inside for time in context.question.times)

    def __call__(self, context: Context, pool: Pool) -> Pool:
        question, inside = context.question, _find_inside(context, pool.candidates)
        leaders = _find_leaders(context, pool.candidates, inside)
        if leaders or not inside:
            led = lead(pool.candidates, lambda one: id(one) in leaders, self.name, _WHY)
        else:
            led = _put_second(pool.candidates, inside[0])
        if question.only:
            led = [replace(candidate, reread=None) for candidate in led]
        pool = replace(pool, candidates=led)
        if question.only == "session" or any(is_asked_for(context, candidate) for candidate in led):
            return pool
        if not question.only and any(_tells_of(context, candidate) for candidate in _find_best(led)):
            return pool
        phrases = ", ".join(time.phrase for time in question.times if time.inside)
        return replace(pool, confident=False, reason=f"nothing is dated {phrases}; these come nearest")


def _find_best(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]


def _tells_of(context: Context, candidate: Candidate) -> bool:
    """Whether an undated passage names the time by its figures: any text may tell of 1981."""
    figures = {number for time in context.question.times if time.inside for number in _FIGURES.findall(time.phrase)}
    return bool(figures) and figures.issubset(_FIGURES.findall(candidate.fragment.text))


def _find_inside(context: Context, candidates: list[Candidate]) -> list[Candidate]:
    """Those of the time that may lead."""
    question = context.question
    inside = [candidate for candidate in candidates if is_asked_for(context, candidate)]
    if not question.only and question.unasked and not context.conversation.asks:
        return [candidate for candidate in inside if candidate.relevance >= CUT.floor]
    return inside


def _find_leaders(context: Context, candidates: list[Candidate], inside: list[Candidate]) -> set[int]:
    """The ids of those of the time that lead."""
    if context.question.only:
        return {id(one) for one in inside}
    bar = _NEAR * max(candidate.relevance for candidate in candidates)
    answering = [one for one in inside if one.relevance >= bar and _says_something(context, one)]
    alone = inside[:1] if _asks_nothing_more(context) else []
    return {id(one) for one in answering or alone}


def _asks_nothing_more(context: Context) -> bool:
    """Whether the question itself asks for a time alone, and only what stands beside it has other words."""
    return not asks_more(split_times(context.question.gist, context.query.at, context.query.zone)[0])


def _says_something(context: Context, candidate: Candidate) -> bool:
    """Whether it holds a word of the question beside the date, or one that may stand for it."""
    asked = [word for word in context.question.words if word.asked]
    forms = {form for word in asked for form in (*word.variants, *(bridge.term for bridge in word.bridges))}
    document = candidate.document.document
    text = "\n".join((document.title, *candidate.fragment.headings, candidate.fragment.text))
    return not forms or not forms.isdisjoint(terms(text, document.language))


def _put_second(candidates: list[Candidate], one: Candidate) -> list[Candidate]:
    """Right behind the best: it bears the date, and something else answers."""
    first, rest = candidates[0], [other for other in candidates[1:] if other is not one]
    if one is first or not rest or rest[0].score <= one.score:
        return candidates
    moved = one.move(DatedStage.name, (first.score + rest[0].score) / 2, _WHY)
    return [first, moved, *rest]


def held_then(context: Context, candidate: Candidate) -> bool:
    """Whether it was true at a past time that the question names, and is no longer: that is what was asked."""
    document, state = candidate.document.document, candidate.document.state
    if not context.question.then or state.forgotten or state.valid_to is None:
        return False
    since, until = document.valid_from, state.valid_to
    past = (time for time in context.question.times if time.inside and time.end <= context.query.at)
    return any((since is None or since < time.end) and until > time.start for time in past)


def is_asked_for(context: Context, candidate: Candidate) -> bool:
    """Whether it is dated in a time that the question names, or is of the last session where it asks for that."""
    if context.question.only == "session":
        return bool(candidate.lane("session"))
    if held_then(context, candidate):
        return True
    dated = candidate.document.document.dated_at
    times = (time for time in context.question.times if time.inside)
    return dated is not None and any(time.start <= dated < time.end for time in times)


@dataclass(frozen=True)
class NamesakeStage(Stage):
    """A question that is a document's whole name asks for that document, whatever a model thinks of its text."""

    name: ClassVar[str] = "name"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        led = lead(pool.candidates, _is_namesake, self.name, "its name is the question")
        return replace(pool, candidates=[replace(c, reread=None) if _is_namesake(c) else c for c in led])


def _is_namesake(candidate: Candidate) -> bool:
    return bool(candidate.lane("name"))
