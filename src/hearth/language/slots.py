"""Slots: what a statement settles, such as the database of a service, and how it stands to what was so before."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from hearth.core.lazy import dataclass, regex
from hearth.language.kinds import Token, Value, fillers, find_groups, find_kinds, find_tokens, find_values, kinds_of
from hearth.text.calendar import month_names
from hearth.text.language import background_share, detect, is_stop_word, stem
from hearth.text.words import cues, words_of

CHANGES = ("instead", "end", "fix", "change")
"""Kinds of cue that say that what was so is so no longer."""
OPEN = ("lean", "report")
"""Kinds of cue of what is not decided, or what somebody else says."""
ASIDE = ("suppose", "compare", "others", "talk")
"""Kinds of cue of what says nothing about how things are."""
KINDS = (*CHANGES, "now", *OPEN, *ASIDE, "past", "more", "prefer", "over", "never", "yet", "example", "will")
# What a statement goes back to stands behind it.
_CONTEXT = regex(r"\s+\(said: “[^”]*”\)\Z")
_CHOICE = regex(r"\s*Asked “(?P<question>[^”]*)”, the user chose: (?P<answer>.*)")
_TABLE = "slots"
_QUOTED = regex(r"[“„\"«「][^“”„\"«»「」]{8,}[”“\"»」]|(?<=\s)> .*")
_CLAUSE = regex(r"[,;:.!?](?=\s|$)|[—，。；！？、]|\s[-–]\s")
_ASKS = regex(r"[?？]\s*$")


@lru_cache(maxsize=1024)
def find_cues(text: str, language: str) -> dict[str, str]:
    """Kind of cue -> the words that say so; ``asks`` where the text ends with a question."""
    own = own_words(text, asked=False)
    found = {}
    for kind in KINDS:
        match = cues("change", kind, language).search(own)
        if match is not None:
            found[kind] = match[0].strip()
    if _ASKS.search(text):
        found["asks"] = "?"
    return found


def find_clause(text: str, cue: str) -> str:
    """The clause that holds a cue, from the cue on where something follows it there."""
    before, after = split_clause(text, cue)
    return next((part for part in (after, before) if any(map(str.isalnum, part))), cue)


def split_clause(text: str, cue: str) -> tuple[str, str]:
    """What stands before and after a cue in its clause."""
    own = own_words(text)
    at = max(0, own.find(cue))
    ends = [0, *(match.end() for match in _CLAUSE.finditer(own)), len(own)]
    start = max(end for end in ends if end <= at)
    stop = min((end for end in ends if end >= at + len(cue)), default=len(own))
    return own[start:at], own[at + len(cue) : stop]


def own_words(text: str, *, asked: bool = True) -> str:
    """What a statement says itself, without what it quotes: of a choice the question, where ``asked``, and the
    answer."""
    text = _CONTEXT.sub("", text)
    chosen = _CHOICE.match(text)
    if chosen is not None:
        return f"{chosen['question']} {chosen['answer']}" if asked else chosen["answer"]
    framed = cues(_TABLE, "frame").match(text)  # kept word by word, after who said it
    return _QUOTED.sub(" ", text) if framed is None else framed["said"]


_READ_CHARS = 2_000


def asks_now(text: str) -> bool:
    """Whether it asks for the present in so many words: "now", "currently", "these days"."""
    return cues("tense", "now").search(text[:_READ_CHARS]) is not None


MOST = 600
"""Characters of a statement that are read."""
_FIGURE = regex(r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千]+(?=[月号日点岁个只年])")
_DATE = regex(
    r"(?<![\d.])(?:(?P<y>\d{4})(?:-|年)(?P<m>\d{1,2})(?:-|月)(?P<d>\d{1,2})(?:日|号|(?![\d-]))"
    r"|(?P<d2>\d{1,2})[./](?P<m2>\d{1,2})[./](?P<y2>\d{4})(?!\d))"
)
_NAME = regex(r"(?<=[^.!?:\n] )[A-ZÀ-ÞА-Я][\wÀ-ÿа-я'’-]+")
_PAUSE = regex(r"[,;:.!?](?=\s|$)|[，。；、]")
_COMMON, _RARE = 1.0, 7.6
UNSPACED = ("zh", "ja")
_SHORT = 2
"""Words of a cue that has nothing else in it."""
_OTHER = ("zh", "ja", "ru", "ko", "th", "el", "ar", "hi")
_LATIN = ("en", "de", "es", "fr", "pt", "it")
_LETTERS = {"de": "äöüß", "es": "ñ¿¡", "fr": "èêëçœûîô", "pt": "ãõ", "it": "ìò"}
_SUBJECT, _SUBJECT_WORDS = 16, 5
"""Where a statement says whom it is about."""
OPEN_ATTRIBUTES = frozenset({
    "residence", "dwelling", "employer", "name", "timezone", "birthday", "email", "profession", "eating", "pronouns",
})  # fmt: skip
"""Attributes whose value may be any word; what they are of stands before them."""
_GENITIVE = regex(r"\w+['’]s\s")
"""How a cue begins that names what it is said of: "the oven's gone"."""
_OPENING = 2
"""Words that name a German sentence's subject."""
_TIMES = frozenset({"month", "weekday", "daytime"})
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
    own = _spell_dates(own_words(text))
    tokens = find_tokens(own)
    kinds, parts = find_kinds(own, tokens), find_groups("attributes", own, tokens)
    values = tuple(_drop_kind_words(list(find_values(own, tokens)), kinds))
    taken = [(value.start, value.end) for value in values if not value.plain]
    places: dict[str, int] = {}
    topics = dict(_topics(own, tokens, [*taken, *_find_cue_words(text, own, language)], language, places))
    names = frozenset() if language == "de" else frozenset(_find_names(own, taken, language))
    if "residence" in parts and cues(_TABLE, "dwelling").search(own) and not names:
        parts["dwelling"] = parts.pop("residence")
    opened = min((start for name, (start, _) in parts.items() if name in OPEN_ATTRIBUTES), default=0)
    if language == "de" and len(tokens) > _OPENING:  # where the verb comes last all else stands before it
        opened = min(opened, tokens[_OPENING].start)
    times = {value.start for value in values if value.kinds & _TIMES}
    subject = frozenset(root for root, start in places.items() if start < opened and start not in times)
    places.update((value.form, value.start) for value in values if not value.plain)
    until = min(_SUBJECT, *(found.start() for found in _PAUSE.finditer(own)), len(own))
    head = [one for one in tokens[:_SUBJECT_WORDS] if one.start < until and not _is_in(one, kinds.values())]
    return Statement(
        text=text,
        language=language,
        topics=topics,
        values=values,
        kinds=frozenset(kinds),
        figures=frozenset(_FIGURE.findall(own)),
        measures=frozenset(found[0].strip().lower() for found in cues(_TABLE, "measure").finditer(own)),
        names=names,
        attributes=frozenset(parts),
        holders=frozenset(find_groups("holders", own[:until], head)),
        conditions=frozenset(find_groups("conditions", own, tokens)),
        order=tuple(sorted(places, key=places.__getitem__)),
        subject=subject,
        number="" if language in UNSPACED else _find_number(tokens, language),
        is_of_third=any(token.word in words_of(_TABLE, "third", language) for token in tokens[:3]),
        is_negative=_count_negations(own, tokens, language) % 2 == 1,
    )


