"""Candidates: what the lanes find for a question in all its readings, judged and fused into one score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hearth.core.lazy import dataclass
from hearth.core.query import Conversation, LaneScore, Query
from hearth.memory.state.reviews import Doubts
from hearth.ports import Reader, Statistics, StoredDocument, StoredFragment
from hearth.recall import lexicon
from hearth.recall.interfaces import IndexedPassage, Lane, RankingSettings, Vote, weigh_terms
from hearth.recall.lexicon import Lexicon
from hearth.recall.question import Question, ask
from hearth.recall.ranking.candidate import Candidate, fuse, order
from hearth.recall.ranking.weights import VOICE
from hearth.recall.vectors import QuestionVectors, embed
from hearth.text.packed import Packed
from hearth.vault.spaces.spaces import Spaces

if TYPE_CHECKING:
    from hearth.recall.rerank import Rerank


@dataclass(frozen=True, slots=True)
class Context:
    """What all lanes and stages of one question share. ``emphasis`` maps index terms to their worth when choosing a
    part of a text; ``vectors`` is ``None`` where meaning has no say, and ``missing`` names why; ``by_meaning`` where it
    was asked."""

    query: Query
    question: Question
    lexicon: Lexicon
    emphasis: Mapping[str, float]
    reader: Reader
    statistics: Statistics
    settings: RankingSettings
    doubts: Doubts
    rerank: Rerank | None = None
    vectors: QuestionVectors | None = None
    missing: tuple[str, ...] = ()
    by_meaning: bool = False

    @property
    def min_score(self) -> float | None:
        """The least score of an answer, where the question or the settings name one."""
        return self.settings.min_score if self.query.min_score is None else self.query.min_score

    @property
    def place(self) -> Conversation:
        """Where it is asked for what was noted: whoever asks outside of a conversation asks for all projects."""
        return self.query.conversation or Conversation(other_projects=True)

    @property
    def conversation(self) -> Conversation:
        return self.query.conversation or Conversation()

    def nearness(self, texts: Sequence[str], about: str = "") -> list[float] | None:
        """Cosines of texts, which need be in no index, to the question or what it is ``about``; ``None`` where meaning
        has no say."""
        return None if self.vectors is None else self.vectors.nearness(texts, about)

    def with_vectors(self, spaces: Spaces | None) -> Context:
        """Raises what ``vectors.embed`` raises."""
        asked = replace(self.query, text=self.question.gist)
        vectors, missing = embed(asked, spaces, self.reader, self.statistics.generation, self.lexicon.native)
        return replace(self, vectors=vectors, missing=(*self.missing, *missing), by_meaning=True)


def open_context(
    query: Query, reader: Reader, settings: RankingSettings, rerank: Rerank | None, *, unasked: bool, by_meaning: bool
) -> Context:
    """The question taken apart and looked up; ``unasked`` says that nobody waits for an answer, ``by_meaning``
    that vectors have a say in it.

    Raises ``UsageError`` for a malformed operator."""
    statistics = reader.statistics()
    language = replace(settings.language, languages=statistics.languages)
    question = ask(query, language, unasked=unasked, sure=unasked and not by_meaning)
    known = lexicon.look_up(question, reader, statistics)
    emphasis = weigh_terms(query, known, language, reader, statistics)
    doubts = Doubts(reader, query.at)
    return Context(query, question, known, emphasis, reader, statistics, settings, doubts, rerank)


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
