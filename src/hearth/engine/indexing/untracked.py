"""Notes of which no repository knows anything."""

from __future__ import annotations

from collections.abc import Mapping

from hearth.ports import Collection, Commit


class Untracked:
    """Implements ``ports.Commits``."""

    def revision(self, collection: Collection) -> str | None:
        return None

    def first(self, collection: Collection) -> Mapping[str, Commit]:
        return {}
