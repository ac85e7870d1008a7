"""What a conversation settled and left open, and standing instructions, by words alone. When something is due: the
first date that a promise names, and relative dates made absolute by the turn's time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import chain

from hearth.core import instants
from hearth.core.lazy import dataclass, regex
from hearth.text.calendar import any_of, month_words, short_months
from hearth.text.lines import split_sentences, without_code
from hearth.text.words import cues, each, rows, word_places

_MOST = 500
_LEAD = r"\W*(?:\w+[^\w`]+){0,4}?"
_TABLE = "signals"


@cache
def _looks() -> tuple[re.Pattern[str], ...]:
    found = []
    for use in (row for row in rows(_TABLE) if row.kind == "use"):
        [aim] = [row for row in rows(_TABLE) if row.kind == "aim" and row.lang == use.lang]
        found.append(rf"{_LEAD}{use.expression}\s*(?P<tool>.{{1,60}}?)[,\s]*{aim.expression}")
        found.append(rf"{_LEAD}{aim.expression}.{{0,80}}?{use.expression}\s*(?P<tool>\S*)")
    return tuple(regex(pattern, re.IGNORECASE) for pattern in found)


def is_look(text: str) -> bool:
    """Whether a statement takes up a tool for one look at something, and for no longer."""
    text = text[:_MOST]
    found = (pattern.match(text) for pattern in _looks())
    return any(one is not None and _ends(one) for one in found) and cues(_TABLE, "lasting").search(text) is None


def _ends(look: re.Match[str]) -> bool:
    """Whether the look ends with what it finds. A product's name is one that stays, unless the look is plainly one."""
    groups = look.groupdict()
    sure = groups["sure"] is not None or groups.get("also") is not None
    return sure and (groups["found"] is not None or not groups["tool"][:1].isupper())


_LONGEST = 400


@cache
def _lead() -> re.Pattern[str]:
    """What may stand before: the speaker of a turn, a list mark, a courtesy."""
    marks = r"#{1,6}[^\n]*\n+|\*\*[^*\n]{1,40}\*\*[ \t]*|[^\W\d_][\w'’. -]{0,40}[:：](?=\s)|\s+|[-*+]\s|\d+[.)]\s"
    greeting = rf"(?:{cues(_TABLE, 'greeting').pattern})[,:：]?(?:\s+(?:that|to|que))?"
    return regex(rf"(?:{marks}|{greeting})+", re.IGNORECASE)


_END = regex(r"[.!?](?=[\s\"'”’)]|$)|[。！？]|\n")


def open_of(text: str) -> str:
    """What was said without what may stand before it."""
    lead = _lead().match(text)
    return text[lead.end() :] if lead is not None else text


def is_standing(text: str) -> bool:
    """Whether the first sentence of what was said tells how to act from now on; a question never does."""
    opening = open_of(text)
    end = _END.search(opening, 0, _LONGEST)
    sentence = opening[: end.end()] if end is not None else opening[:_LONGEST]
    if sentence.rstrip().endswith(("?", "？")):
        return False
    if cues(_TABLE, "opening").match(sentence) is not None:
        return True
    return any(cues(_TABLE, kind).search(sentence) is not None for kind in ("from_now", "on_request"))


_MARK = regex(r"^\s*(?:(?:[-*+]|\d+[.)]|#{1,6}|>|\[ \])\s+)+")
_QUOTED_CODE = regex(r"`[^`]*`")


@cache
def _is_none() -> re.Pattern[str]:
    """ "No failure", "without a single error"."""
    return regex(rf"(?:{cues(_TABLE, 'none').pattern})\s+(?:\w+\s+){{0,2}}\Z", re.IGNORECASE)


@cache
def _deciding() -> tuple[str, ...]:
    """Each sentence that decides something holds one of these."""
    return tuple(need for row in rows(_TABLE) if row.kind == "decided" for need in row.needs)


