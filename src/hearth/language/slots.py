"""Slots: what a statement settles, such as the database of a service or the place where somebody lives.

Two statements have one slot where they give one thing a value each: the same kind of thing, or the same words for what
it is about, of the same person and under the same condition.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import pairwise

from hearth.language.change import CHANGES, OPEN, find_cues, own_words
from hearth.language.kinds import Token, Value, fillers, find_groups, find_kinds, find_tokens, find_values, kinds_of
from hearth.lazy import dataclass, regex
from hearth.text.background import background_share
from hearth.text.language import detect
from hearth.text.stem import stem
from hearth.text.stopwords import is_stop_word

MOST = 600
"""Characters of a statement that are read."""
_MEASURE = regex(
    r"(?<![\w.#])v?(?:\d+[.,:]\d[\d.,:]*|\d+(?:st|nd|rd|th)?\s?(?:%|€|£|\$|¥|元|円|[kKMG]B|km|kg|cm|mm|[ap]\.?m|h|uhr|min"
    r"|mins?|secs?|minut(?:es?|os?|i)|seconds?|sekunden?|segundos?|secondes?|secondi|hours?|days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|stunden?|minuten?|días?|semanas?|mes(?:es)?"
    r"|años?|horas?|jours?|semaines?|mois|ans|heures?|dias|anos|giorni|settimane|mesi|anni|ore|euros?|dollars?|pounds?"
    r"|[月日号点時岁年])|\d{3,})(?![\w.]\w)(?![A-Za-z])|(?<=\bat )\d{1,2}\b|[一二三四五六七八九十百]+(?=[月号日点岁])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half"
    r"|half an?|an?) (?:minutes?|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_FIGURE = regex(r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千]+(?=[月号日点岁个只年])")
_DATE = regex(
    r"(?<![\d.])(?:(?P<y>\d{4})(?:-|年)(?P<m>\d{1,2})(?:-|月)(?P<d>\d{1,2})(?:日|号|(?![\d-]))"
    r"|(?P<d2>\d{1,2})[./](?P<m2>\d{1,2})[./](?P<y2>\d{4})(?!\d))"
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NAME = regex(r"(?<=[^.!?:\n] )[A-ZÀ-ÞА-Я][\wÀ-ÿа-я'’-]+")
_DWELLING = regex(r"\b(?:(?:in|en|dans|em) (?:an?|eine[mr]|una?|une|uma?|uno)|numa?) ", re.IGNORECASE)
"""Before what somebody lives in, rather than where they live: "in a flat"."""
_THIRD = {
    "en": "she he they", "de": "er sie", "es": "ella él ellos", "fr": "elle elles il ils", "it": "lei lui loro",
    "pt": "ela ele", "ru": "она он они", "zh": "她 他", "ja": "彼 彼女",
}  # fmt: skip
_NEGATIONS = {
    "en": "no not never none nor neither without cannot nothing nobody",
    "de": "nicht kein keine keinen keiner keinem nie niemals ohne nichts",
    "es": "no nunca jamás sin ni tampoco nada nadie",
    "fr": "pas jamais sans aucun aucune rien",
    "pt": "não nunca jamais sem nem nada ninguém",
    "it": "non mai senza nessuno niente",
    "ru": "не нет никогда без",
}
_NOT = regex(r"[不没]|ません|ない(?=$|[。、])")
_PAUSE = regex(r"[,;:.!?](?=\s|$)|[，。；、]")
_COMMON, _RARE = 1.0, 7.6
_UNSPACED = ("zh", "ja")
_SHORT = 2
"""Words of a cue that has nothing else in it."""
_OTHER = ("zh", "ja", "ru", "ko", "th", "el", "ar", "hi")
_LATIN = ("en", "de", "es", "fr", "pt", "it")
_LETTERS = {"de": "äöüß", "es": "ñ¿¡", "fr": "èêëçœûîô", "pt": "ãõ", "it": "ìò"}
_SUBJECT, _SUBJECT_WORDS = 16, 5
"""Where a statement says whom it is about."""
_OPEN = frozenset({
    "residence", "dwelling", "employer", "name", "timezone", "birthday", "email", "profession", "eating", "pronouns",
})  # fmt: skip
"""Attributes whose value may be any word; what they are of stands before them."""
_PERSONAL = frozenset({
    "owner", "landlord", "doctor", "accountant", "dentist", "lawyer", "vet", "teacher", "coach", "cleaner",
    "babysitter", "hairdresser", "therapist", "plumber", "contact",
})  # fmt: skip
"""Attributes whose value is a person."""
_GENITIVE = regex(r"\w+['’]s\s")
"""How a cue begins that names what it is said of: "the oven's gone"."""
_COMPOUND = 5
"""Letters of a word that begins a compound."""
_OPENING = 2
"""Words that name a German sentence's subject."""
_TIMES = frozenset({"month", "weekday", "daytime"})
_RUN = 3
"""Pairs of signs that one name makes."""
_LEAST, _PART, _NEAR = 5.0, 0.5, 0.4
"""What the words that two statements share weigh at least, and which part of those of the shorter one: without a cue
of change, and with one."""
_FIRM = ((6.0, 0.8), (12.0, 0.6))
"""The same where nothing else says that both speak of one thing."""
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
    which there is one at a time; ``number`` is that of its subject ("bus 12"), ``is_of_third`` says that it begins with
    a pronoun; ``order`` holds topics and values as they stand, ``subject`` what stands before an
    attribute whose value may be any word."""

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
    order: tuple[str, ...] = ()
    subject: frozenset[str] = frozenset()
    number: str = ""
    is_of_third: bool = False
    is_negative: bool = False

    @property
    def first(self) -> str:
        """The first thing that it names."""
        return self.order[0] if self.order else ""

    @property
    def content(self) -> frozenset[str]:
        """All that it says, by form."""
        values = {value.form for value in self.values if not value.plain}
        return frozenset(self.topics.keys() | values | self.figures)

    def has_kind(self, kind: str) -> bool:
        """Whether it names a value of a kind."""
        return any(kind in value.kinds for value in self.values)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How two statements stand as to their slots. ``apart`` says what parts them. ``kinds`` are those of which the
    newer one names another value; ``attributes`` those that both give, ``open`` those of one subject whose value may be
    any word. ``named`` are values and names that both hold, ``ousted`` the kinds of which the newer one names the older
    one's value beside another. ``shared`` are stems that both hold, with their ``weight`` and the ``part`` that this is
    of the lighter statement. ``is_alone``: one of the two says nothing of what its value is for that the other does not
    say. ``is_ordered``: both begin with what they share. ``is_measured``: they give different figures of a measure,
    ``has_figures``: of anything. ``names_kind``: both name the kind of their values. ``has_same_subject``: the newer
    one names what the older one begins with. ``has_other_subject``, ``has_other_names``: they seem to be of different
    things, ``is_of_another``: and differ in little else. ``has_other_kinds``: the values of the one are of other kinds
    than those of the other."""

    apart: str = ""
    kinds: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    ousted: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    weight: float = 0.0
    part: float = 0.0
    is_alone: bool = False
    is_ordered: bool = False
    is_measured: bool = False
    has_figures: bool = False
    names_kind: bool = False
    has_same_subject: bool = False
    has_other_subject: bool = False
    is_of_another: bool = False
    has_other_names: bool = False
    has_other_kinds: bool = False

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
    def is_firm(self) -> bool:
        """Whether both surely speak of one thing: their values are of one kind, one names the other's, or they share
        most of what they say."""
        alike = any(self.weight >= weight and (self.is_alone or self.part >= part) for weight, part in _FIRM)
        known = (self.is_known and self.is_alone) or bool(self.open or self.named)
        return not self.apart and (known or alike)

    @property
    def is_near(self) -> bool:
        """Whether they may do so, where the newer one says that something changed."""
        if self.apart:
            return False
        enough = self.weight >= _LEAST and self.part >= _NEAR
        if not self.is_known:
            if self.has_other_kinds:
                return False
            is_named = bool(self.named) and self.weight >= _LEAST / 2 and not self.has_other_subject
            return enough or is_named or (self.weight >= _LEAST and self.is_ordered and self.has_other_names)
        if self.open or (self.named and not (self.has_other_subject and not self.weight)):
            return True
        if self.is_alone and (self.kinds or self.attributes or self.weight >= _LEAST or self.part >= 1):
            return True
        if not self.kinds or self.has_other_subject:
            return False
        return self.names_kind or self.weight >= (_LEAST / 2 if self.has_same_subject else _LEAST)


