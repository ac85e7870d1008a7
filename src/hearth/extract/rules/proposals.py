"""Proposals of the assistant that the person takes up: "yes, let's do that" decides what was proposed."""

from __future__ import annotations

import re

from hearth.extract.rules.looks import is_look
from hearth.language.sentences import sentences
from hearth.lazy import regex

_YES = regex(
    r"\W*(?:(?:yes|yeah|yep|ok(?:ay)?|sure|agreed|perfect|great|good|cool|nice|fine\s+by\s+me|works\s+for\s+me|love\s+it|sounds?\s+good|good\s+idea|fine|go\s+ahead|deal|right|"
    r"sí|si|vale|de\s+acuerdo|perfecto|adelante|hecho|buena\s+idea|ja|einverstanden|gut|passt|genau|gute\s+idee|oui|d['’]accord|"
    r"parfait|bonne\s+idée|sim|certo|combinado|boa\s+ideia|perfeito|sì|va\s+bene|d['’]accordo|perfetto|buona\s+idea|"
    r"да|хорошо|согласен|согласна|давай)\b|好的?|可以|同意|はい|いいですね|了解)[\s,.!:;–-]*"
    r"(?P<rest>.{0,120})",
    re.IGNORECASE | re.DOTALL,
)
_DO = regex(
    r"(?:(?:yes|please|ok|let['’]s|do|go|use|take|make)\b[\s,]*){0,3}(?:do\s+(?:that|it|this|so)|go\s+(?:ahead|with\s+(?:that|it|this|your\s+\w+))|"
    r"use\s+(?:that|it|this)|go\s+for\s+it|make\s+it\s+so|that\s+works|sounds\s+good|i\s+agree|agreed|"
    r"hagámoslo|hazlo(?:\s+así)?|adelante|hacemos\s+eso|machen?\s+wir(?:\s+so)?|mach\s+das|so\s+machen\s+wir\s+(?:es|das)|"
    r"faisons(?:\s+(?:ça|cela|comme\s+ça))|vas-y|fais-le|façamos\s+isso|vamos\s+fazer\s+isso|pode\s+fazer|faça\s+isso|"
    r"facciamo\s+(?:così|questo)|fallo|procedi|давай(?:те)?\s+так|сделаем\s+так|делай|就这(?:样|么)(?:办|做)?|そうしましょう|それで)",
    re.IGNORECASE,
)
_PROPOSES = regex(
    r"\b(?:i(?:['’]d)?\s+(?:would\s+)?(?:suggest|propose|recommend)|my\s+(?:suggestion|recommendation|proposal)\s+is|"
    r"(?:shall|should)\s+(?:we|i)\s+(?:use|switch|go\s+with|adopt|move|replace|keep|drop|split|store|migrate|stick)|"
    r"we\s+(?:could|should|can)\s+(?:use|switch|go\s+with|adopt|move|replace|keep|drop|split|store|migrate)|"
    r"then\s+[^.?!]{2,60}?\bshould\s+(?!(?:we|i|you)\b)|"
    r"let['’]s\s+(?:use|switch|go\s+with|adopt|move|replace|keep|drop|split|store|migrate)|"
    r"(?:sugiero|propongo|recomiendo)|(?:ich\s+schlage\s+vor|ich\s+empfehle|mein\s+vorschlag)|"
    r"je\s+(?:propose|suggère|recommande)|(?:eu\s+)?(?:sugiro|proponho|recomendo)|(?:propongo|suggerisco|consiglio)|"
    r"предлагаю|рекомендую|советую)\b|我?建议|推荐|提案(?:し|です)|おすすめ",
    re.IGNORECASE,
)
# Asked at the end, of what the sentence before says.
_SHALL = regex(
    r"(?:should|shall)\s+(?:i|we)\s+(?:do\s+(?:that|it|this|so)|go\s+(?:ahead|for\s+it)|proceed|make\s+(?:that|this)\s+change)\s*\?$|"
    r"(?:do\s+you\s+)?want\s+me\s+to\s+(?:do\s+(?:that|it|this|so)|go\s+ahead|proceed)\s*\?$|"
    r"soll\s+ich\s+(?:das\s+)?(?:so\s+)?(?:machen|tun|umsetzen)\s*\?$|¿?(?:lo\s+hago|quieres\s+que\s+lo\s+haga)\s*\?$|"
    r"(?:je\s+le\s+fais|veux-tu\s+que\s+je\s+le\s+fasse)\s*\?$",
    re.IGNORECASE,
)
# A question whether something shall be so from then on.
_SHALL_BE = regex(
    r"(?:should|shall)\s+(?:i|we)\s+(?:also\s+)?(?:add|use|switch|set|enable|disable|forbid|adopt|drop|replace|make|keep)\s+(?!(?:it|that|this)\b)\S+\s+\S+.*\?$|"
    r"soll(?:en)?\s+(?:ich|wir)\s+\S+.*\b(?:nehmen|verwenden|einführen|umstellen|ersetzen|behalten|aktivieren|deaktivieren)\s*\?$",
    re.IGNORECASE,
)
_PLEASE = regex(r"(?:please|bitte|gern(?:e)?|por\s+favor|per\s+favore|s['’]il\s+te\s+pla[iî]t)\W*", re.IGNORECASE)
_WOULD = regex(r"\b(?:would|could|can|könnten?|würden?|podría\w*|pourrai\w*)\b", re.IGNORECASE)
_MOST = 400
_SHORT = 30


def accepted(answer: str, reply: str) -> str | None:
    """The proposal that ``answer`` takes up, as ``reply`` worded it; ``None`` where it takes up none, or several were
    made."""
    if not _accepts(answer):
        return None
    said = list(sentences(reply[-4_000:]))
    made = [sentence for sentence in said if _PROPOSES.search(sentence) and not is_look(sentence)]
    if not made and len(said) > 1 and _SHALL.match(said[-1]) and _WOULD.search(said[-2]):
        made = [said[-2]]
    if not made and said and _SHALL_BE.match(last := said[-1].removeprefix("No. ")):
        made = [last]
    return " ".join(made[0].replace("**", "").split())[:_MOST] if len(made) == 1 else None


def _accepts(answer: str) -> bool:
    head = answer.strip()[:160]
    if head.endswith(("?", "？")):
        return False
    yes = _YES.match(head)
    if yes is None:
        return _DO.match(head) is not None
    rest = yes["rest"].strip()
    return (
        not rest
        or _PLEASE.fullmatch(rest) is not None
        or _DO.match(rest) is not None
        or (_YES.match(rest) is not None and len(rest) < _SHORT)
    )