def _drop_kind_words(values: Sequence[Value], kinds: Mapping[str, Span]) -> Iterator[Value]:
    """Values but for words that name the kind of another value: of "the database is Firebird" the database."""
    for value in values:
        named = {kind for kind, (start, end) in kinds.items() if start <= value.start < end and kind not in value.kinds}
        if not any(named & other.kinds for other in values):
            yield value


def _find_cue_words(text: str, own: str, language: str) -> Iterator[Span]:
    """Where short cues of change and of doubt stand: they say nothing of what a statement is about."""
    found = find_cues(text, language)
    for kind in (*CHANGES, "now", *OPEN):
        cue = found.get(kind, "")
        is_short = bool(cue) and len(cue.split()) <= _SHORT and _GENITIVE.match(cue) is None
        at = own.find(cue) if is_short else -1
        if at >= 0:
            yield at, at + len(cue)


def _spell_dates(text: str) -> str:
    """Dates in figures as they are said, with the name of the month."""

    def spell(found: re.Match[str]) -> str:
        year, month, day = (
            (found["y"], found["m"], found["d"]) if found["y"] else (found["y2"], found["m2"], found["d2"])
        )
        names = month_names()
        return f"{int(day)} {names[int(month) - 1]} {year}" if 0 < int(month) <= len(names) else found[0]

    return _DATE.sub(spell, text)


def _find_number(tokens: list[Token], language: str) -> str:
    """The number of the thing with which a statement begins: "the bus 12"."""
    words = [token.word for token in tokens[:3]]
    if words and is_stop_word(words[0], (language,)):
        words = words[1:]
    return words[1] if len(words) > 1 and words[0].isalpha() and words[1].isdigit() and len(words[1]) < 4 else ""


def _count_negations(text: str, tokens: list[Token], language: str) -> int:
    words = words_of(_TABLE, "negation", language)
    denials = cues(_TABLE, "denial").findall(text)
    return sum(one.word in words or one.word.endswith("n't") for one in tokens) + len(denials)


def _find_names(text: str, taken: list[Span], language: str) -> Iterator[str]:
    """Words with a capital that no beginning of a sentence gives them and that are no values, as stems."""
    for found in _NAME.finditer(text):
        if not any(start <= found.start() < end for start, end in taken):
            yield stem(found[0].lower().removesuffix("'s"), language)


def _is_in(token: Token, spans: Iterable[Span]) -> bool:
    return any(start <= token.start < end for start, end in spans)


def _topics(
    text: str, tokens: list[Token], taken: list[Span], language: str, places: dict[str, int]
) -> Iterator[tuple[str, Topic]]:
    """Stems of the words that carry meaning and are not values. Fills ``places`` with where each first stands."""
    idle = fillers(language)
    persons = find_groups("holders", text, tokens).values()
    if language in UNSPACED:
        named = [*find_groups("attributes", text, tokens).values(), *find_kinds(text, tokens).values()]
        tokens = find_tokens(_blank(text, [*taken, *named]))
    for token in tokens:
        word = token.word.removesuffix("'s")
        if _is_in(token, taken):
            continue
        if language in UNSPACED and not word.isascii():
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
    run = cues(_TABLE, "denial").sub("", run)
    for word in sorted(idle, key=len, reverse=True):
        run = run.replace(word, " ")
    for part in run.split():
        yield from (part[at : at + 2] for at in range(max(1, len(part) - 1)))


def _weigh(root: str) -> float:
    return max(_COMMON, min(_RARE, -math.log(background_share(root))))
