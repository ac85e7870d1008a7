"""Words too common to say what a text is about, and phrases of which requests are made."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from hearth.core.lazy import regex
from hearth.text.lines import read_rows

# Question and function words of unspaced scripts, cut out before n-grams are made of a query.
UNSPACED_STOP = (
    "什么时候", "什么", "为什么", "怎么样", "怎么", "怎样", "哪里", "哪个", "哪些", "哪一", "多少", "几个", "谁",
    "是否",
    "的", "了", "是", "在", "和", "与", "及", "吗", "呢", "吧", "有", "被", "这", "那",
    "ですか", "ました", "ます", "です", "から", "まで", "なに", "どこ", "いつ", "だれ",
)  # fmt: skip


@cache
def stop_words() -> dict[str, frozenset[str]]:
    """Language code -> lower-case words."""
    words: dict[str, set[str]] = {}
    for line in Path(__file__).with_name("stopwords.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, *found = line.split()
            words.setdefault(language, set()).update(found)
    return {language: frozenset(found) for language, found in words.items()}


@cache
def all_stop_words() -> frozenset[str]:
    """Those of every language."""
    return frozenset[str]().union(*stop_words().values())


def is_stop_word(word: str, languages: tuple[str, ...]) -> bool:
    """``word`` in lower case; true when any of the languages counts it as a stop word."""
    return word in _stop_words_of(languages)


@lru_cache
def _stop_words_of(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset[str]().union(*(stop_words().get(language, ()) for language in languages))


_IDLE = """
day days week weeks weekly month months monthly year years hour hours minute minutes second seconds morning evening
night today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january february march april
may june july august september october november december two three four five six seven eight nine ten once twice half
día días semana semanas mes meses año años hora horas minuto minutos mañana ayer hoy tarde noche lunes martes
miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre dos tres cuatro cinco seis siete ocho nueve diez vez veces tag tage tagen woche wochen monat monate jahr
jahre stunde stunden minuten morgen gestern heute montag dienstag mittwoch donnerstag freitag samstag sonntag januar
februar märz mai juni juli oktober dezember zwei drei vier fünf sechs jour jours semaine semaines mois an ans année
heure heures hier demain lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet
août septembre octobre novembre décembre deux trois quatre cinq really great love loves amazing awesome good nice keep
keeps kept come comes came go goes going went get got make makes made making thing things lot lots way ways help helps
ask asks asked asking tell tells told say says said saying want wants wanted need needs put puts stay stays stayed
take takes took give gives gave look looks looked think thinks thought feel feels felt know knows knew wrong right
small big old new whole back still nothing everything something somebody anybody people person everybody nobody since
away together maybe perhaps already almost also always never wrote bueno buena gracias cosa cosas gente mucho mucha
muchos hacer hace hizo decir dice dijo quiere quiero tener tiene gut gute guten sehr viel viele machen macht gemacht
sagen sagt gesagt leute sachen bien très beaucoup faire fait dire dit thanks thank please sorry hello hey wow yeah
okay hola perdón danke bitte hallo merci bonjour obrigado grazie around finding find found lucky true hear hears heard
start starts started kind kinds event events happen happens happened certainly sure correctly example examples ensure
ensures specific especially improve improves improved improvement improvements effectively effective additional like
likes liked understand understood happy sad glad excited worried special important hard easy real best better friend
friends life moment moments idea ideas fun cool wonderful kinda gonna wanna gotta stuff wonder wondering wondered
curious definitely sound sounds enough trouble figure suggest suggested suggestion suggestions properly however
feeling feelings wait waiting sitting standing explore recently finish finished struggle struggling huge biggest
gorgeous achieve achieved explain explained thinking agree exciting amazed absolutely totally actually basically
probably pretty quite rather soon late later lately booked focusing focused focus covering practices share shared
sharing support supportive inspire inspired inspiring proud hope hoping believe everyone anyone anything
"""
IDLE_WORDS = frozenset(_IDLE.split())
"""Words that tell nothing of what a text is about, though rare in documentation: when something was, how often,
courtesies, and what people do, feel and say everywhere. Searches look for them like for any other."""


# What an unlisted word is assumed to have: rarer than any that is listed.
_UNLISTED = 0.0005


@cache
def _table() -> dict[str, float]:
    return {term: float(share) for term, share in read_rows(Path(__file__).with_name("background.tsv"))}


def background_share(term: str) -> float:
    """The share of ordinary 100-word windows that hold an index term, in [0, 1]."""
    return _table().get(term, _UNLISTED)


def is_listed(term: str) -> bool:
    """Whether ordinary English text holds the term often enough to be in the table."""
    return term in _table()


_TALK = r"(?:conversations?|sessions?|chats?)"
_SAID = r"(?:mention(?:ed)?|br(?:ing|ought)\s+up|sa(?:y|id)|t(?:ell|old)\s+you|talk(?:ed)?\s+about|discuss(?:ed)?)"
_ENGLISH = (
    r"(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:list|give|walk|provide|summari[sz]e|tell|show|explain|describe)"
    r"(?:\s+me)?(?:\s+through)?",
    r"(?:list|give\s+me|walk\s+me\s+through|tell\s+me|show\s+me|provide|describe|explain)(?=\s+(?:a|an|the|how|what|all)\b)",
    r"(?:the\s+)?order\s+in\s+which|in\s+(?:what\s+|the\s+(?:right\s+)?)?order(?=\s*[,.?!]|\s+(?:how|did|do)\b|\s*$)",
    rf"throughout|our\s+(?:past\s+|previous\s+)?{_TALK}|(?:across|over|during)\s+all\s+(?:my\s+|the\s+|these\s+)?{_TALK}",
    r"mention\s+only(?:\s+and\s+only)?",
    r"(?:a\s+)?(?:(?:comprehensive|complete|clear|full|brief|short|detailed|quick)\s+){0,4}(?:summary|overview)\s+of",
    r"(?:different|various)(?:\s+aspects)?|aspects\s+of|overall",
    rf"(?:i|we|you)(?:\s+have|\s+had|['’]ve)?(?:\s+ever)?\s+{_SAID}",
    r"(?:did|do|have|had)\s+(?:i|we|you)\s+(?:stop(?:ped)?|start(?:ed)?|beg[aiu]n|quit)\s+(?:using|doing|to\s+use)",
    rf"(?:did|have|had)\s+(?:i|we|you)(?:\s+ever)?\s+{_SAID}",
)
_SPANISH = (
    r"(?:me\s+)?(?:puedes|podr[ií]as)\s+(?:hacer|dar|listar|resumir|contar|decir|mostrar|explicar|enumerar)(?:me)?",
    r"(?:dame|dime|cu[eé]ntame|mu[eé]strame|expl[ií]came|enumera|resume)(?=\s+(?:un|una|el|la|los|las|c[oó]mo|qu[eé])\b)",
    r"(?:el\s+)?orden\s+en\s+(?:el\s+)?que|en\s+(?:qu[eé]\s+)?orden(?=\s*[,.?!]|\s*$)",
    r"(?:en|durante|a\s+lo\s+largo\s+de)\s+(?:todas\s+)?nuestras\s+(?:conversaciones|sesiones|charlas)",
    r"(?:un\s+)?resumen\s+(?:(?:completo|breve|detallado|claro)\s+)?de",
    r"(?:distint[oa]s|diferentes)(?:\s+aspectos)?|aspectos\s+de",
    r"(?:te\s+)?(?:mencion[eé]|dije|he\s+mencionado|he\s+dicho|hemos\s+hablado\s+de|hablamos\s+de)",
)
_PHRASES = regex(rf"\b(?:{'|'.join((*_ENGLISH, *_SPANISH))})(?!\w)", re.IGNORECASE)


def subject(text: str) -> str:
    """The text without the phrases of its form; all of it where nothing else would be left."""
    rest = _PHRASES.sub(" ", text)
    return rest if re.search(r"\w\w", rest) else text
