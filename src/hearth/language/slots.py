"""Slots: what a statement settles, such as the database of a service or the place where somebody lives.

Two statements have one slot where they give one thing a value each: the same kind of thing, or the same words for what
it is about, of the same person and under the same condition.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import lru_cache

from hearth.language.kinds import Token, Value, fillers, find_groups, find_kinds, find_tokens, find_values, kinds_of
from hearth.lazy import dataclass, regex
from hearth.text.background import background_share
from hearth.text.language import detect
from hearth.text.similarity import negated
from hearth.text.stem import stem
from hearth.text.stopwords import is_stop_word

MOST = 600
"""Characters of a statement that are read."""
_CHOICE = regex(r"\s*Asked “(?P<question>[^”]*)”, the user chose: (?P<answer>.*)")
_FRAME = regex(
    r"[^:“”\"«»]{3,40}(?:usuario|[Nn]utzers|utilisateur|usuário|utente|user):\s?[“\"«](?P<said>.+)[”\"»]\.?\s*\Z",
    re.DOTALL,
)
_QUOTED = regex(r"[“\"«「][^“”\"«»「」]{8,}[”\"»」]|(?<=\s)> .*")
_MEASURE = regex(
    r"(?<![\w.#])v?(?:\d+[.,:]\d[\d.,:]*|\d+(?:st|nd|rd|th)?\s?(?:%|€|£|\$|¥|元|円|[kKMG]B|km|kg|cm|mm|[ap]\.?m|h|uhr|min"
    r"|hours?|days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|stunden?|minuten?|días?|semanas?|mes(?:es)?"
    r"|años?|horas?|jours?|semaines?|mois|ans|heures?|dias|anos|giorni|settimane|mesi|anni|ore|euros?|dollars?|pounds?"
    r"|[月日号点時岁年])|\d{3,})(?![\w.]\w)(?![A-Za-z])|(?<=\bat )\d{1,2}\b|[一二三四五六七八九十百]+(?=[月号日点岁])",
    re.IGNORECASE,
)
_FIGURE = regex(r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千]+(?=[月号日点岁个只年])")
_NAME = regex(r"(?<=[^.!?:\n] )[A-ZÀ-ÞА-Я][\wÀ-ÿа-я'’-]+")
_PAUSE = regex(r"[,;:.!?](?=\s|$)|[，。；、]")
_COMMON, _RARE = 1.0, 7.6
_UNSPACED = ("zh", "ja")
_OTHER = ("zh", "ja", "ru", "ko", "th", "el", "ar", "hi")
_LATIN = ("en", "de", "es", "fr", "pt", "it")
_SUBJECT, _SUBJECT_WORDS = 16, 5
"""Where a statement says whom it is about."""
_OPEN = frozenset({"residence", "employer", "name"})
"""Attributes whose value may be any word; what they are of stands before them."""
_PERSONAL = frozenset({"owner", "landlord", "doctor"})
"""Attributes whose value is a person."""
_LEAST, _PART = 5.0, 0.5
"""What the words that two statements share weigh at least, and which part of those of the shorter one."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Topic:
    """A stem of what a statement is about: how much it says, which kinds of things and attributes it names, and
    whether it names a person of the family or of work."""

    weight: float
    names: frozenset[str] = frozenset()
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, read for what it settles. ``topics`` are in order; ``values`` are named values, ``figures`` its
    numbers and ``measures`` those with a unit or of a time, ``names`` other names; ``attributes`` are what it gives of
    which there is one at a time; ``first`` is the form of the first thing that it names, ``subject`` what stands before
    an attribute whose value may be any word."""

    text: str
    language: str
    topics: dict[str, Topic] = field(default_factory=dict)
    values: tuple[Value, ...] = ()
    kinds: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    first: str = ""
    subject: frozenset[str] = frozenset()
    is_negative: bool = False

    def has_kind(self, kind: str) -> bool:
        """Whether it names a value of a kind."""
        return any(kind in value.kinds for value in self.values)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How two statements stand as to their slots: ``apart`` says what parts them; ``kinds`` are those of which the
    newer one names another value; ``attributes`` those that both give, ``open`` those of one subject whose value may be
    any word; ``named`` values and names that both hold; ``shared`` stems that both hold, their ``weight`` and the
    ``part`` that this is of the lighter statement; ``is_alone`` where one of the two says nothing of what its value is
    for that the other does not say; ``is_ordered`` where both begin with what they share; ``is_measured`` where they
    give different figures of a measure, ``has_figures`` of anything; ``names_kind`` where both name the kind of their
    values; ``has_other_subject`` and ``has_other_names`` where they seem to be of different things."""

    apart: str = ""
    kinds: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    weight: float = 0.0
    part: float = 0.0
    is_alone: bool = False
    is_ordered: bool = False
    is_measured: bool = False
    has_figures: bool = False
    names_kind: bool = False
    has_other_subject: bool = False
    has_other_names: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the values that they give are of a known kind."""
        return bool(self.kinds or self.attributes or self.is_measured)

    @property
    def is_of_others(self) -> bool:
        """Whether their values are known, and each names somebody or something else beside it."""
        return self.has_other_names and not (self.open or self.attributes & _PERSONAL) and self.is_known

    @property
    def is_same(self) -> bool:
        """Whether the two give one thing a value each, whatever else they say."""
        if self.apart or self.has_other_subject:
            return False
        if not self.is_known:
            return self.is_ordered and self.weight >= _LEAST and self.part >= _PART and not self.has_figures
        if self.is_of_others:
            return False
        if self.open:
            return True
        return self.is_alone and (self.weight >= _LEAST or self.part >= 1 or bool(self.named))

    @property
    def is_near(self) -> bool:
        """Whether they may do so, where the newer one says that something changed."""
        if self.apart:
            return False
        enough = self.weight >= _LEAST and self.part >= _PART
        if not self.is_known:
            return enough or (self.weight >= _LEAST and self.is_ordered and self.has_other_names)
        if self.open or self.named or self.weight >= _LEAST or (self.weight > 0 and self.part >= 1):
            return True
        if self.is_alone and (self.kinds or self.attributes):
            return True
        return self.names_kind and not self.has_other_subject


def same_slot(one: str, other: str) -> bool:
    """Whether two statements, of which the first is the older one, give one thing a value each."""
    return compare_slots(one, other).is_near


def compare_slots(older: str, newer: str) -> Likeness:
    language = find_language(older, newer)
    return compare(read_statement(older, language), read_statement(newer, language))


def compare(older: Statement, newer: Statement) -> Likeness:
    """Both read in one language."""
    shared = frozenset(older.topics.keys() & newer.topics.keys())
    weight = sum(older.topics[topic].weight for topic in shared)
    least = min(
        sum(topic.weight for root, topic in side.topics.items() if root in shared or root not in side.names)
        for side in (older, newer)
    )
    before, after = _named(older, newer), _named(newer, older)
    kinds = {kind for value in before.values() for kind in value.kinds}
    others = {kind for form, value in after.items() if form not in before for kind in value.kinds}
    named = frozenset(form for form in before if form in after and before[form].kinds & after[form].kinds)
    clashing, attributes = frozenset(kinds & others), older.attributes & newer.attributes
    fits = older.language == "ja" or not (older.subject and newer.subject) or bool(older.subject & newer.subject)
    opened = attributes & _OPEN if fits else frozenset()
    names = (older.names - newer.names - newer.topics.keys(), newer.names - older.names - older.topics.keys())
    return Likeness(
        apart=_part(older, newer),
        kinds=clashing,
        attributes=attributes,
        open=opened,
        named=named | (older.names & newer.names),
        shared=shared,
        weight=weight,
        part=weight / least if least else 0.0,
        is_alone=not all(_purposes(side, shared, clashing | attributes) for side in (older, newer)),
        is_ordered=all(next(iter(side.topics), "") in shared for side in (older, newer)),
        is_measured=_is_measured(older, newer, attributes),
        has_figures=bool(older.figures and newer.figures - older.figures),
        names_kind=any(older.topics[root].names & clashing for root in shared),
        has_other_subject=not opened and _has_other_subject(older, newer, clashing),
        has_other_names=all(names),
    )


def _purposes(side: Statement, shared: frozenset[str], known: frozenset[str]) -> list[str]:
    """What one statement is about beside what both are, and beside words for the kind of its value."""
    return [
        root
        for root, topic in side.topics.items()
        if not (root in shared or root in side.names or topic.names & known or topic.is_person)
    ]


def _is_measured(older: Statement, newer: Statement, attributes: frozenset[str]) -> bool:
    """Whether the newer one gives another figure of what is measured, dated or one of an attribute."""
    if older.measures and newer.measures - older.measures:
        return True
    dated = older.has_kind("month") and newer.has_kind("month")
    return bool((dated or attributes) and older.figures and newer.figures - older.figures)


def _has_other_subject(older: Statement, newer: Statement, kinds: frozenset[str]) -> bool:
    """Whether both begin with a thing that the other one does not name, and that is no value of a kind of both."""
    if not older.first or not newer.first or older.first == newer.first:
        return False
    for one, other in ((older, newer), (newer, older)):
        known = {*other.topics, *other.names, *(value.form for value in other.values)}
        of_kind = {value.form for value in one.values if value.kinds & kinds}
        topic = one.topics.get(one.first, Topic(0.0))
        if one.first in known or one.first in of_kind or topic.is_person or topic.names & (kinds | other.attributes):
            return False
    return True


def find_language(*texts: str) -> str:
    """The language in which statements are compared: that of their script, else of most of their words."""
    text = "\n".join(texts)[: 2 * MOST]
    found = detect(text)
    if found in _OTHER:
        return found
    words = [token.word for token in find_tokens(text)]
    spoken = {one: sum(word in fillers(one) or is_stop_word(word, (one,)) for word in words) for one in _LATIN}
    return max(_LATIN, key=lambda one: (spoken[one], one == found))


@lru_cache(maxsize=1024)
def read_statement(text: str, language: str = "") -> Statement:
    """``language`` is that of both statements where two are compared."""
    text = unicodedata.normalize("NFKC", text[:MOST])
    language = language or find_language(text)
    said = own_words(text)
    tokens = find_tokens(said)
    values = tuple(find_values(said, tokens))
    taken = [(value.start, value.end) for value in values if not value.plain]
    kinds, parts = find_kinds(said, tokens), find_groups("attributes", said, tokens)
    places: dict[str, int] = {}
    topics = dict(_topics(said, tokens, taken, language, places))
    opened = min((start for name, (start, _) in parts.items() if name in _OPEN), default=0)
    subject = frozenset(root for root, start in places.items() if start < opened)
    places.update((value.form, value.start) for value in values if not value.plain)
    until = min(_SUBJECT, *(found.start() for found in _PAUSE.finditer(said)), len(said))
    head = [one for one in tokens[:_SUBJECT_WORDS] if one.start < until and not _is_in(one, kinds.values())]
    return Statement(
        text=text,
        language=language,
        topics=topics,
        values=values,
        kinds=frozenset(kinds),
        figures=frozenset(_FIGURE.findall(said)),
        measures=frozenset(found[0].strip().lower() for found in _MEASURE.finditer(said)),
        names=frozenset() if language == "de" else frozenset(_find_names(said, taken, language)),
        attributes=frozenset(parts),
        holders=frozenset(find_groups("holders", said[:until], head)),
        conditions=frozenset(find_groups("conditions", said, tokens)),
        first=min(places, key=places.__getitem__, default=""),
        subject=subject,
        is_negative=negated(said) % 2 == 1,
    )


def own_words(text: str) -> str:
    """What a statement says itself, without what it quotes: of a choice the question and the answer."""
    chosen = _CHOICE.match(text)
    if chosen is not None:
        return f"{chosen['question']} {chosen['answer']}"
    framed = _FRAME.match(text)  # kept word by word, after who said it
    return _QUOTED.sub(" ", text) if framed is None else framed["said"]


def _find_names(text: str, taken: list[Span], language: str) -> Iterator[str]:
    """Words with a capital that no beginning of a sentence gives them and that are no values, as stems."""
    for found in _NAME.finditer(text):
        if not any(start <= found.start() < end for start, end in taken):
            yield stem(found[0].lower().removesuffix("'s"), language)


def _named(one: Statement, other: Statement) -> dict[str, Value]:
    """Named values by form. A plain word is one beside another value of its kind, or where the other statement names
    the kind."""
    sure = {kind for value in other.values if not value.plain for kind in value.kinds} | other.kinds
    values = [value.narrowed(sure) if value.plain else value for value in one.values]
    return {value.form: value for value in values if not value.plain}


def _part(one: Statement, other: Statement) -> str:
    """What makes two statements speak of different things."""
    if one.holders != other.holders and not (one.holders & other.holders):
        return "they are about different persons"
    groups = [{name.partition(":")[0]: name for name in side.conditions} for side in (one, other)]
    for group in groups[0].keys() | groups[1].keys():
        if groups[0].get(group) != groups[1].get(group):
            return "they hold under different conditions"
    return ""


def _is_in(token: Token, spans: Iterable[Span]) -> bool:
    return any(start <= token.start < end for start, end in spans)


def _topics(
    text: str, tokens: list[Token], taken: list[Span], language: str, places: dict[str, int]
) -> Iterator[tuple[str, Topic]]:
    """Stems of the words that are no values and say something; ``places`` is told where each stands first."""
    idle = fillers(language)
    persons = find_groups("holders", text, tokens).values()
    if language in _UNSPACED:
        named = [*find_groups("attributes", text, tokens).values(), *find_kinds(text, tokens).values()]
        tokens = find_tokens(_blank(text, [*taken, *named]))
    for token in tokens:
        word = token.word.removesuffix("'s")
        if _is_in(token, taken):
            continue
        if language in _UNSPACED and not word.isascii():
            found = list(_signs(word, idle))
        elif len(word) > 1 and not word[0].isdigit() and word not in idle and not is_stop_word(word, (language,)):
            found = [stem(word, language)]
        else:
            continue
        for root in found:
            places.setdefault(root, token.start)
            yield root, Topic(_weigh(root), kinds_of(word), _is_in(token, persons))


def _blank(text: str, spans: Iterable[Span]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _signs(run: str, idle: frozenset[str]) -> Iterator[str]:
    """Of scripts without blanks pairs of signs, whole runs of katakana, nothing of hiragana."""
    if "\u3040" <= run[0] <= "\u309f":
        return
    if "\u30a0" <= run[0] <= "\u30ff":
        yield run
        return
    for word in sorted(idle, key=len, reverse=True):
        run = run.replace(word, " ")
    for part in run.split():
        yield from (part[at : at + 2] for at in range(max(1, len(part) - 1)))


def _weigh(root: str) -> float:
    return max(_COMMON, min(_RARE, -math.log(background_share(root))))
