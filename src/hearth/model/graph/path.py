"""The way along relations on which an answer was found."""

from __future__ import annotations

from typing import Any

from hearth.lazy import dataclass
from hearth.model.graph.relation import TYPES


@dataclass(frozen=True, slots=True)
class PathStep:
    """One relation, in its own direction: ``source`` and ``target`` are docids, the places ``collection/path``."""

    source: str
    type: str
    target: str
    source_place: str
    target_place: str
    weight: float

    @property
    def words(self) -> str:
        return f"{self.source_place} {TYPES[self.type].words} {self.target_place}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "type": self.type,
            "target": self.target,
            "source_path": self.source_place,
            "target_path": self.target_place,
            "weight": round(self.weight, 4),
        }
