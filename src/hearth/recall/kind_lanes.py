"""The lanes that a question itself asks for: memories of a kind, rules that govern an instruction, documents near a
time that it names, and those of the last session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from hearth import vault
from hearth.core.document import INTERNAL, STATES, TEAM, Document, is_session_note
from hearth.core.instants import DAY_MS
from hearth.core.memory import RULES, is_of_project
from hearth.core.query import LaneScore
from hearth.language.voices import split_output
from hearth.memory.session_log import sessions
from hearth.ports import Filter, StoredDocument, StoredFragment
from hearth.recall.interfaces import CandidateColumns, Context, Lane, Vote, Votes
from hearth.recall.lexicon import MATCHED, Lexicon
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import FUSION
from hearth.text.language import is_listed, stem
from hearth.text.lines import split_sentences
from hearth.text.related_words import LANGUAGES, find_concerns, is_instruction, rules_on, translate
from hearth.text.terms import Packed
from hearth.text.time_expressions import TimeRange
from hearth.text.words import cues
from hearth.vault.validity import may_rule

_TYPES = {"decided": ("decision",), "user": ("profile", "preference"), "rules": RULES}
# Most documents read, newest first; and how many are shown for a question that names only the kind.
_DOCUMENTS = 400
_SHOWN = 5
_STEP = 0.1
# The score of a fragment of the right kind that matches the subject of the question by its words, or by its meaning
# alone. Both suffice to show it where nobody asked.
KIND_BY_WORDS, KIND_BY_MEANING = 0.9, 0.55
# A fragment is on the subject if it shares half of the names and telling words, or lies this near by the static table:
# "database" lies at 0.42 to a sentence on SQLite, "mattress" at 0.33 to one on a bed, and fragments on other subjects
# below 0.15.
_TELLING_NATS = 3.0
_SHARED = 0.5
_NEAR = 0.16


class KindLane(Lane):
    """Finds nothing unless the question asks for a kind of memory."""

    name = "kind"

    def __init__(self, context: Context) -> None:
        question = context.question
        self._scores: dict[int, float] = {}
        if question.kind:
            stored = _list_kind(context)
            self._scores = dict(_list_any(context, stored) if question.any_of_kind else _list_near(context, stored))

    def find(self) -> Iterable[int]:
        return self._scores

    def judge(self, columns: CandidateColumns) -> Votes | None:
        if not self._scores:
            return None
        return Votes.collect(self._vote(self._scores.get(fragment)) for fragment in columns.fragments)

    def _vote(self, score: float | None) -> Vote:
        """A fragment that is near in meaning alone must not outweigh the words of others."""
        if score is None:
            return Vote()
        return Vote(score, FUSION.keyword if score == KIND_BY_MEANING else FUSION.name, 1.0, leads=True)


def _list_kind(context: Context) -> Iterator[StoredDocument]:
    """The documents of the kind that may be shown here: promises by their day, all others newest first."""
    reader = context.reader
    if context.question.kind == "owed":
        found = [one for one in vault.documents.find_commitments(reader) if not one.state.expired(context.query.at)]
    else:
        types = _TYPES[context.question.kind]
        of_team = context.question.kind == "decided"
        found = [
            one
            for one in reader.each_document(replace(context.question.within, types=types))
            if may_rule(one.document) or (of_team and one.document.trust == TEAM)
        ]
        found.sort(key=lambda stored: (types.index(stored.document.content_type), stored.document.newest_first))
    yield from context.keep_visible(found[:_DOCUMENTS])


def _list_any(context: Context, known: Iterable[StoredDocument]) -> Iterator[tuple[int, float]]:
    """The first meaningful fragment of each of the first documents, scored a little lower from one to the next."""
    for place, stored in enumerate(islice(known, _SHOWN)):
        first = next(filter(_says_something, context.reader.fragments_of(stored.id)), None)
        if first is not None:
            yield first.id, 1 / (1 + _STEP * place)


def _list_near(context: Context, known: Iterable[StoredDocument]) -> Iterator[tuple[int, float]]:
    """Fragments that share most of the question's words, or are near it in meaning."""
    fragments = [f for stored in known for f in context.reader.fragments_of(stored.id) if _says_something(f)]
    postings = context.reader.postings([fragment.id for fragment in fragments], context.question.within)
    terms = ((posting.fragment, frozenset(Packed(posting.packed).ids())) for posting in postings)
    sharing = {fragment for fragment, terms_here in terms if _shares(context.lexicon, terms_here)}
    texts = [fragment.text for fragment in fragments]
    cosines = context.nearness(texts, context.question.about) or [0.0] * len(texts)
    for fragment, cosine in zip(fragments, cosines, strict=True):
        if fragment.id in sharing:
            yield fragment.id, KIND_BY_WORDS
        elif cosine >= _NEAR:
            yield fragment.id, KIND_BY_MEANING


