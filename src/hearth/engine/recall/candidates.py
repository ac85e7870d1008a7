"""Candidates: what the lanes find, judged by every lane and fused into one score, the best of it read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hearth.engine.recall.context import Context
from hearth.engine.recall.lane import IndexedPassage, Lane, Vote
from hearth.model.query import LaneScore
from hearth.ports import StoredDocument, StoredFragment
from hearth.ranking.fuse import fuse
from hearth.ranking.stage import Candidate, order
from hearth.ranking.weights import VOICE
from hearth.text.packed import Packed

# How many passages are read for each result asked for, and how many times that where a phrase must stand in them.
_READ_PER_RESULT = 4
_READ_FOR_PHRASES = 4


class _Judged(NamedTuple):
    passage: IndexedPassage
    votes: tuple[Vote, ...]
    fused: float

    @property
    def rank(self) -> tuple[bool, float, int]:
        quiet = VOICE if self.passage.quiet else 1.0
        behind = not any(vote.leads for vote in self.votes)
        return (behind, -self.fused * quiet, self.passage.posting.fragment)


def gather(context: Context, lanes: Sequence[type[Lane]], shown: Sequence[type[Lane]] = ()) -> list[Candidate]:
    """The best that ``lanes`` find, in the order of their fused scores. What ``shown`` lanes think of them stands in
    the explanation and has no say."""
    heard = [lane(context) for lane in lanes]
    silent = [lane(context) for lane in shown]
    passages = list(_read_passages(context, dict.fromkeys(fragment for lane in heard for fragment in lane.find())))
    by_passage = zip(*(lane.judge(passages) for lane in (*silent, *heard)), strict=True)
    judged = [_judge(passage, votes, len(silent)) for passage, votes in zip(passages, by_passage, strict=True)]
    names = [lane.name for lane in (*silent, *heard)]
    read = _load(context, sorted(judged, key=lambda each: each.rank)[: _count_read(context)])
    return order([_make_candidate(*each, names, heard) for each in read])


def _read_passages(context: Context, fragments: Iterable[int]) -> Iterable[IndexedPassage]:
    """Those without a word that is unwanted."""
    lexicon, mean = context.lexicon, context.statistics.mean_length
    for posting in context.reader.postings(list(fragments), context.question.within):
        terms = Packed(posting.packed)
        if lexicon.excluded and any(terms.counts(term) is not None for term in lexicon.excluded):
            continue
        quiet = lexicon.aside is not None and terms.counts(lexicon.aside) is not None
        yield IndexedPassage(posting, terms, posting.length / mean, quiet)


def _judge(passage: IndexedPassage, votes: tuple[Vote, ...], silent: int) -> _Judged:
    counted = votes[silent:]
    return _Judged(passage, votes, fuse([vote.score for vote in counted], [vote.weight for vote in counted]))


def _count_read(context: Context) -> int:
    size = max(context.query.candidates, _READ_PER_RESULT * context.query.limit)
    return size * (_READ_FOR_PHRASES if context.question.phrases else 1)


def _load(context: Context, best: Sequence[_Judged]) -> Iterable[tuple[_Judged, StoredFragment, StoredDocument]]:
    fragments = context.reader.fragments([each.passage.posting.fragment for each in best])
    documents = context.reader.documents(sorted({fragment.document for fragment in fragments.values()}))
    for each in best:
        fragment = fragments.get(each.passage.posting.fragment)
        document = documents.get(each.passage.posting.document)
        if fragment is not None and document is not None:
            yield each, fragment, document


def _make_candidate(
    judged: _Judged, fragment: StoredFragment, document: StoredDocument, names: Sequence[str], lanes: Sequence[Lane]
) -> Candidate:
    told = zip(names, judged.votes, strict=True)
    scores = tuple(LaneScore(name, vote.raw, vote.score) for name, vote in told if vote.raw is not None)
    packed = judged.passage.posting.packed
    found = Candidate(fragment, document, judged.fused, judged.fused, scores, packed=packed)
    for lane in lanes:
        found = lane.boost(found)
    if not judged.passage.quiet:
        return found
    why = "frontmatter" if fragment.kind == "frontmatter" else "an assistant's words"
    return found.move("voice", found.score * VOICE, why)
