"""Lanes by words, vectors and names. A lane finds and judges candidates; its score is calibrated to [0, 1]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hearth.core.lazy import dataclass, regex
from hearth.core.query import LaneScore
from hearth.graph.relations import LEAST_IDF, find_idf
from hearth.language.name_matching import follow, key_of
from hearth.ports import Reader
from hearth.recall.interfaces import CandidateColumns, Context, Lane, Vote, Votes
from hearth.recall.lexicon import Lexicon, match
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import FUSION, Relevance, Weighted, relevance
from hearth.text.names import name_key, question_keys
from hearth.text.similarity import flatten
from hearth.vault.changes import read_stated_names


class KeywordLane(Lane):
    """One bounded match finds the candidates of both the keyword and the substring lane."""

    name = "keyword"

    def __init__(self, context: Context) -> None:
        self._context = context
        own = context.settings.weights.get(self.name, 1.0)
        self._weight = FUSION.keyword * own if context.question.words else 0.0

    def find(self) -> Iterable[int]:
        return match(self._context.question, self._context.lexicon, self._context.reader)

    def judge(self, columns: CandidateColumns) -> Votes | None:
        found = _weigh(columns, self._context.lexicon.words, self._context.lexicon.mass)
        return _vote([each.score for each in found], self._weight, [each.raw for each in found], len(columns))


class SubstringLane(Lane):
    name = "substring"

    def __init__(self, context: Context) -> None:
        self._lexicon = context.lexicon
        self._weight = FUSION.substring * _share(context.lexicon) if context.question.tokens else 0.0

    def judge(self, columns: CandidateColumns) -> Votes | None:
        found = _weigh(columns, self._lexicon.tokens, self._lexicon.token_mass)
        return _vote([each.coverage for each in found], self._weight, [each.raw for each in found], len(columns))


def _weigh(columns: CandidateColumns, words: Sequence[Weighted], mass: float) -> list[Relevance]:
    counts = zip(columns.occurrences, columns.lengths, strict=True)
    return [relevance(occurrences, length, words, mass) for occurrences, length in counts] if words else []


def _vote(scores: list[float], weight: float, raw: Sequence[float | None], count: int) -> Votes | None:
    """A lane without ``scores`` votes 0 if it has a weight, and does not vote otherwise."""
    if not scores and not weight:
        return None
    return Votes(scores or [0.0] * count, [weight] * count, raw or [None] * count)


def _share(lexicon: Lexicon) -> float:
    """The share of the question's weight that is in whole tokens."""
    return lexicon.token_mass / max(lexicon.mass, lexicon.token_mass, 1e-9)


class PhraseLane(Lane):
    """Finds nothing by itself and excludes nothing."""

    name = "phrase"

    def __init__(self, context: Context) -> None:
        self._quoted = [flatten(phrase) for phrase in context.question.quoted]

    def boost(self, candidate: Candidate) -> Candidate:
        if not self._quoted:
            return candidate
        text = flatten(candidate.fragment.text)
        share = sum(phrase in text for phrase in self._quoted) / len(self._quoted)
        if not share:
            return candidate
        raised = candidate.score + FUSION.phrase * share * (1 - candidate.score)
        return replace(
            candidate, lanes=(*candidate.lanes, LaneScore(self.name, share, share)), score=raised, fused=raised
        )


NEIGHBOURS = 60


class VectorLane(Lane):
    """Weighs as much as the space that judges a fragment is trusted; does not vote if the question has no vector."""

    name = "vector"

    def __init__(self, context: Context) -> None:
        self._own = context.settings.weights.get(self.name, 1.0)
        self._vectors = vectors = context.vectors
        rows = None if vectors is None else context.reader.rows(context.question.within)
        self._near = {} if vectors is None else {near.fragment: near for near in vectors.nearest(NEIGHBOURS, rows)}

    def find(self) -> Iterable[int]:
        return self._near

    def judge(self, columns: CandidateColumns) -> Votes | None:
        vectors = self._vectors
        if vectors is None:
            return None
        others = [fragment for fragment in columns.fragments if fragment not in self._near]
        known = self._near | {near.fragment: near for near in vectors.judge(others)}
        found = [known.get(fragment) for fragment in columns.fragments]
        return Votes(
            [0.0 if near is None else near.probability for near in found],
            [self._own * (vectors.main if near is None else near.by).weight for near in found],
            [None if near is None else near.cosine for near in found],
        )


# Most spellings of the names in a question.
_MOST_SPELLINGS = 10_000
# Types of names that are looked up. For others, and for names of one word, the keyword lane does as well.
_TYPES = ("person", "organization", "project", "place")
_WORD = regex(r"[^\W_](?:[^\s,;:!?()\[\]\"“”«»]*[^\W_])?")
_POSSESSIVE = regex(r"['’]s$")
_MOST_WORDS, _MOST_CALLED = 5, 8


