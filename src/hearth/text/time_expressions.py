"""The times that a question names, and what it asks of them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.text.calendar import DAY, Found, Hours, day, latest_month
from hearth.text.common_words import is_stop_word, stop_words
from hearth.text.language import fold
from hearth.text.time_phrases import MONTHS, rules

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_WORD = regex(r"\w+")
# Months that are also verbs or names: a bare capital does not make them a month.
_BARE_MONTH = regex(
    r"(?<![\w'-])(?P<month>January|February|April|June|July|August|September|October|November|December)(?![\w'-])"
    r"|(?<=\bthe )(?P<verb>March|May)(?!\w)"
)
_NUMBER_AND_VERB = regex(r"(?:the )?\d+ (?:may|march)")
_MAX_EXPANDED_DAYS = 7
_MAX_TEXT = 10_000
_LEAST_LETTERS = 4


# What opens a range to the present, or says no more than that something was before or after.
_SINCE = r"since|desde|seit|depuis|sinds|vanaf|sedan"
_BESIDE = (
    r"before|after|until|till|by|prior to|following|antes del?|después del?|hasta|vor|nach|bis|avant|après|jusqu['’]à|"
    r"prima|dopo|fino a|depois d[eoa]|até|voor|na|tot|до|после|före|efter"
)
_ARTICLE = r"(?:(?:the|el|la|los|las|de[mnr]|die|das|le|les|il|lo|het|o|a) )?"
_OPENS = regex(rf"(?<!\w)(?:{_SINCE}) {_ARTICLE}\Z")
_STANDS_BESIDE = regex(rf"(?<!\w)(?:{_BESIDE}) {_ARTICLE}\Z")
# What something is brought to, unless a range ends with it: "restore it to yesterday noon", but "from May to June".
_TARGET = regex(rf"(?<!\w)(?:to|al|auf) {_ARTICLE}\Z")
# The same where they are part of the phrase.
_SINCE_IN, _UNTIL_IN = regex(rf"(?:{_SINCE})\s"), regex(r"(?:until|by|hasta)\s")
_LEAD_CHARS = 24


@dataclass(frozen=True, slots=True)
class TimeRange:
    """``start`` and ``end`` are ms UTC, half-open; ``exact`` is false where people round ("three weeks ago"). What is
    asked for lies ``inside``, unless the text says that it was before or after."""

    start: int
    end: int
    phrase: str
    exact: bool
    inside: bool = True


def time_ranges(text: str, at_ms: int, zone: str) -> tuple[TimeRange, ...]:
    """Every date or period that the text names, in order, read at ``at_ms`` (ms UTC) in ``zone`` (an IANA name).

    A month or day without a year is the latest one not after ``at_ms``. Only the first 10,000 characters are read.
    Raises ``UsageError`` for an unknown zone.
    """
    return split_times(text, at_ms, zone)[1]


def may_name_times(text: str) -> bool:
    """Whether it has a digit or a word of times; false alarms are common, and finding out more takes longer."""
    return any(map(str.isdigit, text)) or not _time_words().isdisjoint(_WORD.findall(_lower(text)))


@cache
def _time_words() -> frozenset[str]:
    """The words that call for a rule, but for the shortest, which stand in any text; with those go numbers."""
    return frozenset(word for rule in rules() for word in rule.triggers if len(word) >= _LEAST_LETTERS) | MONTHS.keys()


def split_times(text: str, at_ms: int, zone: str) -> tuple[str, tuple[TimeRange, ...]]:
    """The text without the phrases that name a time, and these as ``time_ranges`` gives them."""
    place = _zone(zone)
    text = normalize("NFC", text)
    tonight = _range(day(instants.moment(at_ms, place).date()), "", place).end
    ranges: list[TimeRange] = []
    rest, at = [], 0
    for start, end, found in _phrases(text, at_ms, place):
        named = _bound_range(_range(found, text[start:end], place), _lower(text[:end]), start, tonight)
        target = _TARGET.search(_lower(text[at:start]))
        ranges.append(replace(named, inside=False) if target and (not ranges or target.start() > 1) else named)
        rest.append(text[at:start])
        at = end
    return " ".join((*rest, text[at:])), tuple(ranges)


def _bound_range(named: TimeRange, text: str, start: int, tonight: int) -> TimeRange:
    """What the words before the phrase, or its first one, make of it; ``text`` ends with it."""
    before = text[max(0, start - _LEAD_CHARS) : start]
    if _OPENS.search(before) or _SINCE_IN.match(text, start):
        return replace(named, end=max(named.end, tonight))
    beside = _STANDS_BESIDE.search(before) or _UNTIL_IN.match(text, start)
    return replace(named, inside=False) if beside else named


def date_words(text: str, at_ms: int, zone: str) -> tuple[str, ...]:
    """ISO dates that the text's date words stand for: each day of a range up to a week, ``YYYY-MM`` for a month."""
    words: list[str] = []
    for _, _, found in _phrases(normalize("NFC", text), at_ms, _zone(zone)):
        if isinstance(found, Hours):
            words += (found.start.date().isoformat(), (found.end - timedelta(seconds=1)).date().isoformat())
        elif (found.end - found.first).days <= _MAX_EXPANDED_DAYS:
            words += [(found.first + n * DAY).isoformat() for n in range((found.end - found.first).days)]
        elif found.first.day == 1 and (found.end - found.first).days <= 31:
            words.append(found.first.isoformat()[:7])
    return tuple(dict.fromkeys(words))


