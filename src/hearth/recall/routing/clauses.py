"""Plans: whether a question asks for an outline, for several things at once, or for one.

Pure; by its wording in English or Spanish, in part in German and French.

An outline answers what no few passages can: in what order, how far, how many in all, a summary. What asks for several
things is taken apart, each part with the subject that it shares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hearth.core.lazy import regex
from hearth.core.query import QueryPlan
from hearth.text.common_words import is_stop_word

MOST_CLAUSES = 4
_MAX_CHARS = 2_000
_LEAST_CHARS = 2
_FLAGS = re.IGNORECASE

_OUTLINE = regex(
    "|".join((
        # in what order
        r"\border in which\b|\bin (?:what|which|chronological|the right) order\b",
        r"\bin order\s*(?:[?.!,]|$)|\bin order how\b",
        r"\bsequence (?:of|in which)\b|\bchronolog\w+|\bstep by step (?:history|account)\b",
        r"\borden en (?:el )?que\b|\ben (?:qué )?orden\b|\bcronol[oó]gic\w+|\breihenfolge\b|\bdans quel ordre\b",
        # how far
        r"\bhow (?:has|have|had|did|does|do)\b.{1,160}\b(?:progress|develop|evol|unfold|chang|improv|grow|grown)\w*\b",
        r"\b(?:progress|evolution|development|course|history) of (?:my|our|the|this)\b|\bover time\b|\bso far\b",
        r"\bcómo (?:ha|han|fue)\b.{1,160}\b(?:progres|evolucion|desarroll|cambi|avanz)\w*",
        r"\ba lo largo del tiempo\b|\bhasta ahora\b|\bim laufe der zeit\b|\bau fil du temps\b",
        # how many in all
        r"\bhow (?:many|much|often)\b.{1,200}\b(?:across|throughout|altogether|overall|in (?:total|all))\b",
        r"\bhow many (?:different|total|times|distinct|separate)\b|\bhow (?:many|much)\b.{1,160}\bdid i mention\b",
        r"\bhow much (?:did|has|have)\b.{1,160}\b(?:increas|improv|grow|grew|chang|drop|decreas|reduc)\w*",
        r"\bhow many total\b|\bcuánt[oa]s (?:veces|distint[oa]s|diferentes)\b|\bcuánt[oa]s?\b.{1,160}\ben total\b",
        r"\bwie (?:oft|viele)\b.{1,160}\binsgesamt\b|\bcombien de (?:fois|différent)\w*",
        # summarise
        r"\bsummari[sz]e\b|\b(?:summary|overview|recap|rundown) (?:of|on)\b|\brecap\b",
        r"\beverything (?:that )?(?:we|i)(?:'ve| have)? (?:covered|discussed|did|done|talked)\b",
        r"\bresum(?:e|en|ir|eme|idme)\b|\bzusammenfass\w+|\bfasse?\b.{1,160}\bzusammen\b|\brésum\w+",
    )),
    _FLAGS,
)  # fmt: skip

_ASKING = r"(?:what|which|how|why|when|where|who|whose|whether|qué|cuál|cómo|por qué|cuándo|dónde|quién)"
# Where one question ends and the next begins.
_BREAK = regex(
    rf"(?<=[?？])\s+(?=\S)|[\s,;]+(?:and|as well as|plus|y)\s+(?:also\s+|además\s+)?(?={_ASKING}\b)"
    r"|[\s,;]+(?:and also|and additionally|additionally|along with|y también|y además|sowie|ainsi que)[\s,]+",
    _FLAGS,
)
_SIDE = r"(.{2,80}?)"
_COMPARED = tuple(
    regex(pattern, _FLAGS)
    for pattern in (
        rf"\bbetween {_SIDE} and {_SIDE}(?=[,?.:;]|$)",
        rf"\bcompar(?:e|ing|ed|ison of) {_SIDE} (?:and|with|to|against) {_SIDE}(?=[,?.:;]|$)",
        rf"\bboth {_SIDE} and {_SIDE}(?=[,?.:;]|$)",
        rf"\bentre {_SIDE} y {_SIDE}(?=[,?.:;]|$)",
        rf"\bcompar(?:a|ar|e) {_SIDE} (?:y|con) {_SIDE}(?=[,?.:;]|$)",
        r"((?:\S+\s){0,3}\S+) (?:vs\.?|versus) ((?:\S+\s){0,3}[^\s?.,;]+)",
    )
)
_FRAME = regex(
    r"\b(?:compar(?:e|ing|ed|ison of|a|ar)|between|both|entre|differences?|diferencias?|which (?:one )?|what is the)\b",
    _FLAGS,
)
_GIVEN = regex(r"^\s*(?:considering|given|based on|taking into account|teniendo en cuenta)\s+(.+?),\s+(?=\S+)", _FLAGS)
_GIVEN_ASKS = regex(rf",\s*(?={_ASKING}\b|should\b|can\b|is\b|are\b|do\b)", _FLAGS)
_ITEM = regex(r"\s*,\s*(?:and\s+|y\s+)?|\s+and\s+|\s+y\s+", _FLAGS)
_POINTS_BACK = regex(r"\b(?:it|its|they|them|their|this|that|these|those|he|she|him|her|ello|eso|esto)\b", _FLAGS)
_WORD = regex(r"[^\W_](?:[\w'’.-]*\w)?")


def plan(text: str) -> QueryPlan:
    """How to answer a question; only its first 2,000 characters are read."""
    text = " ".join(text[:_MAX_CHARS].split())
    if found := _OUTLINE.search(text):
        return QueryPlan("outline", found[0].strip(" ,.?!"))
    for why, clauses in (_list_questions(text), _list_given(text), _list_compared(text)):
        if len(clauses) > 1:
            return QueryPlan("parts", why, tuple(clauses[:MOST_CLAUSES]))
    return QueryPlan("single")


def _list_questions(text: str) -> tuple[str, list[str]]:
    """What is asked one after the other; a part that says nothing alone, or points back, gets the subject before."""
    parts = [part.strip(" ,;") for part in _BREAK.split(text)]
    parts = [part for part in parts if len(_words(part)) > 0 or _POINTS_BACK.search(part)]
    if len(parts) < 2:
        return "", []
    subject = " ".join(_words(parts[0]))
    return "several questions", [parts[0], *(_complete(part, subject) for part in parts[1:])]


def _complete(part: str, subject: str) -> str:
    alone = bool(_words(part)) and not _POINTS_BACK.search(part)
    return part if alone or not subject else f"{part.rstrip('?')} {subject}"


def _list_given(text: str) -> tuple[str, list[str]]:
    """What is to be taken into account, each on its own, before the question itself."""
    opened = _GIVEN.match(text)
    asked = _GIVEN_ASKS.search(text)
    if opened is None or asked is None:
        return "", []
    items = [item for item in _ITEM.split(text[opened.start(1) : asked.start()]) if len(item) > _LEAST_CHARS]
    return "several things to consider", items if len(items) > 1 else []


def _list_compared(text: str) -> tuple[str, list[str]]:
    """Each side of a comparison, with what is asked about both."""
    for pattern in _COMPARED:
        if found := pattern.search(text):
            sides = [side.strip() for side in found.groups()]
            rest = _words(_FRAME.sub(" ", f"{text[: found.start()]} {text[found.end() :]}"))
            return f"compares {sides[0]} and {sides[1]}", [" ".join((side, *_unsaid(side, rest))) for side in sides]
    return "", []


def _unsaid(side: str, rest: Sequence[str]) -> Iterator[str]:
    said = {word.casefold() for word in _WORD.findall(side)}
    return (word for word in rest if word.casefold() not in said)


def _words(text: str) -> list[str]:
    """The words that carry meaning."""
    return [word for word in _WORD.findall(text) if not is_stop_word(word.casefold(), ("en", "es"))]