def _shares(lexicon: Lexicon, terms: frozenset[int]) -> bool:
    """Whether a fragment with these terms has most of the names and telling words of the question, by their idf."""
    named = frozenset(chain.from_iterable(lexicon.names))
    telling = [word for word in lexicon.words if word.idf >= _TELLING_NATS or not named.isdisjoint(word.ids)]
    shared = sum(word.idf for word in telling if not terms.isdisjoint(word.ids))
    return bool(telling) and shared >= _SHARED * sum(word.idf for word in telling)


def _says_something(fragment: StoredFragment) -> bool:
    return fragment.kind != "frontmatter" and bool(fragment.text.strip())


# Decisions are read as well as rules: some of their sentences say how things are done.
_RULES_TYPES = (*RULES, "decision")
_SHORT_CHARS = 300
# Most fragments found, from the newest documents.
_FOUND = 12
# The score of a rule: enough to show it where nobody asked, lower than for a fragment with the very words.
_SURE = 0.55
# How telling a word must be that an instruction shares with a rule in another language.
_RULES_TELLING_NATS = 4.5


class RuleLane(Lane):
    """Finds nothing unless the question is a short instruction about something that rules can govern."""

    name = "rule"

    def __init__(self, context: Context) -> None:
        # The output of a program is no instruction: "IndexError: list index out of range".
        concerns = find_concerns(split_output(context.question.text)[0])
        names = None if concerns else _find_things(context)
        self._ruling = dict.fromkeys(_find_ruling(context, concerns, names)) if concerns or names else {}

    def find(self) -> Iterable[int]:
        return self._ruling

    def judge(self, columns: CandidateColumns) -> Votes | None:
        if not self._ruling:
            return None
        rules, other = Vote(_SURE, FUSION.name, 1.0, leads=True), Vote()
        return Votes.collect(rules if fragment in self._ruling else other for fragment in columns.fragments)


def _find_things(context: Context) -> re.Pattern[str] | None:
    """A word that an instruction shares with notes in another language is a name or as good as one: pandas, Loader."""
    question, idf = context.question, context.lexicon.idf_by_term
    words = [word for word in question.words if word.asked and word.surface]
    if not (words and is_instruction(question.text) and (question.foreign or _is_foreign(words[0].surface))):
        return None
    shared = [word.surface for word in words[1:] if max(idf.get(v, 0.0) for v in word.variants) >= _RULES_TELLING_NATS]
    parts = "|".join(map(re.escape, shared))
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)", re.IGNORECASE) if parts else None


def _is_foreign(verb: str) -> bool:
    """Whether a word is not plain English but one that a table translates. The first word of a short instruction shows
    its language."""
    return not is_listed(stem(verb, "en")) and any(any(translate(verb, tongue, ("en",))) for tongue in LANGUAGES)