# Of what no sentence holds.
_CODE = regex(r"[={};]|</?\w")
_WORD = regex(r"\w+")
_TELLING_CHARS = 4
_DECISION_CHARS = (20, 500)
_QUESTION_CHARS = (15, 300)


def decisions(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that decide something, the latest last, each once."""
    return _keep(chain.from_iterable(map(_decisions_of, texts)), limit)


@lru_cache(maxsize=512)
def _decisions_of(text: str) -> tuple[str, ...]:
    """Kept for a while: the replies of a session are read again for each of its hand-offs."""
    low = text.lower()
    plain = " ".join(low.split())
    # Few hold one: the others need no sentences, and most of them no pattern.
    if not any(word in plain for word in _deciding()) or cues(_TABLE, "decided").search(low) is None:
        return ()
    return tuple(s for s in _sentences([text]) if _is_decision(s))


def open_questions(texts: Iterable[str], unanswered: Iterable[str] = (), limit: int = 10) -> list[str]:
    """What ``texts`` call undecided and what ``unanswered`` ones ask, the latest last, each once."""
    texts = list(texts)
    sentences_here = list(_sentences(texts)) if any(map(_calls_open, texts)) else []
    open_ones = (
        at for at, s in enumerate(sentences_here) if _may_be_open(s) and cues(_TABLE, "open").search(s.lower())
    )
    left = (sentences_here[at] for at in open_ones if not _is_settled(sentences_here[at], sentences_here[at + 1 :]))
    asking = (text for text in unanswered if "?" in text or "？" in text)
    asked = (s for s in _sentences(asking) if _may_be_open(s) and s.endswith(("?", "？")) and not _CODE.search(s))
    return _keep(chain(left, asked), limit)


def problems(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that tell what failed, the latest last, each once. What is quoted as code tells nothing."""
    low, high = _QUESTION_CHARS
    failures = (
        s for s in _sentences(text for text in texts if cues(_TABLE, "failed").search(text)) if _tells_failure(s)
    )
    return _keep((s for s in failures if low <= len(s) <= high and not s.endswith(("?", "？"))), limit)


def _tells_failure(sentence: str) -> bool:
    words = _QUOTED_CODE.sub(" ", sentence)
    return any(_is_none().search(words[: found.start()]) is None for found in cues(_TABLE, "failed").finditer(words))


def telling_words(sentence: str) -> frozenset[str]:
    """The longer words of a sentence: they name its subject."""
    return frozenset(word for word in _WORD.findall(sentence.casefold()) if len(word) >= _TELLING_CHARS)


@lru_cache(maxsize=512)
def _calls_open(text: str) -> bool:
    """Kept for a while, as above."""
    return cues(_TABLE, "open").search(text.lower()) is not None


def says_something(text: str) -> bool:
    """Whether some sentence of it is neither a question nor what somebody is about to do next."""
    return any(not s.endswith(("?", "？")) and cues(_TABLE, "next_step").search(s) is None for s in _sentences([text]))


def _is_settled(sentence: str, later: Iterable[str]) -> bool:
    """Whether a decision about the same thing comes later: one with half of its longer words."""
    about = telling_words(cues(_TABLE, "open").sub(" ", sentence.lower()))
    decided = (
        telling_words(other)
        for other in later
        if _is_decision(other) and cues(_TABLE, "open").search(other.lower()) is None
    )
    return bool(about) and any(2 * len(about & other) >= len(about) for other in decided)


def _is_decision(sentence: str) -> bool:
    low, high = _DECISION_CHARS
    if not low <= len(sentence) <= high or sentence.endswith(("?", "？", ":", "：")) or "?" in sentence:
        return False
    found = cues(_TABLE, "decided").search(sentence.lower())
    step = cues(_TABLE, "next_step").search(sentence.lower())
    if is_look(sentence) or cues(_TABLE, "recalled").search(sentence.lower()) is not None:
        return False
    return found is not None and (step is None or step.start() > found.start())


def _may_be_open(sentence: str) -> bool:
    low, high = _QUESTION_CHARS
    return (
        low <= len(sentence) <= high
        and cues(_TABLE, "polite").match(sentence) is None
        and not sentence.endswith((":", "："))
    )


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for part in split_sentences(without_code(text)):
            sentence = " ".join(_MARK.sub("", part).replace("**", "").split())
            if sentence:
                yield sentence


def _keep(sentences: Iterable[str], limit: int) -> list[str]:
    """The last ``limit``, each at its latest place."""
    found: dict[str, str] = {}
    for sentence in sentences:
        key = sentence.casefold()[:80]
        found.pop(key, None)
        found[key] = sentence
    return list(found.values())[-limit:]


_DUE = "due"
_LANGUAGES = ("en", "es", "de", "fr", "pt", "it", "ru")
"""Whose months are read."""
_BY_CHARS = 24
_YEAR = regex(r"\d{4}")
_LEAP = (2, 29)
_POINTED = regex(r"(?:last|next)\s", re.IGNORECASE)
_FRIDAY = 4
_FAR_PAST = 120
"""Days: a month and day further back than this means the next one."""


@dataclass(frozen=True, slots=True)
class DatedPhrase:
    """A phrase with the day that it means; ``relative`` if only the turn's time tells it, ``ahead`` if it is a bare
    weekday: the next one of somebody who promises, perhaps the last of somebody who tells."""

    start: int
    end: int
    day: date
    relative: bool
    ahead: bool = False


def dates(text: str, said_on: date) -> list[DatedPhrase]:
    """The days that ``text`` names, as somebody means them who looks ahead: "Friday" is the next one. In order,
    without overlaps."""
    found: list[DatedPhrase] = []
    for one in sorted(_find(text, said_on), key=lambda item: (item.start, item.start - item.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def due_at(text: str, said_on: date) -> int | None:
    """Noon UTC of the first day that is not past, in ms; ``None`` without one. A day of no year by which something is
    to be done, and that is over, means the next one."""
    found = dates(text, said_on)
    days = [item.day for item in found if item.day >= said_on]
    days += [item.day.replace(year=item.day.year + 1) for item in found if _is_limit(item, text)]
    return instants.noon(days[0]) if days else None


def _is_limit(item: DatedPhrase, text: str) -> bool:
    """Whether it is a day of the calendar without its year, by which something is to be done; no leap day."""
    bare = (
        not item.relative
        and _YEAR.search(text, item.start, item.end) is None
        and (item.day.month, item.day.day) != _LEAP
    )
    return bare and _by().search(text[max(0, item.start - _BY_CHARS) : item.start]) is not None


def absolute(text: str, said_on: date, *, promised: bool = True) -> str:
    """``text`` with the day after each phrase that only the turn's time explains. A bare weekday is the next one only
    in what is ``promised``."""
    parts, at = [], 0
    for item in dates(text, said_on):
        if item.relative and (promised or not item.ahead):
            parts += [text[at : item.end], f" ({item.day.isoformat()})"]
            at = item.end
    return "".join([*parts, text[at:]])


def _find(text: str, said_on: date) -> Iterator[DatedPhrase]:
    for name, pattern in _patterns().items():
        for match in pattern.finditer(text):
            day = _day(name, match, said_on)
            if day is not None:
                ahead = name.endswith("weekday") and not _POINTED.match(match[0])
                yield DatedPhrase(*match.span(), day, name not in ("iso", "full"), ahead)


def _day(name: str, match: re.Match[str], said_on: date) -> date | None:
    try:
        if name == "iso":
            return date(int(match[1]), int(match[2]), int(match[3]))
        if name == "full":
            return _calendar(match, said_on)
        if name in ("weekday", "short weekday"):
            weekday = word_places(_DUE, name.removesuffix(" weekday"))[match["weekday"].lower()]
            ahead = (weekday - said_on.weekday()) % 7 or 7
            return said_on + timedelta(ahead - 7 if match["last"] else ahead)
        if name == "days":
            return said_on + _span(match[1], match[2])
        if name == "ago":
            return said_on - _span(match["c1"] or match["c2"], match["u1"] or match["u2"])
        return _date_named(name, said_on)
    except (ValueError, OverflowError, KeyError):
        return None


def _span(count: str, unit: str) -> timedelta:
    """Of a count in figures or words; an article is one."""
    number = int(count) if count.isdecimal() else 1 + next(n for n, one in enumerate(_counts()) if one.fullmatch(count))
    return timedelta(number * (7 if cues(_DUE, "week").fullmatch(unit) else 1))


def _calendar(match: re.Match[str], said_on: date) -> date | None:
    month = _months()[(match["m1"] or match["m2"]).lower()]
    day = int(match["d1"] or match["d2"])
    if match["year"]:
        return date(int(match["year"]), month, day)
    found = date(said_on.year, month, day)
    return date(said_on.year + 1, month, day) if (said_on - found).days > _FAR_PAST else found


def _date_named(name: str, said_on: date) -> date:
    if name == "week_end":
        return said_on + timedelta((_FRIDAY - said_on.weekday()) % 7)
    if name == "month_end":
        return (said_on.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)
    return said_on + timedelta({"today": 0, "tomorrow": 1, "yesterday": -1, "next_week": 7 - said_on.weekday()}[name])


def _counts() -> tuple[re.Pattern[str], ...]:
    return each(_DUE, "count")


@cache
def _by() -> re.Pattern[str]:
    """What stands before a day by which something is to be done."""
    articles = "the|el|al?|den?|dem|zum|le|la|o|il"
    return regex(rf"(?:{cues(_DUE, 'by').pattern})(?:\s+(?:{articles}))?\s+$", re.IGNORECASE)


@cache
def _months() -> Mapping[str, int]:
    return {**month_words(*_LANGUAGES), **short_months("en", "es")}


def _any_word(kind: str) -> str:
    return any_of(word_places(_DUE, kind))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    months = any_of(_months())
    one, *more = (count.pattern for count in _counts())
    several = rf"\d{{1,3}}|{'|'.join(more)}"
    unit = "|".join(cues(_DUE, kind).pattern for kind in ("day", "week"))
    within, ago, before = (cues(_DUE, kind).pattern for kind in ("in", "ago", "before_ago"))
    sources = {
        "iso": r"\b(\d{4})-(\d\d)-(\d\d)\b",
        "full": rf"\b(?:(?P<m1>{months})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?|"
        r"(?P<d2>\d{1,2})(?:st|nd|rd|th|\.|º|er)?"
        rf"\s+(?:of\s+|de\s+)?(?P<m2>{months}))\b(?:,?\s+(?:de\s+)?(?P<year>20\d\d))?",
        "weekday": rf"(?<!\w)(?P<last>last\s+)?(?:next\s+|this\s+)?(?P<weekday>{_any_word('weekday')})(?![\w-])"
        r"(?!\s+(?:mornings|afternoons|evenings|nights))",
        "short weekday": rf"(?<!\w)(?:(?P<last>last)|next|this|on|by|until)\s+(?P<weekday>{_any_word('short')})"
        r"(?![\w'-])",
        "days": rf"(?:{within})\s+({several})\s+({unit})",
        "ago": rf"(?P<c1>{several}|{one})\s+(?P<u1>{unit})\s+(?:{ago})|"
        rf"(?:{before})\s+(?P<c2>{several}|{one})\s+(?P<u2>{unit})",
    }
    near = ("today", "tomorrow", "yesterday", "week_end", "month_end", "next_week")
    compiled = {name: regex(source, re.IGNORECASE) for name, source in sources.items()}
    return compiled | {name: cues(_DUE, name) for name in near}
