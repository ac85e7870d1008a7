"""Lists below a line that says what they are: "Project rules:", "What we decided today:"."""

from __future__ import annotations

import re

from hearth.lazy import regex
from hearth.model.capture.extraction import Category

_ITEM = regex(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(?P<text>\S.*)")
_HEAD = regex(r"\s*(?:#{1,6}\s+|\*\*)?(?P<text>[^\n]{2,90}?)(?:\*\*)?\s*[:：](?:\*\*)?\s*\Z")
_KINDS = (
    (
        Category.DECISION,
        r"decided|decisions?|agreed|agreements?|settled|decidid[oa]s?|decidimos|decisiones|acordad[oa]s?|acordamos|entschieden|"
        r"entscheidung(?:en)?|beschlossen|beschlüsse|vereinbart|décidé|décisions?|convenu|decidimos|decisões|combinado|deciso|"
        r"decisioni|concordato|решили|решения",
        "决定|決定",
    ),
    (
        Category.PRINCIPLE,
        r"rules?|guidelines?|conventions?|standards?|principles?|reglas?|normas?|convenciones|regeln?|konventionen|richtlinien|"
        r"règles?|conventions|regras?|convenções|regole?|convenzioni|правила",
        "规则|规范|ルール",
    ),
    (
        Category.PREFERENCE,
        r"preferences?|likes|dislikes|preferencias?|vorlieben|préférences?|preferências?|preferenze|предпочтения",
        "偏好|好み",
    ),
)
_PATTERNS = tuple(
    (category, regex(rf"(?<!\w)(?:{words})(?!\w)|{dense}", re.IGNORECASE)) for category, words, dense in _KINDS
)
# What is asked for, given as an example or still open settles nothing.
_OPEN = regex(
    r"\?|\b(?:should|could|would|can|suggest\w*|propos\w*|options?|ideas?|example|examples|possible|draft|review|check|fix|write|"
    r"explain|list|which|what\s+(?:are|is)|pending|open|to\s+be|need(?:s|ed)?|break(?:s|ing)?|violat\w*|ignor\w*|vorschläge?|"
    r"propuestas?|offene?)\b",
    re.IGNORECASE,
)
_WORDS = 2


def find_listed(text: str) -> dict[str, Category]:
    """The items of such lists, as they stand without their mark."""
    found: dict[str, Category] = {}
    kind: Category | None = None
    for line in text.split("\n"):
        item = _ITEM.fullmatch(line)
        if item is not None:
            if kind is not None and len(item["text"].split()) >= _WORDS and not item["text"].rstrip().endswith("?"):
                found[item["text"].strip()] = kind
        elif line.strip():
            kind = _kind_of(line)
    return found


def _kind_of(line: str) -> Category | None:
    head = _HEAD.fullmatch(line)
    if head is None or _OPEN.search(head["text"]):
        return None
    return next((category for category, pattern in _PATTERNS if pattern.search(head["text"])), None)
