"""The lexicon: a question's words as the index knows them, and one bounded match over its terms.  Cost is bounded at
any corpus size. The rarest terms are matched first until a postings budget is spent; a term too common for what is
left is matched only where it stands prominently; the rest only rescore what others found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from hearth.core.lazy import dataclass
from hearth.ports import PostingReader, Statistics, TermRow, WantedTerm
from hearth.recall.bridges import Bridge
from hearth.recall.question import Question, Word
from hearth.recall.ranking.weights import BRIDGE, Weighted, idf
from hearth.text.language import background_share, is_listed, stem
from hearth.text.related_words import is_slip
from hearth.text.terms import ASIDE, SHORTEST_TAIL, is_compound, reverse_term
from hearth.text.terms import COMPOUND_LANGUAGES as COMPOUNDING

_READ = 200
_PREFIX = 3
_SHORTEST_PART = 4
_LONGEST = 60
"""Letters of a word that somebody meant: what is longer was pasted, and has as many cuts as letters."""
_MOST = 3
"""Words of one question that are looked at, each with at most ``_READ`` terms that begin like it."""


class Speller:
    """Reads a bounded part of the index for one question."""

    def __init__(self, reader: PostingReader) -> None:
        self._reader = reader
        self._left = _MOST

    def respell(self, word: Word) -> tuple[list[Bridge], dict[str, TermRow]]:
        """Bridges to terms of the index, and their rows."""
        surface = word.surface
        if not (surface.isalpha() and _PREFIX < len(surface) <= _LONGEST and self._left):
            return [], {}
        self._left -= 1
        rows: dict[str, TermRow] = {}
        bridges = list(self._split(surface, rows))
        # A word that ordinary text knows is meant as it stands.
        if not bridges and not word.bridges:
            bridges = list(self._slips(word, rows))
        return bridges, rows

    def _slips(self, word: Word, rows: dict[str, TermRow]) -> Iterator[Bridge]:
        start = word.variants[0][:_PREFIX]
        for row in self._reader.terms_with_prefix(start, _READ):
            if row.term.isalpha() and any(is_slip(variant, row.term) for variant in word.variants):
                rows[row.term] = row
                yield Bridge(row.term, BRIDGE.spelling, "spelling")

    def _split(self, surface: str, rows: dict[str, TermRow]) -> Iterator[Bridge]:
        """Both parts, where the index has them; the most even cut."""
        cuts = range(_SHORTEST_PART, len(surface) - _SHORTEST_PART + 1)
        pairs = {cut: (stem(surface[:cut], "en"), stem(surface[cut:], "en")) for cut in cuts}
        known = self._reader.terms({part for parts in pairs.values() for part in parts}) if pairs else {}
        for cut in sorted(cuts, key=lambda cut: abs(2 * cut - len(surface))):
            parts = pairs[cut]
            if all(part in known for part in parts):
                for part in parts:
                    rows[part] = known[part]
                    yield Bridge(part, BRIDGE.spelling / 2, "compound")
                return


POSTINGS_BUDGET = 20_000
MATCHED = 200
MATCHED_PHRASE = 1_000
# The background of ordinary text counts as much as this many fragments, so that a vault of five notes has sound idf.
BACKGROUND = 1_000
_MAX_PREFIXED = 24
_MIN_PREFIX = 4
# Fragments that hold a name in code, from which on it tells little of any.
_FEW = 8


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The question's words as the index knows them."""

    words: tuple[Weighted, ...]
    mass: float
    tokens: tuple[Weighted, ...]
    token_mass: float
    excluded: frozenset[int]
    plan: tuple[WantedTerm, ...]
    idf_by_term: dict[str, float]
    aside: int | None = None
    native: float = 1.0
    """The part of a question in a foreign language that the notes have as it is; 1 of any other."""
    identifiers: frozenset[int] = frozenset()
    """Of the names in code that the question mentions, those that few fragments hold."""
    names: tuple[frozenset[int], ...] = ()
    """The terms of each name that the question mentions; none of one that the index lacks."""
    bridges: tuple[tuple[str, str, str], ...] = ()
    """(word of the question, term that may stand for it, what joins them), for the explanation."""

    def is_about(self, terms: AbstractSet[str], share: float) -> bool:
        """Whether a sentence with these terms holds at least this share of the weight of the question's words."""
        weight = math.fsum(self.idf_by_term.get(term, 0.0) for term in terms)
        return weight > 0 and weight >= share * (sum(word.idf for word in self.words) or 1.0)

    @property
    def empty(self) -> bool:
        return not (self.words or self.tokens)


