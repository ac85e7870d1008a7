"""Deeds: what somebody says in passing that they did on a day or with somebody named, or that they never did."""

from __future__ import annotations

import re
from typing import NamedTuple

from hearth.lazy import regex

_WHO = r"(?:i|we)(?:['’]ve|\s+have)"
_VAGUE = r"(?:it|this|that|them|these|those|anything|something|one|such|so|like|a\s+lot|as)\b"
_OBJECT = rf"(?!{_VAGUE})(?:\S+\s+){{1,}}?\S+"
# What nobody does: it befalls them, or says how they are.
_STATES = (
    r"(?:seen|heard|thought|felt|known|understood|had|been|got|gotten|realized|realised|noticed|experienced|loved|liked|wanted|"
    r"met\s+(?:anyone|someone|a))\b"
)
_EVER = r"(?:actually\s+|really\s+|ever\s+)?"
_NAMED = r"(?:(?-i:[A-ZÀ-Þ])[\w'’-]+|\d)"
_ACTS = (
    r"(?:attended|downloaded|installed|submitted|sent|handed\s+in|enrolled|completed|finished|passed|joined|signed\s+up|missed|"
    r"visited|subscribed|registered|met|collaborated|rehearsed)"
)
_TO_NAMED = rf"\s+(?!{_VAGUE})(?:\S+\s+){{0,14}}?{_NAMED}"
_SINCE = r"(?:just\s+|already\s+|recently\s+|finally\s+)?"
# Where a clause ends, and another one or its purpose begins.
_END = regex(
    r",?\s+(?:and|but|so|because|which|while)\s+(?:now\s+)?(?:i|we|it|my|this)\b|"
    r",\s+(?:i|we|it|my|this|so|but|what|which|how|any|can|could|would|should|you|\w+ing)\b|;|\s[-–—]\s|[.!?]+$",
    re.IGNORECASE,
)
_UNREAL = regex(
    r"[!?]|\b(?:if|like\s+(?:this|that)|so\s+\w+|such(?!\s+as\b)|wish|would|could|should|might|maybe|you(?!\s+know\b)|your)\b",
    re.IGNORECASE,
)
_BEFORE_QUESTION = regex(r"\s*[,，]")
_SHORT = regex(r"n['’]t\b")
# What is to be done with what somebody got: "work the tips I got from Ana into my talk".
_PURPOSE = regex(r",(?!\s*\d)|\s+(?:in)?to\s+(?:my|our)\b", re.IGNORECASE)
_SUPPOSED = regex(r"\b(?:if|imagine|suppose|wish|would\s+have|example)\b", re.IGNORECASE)


class _Forms(NamedTuple):
    """Of a language: what was never done, and what was done; both begin where the clause does."""

    never: re.Pattern[str]
    did: re.Pattern[str]


