"""Candidates: what the lanes find for a question in all its readings, judged and fused into one score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hearth.core.query import LaneScore, Query
from hearth.memory.reviews import Doubts
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.recall import lexicon
from hearth.recall.interfaces import CandidateColumns, Context, Lane, RankingSettings, Votes, weigh_terms
from hearth.recall.question import ask
from hearth.recall.ranking.bm25 import count_all_occurrences, list_terms
from hearth.recall.ranking.candidate import Candidate, fuse, order
from hearth.recall.ranking.weights import VOICE

if TYPE_CHECKING:
    from hearth.recall.rerank import Rerank


def open_context(
    query: Query, reader: Reader, settings: RankingSettings, rerank: Rerank | None, *, unasked: bool, by_meaning: bool
) -> Context:
    """Parses the question and looks up its words. ``unasked`` says that nobody waits for an answer, ``by_meaning`` that
    vectors count. Raises ``UsageError`` for a malformed operator."""
    statistics = reader.statistics()
    language = replace(settings.language, languages=statistics.languages)
    question = ask(query, language, unasked=unasked, sure=unasked and not by_meaning)
    known = lexicon.look_up(question, reader, statistics)
    emphasis = weigh_terms(query, known, language, reader, statistics)
    doubts = Doubts(reader, query.at)
    return Context(query, question, known, emphasis, reader, statistics, settings, doubts, rerank)


# How many fragments are read for each result wanted, and by what factor more where a phrase must occur in them.
_READ_PER_RESULT = 4
_READ_FOR_PHRASES = 4


def gather(context: Context, lanes: Sequence[type[Lane]], shown: Sequence[type[Lane]] = ()) -> list[Candidate]:
    """The best fragments that ``lanes`` find, by fused score. Votes of ``shown`` lanes appear in the explanation
    only."""
    heard = [lane(context) for lane in lanes]
    silent = [lane(context) for lane in shown]
    columns = read_columns(context, list(dict.fromkeys(fragment for lane in heard for fragment in lane.find())))
    votes_by_lane = [(lane.name, votes) for lane in silent if (votes := lane.judge(columns)) is not None]
    counted = [(lane.name, votes) for lane in heard if (votes := lane.judge(columns)) is not None]
    fused = _fuse(len(columns), [votes for _, votes in counted])
    best = _rank(columns, fused, [votes.leads for _, votes in counted if votes.leads])[: _count_read(context)]
    found: list[Candidate] = []
    for at, fragment, document in _load(context, columns, best):
        raw = ((name, votes.raw[at], votes.scores[at]) for name, votes in (*votes_by_lane, *counted))
        scores = tuple(LaneScore(name, value, score) for name, value, score in raw if value is not None)
        one = Candidate(fragment, document, fused[at], fused[at], scores, packed=columns.packed[at])
        found.append(_finish(one, heard, quiet=columns.quiet[at]))
    return order(found)


def read_columns(context: Context, fragments: Sequence[int]) -> CandidateColumns:
    """Reads the postings of fragments, without those that hold an excluded word."""
    lexicon, mean = context.lexicon, context.statistics.mean_length
    excluded, aside = lexicon.excluded, lexicon.aside
    beside = excluded if aside is None else excluded | {aside}
    wanted = list_terms((*lexicon.words, *lexicon.tokens)) | beside
    postings = context.reader.postings(fragments, context.question.within)
    counted = count_all_occurrences([posting.packed for posting in postings], wanted)
    found = list(zip(postings, counted, strict=True))
    if excluded:
        found = [(posting, occurrences) for posting, occurrences in found if excluded.isdisjoint(occurrences)]
    return CandidateColumns(
        fragments=[posting.fragment for posting, _ in found],
        documents=[posting.document for posting, _ in found],
        lengths=[posting.length / mean for posting, _ in found],
        occurrences=[occurrences for _, occurrences in found],
        quiet=[aside in occurrences for _, occurrences in found],
        packed=[posting.packed for posting, _ in found],
    )


def _fuse(count: int, votes: Sequence[Votes]) -> list[float]:
    if not votes:
        return [0.0] * count
    scores, weights = (
        zip(*(each.scores for each in votes), strict=True),
        zip(*(each.weights for each in votes), strict=True),
    )
    return list(map(fuse, scores, weights))


def _rank(columns: CandidateColumns, fused: Sequence[float], leads: Sequence[Sequence[bool]]) -> list[int]:
    """Indexes of the fragments, those that lead first, then by score."""
    behind = [not any(each) for each in zip(*leads, strict=True)] if leads else [True] * len(columns)
    scores = [-score * (VOICE if quiet else 1.0) for score, quiet in zip(fused, columns.quiet, strict=True)]
    keys = list(zip(behind, scores, columns.fragments, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _count_read(context: Context) -> int:
    size = max(context.query.candidates, _READ_PER_RESULT * context.query.limit)
    return size * (_READ_FOR_PHRASES if context.question.phrases else 1)


def _load(
    context: Context, columns: CandidateColumns, places: Sequence[int]
) -> Iterator[tuple[int, StoredFragment, StoredDocument]]:
    fragments = context.reader.fragments([columns.fragments[at] for at in places])
    documents = context.reader.documents(sorted({fragment.document for fragment in fragments.values()}))
    for at in places:
        fragment = fragments.get(columns.fragments[at])
        document = documents.get(columns.documents[at])
        if fragment is not None and document is not None:
            yield at, fragment, document


def _finish(candidate: Candidate, lanes: Sequence[Lane], *, quiet: bool) -> Candidate:
    """Lets the lanes adjust a candidate, now that its document is known."""
    for lane in lanes:
        candidate = lane.boost(candidate)
    if not quiet:
        return candidate
    why = "frontmatter" if candidate.fragment.kind == "frontmatter" else "an assistant's words"
    return candidate.move("voice", candidate.score * VOICE, why)
