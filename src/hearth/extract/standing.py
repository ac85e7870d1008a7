"""Standing instructions: what a person says shall be done from then on, not once."""

from __future__ import annotations

import re

_LONGEST = 400
# What may stand before: the speaker of a turn, a list mark, a courtesy.
_LEAD = re.compile(
    r"(?:#{1,6}[^\n]*\n+|\*\*[^*\n]{1,40}\*\*[ \t]*|[^\W\d_][\w'’. -]{0,40}[:：](?=\s)|\s+|[-*+>]\s|\d+[.)]\s|"
    r"(?:please|also|and|ok(?:ay)?|note|remember|rule|por\s+favor|además|bitte|s'il\s+te\s+pla[iî]t|请|пожалуйста)\b[,:：]?"
    r"(?:\s+(?:that|to|que))?)+",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:always|never(?!\s*mind)|don['’]?t\s+ever|do\s+not\s+ever|from\s+now\s+on|going\s+forward|in\s+(?:the\s+)?future,|"
    r"whenever|(?:every|each|any)\s*time|when(?:\s+\w+)?\s+i\s+(?:ask|say|mention|request)|"
    r"siempre|nunca|jamás|de\s+ahora\s+en\s+adelante|a\s+partir\s+de\s+ahora|en\s+adelante|cada\s+vez\s+que|"
    r"immer|nie(?:mals)?|ab\s+(?:jetzt|sofort)|künftig|jedes\s+mal|"
    r"toujours|ne\s+\w+\s+jamais|désormais|dorénavant|à\s+partir\s+de\s+maintenant|chaque\s+fois\s+que|"
    r"sempre|mai\s+\w+are|d['’]ora\s+in\s+poi|a\s+partir\s+de\s+agora|"
    r"всегда|никогда|отныне|впредь|каждый\s+раз)\b|总是|始终|永远|以后|从现在(?:开始|起)|每次",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:from\s+now\s+on|going\s+forward|when(?:ever)?\s+i\s+ask|(?:every|each)\s*time\s+i\s+ask|"
    r"de\s+ahora\s+en\s+adelante|a\s+partir\s+de\s+ahora|cuando\s+(?:te\s+)?(?:pida|pregunte)|ab\s+(?:jetzt|sofort)|"
    r"wenn\s+ich\s+(?:dich\s+)?frage|désormais|dorénavant|quand\s+je\s+(?:te\s+)?demande)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?。！？](?=\s|$)|\n")


def is_standing(text: str) -> bool:
    """Whether the first sentence of what was said tells how to act from now on; a question never does."""
    lead = _LEAD.match(text)
    said = text[lead.end() :] if lead is not None else text
    end = _END.search(said, 0, _LONGEST)
    sentence = said[: end.end()] if end is not None else said[:_LONGEST]
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return _OPENS.match(sentence) is not None or _LATER.search(sentence) is not None
