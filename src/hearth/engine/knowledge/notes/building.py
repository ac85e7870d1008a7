"""Building the graph when somebody asks for it: relations first, then notes, which are read beside what is near."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hearth.engine.knowledge.notes.taking import TakenNotes
from hearth.lazy import dataclass

if TYPE_CHECKING:
    from hearth.engine.graph.deriving import DerivedRelations
    from hearth.engine.vault import Vault


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """``summed_up`` counts entities whose files have a new synthesis."""

    relations: DerivedRelations
    notes: TakenNotes
    summed_up: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {**self.relations.to_dict(), "notes": self.notes.to_dict(), "summed_up": self.summed_up}


def build_graph(vault: Vault, progress: Callable[[int, int], None] = lambda done, total: None) -> BuiltGraph:
    """Derives the relations that are missing; a language model, where there is one, reads some of the documents that
    it has not read, and sums up some of the entities of which more is known. Raises ``Unavailable`` where another
    process of this machine is at it."""
    relations = vault.graph.build(progress)
    with vault.knowledge.notes.lease():
        return BuiltGraph(relations, vault.knowledge.notes.run_leased(), len(vault.knowledge.synthesis.rebuild()))
