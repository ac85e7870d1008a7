"""Stages that make the answer: the same thing said once, within a budget, in fragments or as an outline."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import ClassVar, NamedTuple

from hearth.core.lazy import dataclass
from hearth.markdown.turns import asks, opens_by_heading, split_turns
from hearth.ports import StoredFragment
from hearth.recall.hits import cite, split_units
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.diversify import apply_diversity
from hearth.recall.ranking.gate import order_by_time
from hearth.recall.ranking.packing import OutlineLine, drop_far, fit, opening, pack
from hearth.recall.ranking.weights import CUT
from hearth.recall.stages.newest import find_order
from hearth.text.terms import Packed, terms


@dataclass(frozen=True)
class DiversifyStage(Stage):
    name: ClassVar[str] = "diversify"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query, settings = context.query, context.settings
        # A packed answer pays for a line once, which is diversity enough; weighing a hundred windows costs 40 ms.
        diverse = settings.mmr and query.diverse and query.budget_tokens is None
        aside = frozenset(() if context.lexicon.aside is None else (context.lexicon.aside,))

        def bag(candidate: Candidate) -> frozenset[int]:
            """The index terms that stand in a candidate's text."""
            return frozenset(Packed(candidate.packed).body_ids()) - aside

        spread = apply_diversity(settings.mmr_weight if diverse else None, query.limit, bag)
        return replace(pool, candidates=spread(pool.candidates))


@dataclass(frozen=True)
class PackStage(Stage):
    name: ClassVar[str] = "pack"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query = context.query
        if query.budget_tokens is None:
            return replace(pool, candidates=list(islice(show_once(context, pool.candidates), query.limit)))
        # Turns of conversations, which only packing takes apart.
        parts = split_units(pool.candidates, lambda texts: judge_texts(context, texts))
        packed, _ = pack(parts, query.budget_tokens, query.limit)
        packed = order_by_time(packed, find_order(context, packed))
        return pool.hold(packed, f"no fragment fits in {query.budget_tokens} tokens; allow more")


