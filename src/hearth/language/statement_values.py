"""What a statement's words mean alike, the values it gives, and denials."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

from hearth.core.lazy import regex
from hearth.language.kinds import choices_of
from hearth.language.likeness import Likeness
from hearth.language.slots import Statement
from hearth.text.language import fold, stem
from hearth.text.words import LANGUAGES, cues, rows

UNSPACED = frozenset({"zh", "ja"})
"""Languages without blanks between words."""
_TABLE = "statements"
# Months that are also other words count only beside a day.
_AMBIGUOUS = frozenset(
    [
        "may",
        "mar",
        "mai",
        "mars",
        "jan",
        "dec",
        "dic",
        "ago",
        "jun",
        "jul",
        "apr",
        "feb",
        "okt",
        "dez",
        "sep",
        "oct",
        "nov",
        "sept",
        "märz",
    ]
)
Key = tuple[str, str]
"""Of a token: its class, empty for a word, and its form for comparing."""


@cache
def words(kind: str, language: str) -> frozenset[str]:
    """Of a kind of cue that lists words."""
    found = (row for row in rows(_TABLE) if row.kind == kind and row.lang in (language, "any"))
    return frozenset(word.casefold() for row in found for word in row.words)


@cache
def values() -> dict[str, Key]:
    """Spelling -> its class and form."""
    found: dict[str, Key] = {word: ("month", form) for word, form in months().items() if word not in _AMBIGUOUS}
    for row in rows("values"):
        for spelling in row.words:
            found.setdefault(spelling, (row.kind, row.id.removeprefix(f"{row.kind}-")))
    return found


@cache
def months() -> dict[str, str]:
    """Spelling -> two digits."""
    named = enumerate(choices_of("month"), 1)
    return {word.removeprefix("?"): f"{number:02}" for number, words in named for word in words}


@cache
def alike(language: str) -> dict[str, str]:
    """Word and stem -> the form that stands for all of one meaning."""
    found: dict[str, str] = {}
    for row in rows("alike"):
        for word in row.words:
            found.setdefault(word, row.words[0])
            found.setdefault(stem(word, language), row.words[0])
    return found


Keys = frozenset[Key]
USER: Key = ("", "user")
NOT: Key = ("not", "")
"""A negation, which is no part of what is said."""
# Of scripts without blanks each sign is a token.
_SIGNS = r"\u3040-\u30ff\u3400-\u9fff"
_LETTERS = rf"[^\W_{_SIGNS}]"


def keys_of(text: str, language: str) -> Keys:
    return token_keys(text, language) - {NOT}


def token_keys(text: str, language: str) -> Keys:
    return frozenset(key for key, _ in tokens(text, language))


def tokens(text: str, language: str) -> Iterator[tuple[Key, str]]:
    for found in _token_pattern().finditer(text):
        key = _key(found, language)
        if key is not None:
            yield key, found[0]


def _key(found: re.Match[str], language: str) -> Key | None:
    written = found[0].casefold()
    match found.lastgroup:
        case "iso" | "cjk" | "dmy" | "mdy" | "dotted":
            return "date", _date(found)
        case "time":
            return "time", re.sub(r"[^\d:apm]|(?<=\d)\s|\.", "", written.replace("点", "").replace("時", ""))
        case "number":
            return _number(written)
        case "value":
            return values()[written]
        case "han":
            return ("number", written) if len(written) > 1 else values().get(written, ("number", written))
        case _:
            return _word(written, language)


def _number(written: str) -> Key:
    plain = re.sub(r"\s", "", written)
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain):
        plain = re.sub(r"[.,]", "", plain)
    if plain.count(".") > 1 or plain.startswith("v"):
        return "version", plain.removeprefix("v")
    return "number", plain.replace(",", ".")


def _word(written: str, language: str) -> Key | None:
    if written in words("not", language) or written.endswith(("n't", "n’t")):
        return NOT
    if written in words("user", language):
        return USER
    if written in words("void", language):
        return None
    root = stem(written, language)
    form = alike(language)
    return "", form.get(written, form.get(root, fold(root)))


def _date(found: re.Match[str]) -> str:
    kind = str(found.lastgroup)
    year, month, day = (found[f"{kind}_{part}"] or "" for part in ("y", "m", "d"))
    number = months().get(month.casefold().rstrip("."), month)
    return f"{year}-{number.zfill(2)}-{day.zfill(2)}"


@cache
def _token_pattern() -> re.Pattern[str]:
    named = "|".join(sorted(months(), key=len, reverse=True))
    spelled = sorted(values(), key=len, reverse=True)
    spaced = "|".join(re.escape(word) for word in spelled if word[0] < "\u3000")
    unspaced = "|".join(re.escape(word) for word in spelled if word[0] >= "\u3000" and len(word) > 1)
    parts = {
        "iso": r"(?P<iso_y>\d{4})-(?P<iso_m>\d{2})-(?P<iso_d>\d{2})",
        "cjk": r"(?:(?P<cjk_y>\d{4})年)?(?P<cjk_m>\d{1,2})月(?P<cjk_d>\d{1,2})[日号]",
        "dmy": rf"(?P<dmy_d>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)? (?:de |of )?(?P<dmy_m>{named})\b\.?"
        rf"(?:,? (?:de |del )?(?P<dmy_y>\d{{4}})(?!\w))?",
        "mdy": rf"(?<!\w)(?P<mdy_m>{named}) (?:the )?(?P<mdy_d>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:])"
        rf"(?:,? (?P<mdy_y>\d{{4}})(?!\w))?",
        "dotted": r"(?P<dotted_d>\d{1,2})[./](?P<dotted_m>\d{1,2})[./](?P<dotted_y>\d{4})(?!\w)",
        "time": r"\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m\b\.?|uhr\b|h\b(?!\w)|heures?\b|點)|\d{1,2}:\d{2}|\d{1,2}[点時]",
        "value": rf"(?<!{_LETTERS})(?:{spaced})(?!{_LETTERS})|{unspaced}",
        "number": r"v?\d+(?:[.,:\-]\d+)*(?: \d{3}(?!\d))*\s?%?(?:[A-Za-z](?!\w))?",
        "han": r"[〇零一二两三四五六七八九十百千万]+(?=[个只位家名条台次元块折岁天年月匹冊人件])",
        "word": rf"{_LETTERS}+n['’]t\b|{_LETTERS}+(?:[.\-+#@/]{_LETTERS}+)*\+*|[{_SIGNS}]",
    }
    return regex("|".join(f"(?P<{name}>{part})" for name, part in parts.items()), re.IGNORECASE)


_MOST = 0.5
"""The part of what was never done that the earlier statement has to tell of."""
_LEAST = 2
_YEAR = regex(r"(?:19|20)\d\d")
Cues = Mapping[str, str]


def is_denied(one: Statement, before: Cues, other: Statement, now: Cues) -> bool:
    """Whether one says of the same thing that it is not so."""
    ended = "end" in now and "end" not in before
    if (
        now.keys() & {"never", "asks"}
        or ("end" in now and "end" in before)
        or before.keys() & {"change", "instead"}
        or (one.is_negative and ended)
    ):
        return False
    mine, theirs = one.content, other.content
    if one.is_negative and not other.is_negative and now.keys() & {"now", "change", "fix"}:
        return mine == theirs or (bool(mine) and (mine <= theirs or one.first == other.first))  # a ban is lifted
    if one.is_negative != other.is_negative:
        return mine == theirs or (bool(theirs) and theirs <= mine and bool(ended or "now" in now))
    return ended and bool(theirs) and theirs <= mine and one.first in theirs


def is_never_done(one: Statement, before: Cues, other: Statement, now: Cues, likeness: Likeness) -> bool:
    """Whether the newer one says that its speaker never did, or has not yet done, what the older one tells of."""
    if "never" not in now or "never" in before or one.is_negative or likeness.apart:
        return False
    years = [{figure for figure in side.figures if _YEAR.fullmatch(figure)} for side in (one, other)]
    if (years[0] and years[1] and years[0].isdisjoint(years[1])) or _has_other_word(one, other):
        return False
    topics = [topic for topic in other.order if topic in other.topics]
    if likeness.named and "example" in now:
        return True
    return len(likeness.shared) >= min(_LEAST, len(topics)) and len(likeness.shared) > _MOST * (len(topics) - 1)


def is_done_by_now(one: Statement, before: Cues, other: Statement, now: Cues, likeness: Likeness) -> bool:
    """Whether the newer one tells as done all of what the older one says was not done yet."""
    if "yet" not in before or now.keys() & {"never", "asks", "lean", "will"} or other.is_negative or likeness.apart:
        return False
    return len(one.content) >= _LEAST and one.content <= other.content


def _has_other_word(one: Statement, other: Statement) -> bool:
    """Whether the two differ in one word, and what follows it is the same: "tidal power", "nuclear power"."""
    if len(one.order) != len(other.order):
        return False
    places = [at for at, pair in enumerate(zip(one.order, other.order, strict=True)) if pair[0] != pair[1]]
    return len(places) == 1 and 0 < places[0] < len(one.order) - 1


_WHEN = frozenset({"day", "time", "month", "date"})
_FIGURES = frozenset({"number", "version"})
_CUES = ("new", "now", "change", "fix")
_CURRENCIES = frozenset("$€£¥₹")
_NEAR = 60
"""Characters between a cue and the value that it is about."""
Kind = Literal["when", "figure"]


class Telling(NamedTuple):
    """A value by its kind and form; ``lately`` where a cue beside it says that it is so now or became so; of a figure
    the word before it, and the ``units`` behind it, of which one is what it counts."""

    kind: Kind
    form: str
    lately: bool
    before: str = ""
    units: tuple[str, ...] = ()


class _Token(NamedTuple):
    key: Key
    start: int
    end: int


def find_tellings(sentence: str, language: str) -> list[Telling]:
    """In order; nothing for an unknown language."""
    if language not in LANGUAGES:
        return []
    found = _place(sentence, language)
    spans: list[tuple[int, int]] | None = None
    tellings: list[Telling] = []
    for at, token in enumerate(found):
        kind = _kind(token, sentence)
        if kind is None:
            continue
        spans = _find_cues(sentence, language) if spans is None else spans
        lately = any(-_NEAR <= token.start - end <= _NEAR or 0 <= start - token.end <= _NEAR for start, end in spans)
        form = token.key[1]
        if kind == "when":
            tellings.append(Telling(kind, form, lately))
            continue
        units = tuple(_units(found[at : at + 3]))
        before = found[at - 1].key[1] if at and not found[at - 1].key[0] else ""
        tellings.append(
            Telling(kind, form, lately, before, ("",) if sentence[token.start - 1] in _CURRENCIES else units)
        )
    return tellings


def _units(found: Sequence[_Token]) -> Iterator[str]:
    """Words right behind a figure."""
    for token, following in pairwise(found):
        if following.key[0] or following.start - token.end > 1:
            return
        yield following.key[1]


def _place(sentence: str, language: str) -> list[_Token]:
    found, at = [], 0
    for key, written in tokens(sentence, language):
        at = sentence.index(written, at)
        found.append(_Token(key, at, at + len(written.rstrip())))
        at += len(written)
    return found


def _kind(token: _Token, sentence: str) -> Kind | None:
    """A part of a fraction or a score says nothing by itself: "4/5"."""
    kind = token.key[0]
    if kind in _WHEN:
        return "when"
    beside = (sentence[token.start - 1 : token.start], sentence[token.end : token.end + 1])
    return "figure" if kind in _FIGURES and "/" not in beside else None


def _find_cues(sentence: str, language: str) -> list[tuple[int, int]]:
    return [match.span() for kind in _CUES for match in cues(_TABLE, kind, language).finditer(sentence)]
