"""Stages that drop candidates that are no answers, and what a prompt that asked nothing would not want. For
questions about the person who asks: what may tell of them, and what merely shares a word."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from hearth import markdown
from hearth.core.document import OVER, SAID
from hearth.core.lazy import dataclass, regex
from hearth.core.query import DEFAULT_LIMIT
from hearth.language.asking import asks_memory, knows_nothing, only_asks
from hearth.markdown.turns import asks, opens_by_heading, split_turns
from hearth.ports import StoredFragment
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.kind_lanes import KIND_BY_MEANING
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.diversify import find_echoes
from hearth.recall.ranking.gate import Features, cut_at, cut_weak, estimate, estimate_confidence, weigh_evidence
from hearth.recall.ranking.weights import CONFIDENCE, CUT, Weighted, count_occurrences, list_terms, relevance
from hearth.recall.stages.standing import is_window
from hearth.text.language import background_share, is_stop_word
from hearth.text.lines import split_sentences
from hearth.text.terms import Packed, terms
from hearth.text.words import cues
from hearth.vault.validity import is_memory

_TABLE = "asking"
# Code, addresses, and the targets of links: they name things of all the world.
_CODE = regex(
    r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`|^(?: {4}|\t).*$|^ {0,3}\[[^\]\n]+\]:.*$|\]\([^)\n]*\)|\w+://\S+"
)
_ANY_WORD = regex(r"\w+")
# What a label or a sentence may give as the answer: a figure, what follows a colon, a name.
_VALUE = regex(r"\d|:|(?<=\w )[A-ZÀ-Þ]")
# A word that tells so much, and in so many first words a sentence or a label says what it is about.
_TELLING_NATS = 2.0
# What a word tells that no note has: what only begins like it is another word.
_UNKNOWN = 8.0
_FIRST_WORDS = 3


def is_personal(text: str) -> bool:
    """Whether it asks about the person themself: "what is my rent?", but not "how do I rename my branch?"."""
    return cues(_TABLE, "personal").search(text) is not None and cues(_TABLE, "howto").search(text) is None


def tells_of_person(context: Context, candidates: Iterable[Candidate]) -> bool:
    """Whether one of the fragments may say it: a memory, a fragment that is called what is asked for, or a sentence
    that begins with it and gives a value, speaks of the person too, or holds all of several words."""
    weights = context.lexicon.idf_by_term
    same = (frozenset((*w.variants, *(b.term for b in w.bridges if b.same))) for w in context.question.words if w.asked)
    weight_by_forms = {
        forms: max((weights[form] for form in forms if form in weights), default=_UNKNOWN) for forms in same
    }
    asked = [forms for forms, nats in weight_by_forms.items() if nats >= _TELLING_NATS]
    return not asked or any(_tells_of_person(candidate, asked) for candidate in candidates)


def _tells_of_person(candidate: Candidate, asked: list[frozenset[str]]) -> bool:
    document = candidate.document.document
    if is_memory(document):
        return True
    forms = frozenset[str]().union(*asked)
    called = terms("\n".join((document.title, *document.aliases, *candidate.fragment.headings)), document.language)
    if not forms.isdisjoint(called):
        return True
    text = _CODE.sub(" ", candidate.fragment.text)
    return any(_tells_it(sentence, document.language, asked, forms) for sentence in split_sentences(text))


def _tells_it(sentence: str, language: str, asked: list[frozenset[str]], forms: frozenset[str]) -> bool:
    words = frozenset(terms(sentence, language))
    if forms.isdisjoint(words):
        return False
    first = " ".join(_ANY_WORD.findall(sentence)[:_FIRST_WORDS])
    whole = len(asked) > 1 and all(not each.isdisjoint(words) for each in asked)
    about = _VALUE.search(sentence) is not None and not forms.isdisjoint(terms(first, language))
    return whole or about or cues(_TABLE, "self").search(sentence) is not None


# Of so many of the best fragments one has to cover the question.
_BEST = 3
# Fragments of the smallest and the largest vault that it was measured on.
_FEWEST, _MOST = 100, 5_000

# Rules brought up for one prompt.
MOST_RULES = 3
# Of a kind that is asked for, about what the question names.
MOST_OF_KIND = 3
# And what names a thing in code that the prompt names.
MOST_NAMED = 2


@dataclass(frozen=True)
class CutStage(Stage):
    """``floor`` is the confidence that an answer needs. Whoever asked gets the best there is all the same, told that it
    is not sure. A least score, or a limit above the usual one, takes the place of the usual cut; a stage that only
    judges (``cuts`` is false) leaves every candidate in."""

    name: ClassVar[str] = "cut"
    floor: float = CUT.floor
    cuts: bool = True

    def __call__(self, context: Context, pool: Pool) -> Pool:
        given = context.min_score
        confidence = judge(context, pool.candidates, _help(context, pool.candidates))
        confident = confidence >= self.floor
        weak = f"no confident answer (confidence {confidence:.2f})"
        kept = pool.candidates
        if given is not None:
            kept = cut_at(pool.candidates, given)
            weak = weak if kept else f"no fragment scores {given:.2f}"
        elif self.cuts and not context.question.only and context.query.limit <= DEFAULT_LIMIT:
            kept = cut_weak(pool.candidates)
        reason = pool.reason or (None if confident and kept else weak)
        # What an earlier stage doubts is never confident.
        sure, share = (confident, 1.0) if pool.confident else (False, CUT.floor)
        return replace(pool.hold(kept, weak), confidence=share * confidence, confident=sure, reason=reason)


def _help(context: Context, candidates: Sequence[Candidate]) -> float:
    """Evidence beside what the fragments say."""
    return _weigh_names_present(context, candidates) - CONFIDENCE.many * max(0.0, _measure_size(context))


def governs(candidate: Candidate) -> bool:
    """Whether it is a rule for what an instruction touches, or of the kind that the question asks for."""
    return bool(candidate.lane("rule") or candidate.lane("kind"))


def _measure_size(context: Context) -> float:
    """The logarithm of how many times as many fragments there are as the curve was fitted on: chance finds something
    like any question where there are enough."""
    return math.log(min(max(context.statistics.fragments, _FEWEST), _MOST) / CONFIDENCE.fragments)


def _weigh_names_present(context: Context, candidates: Sequence[Candidate]) -> float:
    return CONFIDENCE.names * (2 * _hold_names(context, candidates) - 1) if context.question.names else 0.0


def _is_ruling(candidate: Candidate) -> bool:
    return bool(candidate.lane("rule"))


def holds_identifier(context: Context, candidate: Candidate) -> bool:
    """Whether it has a name in code that the prompt mentions and few fragments have: it is about that thing."""
    rare = context.lexicon.identifiers
    return bool(rare) and not rare.isdisjoint(Packed(candidate.packed).ids())


def judge(context: Context, candidates: Sequence[Candidate], more: float = 0.0) -> float:
    """The confidence that one of the candidates answers, with some ``more`` evidence; what a model has read of them
    says it better."""
    read = [candidate.reread for candidate in candidates if candidate.reread is not None]
    if read:
        return max(read)
    if any(candidate.lane("name") or (candidate.lane("kind") or 0.0) > KIND_BY_MEANING for candidate in candidates):
        return 1.0
    if context.question.only:
        return max(candidate.relevance for candidate in candidates)
    best = sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]
    near = [value for candidate in candidates if (value := candidate.lane("vector")) is not None]
    trust = 0.0 if context.vectors is None else context.vectors.trust
    # Vectors that know no word of a question were asked all the same; a model that is down was not.
    asked = context.by_meaning and (context.vectors is not None or not context.missing)
    nearest = max(near, default=0.0) if asked else None
    evidence = weigh_evidence(_cover(context, best), nearest, best[0].relevance, trust)
    found = estimate_confidence(evidence + more, _stand_out(candidates))
    about = not is_personal(context.question.text) or tells_of_person(context, best)
    return found if about else CUT.floor * found


def _hold_names(context: Context, candidates: Sequence[Candidate]) -> float:
    """The share of the question's names that one of the best fragments holds."""
    best = sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]
    there = frozenset(term for candidate in best for term in Packed(candidate.packed).ids())
    names = context.lexicon.names
    return sum(not name.isdisjoint(there) for name in names) / len(names)


