"""A language model as a reader of questions whose wording the rules can't tell: it picks one of a few kinds, and takes
a question apart into parts that say no more than the question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from hearth.extract import prompts
from hearth.extract.model.dialogue import fence_of
from hearth.extract.model.schema import ClassReply, PlanReply
from hearth.language.prose import Sources
from hearth.lazy import dataclass
from hearth.model.graph.question import ClassChoice
from hearth.model.query import QueryPlan
from hearth.ports import Llm

T = TypeVar("T", bound=BaseModel)

MOST_CLAUSES = 4
_CHARS, _SHARE = 2_000, 0.6


@dataclass(frozen=True, slots=True)
class QuestionReader:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text; ``suspicious`` tells texts that give
    orders: these are not shown to the model. What it says of no question, it says nothing of."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    def classify(self, question: str) -> ClassChoice | None:
        """What a question asks for. Raises ``Unavailable`` or ``BadReply``."""
        asked = self._ask("question", question, ClassReply)
        return None if asked is None else ClassChoice(asked[0].asks, asked[1])

    def plan(self, question: str) -> QueryPlan | None:
        """How to answer a question. Raises as ``classify``."""
        asked = self._ask("plan", question, PlanReply)
        if asked is None:
            return None
        told, why = asked
        if told.kind != "parts":
            return QueryPlan(told.kind, why)
        clauses = tuple(dict.fromkeys(" ".join(self.clean(clause).split()) for clause in told.clauses))
        return QueryPlan("parts", why, clauses) if self._stand(clauses, question) else None

    def _ask(self, name: str, question: str, schema: type[T]) -> tuple[T, str] | None:
        """The reply, and who gave it to which prompt."""
        shown = " ".join(self.clean(question).split())[:_CHARS]
        if not shown or self.suspicious(shown):
            return None
        prompt = prompts.load(name)
        asked = prompt.filled({"question": shown, "fence": fence_of(shown)})
        return self.llm.complete(asked, schema), f"{self.llm.name} {prompt.label}"

    def _stand(self, clauses: tuple[str, ...], question: str) -> bool:
        """Whether each says no more than the question, and all of them together as much."""
        asked = Sources([question])
        return (
            2 <= len(clauses) <= MOST_CLAUSES
            and all(len(clause) <= len(question) for clause in clauses)
            and all(asked.find_fault(clause, _SHARE) is None for clause in clauses)
            and Sources(clauses).find_fault(question, _SHARE) is None
            and not any(map(self.suspicious, clauses))
        )
