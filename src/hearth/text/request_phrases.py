"""Phrases of which requests are made, whatever they are about: "can you list, in order, what I mentioned about …".

Long questions are mostly such phrases, whose words no answer holds; Huston & Croft, "Evaluating Verbose Query
Processing Techniques" (2010), call them stop structure. Only whole phrases count: an order or a session may be the
subject.
"""

from __future__ import annotations

import re

from hearth.lazy import regex

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
