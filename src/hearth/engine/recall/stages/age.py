"""The stage that puts the younger of two fragments first where both say the same, or tell one thing's state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import ClassVar, NamedTuple

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.language.likeness import compare
from hearth.language.slots import read_statement
from hearth.lazy import dataclass, regex
from hearth.model.fragment import SAID
from hearth.ranking.prior.factors import Ageing, ages, factors, written_at
from hearth.ranking.stage import Candidate, order
from hearth.ranking.weights import PRIOR
from hearth.text.sentences import split_sentences
from hearth.text.similarity import near_identical
from hearth.text.terms import terms

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
