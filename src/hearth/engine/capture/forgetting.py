"""Which memory a person means when they ask that something be forgotten."""

from __future__ import annotations

from hearth.engine.truth.rivals import Rivals
from hearth.language.forgetting import weigh_fact
from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.model.identity import INTERNAL
from hearth.model.memory import is_of_project
from hearth.ports import Clock, Store, StoredDocument

MOST = 3
"""So many of which any may be meant are named."""


@dataclass(frozen=True)
class Meant:
    """Finds memories by what somebody says of them."""

    store: Store
    clock: Clock

    def find(self, fact: str, project: str | None, until: int) -> list[StoredDocument]:
        """The memories that say what is named, of this project or of none, said up to the moment ``until`` (ms UTC):
        those that name it most clearly. One means that it is clear."""
        found = Rivals(self.store, None, self.clock)("", fact, pending=True)
        allowed = [one for one in found if _is_allowed(one.document, project, until)]
        with self.store.read() as reader:
            texts = {one.id: "\n".join(part.text for part in reader.fragments_of(one.id)) for one in allowed}
        clear = {one.id: weigh_fact(fact, texts[one.id]) for one in allowed}
        best = max(clear.values(), default=0)
        return [one for one in allowed if best and clear[one.id] == best]


def _is_allowed(document: Document, project: str | None, until: int) -> bool:
    mine = document.collection == INTERNAL and is_of_project(document.facts.get("project"), project)
    return mine and (document.authored_at or 0) <= until
