"""Dates in German, French, Italian, Portuguese, Dutch, Russian and Swedish: their words, one grammar for all.

Words are lower-case, forms of one apart by ``/``. English and Spanish, which say more, stand in ``phrases``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache

from hearth.core.lazy import dataclass
from hearth.text.calendar import (
    DAY,
    Found,
    PhraseRule,
    any_of,
    away,
    day,
    day_of_month,
    latest_month,
    make_rule,
    month,
    period,
    weekday,
)

_YEAR = r"(?P<year>(?:19|20)\d\d)(?![-/.]?\d)"
_UNITS = ("day", "week", "month", "year", "hour")


@dataclass(frozen=True, slots=True)
class Tongue:
    """``days`` maps words to how many days from today they are. ``months``, ``weekdays`` and ``numbers`` (from one) are
    in their order, ``units`` in that of day, week, month, year, hour. ``last``, ``this`` and ``next`` are patterns of
    what stands before a unit or a weekday, ``after_last`` and ``after_next`` of what stands behind one. ``ago`` has
    ``N`` where the number and the unit stand, ``in_month`` what stands before a month, ``on_day`` what may stand before
    a weekday that is a day of this week or the last, ``of`` what may stand between a day, its month and its year."""

    days: Mapping[str, int]
    months: str
    weekdays: str
    numbers: str
    units: str
    last: str
    this: str
    next: str
    ago: str
    in_month: str
    on_day: str
    after_last: str = "(?!)"
    after_next: str = "(?!)"
    of: str = ""
    one_ago: bool = False
    """Whether a unit without a number is one: "неделю назад"."""


_GERMAN = Tongue(
    days={"heute": 0, "gestern": -1, "vorgestern": -2, "übermorgen": 2},
    months="januar/jänner februar märz april mai juni juli august september oktober november dezember",
    weekdays="montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    numbers="ein/einem/einer/eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    units="tag/tage/tagen woche/wochen monat/monaten/monate jahr/jahren/jahre stunde/stunden",
    last="(?:letzte|vorige|vergangene)[nmrs]?",
    this="diese[nmrs]?",
    next="(?:nächste|kommende)[nmrs]?",
    ago="vor N",
    in_month="im|seit|im monat|anfang|mitte|ende",
    on_day="am|seit",
)
_FRENCH = Tongue(
    days={"aujourd'hui": 0, "aujourd’hui": 0, "d'hier": -1, "d’hier": -1, "avant-hier": -2, "après-demain": 2},
    months="janvier février/fevrier mars avril mai juin juillet août/aout septembre octobre novembre décembre/decembre",
    weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
    numbers="un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    units="jour/jours semaine/semaines mois an/ans/année/années heure/heures",
    last="(?!)",
    this="(?:ce|cette|cet)",
    next="(?!)",
    after_last="(?:derni[eè]re?|passée?)",
    after_next="(?:prochaine?)",
    ago="il y a N",
    in_month="en|au mois de|depuis|début|mi|fin",
    on_day="depuis",
)
_ITALIAN = Tongue(
    days={"oggi": 0, "ieri": -1, "l'altro ieri": -2, "altro ieri": -2, "avantieri": -2, "domani": 1, "dopodomani": 2},
    months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    weekdays="lunedì/lunedi martedì/martedi mercoledì/mercoledi giovedì/giovedi venerdì/venerdi sabato domenica",
    numbers="un/una/uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    units="giorno/giorni settimana/settimane mese/mesi anno/anni ora/ore",
    last="scors[oa]",
    this="quest[oa]|quest['’]",
    next="prossim[oa]",
    after_last="(?:scors[oa]|passat[oa])",
    after_next="prossim[oa]",
    ago="N fa",
    in_month="in|a|nel|da|nel mese di",
    on_day="(?!)",
    of="(?:di |del )?",
)
_PORTUGUESE = Tongue(
    days={"hoje": 0, "ontem": -1, "anteontem": -2, "amanhã": 1, "depois de amanhã": 2},
    months="janeiro fevereiro março/marco abril maio junho julho agosto setembro outubro novembro dezembro",
    weekdays="segunda-feira/segunda terça-feira/terça quarta-feira/quarta quinta-feira/quinta sexta-feira/sexta "
    "sábado domingo",
    numbers="um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
    units="dia/dias semana/semanas mês/meses ano/anos hora/horas",
    last="(?:últim[oa])",
    this="(?:n?est[ea])",
    next="(?:próxim[oa])",
    after_last="(?:passad[oa])",
    after_next="(?:que vem)",
    ago="(?:há|faz) N(?: atrás)?|N atrás",
    in_month="em|no mês de|desde",
    on_day=r"desde|n[ao](?= \w+-feira| s[áa]bado| domingo)",
    of="(?:de )?",
)
_DUTCH = Tongue(
    days={"vandaag": 0, "gisteren": -1, "eergisteren": -2, "overmorgen": 2},
    months="januari februari maart april mei juni juli augustus september oktober november december",
    weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    numbers="een/één twee drie vier vijf zes zeven acht negen tien elf twaalf",
    units="dag/dagen week/weken maand/maanden jaar uur",
    last="(?:vorige?|afgelopen)",
    this="(?:deze|dit)",
    next="(?:volgende?|komende?)",
    ago="N geleden",
    in_month="in|sinds|begin|eind",
    on_day="op|sinds",
)
_RUSSIAN = Tongue(
    days={"сегодня": 0, "вчера": -1, "позавчера": -2, "завтра": 1, "послезавтра": 2},
    months="январе/января феврале/февраля марте/марта апреле/апреля мае/мая июне/июня июле/июля августе/августа "
    "сентябре/сентября октябре/октября ноябре/ноября декабре/декабря",
    weekdays="понедельник вторник среду четверг пятницу субботу воскресенье",
    numbers="один/одну/одна два/две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    units="день/дня/дней неделю/недели/недель/неделе месяц/месяца/месяцев/месяце год/года/лет/году час/часа/часов",
    last="(?:на |во? )?прошл(?:ой|ом|ый|ую|ое)",
    this="(?:на |во? )?эт(?:ой|ом|от|у|о)",
    next="(?:на |во? )?следующ(?:ей|ем|ий|ую|ее)",
    ago="N назад",
    in_month="в|с|в начале|в конце|в середине",
    on_day="во?",
    one_ago=True,
)
_SWEDISH = Tongue(
    days={
        "idag": 0, "i dag": 0, "igår": -1, "i går": -1, "i förrgår": -2, "förrgår": -2, "imorgon": 1, "i morgon": 1,
        "i övermorgon": 2, "övermorgon": 2,
    },
    months="januari februari mars april maj juni juli augusti september oktober november december",
    weekdays="måndag/måndags/måndagen tisdag/tisdags/tisdagen onsdag/onsdags/onsdagen torsdag/torsdags/torsdagen "
    "fredag/fredags/fredagen lördag/lördags/lördagen söndag/söndags/söndagen",
    numbers="en/ett två tre fyra fem sex sju åtta nio tio elva tolv",
    units="dag/dagar/dagarna vecka/veckan/veckor månad/månaden/månader år/året timme/timmar",
    last="(?:förra|förr)",
    this="(?:denna|detta|den här|det här)",
    next="(?:nästa|på)",
    ago="för N sedan|N sedan",
    in_month="i|sedan|början av|slutet av",
    on_day="i|sedan i",
)  # fmt: skip
_TONGUES = (_GERMAN, _FRENCH, _ITALIAN, _PORTUGUESE, _DUTCH, _RUSSIAN, _SWEDISH)
_ENGLISH_MONTHS = "january february march april may june july august september october november december"
_SPANISH_MONTHS = "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre"
_NORDIC_MONTHS = "januar februar marts april maj juni juli august september oktober november desember"
_POLISH_MONTHS = "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"
# Words that mean something else in another of the languages, told apart by what stands around them.
_MORNING = r"(?<!\bam )(?<!\bheute )(?<!\bguten )(?<!\bjeden )(?<!\bgestern )(?<!\bgoede )(?<!\bden )(?<!\bde )morgen"
_HIER = (
    r"(?:(?:fait|dit|fini|vu|parlé|discuté|travaillé|décidé|écrit|passé) |d['’])hier(?: soir)?|hier soir"
    r"|hier(?=\s*\?|,? (?:on|nous|j['’]ai|il|elle|tu)\b)"
)


def _forms(words: str, first: int = 0) -> dict[str, int]:
    return {form: n for n, word in enumerate(words.split(), first) for form in word.split("/")}


@cache
def month_words() -> dict[str, int]:
    """Every word for a month in the languages of the tables, English and Spanish included -> 1 to 12."""
    tables = (_ENGLISH_MONTHS, _SPANISH_MONTHS, *(tongue.months for tongue in _TONGUES), _NORDIC_MONTHS, _POLISH_MONTHS)
    return {word: number for table in tables for word, number in _forms(table, 1).items()}


@cache
def tongue_rules() -> tuple[PhraseRule, ...]:
    """Of all these languages."""
    return (
        make_rule("morgen", _MORNING, lambda found, now: day(now.date() + DAY)),
        make_rule("fjol", "i fjol", lambda found, now: period("year", now.date(), -1)),
        make_rule("demain", "(?<!après-)demain", lambda found, now: day(now.date() + DAY)),
        *(rule for tongue in _TONGUES for rule in _rules(tongue)),
    )


def french_yesterday() -> PhraseRule:
    """German says the same word for "here"."""
    return make_rule("hier", _HIER, lambda found, now: day(now.date() - DAY))


def _rules(tongue: Tongue) -> Iterator[PhraseRule]:
    weekdays, units, months = _forms(tongue.weekdays), _forms(tongue.units), _forms(tongue.months, 1)
    numbers = _forms(tongue.numbers, 1)

    def read_day(found: re.Match[str], now: datetime) -> Found:
        return day(now.date() + tongue.days[found[0]] * DAY)

    def read_ago(found: re.Match[str], now: datetime) -> Found:
        number = next(filter(None, (found[name] for name in ("n", "n2") if name in found.re.groupindex)), "1")
        unit = next(filter(None, (found[name] for name in ("unit", "unit2") if name in found.re.groupindex)))
        return away(_UNITS[units[unit]], -(int(number) if number.isdigit() else numbers[number]), now)

    def read_period(found: re.Match[str], now: datetime) -> Found:
        return period(_UNITS[units[found["unit"] or found["unit_before"]]], now.date(), _shift(found) or 0)

    def read_weekday(found: re.Match[str], now: datetime) -> Found:
        shift = _shift(found)
        if shift is None and not found["on"]:
            raise ValueError("a day of every week")
        return weekday(weekdays[found["day"]], now.date(), shift)

    def read_month(found: re.Match[str], now: datetime) -> Found:
        number = months[found["month"] or found["month_alone"]]
        year = found["year"] or found["year_alone"]
        return month(int(year), number) if year else latest_month(number, now.date())

    def read_date(found: re.Match[str], now: datetime) -> Found:
        year = int(found["year"]) if found["year"] else None
        return day_of_month(months[found["month"]], int(found["day"]), year, now.date())

    before = f"(?P<last>{tongue.last})|(?P<this>{tongue.this})|(?P<next>{tongue.next})"
    after = f"(?P<after_last>{tongue.after_last})|(?P<after_next>{tongue.after_next})"
    unit = "(?:{})".format(any_of(form for form, n in units.items() if _UNITS[n] in ("week", "month", "year")))
    name, named = any_of(months), any_of(weekdays)
    year = f"(?:,? {tongue.of}{_YEAR})?"
    yield make_rule(_triggers(tongue.days), any_of(map(re.escape, tongue.days)), read_day)
    yield make_rule(" ".join(units), _count(tongue, any_of(numbers), any_of(units)), read_ago)
    yield make_rule(" ".join(units), f"(?:{before}) ?(?P<unit>{unit})|(?P<unit_before>{unit}) (?:{after})", read_period)
    on_day = rf"(?:(?:{before}|(?P<on>{tongue.on_day})) )?(?P<day>{named})(?: (?:{after}))?"
    yield make_rule(" ".join(weekdays), on_day, read_weekday)
    alone = rf"(?P<month_alone>{name}) {tongue.of}{_YEAR.replace('year', 'year_alone')}"
    yield make_rule(" ".join(months), rf"(?:{tongue.in_month}) (?P<month>{name}){year}|{alone}", read_month)
    number = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:\.|er|º|°)?"
    yield make_rule(" ".join(months), rf"{number} {tongue.of}(?P<month>{name}){year}", read_date)


def _triggers(days: Mapping[str, int]) -> str:
    """The last word of each phrase: those before it are common."""
    return " ".join(re.findall(r"\w+", phrase)[-1] for phrase in days)


def _count(tongue: Tongue, numbers: str, units: str) -> str:
    number = rf"(?P<n>\d{{1,4}}|{numbers}) "
    first = rf"{f'(?:{number})?' if tongue.one_ago else number}(?P<unit>{units})"
    again = first.replace("<n>", "<n2>").replace("<unit>", "<unit2>")
    head, *more = tongue.ago.split("|N")
    return "|".join([head.replace("N", first), *(again + rest for rest in more)])


def _shift(found: re.Match[str]) -> int | None:
    if found["last"] or found["after_last"]:
        return -1
    if found["next"] or found["after_next"]:
        return 1
    return 0 if found["this"] else None
