"""The calls that other memory systems' clients know."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hearth.errors import HearthError

if TYPE_CHECKING:
    from hearth.engine.pair.get import Getter
    from hearth.engine.pair.report import MemoryContext, MemorySearch, MemoryText
    from hearth.engine.recall import Recaller
    from hearth.model.query import Query, Recall
    from hearth.ports import Store


@dataclass(frozen=True, slots=True)
class Access:
    """``citations`` is what the settings say."""

    recaller: Recaller
    store: Store
    getter: Getter
    citations: str


class Pair:
    """``citations`` is ``auto``, ``on`` or ``off``, else what the settings say; ``auto`` cites where ``direct``, which
    is where one person reads."""

    def _access(self) -> Access:
        raise NotImplementedError

    if TYPE_CHECKING:  # what the vault has from elsewhere

        def query(self, text: str, **options: Any) -> Query: ...
        def recalled(self, recall: Recall, session: str | None = None, turn: str | None = None) -> None: ...

    def memory_search(
        self,
        query: str,
        max_results: int = 6,
        min_score: float | None = None,
        *,
        citations: str | None = None,
        direct: bool = True,
        session: str | None = None,
    ) -> MemorySearch:
        """The passages that answer; that they were asked for is recorded. Raises ``UsageError`` for an empty question
        or a number out of range."""
        from hearth.engine.pair.citations import mode
        from hearth.engine.pair.search import search

        access = self._access()
        asked = self.query(query, limit=max_results, min_score=min_score)
        found, recall = search(asked, access.recaller, mode(citations or access.citations), direct=direct)
        # A journal that can't be written keeps nobody from an answer.
        with suppress(HearthError, OSError):
            self.recalled(recall, session)
        return found

    def memory_get(self, path: str, from_line: int | None = None, lines: int | None = None) -> MemoryText:
        """Lines of a file of a collection, secrets scrubbed. Raises ``UsageError`` for numbers below 1."""
        return self._access().getter(path, from_line, lines)

    def memory_context(
        self, message: str, *, citations: str | None = None, direct: bool = True, **given: Any
    ) -> MemoryContext:
        """What the notes say to a whole message, as a digest within ``budget_tokens``; ``given`` are that and other
        fields of ``context.Wish``. Raises ``UsageError`` for numbers out of range."""
        from hearth.engine.pair.citations import cites, mode
        from hearth.engine.pair.context import Wish, context

        access = self._access()
        shown = cites(mode(citations or access.citations), direct=direct)
        return context(Wish(message, self.query(""), cites=shown, **given), access.recaller, access.store)