def look_up(question: Question, reader: PostingReader, statistics: Statistics) -> Lexicon:
    """Term ids and weights of a question, and the plan of what to match."""
    wanted = {v for word in (*question.words, *question.tokens, *question.excluded) for v in word.variants} | {ASIDE}
    wanted |= {bridge.term for word in question.words for bridge in word.bridges}
    rows = reader.terms(wanted)
    scale = _Scale(rows, reader, statistics, question)
    words, mass = scale.weigh(question.words)
    native = scale.native
    tokens, token_mass = scale.weigh(question.tokens)
    excluded = frozenset(rows[v].id for word in question.excluded for v in word.variants if v in rows)
    plan = _plan(scale.exact, scale.across)
    aside = rows[ASIDE].id if ASIDE in rows else None
    named = (rows[v] for word in question.identifiers for v in word.variants if v in rows)
    rare = frozenset(row.id for row in named if row.df <= _FEW and not is_listed(row.term.removeprefix("=")))
    names = tuple(frozenset(rows[v].id for v in name if v in rows) for name in question.names)
    bridges = tuple(scale.told)
    return Lexicon(words, mass, tokens, token_mass, excluded, plan, scale.weights, aside, native, rare, names, bridges)


class _Crossing(NamedTuple):
    """A bridge whose far end is in the index; it weighs its strength times the lesser idf of both ends."""

    weight: float
    row: TermRow
    bridge: Bridge


class _Scale:
    """Weighs words by what the index holds of them and of the bridges from them."""

    def __init__(
        self, rows: Mapping[str, TermRow], reader: PostingReader, statistics: Statistics, question: Question
    ) -> None:
        self._rows = rows
        self._reader = reader
        self._statistics = statistics
        self._speller = None if question.unasked else Speller(reader)
        self._foreign = question.foreign
        self.weights: dict[str, float] = {}
        self.exact: dict[int, tuple[float, TermRow]] = {}
        self.across: dict[int, tuple[float, TermRow]] = {}
        self.told: list[tuple[str, str, str]] = []
        self.native = 1.0

    def weigh(self, words: Sequence[Word]) -> tuple[tuple[Weighted, ...], float]:
        """The words that the index has, by name or across a bridge, and the sum of what an answer should hold."""
        weighted: list[Weighted] = []
        asked = _Asked(self._foreign)
        for at, word in enumerate(words):
            if any(variant in self._rows for variant in word.whole) or self._spans(words, at):
                continue
            found = [self._rows[v] for v in word.variants if v in self._rows] or _find_prefixed(word, self._reader)
            value = word.weight * _idf(word.variants, found, self._statistics)
            across = self._cross(word, value, found)
            self._note(word, value, found, across)
            if word.asked:
                asked.add(value, found, across)
            if found or across:
                bridges = tuple((each.row.id, each.weight) for each in across)
                weighted.append(Weighted(tuple(row.id for row in found), value, bridges))
        self.native = asked.native
        return tuple(weighted), asked.mass

    def _spans(self, words: Sequence[Word], at: int) -> bool:
        """Whether it is a pair of characters that the notes lack between two that they have: the end of one word and
        the beginning of the next, in a script without spaces. No answer has to hold it."""
        if not 0 < at < len(words) - 1:
            return False
        before, pair, after = (_get_pair(words[n]) for n in (at - 1, at, at + 1))
        touch = bool(before and pair and after) and before[1:] == pair[:-1] and pair[1:] == after[:-1]
        return touch and pair not in self._rows and before in self._rows and after in self._rows

    def _cross(self, word: Word, value: float, found: Sequence[TermRow]) -> list[_Crossing]:
        """The heaviest first, at most ``BRIDGE.most``."""
        bridges, rows = word.bridges, self._rows
        if not found and word.asked and self._speller is not None:
            respelled, extra = self._speller.respell(word)
            bridges, rows = (*bridges, *respelled), {**rows, **extra}
        known = {row.id for row in found}

        def weigh(bridge: Bridge, row: TermRow) -> _Crossing:
            weight = bridge.strength * min(value, word.weight * _idf((row.term,), [row], self._statistics))
            return _Crossing(weight, row, bridge)

        there = ((bridge, rows[bridge.term]) for bridge in bridges if bridge.term in rows)
        crossings = [weigh(bridge, row) for bridge, row in there if row.id not in known]
        compounds = [weigh(Bridge(row.term, BRIDGE.tail, "compound"), row) for row in self._find_compounds(word)]
        return sorted(crossings, key=lambda each: (-each.weight, each.row.term))[: BRIDGE.most] + compounds

    def _find_compounds(self, word: Word) -> list[TermRow]:
        """Those that end with the word, where the notes are in a language that writes them as one."""
        if COMPOUNDING.isdisjoint(self._statistics.languages) or not (word.asked and self._speller):
            return []
        tails = [tail for tail in word.variants if len(tail) >= SHORTEST_TAIL and tail.isalpha()]
        found = (row for tail in tails for row in self._reader.terms_with_prefix(reverse_term(tail), _MAX_PREFIXED))
        return list({row.id: row for row in found if any(is_compound(row.term, tail) for tail in tails)}.values())

    def _note(self, word: Word, value: float, found: Sequence[TermRow], across: Sequence[_Crossing]) -> None:
        for weight, row, bridge in across:
            self.weights.setdefault(row.term, weight)
            self.across.setdefault(row.id, (weight, row))
            self.told.append((word.surface, row.term, bridge.why))
        for row in found:
            self.weights[row.term] = max(value, self.weights.get(row.term, 0.0))
            self.exact[row.id] = (value, row)


