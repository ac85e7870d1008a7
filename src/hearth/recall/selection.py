"""What can't be an answer, however well it matches: each function leaves some of it out and keeps the order."""

from __future__ import annotations

from hearth.core.document import INTERNAL, STATES
from hearth.ports import Filter
from hearth.recall.interfaces import Context
from hearth.recall.ranking.candidate import Candidate, order
from hearth.recall.ranking.gate import select_eligible
from hearth.recall.ranking.weights import REFERENCE
from hearth.recall.stages.dates import is_asked_for, was_true_then
from hearth.text.common_words import is_listed
from hearth.text.similarity import flatten
from hearth.text.terms import Packed
from hearth.text.time_expressions import TimeRange

# A word is rare that tells so much, and that many of them are a name.
_RARE_NATS, _NAMED_BY = 4.5, 2


def keep_phrases(context: Context, found: list[Candidate]) -> list[Candidate]:
    """What holds the exact phrases of the question."""
    phrases = [flatten(phrase) for phrase in context.question.phrases]
    if not phrases:
        return found
    return [c for c in found if all(phrase in flatten(c.fragment.text) for phrase in phrases)]


def keep_asked(context: Context, found: list[Candidate]) -> list[Candidate]:
    """Where a time or the last session is all that is asked for, what is of it; of a time also what names its dates,
    else what lies nearest before and after."""
    only = context.question.only
    if not only:
        return found
    inside = [c for c in found if is_asked_for(context, c) or (only == "time" and c.lane("keyword"))]
    if inside or only == "session":
        return inside or found
    return [c for time in context.question.times for c in _keep_nearest(found, time)]


def keep_true_then(context: Context, found: list[Candidate]) -> list[Candidate]:
    """Of what is true no longer, what was true at the past time that the question names."""
    if not context.question.then:
        return found
    given, now = set(context.query.include), context.query.at
    return [c for c in found if set(c.document.state.veils_at(now)) <= given or was_true_then(context, c)]


def _keep_nearest(found: list[Candidate], time: TimeRange) -> list[Candidate]:
    """The fragments of the last document before a time, and of the first after it."""
    before = [c for c in found if (at := c.document.document.dated_at) is not None and at < time.start]
    after = [c for c in found if (at := c.document.document.dated_at) is not None and at >= time.end]
    last = max(before, key=lambda c: c.document.document.dated_at or 0, default=None)
    first = min(after, key=lambda c: c.document.document.dated_at or 0, default=None)
    rows = {c.document.id for c in (last, first) if c is not None}
    return [c for c in found if c.document.id in rows]


def put_own_first(context: Context, found: list[Candidate]) -> list[Candidate]:
    """Whoever asks gets reference pages below own notes that answer about as well; a page that is asked for by its name
    is what was asked for."""
    if not any(map(context.settings.is_reference, context.settings.surfaces)):
        return found
    return order([_lower(candidate) if _is_reference(context, candidate) else candidate for candidate in found])


def _is_reference(context: Context, candidate: Candidate) -> bool:
    return context.settings.is_reference(candidate.document.document.collection) and not candidate.lane("name")


def _lower(candidate: Candidate) -> Candidate:
    return candidate.move("reference", candidate.score * REFERENCE, "a page of reference")


def keep_named(context: Context, found: list[Candidate]) -> list[Candidate]:
    """Of what lies elsewhere, where a prompt asks nothing of memory, what it names: two of its rare words, one of them
    in the title."""
    where = context.conversation
    if not where.named:
        return found
    listed = {term for word in context.question.words if any(map(is_listed, word.variants)) for term in word.variants}
    ordinary = {row.id for row in context.reader.terms(listed).values()}
    words = context.lexicon.words
    rare = [frozenset(word.ids) for word in words if word.idf >= _RARE_NATS and ordinary.isdisjoint(word.ids)]
    here = where.here or ()
    return [c for c in found if c.document.document.collection in here or _is_named(Packed(c.packed), rare)]


def _is_named(terms: Packed, rare: list[frozenset[int]]) -> bool:
    counts = [[terms.counts(term) for term in word] for word in rare]
    occurrences = [[one for one in word if one is not None] for word in counts]
    called = any(one[1] or one[2] for word in occurrences for one in word)
    return called and sum(map(bool, occurrences)) >= _NAMED_BY


def keep_eligible(context: Context, found: list[Candidate]) -> list[Candidate]:
    """What may be brought up where nobody asked for it. What came of the session under way stands before the agent's
    eyes, until the host compacts it."""
    session = context.conversation.session
    own = {c.document.id for c in found if session is not None and c.document.document.facts.get("session") == session}
    if own and not context.conversation.asks and not _is_compacted(context, session):
        found = [c for c in found if c.document.id not in own or c.lane("kind")]
    return select_eligible(found, context.query.at, context.conversation)


def _is_compacted(context: Context, session: str | None) -> bool:
    """Whether the session's state was saved before a compaction."""
    states = context.reader.each_document(Filter(collections=(INTERNAL,), paths=(STATES,)))
    return any(stored.document.facts.get("session") == session for stored in states)


def drop_headers(context: Context, found: list[Candidate]) -> list[Candidate]:
    """Frontmatter is left out where a better fragment of its document is there, since title and tags count in every
    one, and where a word is unwanted: the fragments that it would speak for may hold it."""
    alone = not context.question.excluded
    kept: list[Candidate] = []
    documents: set[int] = set()
    for candidate in found:
        header = candidate.fragment.kind == "frontmatter"
        if not header or (alone and candidate.document.id not in documents):
            kept.append(candidate)
        documents.add(candidate.document.id)
    return kept
