"""What a person says is left to do as they leave off: the last thing said, after which nothing was done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hearth.extract.rules.privacy import heard
from hearth.language.sentences import sentences
from hearth.lazy import regex
from hearth.model.host.transcript import Turn

_MOST_CHARS = 240
_REMAINS = regex(
    r"\b(?:(?:is|are|comes?|goes)\s+next\b|next\s+(?:up|time|thing|step|one)\b|next\s+(?:is|are|comes?)\b|"
    r"what['’]?s\s+left\b|what\s+is\s+left\b|still\s+(?:left|missing|open|to\s+do)\b|left\s+(?:to\s+do|is|are)\b|"
    r"to\s+be\s+continued\b|(?:continue|carry\s+on|go\s+on)\s+(?:with|from|at)\b|pick(?:ing)?\s+(?:it\s+)?up\s+(?:at|from|with)\b|"
    r"als\s+n[äa]chstes\b|n[äa]chstes\s+mal\b|kommt?\s+(?:noch\s+|dann\s+)?dran\b|(?:es\s+)?(?:fehlt|fehlen|bleibt|bleiben)\s+(?:noch|nur)\b|"
    r"noch\s+offen\b|weiter\s+(?:geht|mit)\b|lo\s+siguiente\b|quedan?\s+(?:por|el|la|los|las)\b|faltan?\s|seguimos\s+con\b|"
    r"il\s+reste\b|reste(?:nt)?\s+(?:à|le|la|les|encore)\b|la\s+prochaine\s+(?:étape|fois)\b|on\s+continue\s+avec\b|"
    r"mancan?o?\s|restan?o?\s|la\s+prossima\s+volta\b|si\s+continua\s+con\b|faltam?\s|próxim[oa]\s+(?:passo|vez)\b|"
    r"continuamos\s+com\b)|дальше\b|осталось\b|接下来|还剩|剩下|次は|残り",
    re.IGNORECASE,
)


def find_remaining(turns: Sequence[Turn]) -> list[str]:
    """Sentences of the last prompt, as they were said; none where something was done after it."""
    if not turns or turns[-1].steps:
        return []
    said = [text for prompt in turns[-1].prompts[-1:] if (text := heard(prompt.text))]
    found = (sentence for text in said for sentence in sentences(text))
    return [one for one in found if len(one) <= _MOST_CHARS and not one.endswith(("?", "？")) and _REMAINS.search(one)]