def compare(older: Statement, newer: Statement) -> Likeness:
    """Both read in one language."""
    shared = frozenset(older.topics.keys() & newer.topics.keys()) | _find_compounds(older, newer)
    weight = sum(older.topics[topic].weight for topic in shared)
    least = min(_weigh_topics(side, shared) for side in (older, newer))
    before, after = _named(older, newer), _named(newer, older)
    kinds = {kind for value in before.values() for kind in value.kinds}
    others = {kind for form, value in after.items() if form not in before for kind in value.kinds}
    named = frozenset(form for form in before if form in after and before[form].kinds & after[form].kinds)
    clashing, attributes = frozenset(kinds & others), older.attributes & newer.attributes
    if not _is_of_one_subject(older, newer):
        attributes -= _OPEN
    opened = attributes & _OPEN
    names = (older.names - newer.names - newer.topics.keys(), newer.names - older.names - older.topics.keys())
    return Likeness(
        apart=_part(older, newer),
        kinds=clashing,
        attributes=attributes,
        open=opened,
        named=named | (older.names & newer.names),
        ousted=clashing & {kind for form in named for kind in before[form].kinds},
        shared=shared,
        weight=weight,
        part=weight / least if least else 0.0,
        is_alone=not all(_purposes(side, shared, clashing | attributes) for side in (older, newer)),
        is_ordered=all(next(iter(side.topics), "") in shared for side in (older, newer)),
        is_measured=_is_measured(older, newer, attributes),
        has_figures=bool(older.figures and newer.figures - older.figures),
        names_kind=any(older.topics[root].names & clashing for root in shared),
        has_same_subject=older.first in shared,
        has_other_subject=not opened and _has_other_subject(older, newer, clashing),
        has_other_kinds=_have_other_kinds(before, after),
        is_of_another=not named and _is_of_another(older, newer, shared, clashing | attributes),
        has_other_names=all(names),
    )