def _stand_out(candidates: Sequence[Candidate]) -> float:
    """How much better the first one matches than the best of any other document."""
    first = candidates[0]
    others = (one.relevance for one in candidates if one.document.id != first.document.id)
    return max(0.0, first.relevance - max(others, default=0.0))


def _cover(context: Context, candidates: Sequence[Candidate]) -> float:
    """The greatest share of the question that a fragment covers: by whole tokens where it has no words."""
    lexicon = context.lexicon
    words, mass = (lexicon.words, lexicon.mass) if lexicon.mass else (lexicon.tokens, lexicon.token_mass)
    if mass <= 0:
        return max((candidate.relevance for candidate in candidates), default=0.0)
    terms = list_terms(words)
    found = (relevance(count_occurrences(each.packed, terms), 1.0, words, mass) for each in candidates)
    return max((each.coverage for each in found), default=0.0)


READ = 16
"""So many of the best fragments are looked at."""
# How likely what is brought has to be; what lies elsewhere; and, where nothing is, what answers a question in its own
# words, or what a prompt brings that asks for memory by name.
_FLOOR, _ELSEWHERE, _HELD = 0.5, 0.6, 0.2
# Such a fragment holds so much of what a question asks, or a name in it and half of the rest, and tells so much: of
# "why?" any note holds all.
_GATE_MOST, _HALF, _LEAST_NATS = 0.68, 0.5, 3.5
# What scores so much of the best answers about as well.
_AS_WELL = 0.85
# What is, or scores, less than this share of the best is no company for it.
_RATIO = 0.5
_STEP = 1e-4
# What counts as all that can be shared, and as a prompt that tells much.
_MOST_NATS, _MOST_TOLD = 20.0, 100.0
# So much of a fragment is weighed against the prompt.
_MOST_CHARS = 6_000
# A remark that stands alone in its line is no longer, and a text beside links that says nothing.
_REMARK_WORDS, _STUB_WORDS = 4, 2
_LINK = regex(r"!?\[\[[^\]\n]*\]\]")
_WORD = regex(r"[^\W_]+")


