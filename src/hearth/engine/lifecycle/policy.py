"""The policy: which documents the sweep looks after, and how long each type may lie unused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.model.identity import INTERNAL
from hearth.model.types import CONTENT_TYPES, DEFAULT_TYPE


@dataclass(frozen=True, slots=True)
class Policy:
    """``overrides`` are limits in days by content type, ``None`` for never. ``collections`` opted in; what the engine
    wrote is always looked after. ``dry_run``: a sweep only says what it would do unless told to apply."""

    archive_after_days: int = 90
    overrides: Mapping[str, int | None] = field(default_factory=dict)
    purge_after_days: int | None = None
    exempt: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    dry_run: bool = True

    @property
    def governed(self) -> tuple[str, ...]:
        """The collections that the sweep looks at."""
        return tuple(name for name in (INTERNAL, *self.collections) if name not in self.exempt)

    def governs(self, document: Document) -> bool:
        return document.collection in self.governed

    def limit(self, content_type: str) -> int | None:
        """Days that a type may lie unused; ``None`` for never. What does not age is exempt unless it has a limit of
        its own."""
        if content_type in self.overrides:
            return self.overrides[content_type]
        kind = CONTENT_TYPES.get(content_type, CONTENT_TYPES[DEFAULT_TYPE])
        return None if kind.half_life_days is None else self.archive_after_days

    def to_dict(self) -> dict[str, Any]:
        """``limits`` has every content type."""
        return {
            "archive_after_days": self.archive_after_days,
            "limits": {name: self.limit(name) for name in CONTENT_TYPES},
            "purge_after_days": self.purge_after_days,
            "collections": list(self.governed),
            "exempt_collections": list(self.exempt),
            "dry_run": self.dry_run,
        }
