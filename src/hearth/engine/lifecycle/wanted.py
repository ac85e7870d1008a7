"""What of the archive somebody wants back."""

from __future__ import annotations

from hearth.errors import UsageError
from hearth.lazy import dataclass
from hearth.model.query import Query

DEFAULT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Restorable:
    """Which archived documents to bring back: all that fit everything given, ``everything`` where nothing is.
    ``since`` is when they were archived at the earliest, ms UTC; ``limit`` is for a ``query``."""

    query: Query | None = None
    collection: str | None = None
    since: int | None = None
    everything: bool = False
    limit: int = DEFAULT_LIMIT

    def checked(self) -> Restorable:
        """Raises ``UsageError`` for nothing, for everything together with a choice, and for a limit below 1."""
        given = [self.query, self.collection, self.since]
        chosen = any(one is not None for one in given)
        if chosen == self.everything:
            what = "all excludes a choice" if chosen else "nothing says what to restore"
            raise UsageError(f"{what}; give a query, a collection or since, or ask for all")
        if self.limit < 1:
            raise UsageError(f"limit {self.limit} is out of range; choose 1 or more")
        return self