class Reading:
    """What a question says of each of the fragments found for it."""

    def __init__(self, context: Context, candidates: Sequence[Candidate]) -> None:
        lexicon, question = context.lexicon, context.question
        self._words = lexicon.words if lexicon.mass else lexicon.tokens
        self._mass = max(lexicon.mass or lexicon.token_mass, 1e-9)
        self._names = lexicon.names
        self._variants = frozenset(variant for word in question.words for variant in word.variants)
        self._asks = asks_memory(question.gist)
        self._read: dict[int, Features] = {}
        self._best: dict[str, float] = {}
        for one in candidates:
            docid = one.document.document.docid
            self._best[docid] = max(self._best.get(docid, 0.0), one.relevance)

    def read(self, candidate: Candidate) -> Features:
        """Read once, however often it is asked for: a passage's words are analyzed for it."""
        if id(candidate) not in self._read:
            self._read[id(candidate)] = self._find_features(candidate)
        return self._read[id(candidate)]

    def _find_features(self, candidate: Candidate) -> Features:
        document = candidate.document.document
        there = frozenset(Packed(candidate.packed).ids())
        weight = sum(word.idf for word in self._words if _holds(there, word))
        reverse, _ = self._weigh_shared_words(candidate.fragment.text[:_MOST_CHARS], document.language)
        named, weight_told = self._weigh_shared_words(document.title, document.language)
        others = (value for docid, value in self._best.items() if docid != document.docid)
        return Features(
            share=min(1.0, weight / self._mass),
            nats=min(1.0, weight / _MOST_NATS),
            reverse=reverse,
            called=named * min(1.0, weight_told / _MOST_NATS),
            near=candidate.lane("vector") or 0.0,
            ahead=max(0.0, candidate.relevance - max(others, default=0.0)),
            told=min(1.0, self._mass / _MOST_TOLD),
            nameless=float(bool(self._names) and all(name.isdisjoint(there) for name in self._names)),
            question=float(self._asks),
        )

    def _weigh_shared_words(self, text: str, language: str) -> tuple[float, float]:
        """The share of a text's words that the prompt holds, and how telling they are."""
        weights = {term: -math.log(background_share(term)) for term in set(terms(text, language)) if term[0] != "="}
        weight = math.fsum(value for term, value in weights.items() if term in self._variants)
        return weight / math.fsum(weights.values()) if weights else 0.0, weight


