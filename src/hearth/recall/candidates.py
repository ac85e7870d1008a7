"""Candidates: what the lanes find for a question in all its readings, judged and fused into one score. Where the
settings want it, a question is looked up in the words of a language model, too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth.core.errors import UsageError
from hearth.core.query import LaneScore, Query, Rewording
from hearth.memory.reviews import Doubts
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.recall import lexicon
from hearth.recall.interfaces import CandidateColumns, Context, Lane, RankingSettings, Votes, weigh_terms
from hearth.recall.lanes import KeywordLane, SubstringLane, VectorLane
from hearth.recall.question import ask
from hearth.recall.ranking.candidate import Candidate, fuse, order
from hearth.recall.ranking.weights import VOICE, count_all_occurrences, list_terms
from hearth.vault.ledger import Spaces

if TYPE_CHECKING:
    from hearth.recall.rerank import Rerank
    from hearth.recall.routing import Interpreter


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


SECONDS = 5.0
"""How long a question waits for the model; a third of its own deadline where it has one."""
_SHARE = 3
_KEPT = 256
WEIGHT = 0.4
"""What a score by other words counts against one by the question's own."""
_SURE, _LEAD = 0.65, 0.15
_WHY = "found by other words"
_WORDS: tuple[type[Lane], ...] = (KeywordLane, SubstringLane)
_MEANING: tuple[type[Lane], ...] = (VectorLane,)


class Expanded(NamedTuple):
    """The candidates, with those that other words found; ``missing`` says why there are none. ``trace`` is for
    ``--explain``."""

    candidates: list[Candidate]
    trace: Mapping[str, Any]
    missing: tuple[str, ...] = ()


class Expander:
    """``interpreter`` asks the model. What it said is kept for as long as the process lives, by question and intent:
    a file of it would tell what was asked. Thread-safe."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._known: OrderedDict[tuple[str, str], Rewording] = OrderedDict()
        self._lock = threading.Lock()
        self._whole, self._failed = "", False

    def reword_whole(self, question: str) -> Expander:
        """The same for the parts of a question: they share what the model says of all of it, and it is asked once."""
        found = copy(self)
        found._whole = question
        return found

    def __call__(self, context: Context, spaces: Spaces | None, found: list[Candidate]) -> Expanded:
        """Never raises for the model's sake: where it can't answer in time, the candidates are as they were."""
        query, text = context.query, context.question.text
        if not query.intent and is_sure(found):
            return Expanded(found, {"asked": False, "why": "the best hit leaves no doubt"})
        rewording, is_known, missing = self._reword(self._whole or text, query)
        if rewording is None:
            return Expanded(found, {"asked": True, "answered": False}, tuple(f"expansion: {why}" for why in missing))
        other = list(_search(context, spaces, rewording))
        trace = {"asked": True, "answered": True, "cached": is_known, **rewording.to_dict(), "found": len(other)}
        return Expanded(merge(found, other), trace)

    def _reword(self, text: str, query: Query) -> tuple[Rewording | None, bool, tuple[str, ...]]:
        key = (text, query.intent or "")
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key], True, ()
        if self._failed:
            return None, False, ()
        seconds = SECONDS if query.deadline_ms is None else min(SECONDS, query.deadline_ms / 1000 / _SHARE)
        found, missing = self._interpreter.ask(lambda reader: reader.reword(*key), seconds)
        self._failed = bool(self._whole) and found is None
        if found is not None:
            with self._lock:
                self._known[key] = found
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        return found, False, missing


def is_sure(found: Sequence[Candidate]) -> bool:
    """Whether the best candidate scores so high, and the next document so much less, that other words add nothing."""
    if not found or found[0].score < _SURE:
        return False
    best = found[0]
    second = max((one.score for one in found if one.document.id != best.document.id), default=0.0)
    return best.score - second >= _LEAD


def merge(found: Iterable[Candidate], other: Iterable[Candidate]) -> list[Candidate]:
    """What the question itself finds keeps its score; what other words find counts ``WEIGHT`` of theirs."""
    by_id = {one.fragment.id: one for one in found}
    for one in other:
        score = one.score * WEIGHT
        known = by_id.get(one.fragment.id)
        if known is None:
            by_id[one.fragment.id] = replace(one.move("expansion", score, _WHY), fused=score)
        elif known.score < score:
            by_id[one.fragment.id] = replace(known.move("expansion", score, _WHY), fused=score)
    return order(list(by_id.values()))


def _search(context: Context, spaces: Spaces | None, rewording: Rewording) -> Iterator[Candidate]:
    meanings = (*rewording.meanings, *filter(None, (rewording.passage,)))
    for text, lanes in (*((text, _WORDS) for text in rewording.words), *((text, _MEANING) for text in meanings)):
        by_meaning = lanes is _MEANING
        if by_meaning and context.vectors is None:
            continue
        query = replace(context.query, text=text)
        try:
            asked = open_context(query, context.reader, context.settings, None, unasked=False, by_meaning=by_meaning)
            # Words of the model's choosing widen nothing: "formerly" would let in what was superseded.
            asked = replace(asked, question=replace(asked.question, within=context.question.within))
            yield from gather(asked.with_vectors(spaces) if by_meaning else asked, lanes)
        except UsageError:
            continue
