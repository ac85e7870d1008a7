"""What can't be an answer, however well it matches: each function leaves some of it out and keeps the order. Stages
that order by the time asked for, and by the asked name."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.core.document import INTERNAL, STATES
from hearth.core.lazy import dataclass, regex
from hearth.ports import Filter
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.ranking.candidate import Candidate, lead, order
from hearth.recall.ranking.gate import select_eligible
from hearth.recall.ranking.weights import CUT, REFERENCE, SPOKEN
from hearth.text.language import is_listed
from hearth.text.similarity import flatten
from hearth.text.terms import Packed, terms
from hearth.text.time_expressions import TimeRange, asks_more, split_times

# What is of the time leads where it answers this nearly as well as the best of all: people also ask for a time at which
# nobody spoke of it. On the 94 questions of LoCoMo that name one, the mean of one over the rank is .904 with it, and
# .888 where the best fragment of the time leads whatever it says.
_NEAR = 0.85
# Of so many of the best fragments one may name the time.
_BEST = 3
_WHY = "of the time asked for"
_FIGURES = regex(r"\d+")


@dataclass(frozen=True)
class DatedStage(Stage):
    """What answers about as well as the best leads, and all of the time where nothing else is asked for; where nothing
    of it does, its best fragment stands second. Where nobody asked, only what answers at all: a command may come with a
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
        return replace(pool, confident=False, reason=f"nothing is dated {phrases}")


def _find_best(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]


def _tells_of(context: Context, candidate: Candidate) -> bool:
    """Whether an undated fragment names the time by its figures: any text may tell of 1981."""
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


def was_true_then(context: Context, candidate: Candidate) -> bool:
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
    if was_true_then(context, candidate):
        return True
    dated = candidate.document.document.dated_at
    times = (time for time in context.question.times if time.inside)
    return dated is not None and any(time.start <= dated < time.end for time in times)


@dataclass(frozen=True)
class NamesakeStage(Stage):
    """A question that is a document's whole name asks for that document, and one that names a kind of memory and
    nothing else for memories of that kind, whatever a model thinks of their text."""

    name: ClassVar[str] = "name"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        kind = context.question.any_of_kind

        def is_meant(one: Candidate) -> bool:
            return bool(one.lane("name") or (kind and one.lane("kind")))

        why = "it is of the kind asked for" if kind else "the question is its name"
        led = lead(pool.candidates, is_meant, self.name, why)
        return replace(pool, candidates=[replace(c, reread=None) if is_meant(c) else c for c in led])


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


def put_spoken_first(context: Context, found: list[Candidate]) -> list[Candidate]:
    """Of translations, which are files of one name, the one in the question's own language stands first, where it
    answers about as well."""
    spoken = context.question.spoken
    own: dict[str, float] = {}
    for one in found if spoken else ():
        if one.document.document.language == spoken:
            own[_bare_name(one)] = max(one.score, own.get(_bare_name(one), 0.0))
    if not own:
        return found
    return order([_lower_translation(one, spoken, own.get(_bare_name(one), 0.0)) for one in found])


def _bare_name(candidate: Candidate) -> str:
    """Of ``de/tests.md`` and ``tests.de.md``: ``tests``."""
    return candidate.document.document.path.rpartition("/")[2].partition(".")[0]


def _lower_translation(candidate: Candidate, spoken: str, own: float) -> Candidate:
    document = candidate.document.document
    if document.language == spoken or document.collection == INTERNAL or candidate.lane("name"):
        return candidate
    if own < SPOKEN * candidate.score:
        return candidate
    return candidate.move("language", candidate.score * SPOKEN, f"the question is in another language: {spoken}")


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
    if own and not context.conversation.asks:
        compacted_at = _find_compaction(context, session)
        own -= {c.document.id for c in found if (c.document.document.dated_at or 0) <= compacted_at}
        found = [c for c in found if c.document.id not in own or c.lane("kind")]
    return select_eligible(found, context.query.at, context.conversation)


def _find_compaction(context: Context, session: str | None) -> int:
    """When the session's state was last saved before a compaction, ms UTC; -1 where it never was."""
    states = context.reader.each_document(Filter(collections=(INTERNAL,), paths=(STATES,)))
    found = (stored.document for stored in states if stored.document.facts.get("session") == session)
    return max((document.authored_at or document.modified_at for document in found), default=-1)


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