def _holds(there: frozenset[int], word: Weighted) -> bool:
    """Whether it has the word, or one across a bridge."""
    return not there.isdisjoint(word.ids) or any(term in there for term, _ in word.bridges)


@dataclass(frozen=True)
class GateStage(Stage):
    """Keeps what is more likely wanted than not, in its order; the score then says how likely. What lies elsewhere has
    to be likelier than what is at home, unless the prompt asks. What governs an instruction, is of the kind that a
    question asks for, or has a rare name in code that the prompt mentions, needs no such likeness. A rule stands before
    notes that share words with the instruction."""

    name: ClassVar[str] = "gate"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        judged = _judge_all(context, pool)
        likely = _choose(context, pool, judged)
        best = max(likely.values(), default=0.0)
        sure = _find_sure(context, pool)
        kept = [one for one in pool.candidates if id(one) in likely.keys() | sure]
        kept.sort(key=lambda one: not _is_ruling(one))
        least = _RATIO * max((one.score for one in kept), default=0.0)
        found, last, before = [], 1.0, 0.0
        least_sure = 0.0 if likely else _FLOOR
        for one in kept:
            if one.score >= least or id(one) in sure:
                # The order says more than the score: what is newer stands first, among other questions' finds, too.
                step = _STEP if one.score < before else 0.0
                value = max(one.score, best if _is_ruling(one) else least_sure) if id(one) in sure else likely[id(one)]
                last, before = min(last - step, value), one.score
                found.append(one.move(self.name, last, "how likely it is useful"))
        return replace(pool.hold(found, "nothing is likely to be useful"), confidence=best, confident=bool(found))


def _judge_all(context: Context, pool: Pool) -> dict[int, float]:
    """Fragment id -> how likely each of the best candidates is useful. Among those that answer about as well as the
    first, one that holds the question counts as its answer if there are few: among thousands, one does so by chance."""
    read = pool.candidates[:READ]
    reading = Reading(context, read)
    found = {id(one): _judge(context, reading, one) for one in read}
    if context.statistics.fragments > CONFIDENCE.fragments:
        return found
    bar = _AS_WELL * max((one.score for one in read), default=0.0)
    best = (one for one in read if one.score >= bar and found[id(one)] >= _HELD)
    holder = next((one for one in best if _holds_question(context, reading.read(one))), None)
    if holder is not None:
        found[id(holder)] = max(found[id(holder)], _FLOOR)
    return found


def _choose(context: Context, pool: Pool, likely: Mapping[int, float]) -> dict[int, float]:
    """Those that are likely enough; what was rejected or superseded only where nothing that holds is."""
    asks = context.conversation.asks or asks_memory(context.question.gist)
    read = pool.candidates[:READ]
    welcome = {id(one) for one in read if asks or _is_at_home(context, one)}
    bar = max([_ELSEWHERE, *(value for one, value in likely.items() if one in welcome and value >= _FLOOR)])
    found = {one: value for one, value in likely.items() if value >= (_FLOOR if one in welcome else bar)}
    least = _RATIO * max(found.values(), default=0.0)
    found = {one: value for one, value in found.items() if value >= least}
    over = {id(one) for one in read if id(one) in found and _is_over(one)}
    if found.keys() <= over or cues("tense", "over").search(context.question.text):
        return found
    return {one: value for one, value in found.items() if one not in over}