def show_once(context: Context, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Windows overlap: a later one of the same document by what it adds, or not at all where that is nothing or is
    shown by the same words."""
    earlier: dict[int, list[StoredFragment]] = {}
    for candidate in candidates:
        others = earlier.setdefault(candidate.document.id, [])
        rest: Candidate | None = candidate
        for other in others:
            rest = rest and _beside(context, rest, other)
        if rest is not None:
            others.append(candidate.fragment)
            yield rest


def _beside(context: Context, candidate: Candidate, shown: StoredFragment) -> Candidate | None:
    """What a fragment holds above or below another; ``None`` for nothing."""
    own = candidate.fragment
    if shown.end_line < own.start_line or own.end_line < shown.start_line:
        return candidate
    lines = own.text.split("\n")
    above, below = shown.start_line - own.start_line, shown.end_line - own.start_line + 1
    kept, first = (lines[:above], own.start_line) if above > 0 else (lines[below:], own.start_line + below)
    while kept and not kept[0].strip():
        kept, first = kept[1:], first + 1
    if kept:
        part = replace(own, text="\n".join(kept), start_line=first, end_line=first + len(kept) - 1)
        return replace(candidate, fragment=part)
    same = cite(context, candidate.document, own).text == cite(context, candidate.document, shown).text
    return None if same else candidate


def judge_texts(context: Context, texts: Sequence[str]) -> list[float]:
    """What texts say of the question on their own: the share of its words, and nearness in meaning."""
    weights, mass = context.lexicon.idf_by_term, sum(word.idf for word in context.lexicon.words) or 1.0
    languages = context.statistics.languages
    language = languages[0] if len(languages) == 1 else "en"
    own = [min(1.0, math.fsum(weights.get(term, 0.0) for term in set(terms(text, language))) / mass) for text in texts]
    near = context.nearness(texts)
    return own if near is None else [(word + cosine) / 2 for word, cosine in zip(own, near, strict=True)]


DEFAULT_TOKENS = 800
DOCUMENTS = 8
"""So many documents are read whole, those with the most score."""
FRAGMENTS = 4_000
"""So many of their fragments at most."""
OWN = 0.3
"""What a text's own nearness to the question adds to the score of its fragment."""


# A short conversation is one fragment.
_TURNS = ("turn", "full")


class _Unit(NamedTuple):
    """A section, or a turn; ``asks`` says whether it names the person as its speaker, ``None`` where it names no role;
    ``turn`` is false for a section."""

    candidate: Candidate
    start: int
    end: int
    text: str
    asks: bool | None = None
    turn: bool = False


@dataclass(frozen=True)
class OutlineStage(Stage):
    name: ClassVar[str] = "outline"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        budget = context.query.budget_tokens or DEFAULT_TOKENS
        units = _list_units([*pool.candidates, *_read_rest(context, pool.candidates)])
        lines = [(unit, *opening(unit.text)) for unit in units]
        lines = [line for line in lines if line[2]]
        own = judge_texts(context, [unit.text for unit, _, _ in lines])
        worth = [unit.candidate.score + OWN * near for (unit, _, _), near in zip(lines, own, strict=True)]
        if not pool.confident and max(worth, default=0.0) < CUT.weak:
            return pool.hold([], pool.reason or "nothing is relevant")
        ranked = sorted(range(len(lines)), key=lambda at: (-worth[at], at))
        fitting = fit(drop_far([_make_line(at, worth[at], *lines[at]) for at in ranked]), budget)
        kept = [_make(lines[line.at][0], line) for line in fitting]
        return pool.hold(kept, f"no outline line fits in {budget} tokens; allow more")


def _read_rest(context: Context, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """What else the conversations hold that the best fragments are from, without a score of its own."""
    known = {candidate.fragment.id for candidate in found}
    weights: dict[int, float] = {}
    for candidate in found:
        if candidate.fragment.kind == "turn":
            weights[candidate.document.id] = weights.get(candidate.document.id, 0.0) + candidate.score
    documents = {candidate.document.id: candidate.document for candidate in found}
    left = FRAGMENTS
    for row in sorted(weights, key=lambda row: (-weights[row], row))[:DOCUMENTS]:
        for fragment in context.reader.fragments_of(row)[:left]:
            left -= 1
            if fragment.id not in known and fragment.kind == "turn":
                yield Candidate(fragment, documents[row], 0.0)


def _list_units(candidates: Sequence[Candidate]) -> list[_Unit]:
    """Every section and every turn of a person once, with its best fragment. Where some turns of a conversation name
    the role of who speaks, one that names none is the rest of a turn, or a dialogue that somebody quotes."""
    units: dict[tuple[int, int, str], _Unit] = {}
    roles: set[int] = set()
    # Whatever frontmatter says of a document says nothing of its own.
    visible = (candidate for candidate in candidates if candidate.fragment.kind != "frontmatter")
    for unit in (unit for candidate in visible for unit in _split(candidate)):
        document = unit.candidate.document.id
        if unit.asks is not None:
            roles.add(document)
        key = (document, unit.start, unit.text)
        if key not in units or units[key].candidate.score < unit.candidate.score:
            units[key] = unit
    return [unit for unit in units.values() if _counts(unit, roles)]


def _counts(unit: _Unit, roles: Container[int]) -> bool:
    if not unit.turn:
        return True
    return unit.asks is True or (unit.asks is None and unit.candidate.document.id not in roles)


def _split(candidate: Candidate) -> Iterator[_Unit]:
    fragment = candidate.fragment
    rows = fragment.text.split("\n")
    by_heading = opens_by_heading(rows, fragment.headings)
    spans = split_turns(fragment.text, by_heading=by_heading) if fragment.kind in _TURNS else [(0, len(rows))]
    turns = [(first, end, "\n".join(rows[first:end])) for first, end in spans]
    if fragment.kind != "turn" and not any(asks(text, by_heading=by_heading) for _, _, text in turns):
        yield _Unit(candidate, fragment.start_line, fragment.end_line, fragment.text)
        return
    for first, end, text in turns:
        last = min(fragment.start_line + end - 1, fragment.end_line)
        yield _Unit(candidate, fragment.start_line + first, last, text, asks(text, by_heading=by_heading), turn=True)


def _make_line(at: int, worth: float, unit: _Unit, offset: int, words: str) -> OutlineLine:
    document = unit.candidate.document.document
    line = min(unit.start + offset, unit.end)
    return OutlineLine(at, document.place, document.dated_at, line, words, worth, unit.turn)


def _make(unit: _Unit, line: OutlineLine) -> Candidate:
    fragment = replace(unit.candidate.fragment, start_line=line.line, end_line=unit.end, text=line.words)
    return replace(unit.candidate, fragment=fragment)