def _is_of_one_subject(older: Statement, newer: Statement) -> bool:
    """Whether both say what an attribute is of in the same words, or both say it of the person: that the docs moved
    does not tell where somebody lives."""
    if older.language in _UNSPACED or older.is_of_third or newer.is_of_third:
        return True
    return bool(older.subject & newer.subject) or not (older.subject or newer.subject)


def _find_compounds(older: Statement, newer: Statement) -> frozenset[str]:
    """Topics of the older one that begin or end a compound of the newer one, or the other way round: "Branches",
    "Branchnamen"."""
    if older.language != "de":
        return frozenset()
    return frozenset(
        one
        for one in older.topics
        for other in newer.topics
        if min(len(one), len(other)) >= _COMPOUND and (other.startswith(one) or one.startswith(other))
    )


def _weigh_topics(side: Statement, shared: frozenset[str]) -> float:
    """Without names, which may be the value."""
    return sum(topic.weight for root, topic in side.topics.items() if root in shared or root not in side.names)


def _have_other_kinds(before: Mapping[str, Value], after: Mapping[str, Value]) -> bool:
    kinds = [{kind for value in side.values() for kind in value.kinds} for side in (before, after)]
    return bool(kinds[0] and kinds[1]) and kinds[0].isdisjoint(kinds[1]) and before.keys().isdisjoint(after.keys())


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


def _is_of_another(older: Statement, newer: Statement, shared: frozenset[str], known: frozenset[str]) -> bool:
    """Whether the newer one says of something else what the older one says: it names that first, or as what the
    shared word is of ("garage rent"), and little else that is new."""
    first = newer.order[:1]
    fresh = [root for root in newer.topics if root not in shared and not newer.topics[root].names & known]
    if not fresh or not shared or fresh[0] not in first or newer.topics[fresh[0]].is_person or fresh[0] in newer.names:
        return False
    if known and newer.language not in _UNSPACED:
        return _modifies(newer, fresh[0], shared)
    return len(fresh) <= (_RUN if newer.language in _UNSPACED else 1)


def _modifies(statement: Statement, root: str, heads: frozenset[str]) -> bool:
    """Whether a word stands right before one of others: "garage rent"."""
    roots = [stem(token.word.removesuffix("'s"), statement.language) for token in find_tokens(statement.text)]
    return any(one == root and other in heads for one, other in pairwise(roots))


def find_language(*texts: str) -> str:
    """The language in which statements are compared: that of their script, else of most of their words."""
    text = "\n".join(texts)[: 2 * MOST]
    found = detect(text)
    if found in _OTHER:
        return found
    spoken = dict.fromkeys(_LATIN, 0.0)
    for token in find_tokens(text):
        speakers = [one for one in _LATIN if token.word in fillers(one) or is_stop_word(token.word, (one,))]
        for one in speakers:
            spoken[one] += 1 / len(speakers)
    for one, letters in _LETTERS.items():
        spoken[one] += sum(letter in letters for letter in text.lower()) / 2
    return max(_LATIN, key=lambda one: (spoken[one], one == found))