@cache
def _recency() -> re.Pattern[str]:
    return regex(
        r"(?<!\w)(?:latest|newest|most recent(?:ly)?|recent(?:ly)?|lately|just now|so far today"
        r"|last (?:time|session|night)|yesterday|today|this (?:morning|afternoon|week)"
        r"|(?:where|what) (?:did|were|was) (?:we|i) (?:leave|left|doing|working)"
        r"|where (?:we|i) left off|left off|pick(?:ed|ing)? up where|current status|up to date"
        r"|ayer|hoy|anoche|antier|anteayer|recientes?|recientemente|últimamente|ultimamente|esta (?:mañana|semana)"
        r"|[úu]ltim[oa]s? (?:vez|veces|sesi[óo]n|cambios?|versi[óo]n|d[ií]as?|decisi[óo]n|avances?|noticias?)"
        r"|(?:lo|el|la|los|las) (?:más|mas) (?:reciente|nuev[oa])s?|lo [úu]ltimo"
        r"|(?:en|d[óo]nde) (?:qu[ée] )?(?:(?:nos|lo) )?(?:quedamos|dejamos|[ií]bamos|est[áa]bamos))(?!\w)"
    )


def is_recency(text: str) -> bool:
    """Whether the question asks for what is newest ("latest", "where did we leave off", "la última vez")."""
    return _recency().search(_lower(normalize("NFC", text[:_MAX_TEXT]))) is not None


