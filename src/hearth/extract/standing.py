"""Standing instructions: what a person says shall be done from then on, not once."""

from __future__ import annotations

import re

from hearth.lazy import regex

_LONGEST = 400
# What may stand before: the speaker of a turn, a list mark, a courtesy.
_LEAD = regex(
    r"(?:#{1,6}[^\n]*\n+|\*\*[^*\n]{1,40}\*\*[ \t]*|[^\W\d_][\w'’. -]{0,40}[:：](?=\s)|\s+|[-*+]\s|\d+[.)]\s|"
    r"(?:hey|hi|hello|bonjour|bonsoir|salut|hola|hallo|moin|guten\s+(?:tag|morgen|abend)|olá|ciao|buongiorno|привет|claude|please|so|then|anyway|btw|oh|yeah|yes|(?:right|great|nice|perfect|well)(?=[,.:!])|also|and|ok(?:ay)?|note|remember|rule|por\s+favor|además|bitte|s'il\s+te\s+pla[iî]t|请|"
    r"пожалуйста)\b[,:：]?(?:\s+(?:that|to|que))?)+",
    re.IGNORECASE,
)
# Said of every time that something is asked for; "every time I run it, it fails" is no instruction.
_ON_REQUEST = (
    r"(?:when(?:ever)?|(?:every|each|any)\s*time(?:\s+that)?)(?:\s+\w+)?\s+i\s+(?:ask|say|mention|request|want|need)\b|"
    r"(?:cuando|cada\s+vez\s+que)\s+(?:te\s+)?(?:pida|pregunte|diga)\b|"
    r"(?:wenn|jedes\s+mal,?\s+wenn)\s+ich\s+(?:dich\s+|nach\s+)?(?:frage|bitte|sage)\b|"
    r"(?:quand|chaque\s+fois\s+que)\s+je\s+(?:te\s+)?(?:demande|dis)\b"
)
_FROM_NOW = (
    r"(?:from\s+now\s+on|going\s+forward|de\s+ahora\s+en\s+adelante|a\s+partir\s+de\s+ahora|en\s+adelante|"
    r"ab\s+(?:jetzt|sofort)|künftig|désormais|dorénavant|à\s+partir\s+de\s+maintenant|d['’]ora\s+in\s+poi|"
    r"a\s+partir\s+de\s+agora|отныне|впредь|bundan\s+sonra)\b|从现在(?:开始|起)|以后(?:都|请|要|不)"
)
# "Always" and "never" at the start, but not of what was or is so: "never seen before", "immer noch", "siempre me da …".
_OPENINGS = (
    r"always(?!\s*[@(.!]|\s+(?:been|was|had|the\s+same|on\s+my\s+mind))\b",
    r"never(?!\s+(?:mind|ever|\w+(?:ed|en)\b|had|been|got|knew|thought|heard|saw|met))\b",
    r"(?:don['’]?t|do\s+not)\s+ever\b|in\s+(?:the\s+)?future\s*,",
    r"(?:usa|responde|escribe|haz|utiliza|pon)\s+siempre\b",
    r"siempre(?!\s+(?:me|te|se|lo|la|que|es|ha|he|da|pasa)\b)\b",
    r"(?:nunca|jamás)(?!\s+(?:me|te|se|he|ha|había|más\s+he)\b)\b",
    r"immer(?!\s+(?:noch|wieder|mehr|diese[rs]?)\b)\b|niemals\b",
    r"toujours(?!\s+(?:pas|le|la|les|rien|en|aussi|un|une)\b)\b|(?:ne\s+|n['’])\w+\s+jamais\b",
    r"sempre\b|всегда\b|никогда\s+не\s+\w+й(?:те)?\b|her\s+zaman\b",
    r"总是|始终|永远(?:不要|都|用|别)|每次都(?=[要请用先])",
)
_OPENS = regex("|".join(_OPENINGS), re.IGNORECASE)
_ANYWHERE = regex(rf"(?<!\w)(?:{_FROM_NOW}|{_ON_REQUEST})", re.IGNORECASE)
_END = regex(r"[.!?](?=[\s\"'”’)]|$)|[。！？]|\n")


def open_of(text: str) -> str:
    """What was said without what may stand before it."""
    lead = _LEAD.match(text)
    return text[lead.end() :] if lead is not None else text


def is_standing(text: str) -> bool:
    """Whether the first sentence of what was said tells how to act from now on; a question never does."""
    said = open_of(text)
    end = _END.search(said, 0, _LONGEST)
    sentence = said[: end.end()] if end is not None else said[:_LONGEST]
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return _OPENS.match(sentence) is not None or _ANYWHERE.search(sentence) is not None
