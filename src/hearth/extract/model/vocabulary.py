"""What a text says, by stems, in the language of its session."""

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

    @cached_property
    def _language(self) -> str:
        """Of the whole session: a single statement is too short to tell, and its stems must be the same."""
        return detect("\n".join(text for turn in self.turns for text in spoken(turn, Source.PERSON))[:_TELLING])