@dataclass(frozen=True, slots=True)
class _Named:
    """A person or thing that the question names, by the keys of all its names."""

    keys: frozenset[str]
    idf: float


class EntityLane(Lane):
    """Only raises scores: the keyword lane finds a name by its words, and a fragment without the name may still
    answer."""

    name = "entity"

    def __init__(self, context: Context) -> None:
        self._reader = context.reader
        self._said = read_stated_names(context.reader)
        self._named = list(_find_named(context, self._said.everywhere))
        self._total = sum(one.idf for one in self._named)
        self._held: Mapping[int, set[str]] = {}

    def judge(self, columns: CandidateColumns) -> Votes | None:
        """Looks up which fragments mention whom, for ``boost``."""
        if self._named:
            keys = sorted(key for one in self._named for key in one.keys)
            found = self._reader.entities_in(sorted(set(columns.documents)), keys)
            self._held = {row: {one.key for one in names} for row, names in found.items()}
        return None

    def boost(self, candidate: Candidate) -> Candidate:
        # A namesake is somebody else.
        mentioned = (
            self._held.get(candidate.document.id, set())
            - self._said.within.get(candidate.document.document.docid, {}).keys()
        )
        if not mentioned:
            return candidate
        share = sum(one.idf for one in self._named if one.keys & mentioned) / self._total
        raised = candidate.score + FUSION.entity * share * (1 - candidate.score)
        lanes = (*candidate.lanes, LaneScore(self.name, share, share))
        return replace(candidate, lanes=lanes, score=raised, fused=raised)


def _find_named(context: Context, stated: Mapping[str, str]) -> Iterator[_Named]:
    """The names in the question that the vault knows. Where one name contains another, the longer one counts."""
    spans = _list_spans(context.question.text)
    if not spans:
        return
    reader = context.reader
    aliases = _read_aliases(context, list(spans.values()), stated)
    means = {span: _follow(aliases, key_of(name)) for span, name in spans.items()}
    groups = {meant: {meant, *(key for key in aliases if _follow(aliases, key) == meant)} for meant in means.values()}
    for span, meant in means.items():
        groups[meant].add(key_of(spans[span]))
    counts = Counter[str]()
    keys = sorted({key for keys in groups.values() for key in keys})
    for one in reader.list_spellings(_MOST_SPELLINGS, keys=keys):
        if one.type in _TYPES:
            counts[one.key] += one.documents
    taken: set[int] = set()
    seen: set[str] = set()
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):
        meant = means[start, end]
        holders = sum(counts.get(key, 0) for key in groups[meant])
        if holders and taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            idf = find_idf(holders, context.statistics.documents)
            if idf >= LEAST_IDF and meant not in seen:
                seen.add(meant)
                yield _Named(frozenset(groups[meant]), idf)


def _list_spans(text: str) -> dict[tuple[int, int], str]:
    """Runs of words that may be a name: they begin and end with a capital."""
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(text)]
    return {
        (first, last): " ".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 2, min(first + _MOST_WORDS, len(words)) + 1)
        if words[first][0].isupper() and words[last - 1][:1].isupper()
    }


def _read_aliases(context: Context, names: Sequence[str], stated: Mapping[str, str]) -> Mapping[str, str]:
    """Alias key -> key of the name it stands for, as people said and as notes list their aliases."""
    reader: Reader = context.reader
    rows = reader.find_rows("name", [name_key(name) for name in names], context.question.within, _MOST_CALLED)
    called = (stored.document for stored in reader.documents(rows).values())
    noted = {key_of(alias): key_of(one.title) for one in called for alias in one.aliases}
    return {**noted, **{key: key_of(of) for key, of in stated.items()}}


def _follow(aliases: Mapping[str, str], key: str) -> str:
    meant = follow(aliases, key)
    return key if meant is None else key_of(meant)


# Most notes of one name: among a hundred thousand, the keyword lane finds those that say more of it.
_DOCUMENTS = 20


class NameLane(Lane):
    """Votes only for the beginnings of documents with that name: a name says nothing against other fragments."""

    name = "name"

    def __init__(self, context: Context) -> None:
        self._begins = frozenset(_find_beginnings(context))

    def find(self) -> Iterable[int]:
        return sorted(self._begins)

    def judge(self, columns: CandidateColumns) -> Votes | None:
        called, other = Vote(1.0, FUSION.name, 1.0), Vote()
        return Votes.collect(called if fragment in self._begins else other for fragment in columns.fragments)


def _find_beginnings(context: Context) -> Iterator[int]:
    """The first fragment of each document of that name; its frontmatter where it has no other."""
    reader, keys = context.reader, question_keys(context.question.text)
    for row in reader.find_rows("name", keys, context.question.within, _DOCUMENTS) if keys else ():
        parts = reader.fragments_of(row)
        first = next((part for part in parts if part.kind != "frontmatter"), parts[0] if parts else None)
        if first is not None:
            yield first.id