def _is_over(candidate: Candidate) -> bool:
    """By its status, or by a first line that says nothing else."""
    first = next((line for line in candidate.fragment.text.split("\n") if line.strip() and line[0] != "#"), "")
    status = markdown.kinds.read_status(first) if len(first.split()) <= _REMARK_WORDS else None
    return candidate.document.document.status in OVER or status in OVER


def _is_stub(candidate: Candidate) -> bool:
    """Whether it is hardly more than links to notes: it is called something, and says nothing of it."""
    body = "\n".join(line for line in candidate.fragment.text.split("\n") if not line.startswith("#"))
    rest, links = _LINK.subn(" ", body)
    return links > 0 and len(_WORD.findall(rest)) <= _STUB_WORDS


def _is_at_home(context: Context, candidate: Candidate) -> bool:
    here = context.conversation.here
    return here is None or candidate.document.document.collection in here


def _find_sure(context: Context, pool: Pool) -> set[int]:
    ruling = [one for one in pool.candidates if governs(one)]
    named = [one for one in pool.candidates if holds_identifier(context, one)]
    most = MOST_RULES if context.question.any_of_kind or not context.question.kind else MOST_OF_KIND
    return {id(one) for one in (*ruling[:most], *named[:MOST_NAMED])}


def _judge(context: Context, reading: Reading, candidate: Candidate) -> float:
    if _is_stub(candidate) and not context.conversation.asks:
        return 0.0
    if candidate.reread is not None:
        return candidate.reread
    if candidate.lane("name") or (candidate.lane("kind") or 0.0) > KIND_BY_MEANING:
        return 1.0
    if context.question.only:
        return candidate.relevance
    likely = estimate(reading.read(candidate), by_meaning=context.vectors is not None)
    return max(likely, _FLOOR) if context.conversation.asks and likely >= _HELD else likely


def _holds_question(context: Context, found: Features) -> bool:
    """Whether a fragment holds most of a question, or a name in it and half of the rest, in its own words."""
    holds = any(
        word.asked and not is_stop_word(word.surface, ("en",)) for word in context.question.words if word.surface
    )
    most = holds and found.share >= (_HALF if context.lexicon.names else _GATE_MOST)
    return bool(found.question) and most and not found.nameless and found.nats * _MOST_NATS >= _LEAST_NATS


@dataclass(frozen=True)
class UnansweredStage(Stage):
    """Where nobody asked, a question that was asked before answers nothing, whether or not it got "I can't say", and
    what repeats a note adds nothing to it."""

    name: ClassVar[str] = "unanswered"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        del context
        echoes = find_echoes(pool.candidates) if any(map(is_window, pool.candidates)) else frozenset()
        kept = [one for one in pool.candidates if _tells(one) and not (is_window(one) and id(one) in echoes)]
        return replace(pool, candidates=kept)


_HEADING = regex(r"^#.*$", re.MULTILINE)


def _tells(candidate: Candidate) -> bool:
    if candidate.fragment.kind == SAID:
        return not only_asks(candidate.said or candidate.fragment.text)
    if candidate.document.document.content_type == "handoff":
        # The request that a session ended with, which the next one may make again.
        return not only_asks(_HEADING.sub("", candidate.fragment.text))
    return not is_window(candidate) or _tells_something(candidate.fragment)


def _tells_something(window: StoredFragment) -> bool:
    """Whether one of its turns says more than a question or that it can't say."""
    rows = window.text.split("\n")
    by_heading = opens_by_heading(rows, window.headings)
    for first, end in split_turns(window.text, by_heading=by_heading):
        turn = "\n".join(rows[first:end])
        person = asks(turn, by_heading=by_heading)
        text = (turn if person is None else turn.partition("\n" if by_heading else ":")[2]).strip()
        if text and not only_asks(text) and (person or not knows_nothing(text)):
            return True
    return False
