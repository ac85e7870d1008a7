"""A language model as the writer of a night's diary: what it says is kept where it rests on the night's account."""

from __future__ import annotations

import re
from collections.abc import Callable

from hearth.errors import BadReply
from hearth.extract import prompts
from hearth.extract.model.dialogue import fence_of
from hearth.extract.model.judge import shingles
from hearth.extract.model.schema import NightReply
from hearth.language.prose import Sources
from hearth.lazy import dataclass, regex
from hearth.ports import Llm

LEAST_WORDS, MOST_WORDS = 80, 180
_SHARE = 0.4
"""The share of its words that the account must hold: prose joins what a list only names."""
_CHARS_PER_WORD = 2
"""Of scripts without spaces."""
_WORD = regex(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKUP = regex(r"<!--|^\s*(?:#{1,6}\s|[-*+]\s|>|```|\|)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NightDiary:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text; ``suspicious`` tells texts that give
    orders."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    def tell(self, account: str) -> str:
        """80 to 180 words about a night, one paragraph. Raises ``Unavailable`` where the model is not to be had, and
        ``BadReply`` for words that don't rest on the ``account``."""
        shown = self.clean(account)
        prompt = prompts.load("night")
        asked = prompt.filled({"session": shown, "fence": fence_of(shown)})
        said = self.llm.complete(asked, NightReply).diary
        fault = self._fault(said, shown, prompt.text)
        if fault is not None:
            raise BadReply(f"{self.llm.name} wrote no diary that can be kept: {fault}")
        return " ".join(self.clean(said).split())

    def _fault(self, said: str, shown: str, prompt: str) -> str | None:
        count = _count(said)
        if not LEAST_WORDS <= count <= MOST_WORDS:
            return f"it has {count} words instead of {LEAST_WORDS} to {MOST_WORDS}"
        if _MARKUP.search(said):
            return "it is no plain prose"
        if (fault := Sources([shown]).find_fault(said, _SHARE)) is not None:
            return fault
        if shingles(said) & shingles(prompt):
            return "it repeats the prompt"
        return "it gives an order to whoever reads it" if self.suspicious(said) else None


def _count(text: str) -> int:
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + unspaced // _CHARS_PER_WORD
