"""The words that turns are made of, by which a statement is told to rest on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hearth.lazy import dataclass
from hearth.model.capture.admission import spoken
from hearth.model.capture.extraction import Source
from hearth.model.host.transcript import Turn
from hearth.text.language import detect
from hearth.text.stopwords import is_stop_word
from hearth.text.terms import terms

SPEAKERS = frozenset(
    ("user", "usuario", "nutzer", "utilisateur", "utente", "usuário", "пользователь", "agent", "assistant", "person")
)
"""Who is spoken of, not what of them is said."""
_TELLING = 4_000
"""Characters that tell a language."""


@dataclass(frozen=True)
class Vocabulary:
    turns: Sequence[Turn]

    def of(self, text: str) -> frozenset[str]:
        """What a text says, by stems; without stop words, speakers and what holds a digit, since dates are worked
        out."""
        found = (term for term in terms(text, self._language) if not term.startswith("="))
        return frozenset(
            term
            for term in found
            if not is_stop_word(term, (self._language, "en"))
            and term not in SPEAKERS
            and not any(char.isdigit() for char in term)
        )

    def near(self, turn: int) -> frozenset[str]:
        """Of the turn and the one before it, to which it may answer."""
        return frozenset().union(*(words for ordinal, words in self._by_turn.items() if turn - 1 <= ordinal <= turn))

    @cached_property
    def everywhere(self) -> frozenset[str]:
        return frozenset().union(*self._by_turn.values())

    @cached_property
    def _by_turn(self) -> dict[int, frozenset[str]]:
        said = ((turn, [text for source in Source for text in spoken(turn, source)]) for turn in self.turns)
        return {turn.ordinal: self.of("\n".join(texts)) for turn, texts in said}

    @cached_property
    def _language(self) -> str:
        """Of the whole session: a single statement is too short to tell, and its stems must be the same."""
        return detect("\n".join(text for turn in self.turns for text in spoken(turn, Source.PERSON))[:_TELLING])
