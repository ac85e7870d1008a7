"""How much a memory matters, by its words: pure rules over first-person chat and third-person statements alike."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from hearth.core.extraction import Category, Importance
from hearth.core.lazy import regex
from hearth.text.common_words import stop_words
from hearth.text.language import detect

_BASE = 0.5
_CATEGORIES = {
    Category.CORRECTION: 0.15, Category.PRINCIPLE: 0.12, Category.PREFERENCE: 0.10, Category.COMMITMENT: 0.10,
    Category.DECISION: 0.08, Category.ANTIPATTERN: 0.10, Category.PROBLEM: 0.08, Category.MILESTONE: 0.06,
    Category.RELATIONSHIP: 0.05, Category.SKILL: 0.05, Category.MOMENT: 0.03, Category.ENTITY: 0.02, Category.FACT: 0.0,
}  # fmt: skip
# Each counts once, however many of its words there are; no word is in two of them.
_MARKS = (
    (
        0.20,
        "for every time",
        r"always|never|must(?!\s+have)|critical|crucial|essential|vital|siempre|nunca|jamás|imprescindible|immer|niemals|nie|"
        r"unbedingt|toujours|jamais|indispensable|sempre|mai|essenziale|essencial|всегда|никогда|обязательно",
    ),
    (
        0.12,
        "about the person",
        r"(?:my|the\s+user['’]s)\s+(?:name|birthday|wife|husband|partner|son|daughter|children|mother|father|doctor|"
        r"address|email|phone|employer)|allergic|al[eé]rgic[oa]|allergisch|allergique|allergico",
    ),
    (
        0.12,
        "settled or owed",
        r"decided|decision|chose|agreed|promised|committed|approved|refused|decidi\w+|prometi\w*|entschieden|versprochen|"
        r"décidé|promis|deciso|promesso|реши\w+|обеща\w+",
    ),
    (
        0.10,
        "has a time limit",
        r"deadline|due|by\s+(?:the\s+)?(?:end|mon|tue|wed|thu|fri|sat|sun|\d)\w*|plazo|frist|date\s+limite|prazo|scadenza|"
        r"срок|antes\s+del|avant\s+le|entro\s+il|bis\s+zum",
    ),
    (
        -0.15,
        "not sure",
        r"maybe|perhaps|possibly|might|probably|not\s+sure|quizás?|tal\s+vez|vielleicht|peut-être|talvez|forse|"
        r"может\s+быть|наверное",
    ),
)  # fmt: skip
# The same in scripts without spaces.
_DENSE = {
    "for every time": "总是|始终|从不|务必|一定|常に|必ず|絶対",
    "settled or owed": "决定|答应|承诺|決定|約束",
    "has a time limit": "截止|之前|期限|締切|までに",
    "not sure": "也许|可能|かもしれ|たぶん",
}
_EXACT = regex(r"\d{2,}|\bv?\d+\.\d+|`[^`]+`|\b[a-z]+(?:[A-Z_][a-zA-Z]+)+\b")
_TRIVIAL = regex(
    r"\W*(?:hi|hello|hey|ok(?:ay)?|k|sure|yes|no|yep|nope|yeah|nah|thanks?(?:\s+you)?|thx|ty|got\s+it|understood|bye|"
    r"goodbye|lol|haha|hmm+|hola|gracias|vale|danke|hallo|merci|salut|obrigad[oa]|olá|grazie|ciao|спасибо|привет|"
    r"谢谢|你好|好的|ありがとう|はい)\W*",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W\d_][\w'-]{2,}")
_TAGS = frozenset({"important", "critical", "rule"})
_MOST = 5


def importance(text: str, category: Category, tags: tuple[str, ...] = ()) -> Importance:
    """Base .5, the category's share, marks that each count once, exact figures and names, telling tags; clamped to
    [0, 1] and rounded before its level is read. Only greetings and thanks are trivial: a short fact is none."""
    if _TRIVIAL.fullmatch(text):
        return Importance(0.1, ("says nothing",))
    score = _BASE + _CATEGORIES[category]
    reasons = [category.value] if _CATEGORIES[category] else []
    for share, reason, pattern in _marks():
        if pattern.search(text):
            score += share
            reasons.append(reason)
    if _EXACT.search(text):
        score += 0.03
        reasons.append("has exact figures or names")
    if _TAGS & set(tags):
        score += 0.05
        reasons.append("tagged")
    return Importance(round(min(1.0, max(0.0, score)), 2), tuple(reasons[:_MOST]), _keywords(text))


def _keywords(text: str) -> tuple[str, ...]:
    stop = stop_words().get(detect(text), frozenset()) | {"user", "said"}
    words = [word.lower().strip("'-") for word in _WORD.findall(text)]
    counted = Counter(word for word in words if word not in stop)
    return tuple(word for word, _ in counted.most_common(_MOST))


@cache
def _marks() -> tuple[tuple[float, str, re.Pattern[str]], ...]:
    found = []
    for share, reason, words in _MARKS:
        source = rf"(?<!\w)(?:{words})(?!\w)" + (f"|{_DENSE[reason]}" if reason in _DENSE else "")
        found.append((share, reason, re.compile(source, re.IGNORECASE)))
    return tuple(found)