def _find_ruling(context: Context, concerns: tuple[str, ...], names: re.Pattern[str] | None) -> Iterator[int]:
    reader, within = context.reader, context.question.within
    if within.types and not set(within.types) & set(_RULES_TYPES):
        return
    known = [one for one in reader.each_document(replace(within, types=_RULES_TYPES)) if _may_govern(one.document)]
    known.sort(key=lambda stored: stored.document.newest_first)
    found = 0
    for stored in known[:_DOCUMENTS]:
        plain = stored.document.content_type in RULES
        for fragment in reader.fragments_of(stored.id):
            full_text = f"{stored.document.title}\n{fragment.text}" if not fragment.seq else fragment.text
            stated = () if fragment.kind == "frontmatter" else tuple(_state(full_text, plain=plain))
            if any(rules_on(text, concerns) or (names is not None and names.search(text)) for text in stated):
                yield fragment.id
                found += 1
                if found == _FOUND:
                    return


def _may_govern(document: Document) -> bool:
    """Only the person's own rules govern; decisions may also be their team's."""
    return may_rule(document) or (document.trust == TEAM and document.content_type not in RULES)


def _state(text: str, *, plain: bool) -> Iterator[str]:
    """The sentences of a text that say how things are done."""
    if len(text) <= _SHORT_CHARS:
        yield text
        return
    binds = cues("recall/routes", "binds")
    yield from (sentence for sentence in split_sentences(text) if plain or binds.search(sentence))


# How many of the latest hand-offs and session states are found, each scored a little lower than the one before.
_NOTES = 3
_SESSION_STEP = 0.1
# Sessions searched for a hand-off, including the present one.
_SESSIONS = 10


class SessionLane(Lane):
    """Votes only for hand-offs and session states, and only where a question asks for nothing else."""

    name = "session"

    def __init__(self, context: Context) -> None:
        self._context = context
        asked = context.question.only == "session"
        self._places = {row: place for place, row in enumerate(_find_notes(context))} if asked else {}

    def find(self) -> Iterable[int]:
        for row in self._places:
            yield from (fragment.id for fragment in self._context.reader.fragments_of(row))

    def judge(self, columns: CandidateColumns) -> Votes | None:
        if not self._places:
            return None
        return Votes.collect(self._vote(self._places.get(row)) for row in columns.documents)

    def _vote(self, place: int | None) -> Vote:
        return Vote() if place is None else Vote(1 / (1 + _SESSION_STEP * place), FUSION.name, 1.0, leads=True)


def _find_notes(context: Context) -> list[int]:
    """Notes on other sessions of the present one's project, newest first; the hand-off that the log names comes before
    them."""
    known = [*_log(context), *sorted(_write(context), key=lambda stored: stored.document.newest_first)]
    return list(dict.fromkeys(stored.id for stored in context.keep_visible(known)))[:_NOTES]


def _log(context: Context) -> Iterator[StoredDocument]:
    """The hand-off of the newest session that has one."""
    where = context.place
    for session in sessions(context.reader, _SESSIONS):
        ours = where.other_projects or is_of_project(session.project, where.project)
        if session.id != where.session and session.handoff and ours:
            stored = context.reader.document(session.handoff)
            if stored is not None:
                yield stored
                return


def _write(context: Context) -> Iterator[StoredDocument]:
    reader = context.reader
    handed = reader.each_document(Filter(types=("handoff",)))
    yield from (stored for stored in handed if may_rule(stored.document))
    states = reader.each_document(Filter(collections=(INTERNAL,), paths=(STATES,)))
    yield from (stored for stored in states if is_session_note(stored.document))


# Most documents dated inside one time; they come before all others, whatever they say.
_LEADING = 2_000
# For how many documents the first fragments are candidates; all fragments, up to a limit, where only the time is asked
# for.
_DATED_DOCUMENTS = 20
_PER_DOCUMENT = 3
_FRAGMENTS = 200
# Documents from a time longer than this come newest first, others nearest its middle first.
_SHORT_MS = 3 * DAY_MS
# How much lower each document scores than the one before, where only the time is asked for.
_TIME_STEP = 0.01
# How often the span to search for a neighbour in time is doubled: up to 358 years.
_DOUBLINGS = 17