_LEAD = r"(?:(?:and|but|so|well|actually|honestly|y|pero|und|aber|et|mais|e|mas|ma|но|и)\b,?\s+)*"
# A name alone tells nothing where every noun has a capital.
_EXACT_DE = r"(?:\d|(?:bei|mit|von|in)\s+(?:Frau\s+|Herrn\s+)?(?-i:[A-ZÄÖÜ]))"
_FORMS = {
    "en": (
        rf"{_WHO}\s+(?:never\s+{_EVER}(?!{_STATES})\w+\s+{_OBJECT}|yet\s+to\s+\w+\s+{_OBJECT})|"
        rf"(?:i|we)\s+(?:still\s+)?have(?:n['’]t|\s+not)\s+(?!{_STATES})\w+\s+{_OBJECT}\s+yet\b",
        rf"(?:{_WHO}\s+{_SINCE}{_ACTS}|(?:i|we)\s+{_SINCE}{_ACTS}|{_WHO}\s+been\s+\w+ing\s+with){_TO_NAMED}",
    ),
    "de": (
        r"(?:ich|wir)\s+(?:habe?n?|bin|sind)\s+(?:(?:noch\s+)?nie(?:mals)?\s+(?:\S+\s+){1,}?\S+|(?:\S+\s+){1,8}?noch\s+nicht\s+\S+)",
        rf"(?:(?:ich|wir)\s+(?:habe?n?|bin|sind)|(?:\S+\s+){{1,4}}?(?:habe?n?|bin|sind)\s+(?:ich|wir))\s+(?=.{{0,120}}?{_EXACT_DE})"
        r"[^,;?!]{4,120}?\b(?:eingereicht|abgeschickt|geschickt|gesendet|installiert|heruntergeladen|besucht|teilgenommen|"
        r"angemeldet|eingeschrieben|abgeschlossen|bestanden|verpasst|getroffen|kennengelernt|beigetreten)\b",
    ),
    "es": (
        r"(?:yo\s+)?(?:nunca|jamás|(?:todavía|aún)\s+no)\s+(?:me\s+|nos\s+)?(?:he|hemos)\s+\w+\s+(?:\S+\s+){1,}?\S+",
        r"(?:\S+\s+){0,4}?(?:(?:me\s+|nos\s+)?(?:he|hemos)\s+(?:ya\s+)?(?:enviado|entregado|presentado|instalado|descargado|asistido|"
        r"inscrito|apuntado|completado|terminado|aprobado|visitado|conocido|faltado)|(?:me\s+)?(?:envié|entregué|presenté|instalé|"
        r"descargué|asistí|inscribí|apunté|completé|terminé|aprobé|visité|conocí|falté))\s+(?=.{0,100}?(?:\d|(?-i:[A-ZÀ-Þ])))\S+\s+\S+",
    ),
    "fr": (
        r"(?:je\s+n['’]ai|nous\s+n['’]avons|je\s+ne\s+(?:me\s+)?suis|on\s+n['’]a)\s+(?:encore\s+jamais|jamais|pas\s+encore)\s+\w+\s+(?:\S+\s+){1,}?\S+",
        r"(?:\S+\s+){0,4}?(?:j['’]ai|nous\s+avons|on\s+a|je\s+(?:me\s+)?suis)\s+(?:déjà\s+)?(?:envoyé|remis|déposé|installé|téléchargé|"
        r"assisté|participé|inscrite?|terminé|fini|réussi|visité|rencontré|manqué|rejoint)\s+(?=.{0,100}?(?:\d|(?-i:[A-ZÀ-Þ])))\S+\s+\S+",
    ),
    "pt": (
        r"(?:eu\s+)?(?:nunca|jamais|ainda\s+não)\s+(?:me\s+)?\w+(?:ei|i)\s+(?:\S+\s+){1,}?\S+",
        r"(?:\S+\s+){0,4}?(?:eu\s+)?(?:me\s+)?(?:enviei|entreguei|apresentei|instalei|baixei|assisti|participei|inscrevi|completei|"
        r"terminei|visitei|conheci|faltei)\s+(?=.{0,100}?(?:\d|(?-i:[A-ZÀ-Þ])))\S+\s+\S+",
    ),
    "it": (
        r"(?:io\s+)?(?:non\s+)?(?:mi\s+)?(?:ho|abbiamo|sono)\s+(?:mai|ancora)\s+\w+\s+(?:\S+\s+){1,}?\S+",
        r"(?:\S+\s+){0,4}?(?:ho|abbiamo|mi\s+sono|sono)\s+(?:già\s+)?(?:inviato|consegnato|presentato|installato|scaricato|assistito|"
        r"partecipato|iscritt[oa]|completato|finito|superato|visitato|incontrato|mancato)\s+(?=.{0,100}?(?:\d|(?-i:[A-ZÀ-Þ])))\S+\s+\S+",
    ),
    "ru": (
        r"(?:я|мы)\s+(?:(?:ещё|еще)\s+не|никогда\s+не)\s+\w+л[аи]?(?:сь|ся)?\s+(?:\S+\s+){1,}?\S+",
        r"(?:\S+\s+){0,4}?(?:я|мы)\s+(?:уже\s+|недавно\s+)?(?:отправил|подал|установил|скачал|посетил|записал|закончил|сдал|"
        r"пропустил|встретил)[аи]?(?:сь|ся)?\s+(?=.{0,100}?(?:\d|(?-i:[A-ZА-Я])))\S+\s+\S+",
    ),
    "zh": (
        r"我们?(?:还)?(?:从来没有?|从没有?|从未|没有?)[^，。；]{1,40}?过[^，。；]*",
        r"(?:[^，。；]{0,8}?)?我们?(?!的?(?:姐|妹|哥|弟|妈|爸|朋友|同事|老板|丈夫|妻子|先生|太太|儿子|女儿))(?=[^，。；]{0,40}?(?:\d|[A-Z]|[一二三四五六七八九十]日|上周))[^，。；]{0,30}?"
        r"(?:提交|发送|寄|安装|下载|参加|报名|完成|通过|拜访|错过|注册)[^，。；]{0,8}?了[^，。；]*",
    ),
}  # fmt: skip
_COMPILED = {
    language: _Forms(*(regex(rf"{_LEAD}(?P<told>{form})", re.IGNORECASE) for form in forms))
    for language, forms in _FORMS.items()
}
# English clauses that take for granted what they tell, within whatever: a wish, a worry, a question.
_GRANTED = (
    regex(rf"\b(?:when|after|since)\s+(?P<told>(?:i|we)\s+{_SINCE}{_ACTS}{_TO_NAMED})", re.IGNORECASE),
    regex(
        rf"\b(?:why|but|and|since|because|although|though)\s+(?P<told>{_WHO}\s+never\s+{_EVER}(?!{_STATES})\w+\s+{_OBJECT})",
        re.IGNORECASE,
    ),
)
_GIVEN = regex(
    r"\b(?P<what>(?:the|some)\s+(?:[\w-]+\s+){1,3}?)(?:that\s+)?(?P<did>(?:i|we)\s+(?:got|received|learned|learnt|bought|borrowed))\s+"
    rf"(?P<whence>(?:from|at)\s+(?:(?:my|our|the)\s+(?:\w+\s+)?)?{_NAMED})",
    re.IGNORECASE,
)