@lru_cache(maxsize=1024)
def read_statement(text: str, language: str = "") -> Statement:
    """``language`` is that of both statements where two are compared."""
    text = unicodedata.normalize("NFKC", text[:MOST])
    language = language or find_language(text)
    said = _spell_dates(own_words(text))
    tokens = find_tokens(said)
    kinds, parts = find_kinds(said, tokens), find_groups("attributes", said, tokens)
    values = tuple(_without_kind_words(list(find_values(said, tokens)), kinds))
    taken = [(value.start, value.end) for value in values if not value.plain]
    places: dict[str, int] = {}
    topics = dict(_topics(said, tokens, [*taken, *_find_cue_words(text, said, language)], language, places))
    names = frozenset() if language == "de" else frozenset(_find_names(said, taken, language))
    if "residence" in parts and _DWELLING.search(said) and not names:
        parts["dwelling"] = parts.pop("residence")
    opened = min((start for name, (start, _) in parts.items() if name in _OPEN), default=0)
    if language == "de" and len(tokens) > _OPENING:  # where the verb comes last all else stands before it
        opened = min(opened, tokens[_OPENING].start)
    times = {value.start for value in values if value.kinds & _TIMES}
    subject = frozenset(root for root, start in places.items() if start < opened and start not in times)
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
        names=names,
        attributes=frozenset(parts),
        holders=frozenset(find_groups("holders", said[:until], head)),
        conditions=frozenset(find_groups("conditions", said, tokens)),
        order=tuple(sorted(places, key=places.__getitem__)),
        subject=subject,
        number="" if language in _UNSPACED else _find_number(tokens, language),
        is_of_third=any(token.word in _THIRD.get(language, "").split() for token in tokens[:3]),
        is_negative=_count_negations(said, tokens, language) % 2 == 1,
    )


def _without_kind_words(values: Sequence[Value], kinds: Mapping[str, Span]) -> Iterator[Value]:
    """Values but for words that name the kind of another value: of "the database is Firebird" the database."""
    for value in values:
        named = {kind for kind, (start, end) in kinds.items() if start <= value.start < end and kind not in value.kinds}
        if not any(named & other.kinds for other in values):
            yield value


def _find_cue_words(text: str, said: str, language: str) -> Iterator[Span]:
    """Where short cues of change and of doubt stand: they say nothing of what a statement is about."""
    cues = find_cues(text, language)
    for kind in (*CHANGES, "now", *OPEN):
        cue = cues.get(kind, "")
        is_short = bool(cue) and len(cue.split()) <= _SHORT and _GENITIVE.match(cue) is None
        at = said.find(cue) if is_short else -1
        if at >= 0:
            yield at, at + len(cue)


def _spell_dates(text: str) -> str:
    """Dates in figures as they are said, with the name of the month."""

    def spell(found: re.Match[str]) -> str:
        year, month, day = (
            (found["y"], found["m"], found["d"]) if found["y"] else (found["y2"], found["m2"], found["d2"])
        )
        return f"{int(day)} {_MONTHS[int(month) - 1]} {year}" if 0 < int(month) <= len(_MONTHS) else found[0]

    return _DATE.sub(spell, text)


def _find_number(tokens: list[Token], language: str) -> str:
    """The number of the thing with which a statement begins: "the bus 12"."""
    words = [token.word for token in tokens[:3]]
    if words and is_stop_word(words[0], (language,)):
        words = words[1:]
    return words[1] if len(words) > 1 and words[0].isalpha() and words[1].isdigit() and len(words[1]) < 4 else ""


def _count_negations(text: str, tokens: list[Token], language: str) -> int:
    words = _NEGATIONS.get(language, "").split()
    return sum(one.word in words or one.word.endswith("n't") for one in tokens) + len(_NOT.findall(text))


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
        alone = other if one.holders else one
        if (one.holders and other.holders) or not alone.is_of_third:
            return "they are about different persons"
    if one.number and other.number and one.number != other.number:
        return "they are about different ones of a kind"
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
    """Stems of the words that carry meaning and are not values. Fills ``places`` with where each first stands."""
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
    run = _NOT.sub("", run)
    for word in sorted(idle, key=len, reverse=True):
        run = run.replace(word, " ")
    for part in run.split():
        yield from (part[at : at + 2] for at in range(max(1, len(part) - 1)))


def _weigh(root: str) -> float:
    return max(_COMMON, min(_RARE, -math.log(background_share(root))))
