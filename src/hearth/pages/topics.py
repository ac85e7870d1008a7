"""What texts are about: nouns and phrases that several documents share. Pure.

Topics are recognised by structure. Words between small words and signs make a phrase; what follows an article is a
noun, what follows "to" or a pronoun is none. One word alone is a topic only where somebody named a document so, where
it stands in the requests of several sessions, or where it is a name in several titles; two or three words need a title
or tag that has them. A line that several documents repeat counts in one of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, field
from functools import cache, lru_cache
from typing import Any

from hearth.core.lazy import dataclass, regex
from hearth.text.language import background_share, idle_words, stop_words
from hearth.text.terms import chunk_terms
from hearth.text.words import load, rows

LEAST_DOCUMENTS, MOST_SHARE, MOST_TOPICS = 3, 0.25, 50
"""A topic stands in so many documents at least, and in this share of them at most."""
_COMMON, _COMMON_PART, _RARE = 0.001, 0.05, 0.0006
"""A word in so large a share of ordinary texts is no topic, and no part of one; a rarer one than the last is a name."""
TRENDING = 2.0
_SHORT_DAYS, _LONG_DAYS = 14, 90
_MOST_WORDS, _MOST_RUN = 3, 5
_LEAST_NOUN, _NOUN_SHARE, _ALONE = 2, 0.1, 0.3
_PHRASE, _NAMED, _MOST_NAMED = 1.6, 0.3, 3
_TOKEN = regex(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|[^\w\s]|\n|\d+\S*|_\S*")
# The mark of an item, and the day on which it was done.
_ITEM = regex(r"^\s*(?:[-*+>]|\d+[.)])?\s*(?:\[.?\])?|(?:✅|@)?\s*\(?\d{4}-\d\d-\d\d.{0,7}$")
_LEAST_LINE = 12
_CONTRACTION = regex(r"['’](?:t|m|s|d|re|ve|ll)$")
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """``score`` grows with the documents, falls where many have it, and counts phrases and what people name documents
    more; ``trend`` is how many deviations the daily rate of the last 14 days lies above that of the last 90."""

    term: str
    score: float
    documents: int
    mentions: int
    trend: float

    @property
    def trending(self) -> bool:
        return self.trend >= TRENDING

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {**asdict(self), "trending": self.trending}


@dataclass
class _Phrase:
    """Where a phrase stands: ``documents`` with how often, as it is ``spelled``; in ``titles`` of which, ``whole``
    where it is all of one, ``asked`` where the title is a request."""

    documents: Counter[int] = field(default_factory=Counter)
    spelled: Counter[str] = field(default_factory=Counter)
    titles: set[int] = field(default_factory=set)
    whole: bool = False
    asked: set[int] = field(default_factory=set)
    head_first: int = 0
    english: int = 0

    @property
    def is_acronym(self) -> bool:
        return max(self.spelled, key=lambda form: self.spelled[form]).isupper()


@dataclass
class _Word:
    """How often a word stands: in all, as a noun or verb, with a capital inside a sentence, as a phrase alone, beside
    no other capital."""

    total: int = 0
    noun: int = 0
    verb: int = 0
    capital: int = 0
    alone: int = 0
    free: int = 0

    @property
    def is_noun(self) -> bool:
        return self.noun >= _LEAST_NOUN and self.noun >= 2 * self.verb and self.noun >= _NOUN_SHARE * self.total

    @property
    def is_name(self) -> bool:
        return 2 * self.capital > self.total


@dataclass
class TopicCounts:
    """Counts documents as they come. Headings that several share are a template's: they say nothing of what a document
    is about."""

    most_share: float = MOST_SHARE
    names: bool = False
    """Whether a name is a topic that no title has."""
    _told: list[tuple[list[str], Mapping[str, str], Sequence[str], float | None, str, bool]] = field(
        default_factory=list
    )
    _shared: Counter[str] = field(default_factory=Counter)
    _lines: set[str] = field(default_factory=set)

    @property
    def documents(self) -> int:
        return len(self._told)

    def add(
        self,
        texts: Iterable[str],
        age: float | None,
        headings: Iterable[str] = (),
        titles: Sequence[str] = (),
        language: str = "en",
        *,
        asks: bool = False,
    ) -> None:
        """A document with its age in days, ``None`` where it has no date; ``headings`` and ``titles``, tags among
        them, are not among its texts. ``asks`` says that the title is a request."""
        headed = {" ".join(one.casefold().split()): one.lstrip("# ") for one in headings}
        self._shared.update(headed.keys())
        texts_told = ["\n".join(line for line in text.split("\n") if self._is_first(line)) for text in texts]
        self._told.append((texts_told, headed, titles, age, language, asks))

    def rank(self) -> list[Topic]:
        """The weightiest first."""
        phrases: dict[_Key, _Phrase] = {}
        words: dict[str, _Word] = {}
        for at, (texts, headed, titles, _, language, asks) in enumerate(self._told):
            own = [one for key, one in headed.items() if self._shared[key] < LEAST_DOCUMENTS]
            for text in (*texts, *own):
                for run in _find_runs(text, language, words):
                    _count(phrases, run, at, language)
            for title in titles:
                _name(phrases, title, at, language, asks=asks)
        most = max(LEAST_DOCUMENTS, int(self.documents * self.most_share))
        found = {
            key: self._score(key, phrase)
            for key, phrase in phrases.items()
            if LEAST_DOCUMENTS <= len(phrase.documents) <= most and _is_topic(key, phrase, words, names=self.names)
        }
        ranked = sorted(found, key=lambda key: (-found[key], key))
        kept = [key for key in ranked if not _is_part(key, phrases, found)][:MOST_TOPICS]
        return [self._topic(phrases[key], found[key]) for key in kept]

    def _is_first(self, line: str) -> bool:
        """Whether no document so far has the line: an item that is carried from day to day counts once."""
        bare = _ITEM.sub("", line).casefold().strip()
        if len(bare) < _LEAST_LINE:
            return True
        known = bare in self._lines
        self._lines.add(bare)
        return not known

    def _score(self, key: _Key, phrase: _Phrase) -> float:
        count = len(phrase.documents)
        named = 1 + _NAMED * min(_MOST_NAMED, len(phrase.titles))
        rarity = math.log(self.documents / count + 0.1)
        return count * max(rarity, _NAMED) * named * (_PHRASE if len(key) > 1 else 1)

    def _topic(self, phrase: _Phrase, score: float) -> Topic:
        ages = [self._told[at][3] for at in phrase.documents]
        recent, usual = (
            sum(age is not None and age < days for age in ages) / days for days in (_SHORT_DAYS, _LONG_DAYS)
        )
        trend = (recent - usual) / math.sqrt(usual) if usual else 0.0
        spelled = min(phrase.spelled, key=lambda form: (-phrase.spelled[form], form))
        return Topic(spelled, round(score, 3), len(phrase.documents), phrase.documents.total(), round(trend, 2))


def _is_topic(key: _Key, phrase: _Phrase, words: Mapping[str, _Word], *, names: bool) -> bool:
    known = [words[term] for term in key]
    is_name = all(word.is_name for word in known)
    head_first = 2 * phrase.head_first > phrase.documents.total()
    if not is_name and not known[0 if head_first else -1].is_noun:
        return False
    if len(key) == 1:
        named = names and (phrase.is_acronym or background_share(key[0]) <= _RARE)
        if background_share(key[0]) > _COMMON and (names or not phrase.is_acronym):
            return False
        # How common a word is, is known of English alone; in a few weeks too little says which nouns matter.
        if not (is_name or phrase.is_acronym) and (names or 2 * phrase.english < phrase.documents.total()):
            return False
        # "Kit" of "Spec Kit" is a part of a name.
        if names and 2 * known[0].free < known[0].total:
            return False
        if is_name and not names and known[0].alone < _ALONE * known[0].total:
            return False
        return phrase.whole or len(phrase.asked) >= LEAST_DOCUMENTS or (is_name and (named or len(phrase.titles) > 1))
    if any(word.verb > word.noun for word in known) or max(map(background_share, key)) > _COMMON_PART:
        return False
    # What nobody named a document or a tag for is a turn of phrase, but for names in a few weeks.
    named = names and is_name and len(phrase.documents) > LEAST_DOCUMENTS
    return named or bool(phrase.titles - phrase.asked) or len(phrase.asked) >= LEAST_DOCUMENTS


def _is_part(key: _Key, phrases: Mapping[_Key, _Phrase], found: Mapping[_Key, float]) -> bool:
    """Whether a longer topic says the same in half of its documents, or a shorter one in twice as many."""
    count = len(phrases[key].documents)
    for other in found:
        if len(other) > len(key) and _holds(other, key) and 2 * len(phrases[other].documents) >= count:
            return True
        if len(other) < len(key) and _holds(key, other) and len(phrases[other].documents) > 2 * count:
            return True
    return False


def _holds(longer: _Key, shorter: _Key) -> bool:
    size = len(shorter)
    return any(longer[at : at + size] == shorter for at in range(len(longer) - size + 1))


def _find_phrases(run: Sequence[tuple[str, str]]) -> Iterator[tuple[_Key, str]]:
    """Each part of a run that is short enough, by its terms and as it is spelled."""
    for first in range(len(run)):
        for last in range(first + 1, min(first + _MOST_WORDS, len(run)) + 1):
            terms, words = zip(*run[first:last], strict=True)
            yield terms, " ".join(words)


def _count(phrases: dict[_Key, _Phrase], run: Sequence[tuple[str, str]], at: int, language: str) -> None:
    head_first = language in _head_first()
    for key, spelled in _find_phrases(run):
        if len(set(key)) == len(key):
            phrase = phrases.setdefault(key, _Phrase())
            phrase.documents[at] += 1
            phrase.head_first += head_first
            phrase.english += language == "en"
            phrase.spelled[spelled] += 1


def _name(phrases: dict[_Key, _Phrase], title: str, at: int, language: str, *, asks: bool) -> None:
    """Notes what a title names, where texts hold it."""
    size = len(_TOKEN.findall(title))
    for run in _find_runs(title, language, {}):
        for key, _ in _find_phrases(run):
            phrase = phrases.get(key)
            if phrase is not None:
                phrase.titles.add(at)
                phrase.whole = phrase.whole or (not asks and len(key) == size)
                phrase.asked |= {at} if asks else set()


def _find_runs(text: str, language: str, words: dict[str, _Word]) -> Iterator[list[tuple[str, str]]]:
    """Index terms and words that stand between small words, numbers and signs; what they are goes into ``words``."""
    small, nouns, verbs = _small_words(language), _cues(language, "noun"), _cues(language, "verb")
    head_first = language in _head_first()
    run: list[tuple[str, str]] = []
    before, opens, starts = "", True, True
    for token in (*_TOKEN.findall(text), "\n"):
        is_word = token[0].isalpha()
        if is_word and _tells(token, small):
            if not run:
                opens, told = starts, before
            run.append((_term(token, language), token))
        elif run:
            if len(run) <= _MOST_RUN:
                noun = told in nouns and (len(run) == 1 or not head_first)
                _learn(run, words, noun, told not in nouns and (opens or told in verbs), opens)
                yield run
            run = []
        before, starts = token.lower(), not is_word and token != "-"


def _learn(run: Sequence[tuple[str, str]], words: dict[str, _Word], noun: bool, verb: bool, opens: bool) -> None:
    known = [words.setdefault(term, _Word()) for term, _ in run]
    for place, (word, (_, spelled)) in enumerate(zip(known, run, strict=True)):
        word.total += 1
        word.alone += len(run) == 1
        word.free += not any(
            near[0].isupper() for _, near in (*run[max(0, place - 1) : place], *run[place + 1 : place + 2])
        )
        word.capital += (place > 0 or not opens) and spelled[0].isupper()
    known[-1].noun += noun
    known[0].verb += verb


def _tells(word: str, small: Set[str]) -> bool:
    """Whether it may be a part of a topic: no small word, no weekday, no single letter."""
    low = word.lower()
    if low in small or _CONTRACTION.search(low) or _UNSPACED.search(word):
        return False
    return len(word) > 2 or (len(word) > 1 and word.isupper())


@lru_cache(maxsize=65_536)
def _term(word: str, language: str) -> str:
    found = [term for term in chunk_terms(word.lower(), language) if not term.startswith("=")]
    return found[0] if found else word.lower()


@cache
def _small_words(language: str) -> frozenset[str]:
    known = stop_words()
    return known.get(language, frozenset()) | known["en"] | idle_words()


@cache
def _cues(language: str, which: str) -> frozenset[str]:
    found = {row.lang: row.words for row in rows("nouns") if row.kind == which}
    return frozenset(found.get(language, found["en"]))


@cache
def _head_first() -> frozenset[str]:
    return frozenset(load("nouns")["head"])
