"""What the configuration says of ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from hearth.engine.recall.question import Language
from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """``half_lives`` in days by content type, ``None`` for never; ``contexts`` maps collection and folder to what is
    said of them; ``scoring`` is ``relevance`` or ``composite``; ``surfaces`` says of each
    collection for which prompts it is brought up; ``min_score`` is that of questions that name none."""

    language: Language = field(default_factory=Language)
    half_lives: Mapping[str, float | None] = field(default_factory=dict)
    temporal_decay: bool = True
    mmr: bool = True
    mmr_weight: float = 0.8
    contexts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scoring: str = "relevance"
    surfaces: Mapping[str, str] = field(default_factory=dict)
    min_score: float | None = None

    def folder_context(self, collection: str, path: str) -> str | None:
        """What the settings say of the closest folder above a document."""
        texts = self.contexts.get(collection, {})
        found = [folder for folder in texts if f"/{path}".startswith(f"/{folder.strip('/')}/".replace("//", "/"))]
        return texts[max(found, key=len)] if found else None

    def surfaced(self) -> tuple[str, ...]:
        """The collections that may be brought up unasked, where some may not; else none, which means all."""
        shown = tuple(name for name, when in self.surfaces.items() if when != "never")
        return () if len(shown) == len(self.surfaces) else shown

    def is_reference(self, collection: str) -> bool:
        """Whether its owner keeps it to look things up."""
        return self.surfaces.get(collection) in ("asked", "never")
