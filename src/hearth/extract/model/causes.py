"""A language model as a reader of causes: it is believed as far as it quotes both statements, and doesn't contradict
itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from hearth.extract import prompts
from hearth.extract.causes.causes import LINKED
from hearth.extract.causes.pairs import CausalPair, SessionStatement
from hearth.extract.model.dialogue import fence_of
from hearth.extract.model.schema import CausesReply, ToldCause
from hearth.language.evidence import has_span
from hearth.lazy import dataclass
from hearth.ports import Llm

LEAST = 0.6
"""Below this confidence nothing is kept."""
MOST_CAUSES = 2
"""One effect has so many causes at most: a model that names more is believed in none of them."""
_SHOWN = 40
"""Statements of a session, the latest."""
_CHARS = 400
_LEAST_QUOTE = 8


@dataclass(frozen=True, slots=True)
class CauseReader:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text; ``suspicious`` tells texts that give
    orders: none of these is shown to the model."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    def read(self, statements: Sequence[SessionStatement]) -> list[CausalPair]:
        """Raises ``Unavailable`` or ``BadReply``."""
        texts = {number: self._show(one.text) for number, one in enumerate(statements[-_SHOWN:], 1)}
        shown = {number: text for number, text in texts.items() if text is not None}
        if len(shown) < 2:
            return []
        asked = dict(enumerate(statements[-_SHOWN:], 1))
        rows = (f"[{n}] turn {asked[n].turn}, {asked[n].content_type}: {text}" for n, text in shown.items())
        session = "\n".join(rows)
        prompt = prompts.load("causes")
        reply = self.llm.complete(prompt.filled({"session": session, "fence": fence_of(session)}), CausesReply)
        why = f"{self.llm.name} {prompt.label}"
        return [
            CausalPair(asked[one.cause].docid, asked[one.effect].docid, round(min(one.confidence, LINKED), 3), why)
            for one in _believed(reply, shown)
        ]

    def _show(self, text: str) -> str | None:
        told = " ".join(self.clean(text).split())[:_CHARS]
        return None if not told or self.suspicious(told) else told


def _believed(reply: CausesReply, shown: Mapping[int, str]) -> Iterator[ToldCause]:
    told = {(one.cause, one.effect): one for one in reply.pairs if one.confidence >= LEAST and _stands(one, shown)}
    causes = Counter(effect for _, effect in told)
    for (cause, effect), one in told.items():
        if (effect, cause) not in told and causes[effect] <= MOST_CAUSES:
            yield one


def _stands(one: ToldCause, shown: Mapping[int, str]) -> bool:
    ends = ((one.cause, one.cause_quote), (one.effect, one.effect_quote))
    return one.cause != one.effect and all(
        number in shown and has_span(shown[number], quote, _LEAST_QUOTE) for number, quote in ends
    )