class TimeLane(Lane):
    name = "time"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._times = context.question.times
        self._only = context.question.only == "time"
        self._rows = dict.fromkeys(row for time in self._times if time.inside for row in self._find_dated(time))
        self._places = {row: place for place, row in enumerate(self._rows)}
        self._near = self._nearest() if self._only and not self._rows else ()

    def find(self) -> Iterable[int]:
        """The first fragments of documents dated inside a time, and the fragments inside it that the words match. Where
        nothing else is asked for, all fragments of these documents, or of the nearest ones before and after if there
        are none."""
        reader = self._context.reader
        if not self._times:
            return
        if not self._only:
            for row in list(self._rows)[: _DATED_DOCUMENTS * len(self._times)]:
                yield from (fragment.id for fragment in reader.fragments_of(row)[:_PER_DOCUMENT])
            yield from self._match()
            return
        rows = list(self._rows)[: max(_DATED_DOCUMENTS, self._context.query.limit)] or self._near
        yield from islice((fragment.id for row in rows for fragment in reader.fragments_of(row)), _FRAGMENTS)

    def judge(self, columns: CandidateColumns) -> Votes | None:
        """Votes for documents dated inside, and against those that are only near."""
        if not self._rows and not self._near:
            return None
        return Votes.collect(map(self._vote, columns.documents))

    def boost(self, candidate: Candidate) -> Candidate:
        if not self._times:
            return candidate
        near = score_nearness(self._times, candidate.document)
        raised = candidate.score + FUSION.time * near.score * (1 - candidate.score)
        return replace(candidate, lanes=(*candidate.lanes, near), score=raised, fused=raised)

    def _vote(self, row: int) -> Vote:
        if row in self._near:
            return Vote(weight=FUSION.name, leads=True)
        place = self._places.get(row)
        if place is None or not self._only:
            return Vote(leads=place is not None)
        return Vote(1 / (1 + _TIME_STEP * place), FUSION.name, leads=True)

    def _find_dated(self, time: TimeRange) -> Sequence[int]:
        reader, within = self._context.reader, self._context.question.within
        rows = reader.documents_between(time.start, time.end, within, _LEADING)
        if not self._only or time.end - time.start <= _SHORT_MS:
            return rows
        known = reader.documents(rows)
        return sorted(rows, key=lambda row: known[row].document.newest_first)

    def _match(self) -> Iterator[int]:
        plan = self._context.lexicon.plan
        for time in self._times:
            if plan and time.inside and self._rows:
                yield from self._context.reader.match(plan, _between(self._context.question.within, time), MATCHED)

    def _nearest(self) -> Sequence[int]:
        """The last document before each time, and the first after it."""
        reader, within = self._context.reader, self._context.question.within
        found: dict[int, None] = {}
        for time in self._times:
            middle = (time.start + time.end) // 2
            for power in range(_DOUBLINGS):
                reach = time.end - time.start + (DAY_MS << power)
                if rows := reader.documents_between(middle - reach, middle + reach, within, 1):
                    found |= {stored.id: None for stored in reader.neighbours(rows[0], 1, 1, within)}
                    break
        return list(found)


def _between(within: Filter, time: TimeRange) -> Filter:
    since = time.start if within.since is None else max(within.since, time.start)
    until = time.end if within.until is None else min(within.until, time.end)
    return replace(within, since=since, until=until)


def score_nearness(times: Sequence[TimeRange], document: StoredDocument) -> LaneScore:
    """1 inside a named range, halving with each length of it (a day at least) beyond: events are often told the next
    day. A document without a date is near no time."""
    dated = document.document.dated_at
    if dated is None:
        return LaneScore("time", 0.0, 0.0)
    best = 0.0
    for time in times:
        away = max(time.start - dated, dated - time.end + 1, 0)
        best = max(best, 0.5 ** (away / max(time.end - time.start, DAY_MS)))
    return LaneScore("time", best, best)
