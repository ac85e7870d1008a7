"""The calls that clients of other memory systems know."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hearth.engine.compat.citations import cites, mode
from hearth.engine.compat.context import ContextRequest, context
from hearth.engine.compat.get import Getter
from hearth.engine.compat.report import MemoryContext, MemorySearch
from hearth.engine.compat.search import DEFAULT_RESULTS, MIN_SCORE, search, to_our_scale
from hearth.engine.recall import Recaller
from hearth.engine.usage.record import UsageLog
from hearth.errors import HearthError
from hearth.lazy import dataclass
from hearth.model.query import Query
from hearth.ports import Store


@dataclass(frozen=True, slots=True)
class Compat:
    """``memory_search``, ``memory_get`` and ``memory_context`` in their known shapes. ``citations`` is ``auto``, ``on``
    or ``off``, else what the settings say (``default``); ``auto`` cites where ``direct``, which is where one person
    reads. ``ask`` makes a query of the present moment; ``get`` reads lines of a file of a collection."""

    recaller: Recaller
    store: Store
    get: Getter
    default: str
    ask: Callable[..., Query]
    usage: Callable[[], UsageLog]

    def search(
        self,
        query: str,
        max_results: int = DEFAULT_RESULTS,
        min_score: float = MIN_SCORE,
        *,
        citations: str | None = None,
        direct: bool = True,
        session: str | None = None,
    ) -> MemorySearch:
        """The passages that answer; that they were asked for is recorded. Raises ``UsageError`` for an empty question
        or a number out of range."""
        least = None if min_score == MIN_SCORE else to_our_scale(min_score)
        asked = self.ask(query, limit=max_results, min_score=least)
        found, recall = search(asked, self.recaller, mode(citations or self.default), direct=direct)
        # A journal that can't be written keeps nobody from an answer.
        with suppress(HearthError, OSError):
            self.usage().recalled(recall, session)
        return found

    def context(
        self, message: str, *, citations: str | None = None, direct: bool = True, **given: Any
    ) -> MemoryContext:
        """What the notes say to a whole message, as a digest within ``budget_tokens``; ``given`` are that and other
        fields of ``ContextRequest``. Raises ``UsageError`` for numbers out of range."""
        shown = cites(mode(citations or self.default), direct=direct)
        return context(ContextRequest(message, self.ask(""), cites=shown, **given), self.recaller, self.store)