def _zone(name: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo  # costs milliseconds that a query without dates need not pay

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(f"time zone {name[:80]!r} is unknown; use an IANA name such as Europe/Madrid") from error


def _lower(text: str) -> str:
    """Same length as ``text``: only this letter grows when lowered."""
    return text.replace("\u0130", "I").lower()


def _phrases(text: str, at_ms: int, zone: ZoneInfo) -> list[tuple[int, int, Found]]:
    """Where each phrase stands in the text, and what it names."""
    text = text[:_MAX_TEXT]
    lowered = _lower(text)
    words = frozenset((*_WORD.findall(lowered), *(sign for sign in "-/." if sign in lowered)))
    now = instants.moment(at_ms, zone)
    spans: list[tuple[int, int, Found]] = []
    for rule in rules():
        if rule.triggers.isdisjoint(words):
            continue
        for match in rule.pattern.finditer(lowered):
            if _NUMBER_AND_VERB.fullmatch(text, *match.span()):
                continue
            try:
                found = rule.read(match, now)
            except (ValueError, OverflowError):
                continue  # 31 February, 9999 years ago
            spans.append((*match.span(), found))
    if not words.isdisjoint(MONTHS):
        spans += _bare_months(text, now)
    return _disjoint(spans)


def _bare_months(text: str, now: datetime) -> list[tuple[int, int, Found]]:
    return [(*match.span(), latest_month(MONTHS[match[0].lower()], now.date())) for match in _BARE_MONTH.finditer(text)]


def _disjoint(spans: list[tuple[int, int, Found]]) -> list[tuple[int, int, Found]]:
    """In order of place; of overlapping phrases the first and longest stays."""
    kept: list[tuple[int, int, Found]] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _range(found: Found, phrase: str, zone: ZoneInfo) -> TimeRange:
    if isinstance(found, Hours):
        return TimeRange(instants.of(found.start), instants.of(found.end), phrase, found.exact)
    # A document that carries a date only stands at 12:00 UTC of that date. East of UTC+12 the local day ends before
    # that noon, so the range is moved just enough to hold the noons of its own days and no other.
    start = max(instants.of(_midnight(found.first, zone)), instants.noon(found.first - DAY) + 1)
    end = max(instants.of(_midnight(found.end, zone)), instants.noon(found.end - DAY) + 1)
    return TimeRange(start, end, phrase, found.exact)


def _midnight(when: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(when, time(), zone)


# What people do on any day, and what they call it: no note of that day need hold such a word.
_ANY_DAY = """
accomplish accomplished activities activity agree agreed anything change changed changes daily dated day days decide
decided diary did discuss discussed discussing discussion do does doing done entries entry event events everything
file files find get give going happen happened happening happens journal learn learned list log logged logs me note
noted notes progress recap remember remind said say show since something stuff summarise summarize summary talk talked
talking tell thing things today up went work worked working write written wrote acordamos apunte apuntes cosas
decidido decidimos diario día dia dime discutimos dije dijimos entrada entradas escribí escribimos hablado hablamos
hablé hacer haciendo hago hecho hemos hice hicimos hizo muestra notas nota ocurrió pasado pasó desde resumen resume
trabajado trabajé trabajamos tratamos vimos avons décidé discuté écrit fait faire faisait journal jour montre note
notes faite parlé passé résumé travaillé vu aufgeschrieben beschlossen seit besprochen diskutiert eintrag erledigt
gearbeitet gemacht gesagt geschehen entschieden geschrieben gesprochen geredet getan lief los notiert notiz notizen
passiert tag tagebuch war zeig zusammenfassung abbiamo accaduto appunti cosa cose deciso detto diario discusso fatto
giorno lavorato mostra note nota parlato riassunto scritto successo aconteceu anotações conversamos decidimos
discutimos disse escrevi escrito falamos falei feito fiz fizemos mostra notas resumo trabalhamos trabalhei besloten
besproken sinds dag dagboek gebeurd gebeurde gedaan deden deed gemaakt gepraat geschreven gesproken gewerkt gezegd
notitie notities samenvatting было говорили делал делала делали делаю день дневник записи запись заметка заметки
обсуждали обсудили писал писала писали произошло работал работала работали решили сделал сделала сделали случилось
покажи anteckning anteckningar sedan arbetade beslutade bestämde dag dagbok diskuterade gjorde gjort hände hänt
jobbade pratade sade sagt skrev skrivit
"""
_QUESTIONS_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_EN = r"(?:did|were|was|are|have|had)\s+(?:we|i)"
_LEFT = r"(?:leave|left)(?:\s+(?:off|it))?|stop(?:ped)?|doing|at|working\s+on|up\s+to"
_LAST_SESSION = (
    rf"where\s+(?:{_EN}|(?:we|i))\b.{{0,12}}?\b(?:{_LEFT})\b|where\s+(?:were|are)\s+we\b(?!\s+(?:going|on|with\s+regard))",
    rf"what\s+{_EN}\s+(?:doing|working\s+on|up\s+to)\b(?!\s+\w+\s+\w+\s+\w+)",
    r"(?:pick(?:ing)?\s+up|continue|carry\s+on|resume|start)\s+(?:from\s+)?where\s+(?:we|i)\s+(?:left|stopped)(?:\s+off)?",
    r"(?:last|previous|prior)\s+(?:session|conversation|chat)\b|last\s+time(?:\s+(?:we|i)\s+(?:talked|spoke|worked|met))?",
    r"last\s+thing\s+(?:that\s+)?(?:we|i)\b|lo\s+[úu]ltimo\s+que\s+(?:hicimos|vimos|hablamos|dejamos)",
    r"was\s+haben\s+wir\s+zuletzt\b|(?:la\s+)?derni[èe]re\s+chose\s+(?:que\s+nous|qu['’]on)\b",
    r"(?:en|a|por)?\s*(?:d[óo]nde|qu[ée])\s+(?:(?:nos|lo|la)\s+)?(?:quedamos|dejamos|[ií]bamos|est[áa]bamos)",
    r"(?:[úu]ltima|anterior|pasada)\s+(?:sesi[óo]n|conversaci[óo]n|charla)|(?:sesi[óo]n|conversaci[óo]n)\s+(?:anterior|pasada)",
    r"wo\s+(?:waren|sind|haben)\s+wir(?:\s+(?:stehen\s*geblieben|aufgehört))?(?=\W*\Z)",
    r"(?:letzte[nrs]?|vorige[nrs]?)\s+(?:sitzung|session|gespräch|unterhaltung)",
    r"o[ùu]\s+(?:en\s+)?(?:étions|sommes|en\s+est|on\s+en)[-\s](?:nous|était|est|étions)?|où\s+(?:nous|on)\s+(?:nous\s+)?(?:étions|s['’]était)",
    r"(?:dernière|précédente)\s+(?:session|conversation|séance)|(?:session|conversation|séance)\s+(?:dernière|précédente)",
    r"dove\s+(?:eravamo|siamo)\s+(?:rimasti|arrivati)|(?:ultima|scorsa)\s+(?:sessione|conversazione)|"
    r"(?:sessione|conversazione)\s+(?:precedente|scorsa)",
    r"onde\s+(?:paramos|estávamos|ficamos)|em\s+que\s+ponto|(?:última|passada)\s+(?:sessão|conversa)|(?:sessão|conversa)\s+(?:anterior|passada)",
    r"waar\s+(?:waren|zijn)\s+we\s+(?:gebleven|mee\s+bezig)|(?:vorige|laatste)\s+(?:sessie|gesprek)",
    r"на\s+ч[её]м\s+(?:мы\s+)?(?:остановились|закончили)|(?:прошл\w+|последн\w+)\s+(?:сесси\w+|разговор\w*|бесед\w+)",
    r"var\s+(?:var|slutade|är)\s+vi\b|(?:förra|senaste)\s+(?:sessionen|samtalet)",
)  # fmt: skip


@cache
def _any_day() -> frozenset[str]:
    return frozenset(fold(word) for word in _ANY_DAY.split())


@cache
def _last_session() -> re.Pattern[str]:
    return regex(rf"(?<!\w)(?:{'|'.join(_LAST_SESSION)})", re.IGNORECASE)


def asks_more(text: str) -> bool:
    """Whether a text without its times holds a word about something: more than what is done on any day."""
    return any(not _is_idle(word.casefold().replace("’", "'")) for word in _QUESTIONS_WORD.findall(text)) or any(
        char.isdigit() for char in text
    )


def _is_idle(word: str) -> bool:
    parts = [part for part in word.split("'") if part]
    languages = tuple(stop_words())
    return all(len(p) == 1 or fold(p) in _any_day() or is_stop_word(p, languages) for p in parts)


def split_session(text: str) -> tuple[str, bool]:
    """The text without the phrase that asks where the last session stopped, and whether it had one."""
    rest, count = _last_session().subn(" ", text[:1_000])
    return rest, count > 0


# Behind these the question may end, or go on with what came instead.
_INSTEAD = r"(?=\s*(?:[?.!,;)]|\Z|we\s+(?:switched|moved|changed|migrated)|the\s+(?:switch|move|change|migration)))"
_FORMER = (
    r"(?:what|which|who|where|how)\b.{0,80}?\b(?:before|earlier)" + _INSTEAD,
    r"(?:what|which)\b.{0,40}?\b(?:did|had|have|were|was)\b.{0,60}?\bbefore\s+[^?]{2,60}\?",
    r"used\s+to\s+(?:be|have|use|run|do|live|work|call)|did\b.{0,30}?\buse\s+to\b",
    r"previously|formerly|originally|initially|back\s+then|at\s+first\b|until\s+then|in\s+the\s+past",
    r"(?:former|previous|old|earlier|original|prior)\s+(?:decision|choice|plan|version|value|setting|address|name|"
    r"job|role|employer|database|editor|tool|library|framework|provider|port|price|deadline|approach|answer|way)s?",
    r"(?:antes|anteriormente|previamente|originalmente|al\s+principio)(?=\s*(?:[?¿.!,]|\Z|de\s))"
    r"|qué\s+\w+\s+antes|sol[ií]a(?:mos|s|n)?\b",
    r"(?:anterior|antigu[oa]|vieja|viejo)\s+(?:decisi[óo]n|versi[óo]n|plan|direcci[óo]n|nombre|puerto|editor|base)|"
    r"(?:decisi[óo]n|versi[óo]n|plan|direcci[óo]n|nombre|puerto|editor)\s+(?:anterior|antigu[oa])",
    r"vorher|früher(?:e[nrms]?)?\b|zuvor|ehemal(?:s|ige[nrms]?)|ursprünglich(?:e[nrms]?)?|damals|bisherige[nrms]?|"
    r"vorige[nrms]?\s+(?:entscheidung|version|plan|adresse|datenbank)",
    r"auparavant|avant(?=\s*(?:[?.!,]|\Z))|précédemment|à\s+l['’]origine|autrefois|initialement|"
    r"(?:ancien(?:ne)?|précédente?)\s+(?:décision|version|plan|adresse|nom|port|éditeur|base)",
    r"prima(?=\s*(?:[?.!,]|\Z|di\s))|in\s+precedenza|precedentemente|originariamente|inizialmente|una\s+volta\b|"
    r"(?:vecchi[ao]|precedente)\s+(?:decisione|versione|piano|indirizzo|nome|porta|editor)",
    r"anteriormente|antigamente|originalmente|costumáva(?:mos|m)?|"
    r"(?:antig[oa]|anterior)\s+(?:decisão|versão|plano|endereço|nome|porta|editor)",
    r"voorheen|vroeger|eerder(?=\s*(?:[?.!,]|\Z))|oorspronkelijk|destijds|"
    r"(?:oude|vorige)\s+(?:beslissing|versie|plan|adres|naam|poort|editor)",
    r"раньше|ранее|прежде|прежн\w+|изначально|первоначально|до\s+этого",
    r"tidigare|förut|ursprungligen|på\s+den\s+tiden|(?:gamla|förra)\s+(?:beslutet|versionen|planen|adressen|namnet)",
)


@cache
def _former() -> re.Pattern[str]:
    return regex(rf"(?<!\w)(?:{'|'.join(_FORMER)})", re.IGNORECASE)


def asks_former(text: str) -> bool:
    """Whether what was replaced may be what is asked for."""
    return _former().search(text[:2_000]) is not None
