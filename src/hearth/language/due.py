"""When something is due: the first date that a promise names, and relative dates made absolute by the turn's time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from hearth.core import instants
from hearth.core.lazy import dataclass, regex

_MONTHS = (
    "january jan enero januar janvier janeiro gennaio января 1月",
    "february feb febrero februar février fevereiro febbraio февраля 2月",
    "march mar marzo märz mars março марта 3月",
    "april apr abril avril aprile апреля 4月",
    "may mayo mai maio maggio мая 5月",
    "june jun junio juni juin junho giugno июня 6月",
    "july jul julio juli juillet julho luglio июля 7月",
    "august aug agosto août августа 8月",
    "september sept sep septiembre septembre setembro settembre сентября 9月",
    "october oct octubre oktober octobre outubro ottobre октября 10月",
    "november nov noviembre novembre novembro ноября 11月",
    "december dec diciembre dezember décembre dezembro dicembre декабря 12月",
)
_WEEKDAYS = (
    "monday lunes montag lundi segunda segunda-feira lunedì понедельник понедельника 星期一 周一 月曜",
    "tuesday martes dienstag mardi terça terça-feira martedì вторник вторника 星期二 周二 火曜",
    "wednesday miércoles mittwoch mercredi quarta quarta-feira mercoledì среду среды 星期三 周三 水曜",
    "thursday jueves donnerstag jeudi quinta quinta-feira giovedì четверг четверга 星期四 周四 木曜",
    "friday viernes freitag freitagmorgen vendredi sexta sexta-feira venerdì пятницу пятницы 星期五 周五 金曜",
    "saturday sábado samstag samedi sabato субботу субботы 星期六 周六 土曜",
    "sunday domingo sonntag dimanche domenica воскресенье воскресенья 星期日 周日 日曜",
)
_TOMORROW = r"tomorrow|mañana(?!\s+por)|morgen|demain|amanhã|domani|завтра|明天|明日"
_TODAY = r"today|tonight|hoy|esta\s+noche|heute|aujourd['’]hui|ce\s+soir|hoje|oggi|stasera|сегодня|今天|今日"
_YESTERDAY = r"yesterday|last\s+night|anoche|ayer|gestern|hier|ontem|ieri|вчера|昨天|昨日"
_WEEK_END = (
    r"(?:by\s+|before\s+)?(?:the\s+)?end\s+of\s+(?:the\s+|this\s+)?week|eow|fin(?:al(?:es)?)?\s+de\s+(?:la\s+)?semana|"
    r"ende\s+der\s+woche|fin\s+de\s+(?:la\s+)?semaine|fim\s+da\s+semana|fine\s+settimana|конца\s+недели|周末|週末"
)
_MONTH_END = (
    r"(?:the\s+)?(?:end\s+of\s+(?:the\s+|this\s+)?month|month[- ]end)|eom|fin(?:al(?:es)?)?\s+de\s+mes|monatsende|"
    r"ende\s+des\s+monats|fin\s+(?:du|de)\s+mois|(?:fim|final)\s+do\s+mês|fine\s+(?:del\s+)?mese|конца\s+месяца|月底|月末"
)
_NEXT_WEEK = (
    r"next\s+week|(?:la\s+|na\s+)?(?:próxima\s+semana|semana\s+que\s+(?:viene|vem))|nächste[rn]?\s+woche|"
    r"(?:la\s+)?semaine\s+prochaine|(?:la\s+)?(?:prossima\s+settimana|settimana\s+prossima)|на\s+следующей\s+неделе|"
    r"下周|来週"
)
_SEVERAL = r"\d{1,3}|two|three|dos|tres|zwei|drei|deux|trois|dois|duas|três|due|tre|два|две|три"
_ONE = r"an?|one|un[ao]?|eine[mr]|une|uma?"
_UNIT = (
    r"days?|weeks?|días?|semanas?|tag(?:en?)?|wochen?|jours?|semaines?|dias?|giorn[oi]|settiman[ae]|"
    r"дн\w+|день|недел\w+"
)
_IN_DAYS = rf"(?:in|within|en|dentro\s+de|innerhalb\s+von|dans|em|tra|entro|через)\s+({_SEVERAL})\s+({_UNIT})"
_AGO = (
    rf"(?P<c1>{_SEVERAL}|{_ONE})\s+(?P<u1>{_UNIT})\s+(?:ago|fa|atrás|назад)|"
    rf"(?:hace|vor|il\s+y\s+a|há|faz)\s+(?P<c2>{_SEVERAL}|{_ONE})\s+(?P<u2>{_UNIT})"
)
# Alone they are other words, too: "sat", "sun", "mon".
_SHORT_DAYS = ("mon", "tue tues", "wed weds", "thu thur thurs", "fri", "sat", "sun")
_COUNTS = {"two": 2, "three": 3, "dos": 2, "tres": 3, "zwei": 2, "drei": 3, "deux": 2, "trois": 3, "dois": 2,
           "duas": 2, "três": 3, "due": 2, "tre": 3, "два": 2, "две": 2, "три": 3}  # fmt: skip
_BY = regex(
    r"(?<!\w)(?:by|before|until|till|no later than|para|antes d[eo]l?|hasta|bis|vor|d['’]ici|avant|jusqu['’]au|até|"
    r"entro|prima d\w+|fino al?|к|до)(?:\s+(?:the|el|al?|den?|dem|zum|le|la|o|il))?\s+$",
    re.IGNORECASE,
)
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
    return bare and _BY.search(text[max(0, item.start - _BY_CHARS) : item.start]) is not None


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
            table = _WEEKDAYS if name == "weekday" else _SHORT_DAYS
            weekday = _numbers(table)[match["weekday"].lower()]
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
    number = int(count) if count.isdecimal() else _COUNTS.get(count.lower(), 1)
    weeks = unit.lower().startswith(("w", "sem", "set", "нед"))
    return timedelta(number * (7 if weeks else 1))


def _calendar(match: re.Match[str], said_on: date) -> date | None:
    month = _numbers(_MONTHS)[(match["m1"] or match["m2"]).lower()] + 1
    day = int(match["d1"] or match["d2"])
    if match["year"]:
        return date(int(match["year"]), month, day)
    found = date(said_on.year, month, day)
    return date(said_on.year + 1, month, day) if (said_on - found).days > _FAR_PAST else found


def _date_named(name: str, said_on: date) -> date:
    if name == "week end":
        return said_on + timedelta((_FRIDAY - said_on.weekday()) % 7)
    if name == "month end":
        return (said_on.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)
    return said_on + timedelta({"today": 0, "tomorrow": 1, "yesterday": -1, "next week": 7 - said_on.weekday()}[name])


@cache
def _numbers(table: tuple[str, ...]) -> dict[str, int]:
    return {word: at for at, words in enumerate(table) for word in words.split()}


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    months = "|".join(sorted((word for word in _numbers(_MONTHS) if word[0].isalpha()), key=len, reverse=True))
    weekdays = "|".join(sorted(_numbers(_WEEKDAYS), key=len, reverse=True))
    short = "|".join(sorted(_numbers(_SHORT_DAYS), key=len, reverse=True))
    sources = {
        "iso": r"\b(\d{4})-(\d\d)-(\d\d)\b",
        "full": rf"\b(?:(?P<m1>{months})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?|"
        r"(?P<d2>\d{1,2})(?:st|nd|rd|th|\.|º|er)?"
        rf"\s+(?:of\s+|de\s+)?(?P<m2>{months}))\b(?:,?\s+(?:de\s+)?(?P<year>20\d\d))?",
        "weekday": rf"(?<!\w)(?P<last>last\s+)?(?:next\s+|this\s+)?(?P<weekday>{weekdays})(?![\w-])"
        r"(?!\s+(?:mornings|afternoons|evenings|nights))",
        "short weekday": rf"(?<!\w)(?:(?P<last>last)|next|this|on|by|until)\s+(?P<weekday>{short})(?![\w'-])",
        "days": rf"(?<!\w)(?:{_IN_DAYS})\b",
        "ago": rf"(?<!\w)(?:{_AGO})(?!\w)",
        "today": rf"(?<!\w)(?:{_TODAY})(?!\w)",
        "tomorrow": rf"(?<!\w)(?:{_TOMORROW})(?!\w)",
        "yesterday": rf"(?<!\w)(?:{_YESTERDAY})(?!\w)",
        "week end": rf"(?<!\w)(?:{_WEEK_END})(?!\w)",
        "month end": rf"(?<!\w)(?:{_MONTH_END})(?!\w)",
        "next week": rf"(?<!\w)(?:{_NEXT_WEEK})(?!\w)",
    }
    return {name: regex(source, re.IGNORECASE) for name, source in sources.items()}