class _Asked:
    """What an answer should hold: the words that the index has; of what it knows by another name no more than that;
    and what it lacks. Of a question in a ``foreign`` language that counts no more than what a table translates."""

    def __init__(self, foreign: bool) -> None:
        self._foreign = foreign
        self._found: list[float] = []
        self._named: list[float] = []
        self._missing: list[float] = []

    def add(self, value: float, found: Sequence[TermRow], across: Sequence[_Crossing]) -> None:
        named = [each.weight / each.bridge.strength for each in across if each.bridge.same]
        if found:
            self._found.append(value)
        elif named:
            self._named.append(max(named))
        else:
            self._missing.append(value)

    @property
    def mass(self) -> float:
        missing, named = self._missing, self._named
        if self._foreign and named:
            usual = sum(named) / len(named)
            missing = [min(value, usual) for value in missing]
        return sum(self._found) + sum(named) + sum(missing)

    @property
    def native(self) -> float:
        """The part of it that the index has by name, of a question in a foreign language."""
        mass = self.mass
        return sum(self._found) / mass if self._foreign and mass else 1.0


def _get_pair(word: Word) -> str:
    """The n-gram of a script without spaces that it is, else nothing."""
    return "" if word.surface or word.variants[0].startswith("=") else word.variants[0]


def _idf(variants: Sequence[str], found: Sequence[TermRow], statistics: Statistics) -> float:
    share = max(background_share(variant) for variant in variants)
    frequency = max((row.df for row in found), default=0) + BACKGROUND * share
    return idf(frequency, statistics.fragments + BACKGROUND)


def _find_prefixed(word: Word, reader: PostingReader) -> list[TermRow]:
    """What an unknown word may begin: identifiers, compounds, inflections that no stemmer joins."""
    stem = min(word.variants, key=len)
    if len(stem) < _MIN_PREFIX:
        return []
    found = reader.terms_with_prefix(stem, _MAX_PREFIXED)
    if not stem.startswith("="):
        found += reader.terms_with_prefix("=" + stem, _MAX_PREFIXED)
    return sorted(found, key=lambda row: (-row.df, row.term))[:_MAX_PREFIXED]


def _plan(
    exact: Mapping[int, tuple[float, TermRow]], across: Mapping[int, tuple[float, TermRow]]
) -> tuple[WantedTerm, ...]:
    """What the postings budget allows: the question's own words before others, the rarest first."""
    spent = 0
    plan: list[WantedTerm] = []
    others = [item for term, item in across.items() if term not in exact]
    for rows in (list(exact.values()), others):
        for weight, row in sorted(rows, key=lambda item: (item[1].df, item[1].id)):
            if not plan or spent + row.df <= POSTINGS_BUDGET:
                spent += row.df
                plan.append(WantedTerm(row, weight=weight))
            elif row.strong and spent + row.strong <= POSTINGS_BUDGET:
                spent += row.strong
                plan.append(WantedTerm(row, strong_only=True, weight=weight))
    return tuple(plan)


def match(question: Question, lexicon: Lexicon, reader: PostingReader) -> list[int]:
    """Fragments that hold what the plan says, most promising first."""
    limit = MATCHED_PHRASE if question.phrases else MATCHED
    return reader.match(lexicon.plan, question.within, limit)