def find_deed(text: str, language: str, *, asked: bool = False) -> str | None:
    """The clause of a sentence in which its speaker says that they did something that can be told apart from others, or
    never did it. Of what is ``asked`` only what the question takes for granted counts."""
    forms = _COMPILED.get(language)
    told = None
    if forms is not None:
        # A question may follow: "I've never been to Porto, is it nice?"
        said = _BEFORE_QUESTION.split(text, maxsplit=1)[0] if asked else text
        found = None if said.endswith(("?", "？")) else forms.never.match(said) or (not asked and forms.did.match(said))
        told = _clause(said, found.start("told"), found.end()) if found else None
    told = told or (_find_granted(text) if language == "en" else None)
    return None if told is None else _SHORT.sub(" not", told)


def _find_granted(text: str) -> str | None:
    for pattern in _GRANTED:
        found = pattern.search(text)
        if found is not None and not _SUPPOSED.search(text[: found.start()]):
            return _clause(text, found.start("told"), found.end())
    given = _GIVEN.search(text)
    if given is None or _SUPPOSED.search(text[: given.start()]):
        return None
    whence = _clause(text, given.start("whence"), given.end())
    return f"{given['did']} {given['what'].strip()} {_PURPOSE.split(whence, maxsplit=1)[0]}" if whence else None


def _clause(text: str, start: int, least: int) -> str | None:
    """From ``start`` to where the clause ends, behind ``least``; nothing where it is not said to be so."""
    end = _END.search(text, least)
    told = text[start : end.start() if end is not None else len(text)].strip(" ,")
    return None if _UNREAL.search(told) else told
