"""A query taken apart: words for the keyword lane, whole tokens for the substring lane, operators, filters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from hearth.core import instants
from hearth.core.document import STATUSES, VEILS
from hearth.core.errors import NotFound, UsageError
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONTENT_TYPES
from hearth.core.query import MAX_QUERY_CHARS, MAX_QUERY_TERMS, Query
from hearth.language.asking import gist
from hearth.language.slots import asks_now
from hearth.ports import Filter
from hearth.recall.bridges import Bridge, Speech
from hearth.recall.ranking.gate import TimeOrder
from hearth.text.language import detect, fold, is_stop_word, stem, subject, unspaced_stop_words
from hearth.text.related_words import LANGUAGES, AskedKind, split_kind
from hearth.text.terms import chunks, names_code, surface
from hearth.text.time_expressions import (
    TimeRange,
    asks_former,
    asks_more,
    date_words,
    is_recency,
    split_session,
    split_times,
)

_STEMMED = ("en", "es", "fr", "de", "it", "pt", "nl", "ru", "sv", "el", "ar", "hi")
_PHRASE = regex(r'"([^"\n]{1,500})"')
# The same in the quotation marks that people use; not between inches: 27" and 24".
_QUOTATION = regex(
    r'(?<![\w"])"([^"\s][^"\n]{1,500}?)"(?!\w)|“([^“”\n]{2,500})”|„([^„“”\n]{2,500})[“”]|«([^«»\n]{2,500})»|`([^`\n]{2,500})`'
)
_MAX_QUOTED = 8
_OPERATOR = regex(r'(?<!\S)(path|tag|type|status|before|after):("[^"\n]{1,500}"(?!\S)|\S+)')
# A word to leave out: a lone hyphen before letters, but no flag: -f, -rf, --force.
_NEGATED = regex(r"(?<=\s)-([^\W\d_][\w'’]{3,})(?!\S)")
# What no index term can hold: NUL, and halves of characters from a broken terminal or message.
_UNSAYABLE = regex("[\x00\ud800-\udfff]")
_DATE_WEIGHT = 0.5
_REQUEST_WEIGHT = 0.5
_BESIDE_WEIGHT = 0.2
# Where a capital means a name: inside a sentence.
_INSIDE = regex(r"(?:(?<=[\w,;'’)] )|(?<=\w [\"“«(]))[^\W\d_][^\s,;:!?()\"“”«»]+")
_NAME_PARTS = regex(r"[^\W\d_]+")
_PLAIN_WORD = regex(r"[^\W\d_]{2,}")
# A mark that ends a sentence; those in code and addresses ask nothing.
_MARK = regex(r"[?？؟][\"'”’)\]*_]*(?=\s|$)|[？؟]")
_QUOTED = regex(r"`[^`]*`|\w+://\S+")
_EARLIER_WEIGHT = 0.25
_EARLIER_WORDS = 24


# Months and years may be told in words; what a text calls a day is told by its date.
_LONG_MS = 27 * instants.DAY_MS

Only = Literal["", "time", "session"]


@dataclass(frozen=True, slots=True)
class Word:
    """One thing that the question asks for; any of ``variants`` (index terms) counts as it."""

    variants: tuple[str, ...]
    weight: float = 1.0
    asked: bool = True
    """Whether an answer should hold it; a word of the request's form or of earlier prompts may only add to a score."""
    surface: str = field(default="", compare=False)
    bridges: tuple[Bridge, ...] = field(default=(), compare=False)
    """Other words that count for it, and less, where a fragment lacks it."""
    whole: tuple[str, ...] = field(default=(), compare=False)
    """The variants of the word that it is a part of: it is looked for where the notes have no such word."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    gist: str
    """The text without what only stands beside a question."""
    words: tuple[Word, ...]
    tokens: tuple[Word, ...]
    phrases: tuple[str, ...]
    """What an answer has to hold as it is written."""
    identifiers: tuple[Word, ...]
    """The tokens that can be nothing but names in code."""
    quoted: tuple[str, ...]
    """What raises an answer that holds it as it is written."""
    excluded: tuple[Word, ...]
    names: tuple[tuple[str, ...], ...]
    """The variants of each name of a person, place or thing that it mentions."""
    within: Filter
    times: tuple[TimeRange, ...]
    recent: bool
    now: bool = False
    """Whether it asks for the present in so many words."""
    then: bool = False
    """Whether it asks about a past time, at which something else may have been true."""
    order: TimeOrder = "newest"
    """Which of the statements about one thing it asks for: the oldest where it asks what was so before, those of a past
    time as they are found."""
    only: Only = ""
    """What it asks for where it asks for nothing else: what there is of a time, or of the last session."""
    kind: AskedKind = ""
    """The kind of memory that it asks for."""
    about: str = ""
    """What a memory of that kind is to be about; empty where that is not said."""
    dropped: int = 0
    unasked: bool = False
    spoken: str = ""
    """The language that it is plainly in; empty where it does not show."""
    foreign: bool = False
    """Whether it is plainly in a language that the notes are not in, and that a table translates."""

    @property
    def any_of_kind(self) -> bool:
        """Whether a kind is all that it asks for."""
        return bool(self.kind) and not self.about

    @property
    def empty(self) -> bool:
        return not (self.words or self.tokens or self.times or self.only)


@dataclass(frozen=True, slots=True)
class Language:
    """What the vault and its owner add to the reading of a question."""

    languages: tuple[str, ...] = ("en",)
    synonyms: Mapping[str, Sequence[str]] | None = None
    stop_words: frozenset[str] = frozenset()
    expand_dates: bool = True
    expand_synonyms: bool = True


def ask(query: Query, language: Language, *, unasked: bool = False, sure: bool = False) -> Question:
    """Any text is safe; only a malformed operator value is an error. ``unasked``: nobody waits for an answer;
    ``sure``: only what surely means the same may stand for a word."""
    text = _UNSAYABLE.sub(" ", query.text[:MAX_QUERY_CHARS])
    within = _make_filter(query)
    stems = tuple(lang for lang in language.languages if lang in _STEMMED) or ("en",)
    phrases: tuple[str, ...] = ()
    excluded: tuple[Word, ...] = ()
    if query.syntax:
        text, within = _split_filters(text, within)
        phrases = tuple(p.strip() for p in _PHRASE.findall(text) if p.strip())
        text = text.lstrip()
        excluded = tuple(_make_word(match, stems) for match in _NEGATED.findall(text))
        text = _NEGATED.sub(" ", text)
    rest, times = split_times(text, query.at, query.zone)
    then, former, past = False, asks_former(text), any(time.inside and time.end <= query.at for time in times)
    if not (unasked or query.syntax or "superseded" in within.include) and within.as_of is None:
        then = not former and past
        within = replace(within, include=(*within.include, "superseded")) if former or then else within
    only = _find_only(rest, times)
    spoken = detect(text, default="")
    stopped = (*stems, spoken) if spoken else stems
    words, tokens = ([], []) if only else _split_words(rest, stems, language, stopped)
    asked = gist(rest)
    subject_asked = subject(asked)
    for part, whole, weight in ((asked, rest, _BESIDE_WEIGHT), (subject_asked, asked, _REQUEST_WEIGHT)):
        if part != whole:
            words = _lessen(words, _split_words(part, stems, language, stopped)[0], weight)
    about, kind = split_kind(subject_asked)
    extra = _expand(query, text, language, asked=only == "time")
    extra += _add_calendar(times if not only else (), stems, language)
    extra += _add_earlier(query, [*words, *extra], stems, language)
    limited = words[:MAX_QUERY_TERMS]
    names = _find_names(text, stems, limited)
    if language.expand_synonyms:
        limited = _bridge(limited, names, Speech(spoken, stems, language.synonyms or {}, sure))
    return Question(
        text=text.strip(),
        gist=(asked if rest == text else gist(text)).strip(),
        words=(*limited, *extra[: MAX_QUERY_TERMS - len(limited)]),
        tokens=tuple(tokens[:MAX_QUERY_TERMS]),
        phrases=phrases,
        identifiers=_find_identifiers(text, tokens),
        quoted=(*_find_quoted(text), *(time.phrase for time in times if _is_written_out(time))),
        excluded=excluded,
        names=names,
        within=within,
        times=times,
        recent=is_recency(text),
        now=not former and asks_now(text),
        then=then,
        order="oldest" if former else "found" if past else "newest",
        only=only,
        kind="" if only else kind,
        about=about.strip() if kind and not only and asks_more(about) else "",
        dropped=max(0, len(words) - MAX_QUERY_TERMS),
        unasked=unasked,
        spoken=spoken,
        foreign=spoken in LANGUAGES and spoken not in stems,
    )


def _find_only(rest: str, times: Sequence[TimeRange]) -> Only:
    """``rest`` is the text without the ``times`` that it names."""
    if times:
        return "" if asks_more(rest) else "time"
    beside, found = split_session(rest)
    return "session" if found and not asks_more(beside) else ""


def is_question(text: str) -> bool:
    """Whether some sentence of it ends with a question mark."""
    return _MARK.search(_QUOTED.sub(" ", text)) is not None


def _make_filter(query: Query) -> Filter:
    return Filter(
        collections=query.collections,
        types=query.types,
        since=query.since,
        until=query.until,
        include_hidden=query.include_hidden,
        include=query.include,
        at=query.at,
        as_of=query.as_of,
        sources=query.sources,
        paths=query.paths,
        tags=query.tags,
    )


def _split_filters(text: str, within: Filter) -> tuple[str, Filter]:
    for name, value in _OPERATOR.findall(text):
        within = _narrow(within, name, value.strip('"') if value.endswith('"') else value)
    return _OPERATOR.sub(" ", text), within


def _find_quoted(text: str) -> tuple[str, ...]:
    """Quoted phrases of several words."""
    found = (next(filter(None, groups)).strip() for groups in _QUOTATION.findall(text))
    return tuple(dict.fromkeys(phrase for phrase in found if len(phrase.split()) > 1))[:_MAX_QUOTED]


def _narrow(within: Filter, name: str, value: str) -> Filter:
    if name == "path":
        return replace(within, paths=(*within.paths, value))
    if name == "tag":
        return replace(within, tags=(*within.tags, value))
    if name == "type":
        if value.lower() not in CONTENT_TYPES:
            raise UsageError(f"type:{value} is unknown; choose among: {', '.join(CONTENT_TYPES)}")
        return replace(within, types=(*within.types, value.lower()))
    if name == "status":
        if value.lower() not in STATUSES:
            raise UsageError(f"status:{value} is unknown; choose among: {', '.join(STATUSES)}")
        return replace(within, statuses=(*within.statuses, value.lower()))
    instant = day_start(value, f"{name}:")
    return replace(within, until=instant) if name == "before" else replace(within, since=instant)


def day_start(value: str, where: str) -> int:
    """00:00 UTC of a YYYY-MM-DD date, in ms. Raises ``UsageError``."""
    found = instants.parse(value) if instants.is_date(value) else None
    if found is None:
        raise UsageError(f"{where} {value!r} is not a date; write YYYY-MM-DD")
    return found


def _split_words(
    text: str, stems: tuple[str, ...], language: Language, stopped_in: tuple[str, ...] = ()
) -> tuple[list[Word], list[Word]]:
    """Words and tokens; stop words of the languages of the index, or of those in ``stopped_in``, are left out."""
    words: dict[tuple[str, ...], Word] = {}
    stopped: dict[Word, None] = {}
    tokens: dict[Word, None] = {}
    for chunk in chunks(unspaced_stop_words().sub(" ", text) if not text.isascii() else text):
        parts = surface(chunk)
        if parts.wholes:
            tokens[Word(parts.wholes)] = None
        pairs = [gram for gram in parts.grams if len(gram) > 1] or list(parts.grams)
        for gram in pairs:
            words[(gram,)] = Word((gram,))
        # GitHub asks for one thing: what it is made of helps where nobody writes it in one.
        within = parts.words[1:] if parts.words[:1] == (chunk.casefold(),) else ()
        for word in parts.words:
            common = (
                is_stop_word(word, stopped_in or stems)
                or word in language.stop_words
                or (len(word) == 1 and word.isalpha())
            )
            made = _make_word(word, stems)
            if common:
                stopped[made] = None
            elif word not in within:
                words[made.variants] = made
            else:
                whole = _make_word(parts.words[0], stems).variants
                words.setdefault(made.variants, replace(made, weight=1 / len(within), asked=False, whole=whole))
    return list(words.values()) or ([] if tokens else list(stopped)), list(tokens)


def _find_identifiers(text: str, tokens: Sequence[Word]) -> tuple[Word, ...]:
    known = {surface(chunk).wholes for chunk in chunks(text) if names_code(chunk)} if tokens else set()
    return tuple(token for token in tokens if token.variants in known)


def _lessen(words: list[Word], about: list[Word], weight: float) -> list[Word]:
    """Those that only the form of the request holds, or what stands beside it, count less, and no answer has to hold
    them."""
    kept = set(about)
    if not any(word in kept for word in words):
        return words
    return [w if w in kept else replace(w, weight=w.weight * weight, asked=False) for w in words]


def _make_word(word: str, stems: tuple[str, ...]) -> Word:
    lower = word.casefold()
    variants = dict.fromkeys((*(stem(lower, language) for language in stems), fold(lower)))
    return Word(tuple(variants), surface=lower)


def _bridge(words: Sequence[Word], names: Sequence[tuple[str, ...]], speech: Speech) -> list[Word]:
    """Each word with its bridges; two that stand side by side are also asked for as one."""
    found: list[Word] = []
    joined: tuple[Bridge, ...] = ()
    for at, word in enumerate(words):
        after = words[at + 1].surface if at + 1 < len(words) else ""
        beside = speech.join(word.surface, after)
        own = speech.bridge(word.surface, named=not word.asked or word.variants in names) if word.surface else ()
        found.append(replace(word, bridges=(*own, *joined, *beside)))
        joined = beside
    return found


def _find_names(text: str, stems: tuple[str, ...], words: Sequence[Word]) -> tuple[tuple[str, ...], ...]:
    text = unicodedata.normalize("NFC", text)
    parts = (part for found in _INSIDE.findall(text) for part in _NAME_PARTS.findall(found))
    named = [part for part in parts if part[0].isupper() and not part.isupper()]
    if not named or _capitalizes(text):
        return ()
    asked = {word.variants for word in words if word.asked}
    variants = (_make_word(word, stems).variants for part in named for word in surface(part).words)
    return tuple(dict.fromkeys(found for found in variants if found in asked))


def _capitalizes(text: str) -> bool:
    """Whether capitals tell nothing: in a headline, and in German, where every noun has one."""
    words = _PLAIN_WORD.findall(text)
    if 2 * sum(word[0].isupper() for word in words) > len(words):
        return True
    german, english = (sum(is_stop_word(word, (language,)) for word in words) for language in ("de", "en"))
    return german > english


def _expand(query: Query, text: str, language: Language, *, asked: bool) -> list[Word]:
    """Dates that the question implies, at lower weight; no answer has to hold them unless they are all that is
    ``asked`` for."""
    if not language.expand_dates:
        return []
    return [Word(("=" + date,), _DATE_WEIGHT, asked=asked) for date in date_words(text, query.at, query.zone)]


def _add_calendar(times: Sequence[TimeRange], stems: tuple[str, ...], language: Language) -> list[Word]:
    """The words of months and years, which may only add to a score; those of days say less than their dates."""
    long = " ".join(time.phrase for time in times if time.end - time.start >= _LONG_MS)
    return [replace(word, weight=_DATE_WEIGHT, asked=False) for word in _split_words(long, stems, language)[0]]


def _is_written_out(time: TimeRange) -> bool:
    """Whether it names a day as a text might: "May 5, 2023"."""
    return time.end - time.start < _LONG_MS and time.exact and any(char.isdigit() for char in time.phrase)


def _add_earlier(query: Query, known: list[Word], stems: tuple[str, ...], language: Language) -> list[Word]:
    """Words of the prompts before, newest prompt first, at low weight."""
    if query.conversation is None:
        return []
    there = {variant for word in known for variant in word.variants}
    found: dict[tuple[str, ...], None] = {}
    for text in query.conversation.earlier:
        for word in _split_words(_UNSAYABLE.sub(" ", text[:MAX_QUERY_CHARS]), stems, language)[0]:
            if not there & set(word.variants):
                found[word.variants] = None
    return [Word(variants, _EARLIER_WEIGHT, asked=False) for variants in list(found)[:_EARLIER_WORDS]]


def check_options(query: Query, collections: Iterable[str]) -> None:
    """Raises ``UsageError``, or ``NotFound`` for a collection that is not among those of the vault."""
    if not isinstance(query.text, str):
        raise UsageError(f"a question is text, not {type(query.text).__name__}")
    for name in ("collections", "types", "include"):
        if isinstance(getattr(query, name), str):
            raise UsageError(f"{name} is a tuple of names, not one text; write ({getattr(query, name)!r},)")
    known = set(collections)
    for collection in query.collections:
        if collection not in known:
            raise NotFound(f"no collection {collection!r}; there are: {', '.join(sorted(known)) or 'none'}")
    _check_names("type", query.types, CONTENT_TYPES)
    _check_names("include", query.include, VEILS[1:])
    if query.since is not None and query.until is not None and query.since >= query.until:
        raise UsageError("since must be before until")
    if query.min_score is not None and not 0 <= query.min_score <= 1:
        raise UsageError(f"min_score {query.min_score} is out of range; give a number from 0 to 1")


def _check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{what} {name!r} is unknown; choose among: {', '.join(known)}")
