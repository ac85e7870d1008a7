"""Questions about a time and nothing else, and about what was so and is no longer; in nine languages."""

from __future__ import annotations

import re
from functools import cache

from hearth.core.lazy import regex
from hearth.text.common_words import is_stop_word, stop_words
from hearth.text.language import fold

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
_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

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
    return re.compile(rf"(?<!\w)(?:{'|'.join(_LAST_SESSION)})", re.IGNORECASE)


def asks_more(text: str) -> bool:
    """Whether a text without its times holds a word about something: more than what is done on any day."""
    return any(not _is_idle(word.casefold().replace("’", "'")) for word in _WORD.findall(text)) or any(
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
    return re.compile(rf"(?<!\w)(?:{'|'.join(_FORMER)})", re.IGNORECASE)


def asks_former(text: str) -> bool:
    """Whether what was replaced may be what is asked for."""
    return _former().search(text[:2_000]) is not None
