"""Hearth: a local memory engine for AI agents.

Markdown files are the memory; everything else is derived from them. Names are loaded on first use, so that a hook or
a shell completion pays only for what it touches.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hearth.app import open_vault
    from hearth.engine.embedding import EmbedReport
    from hearth.engine.exchange.take import Imported
    from hearth.engine.lifecycle.report import LifecycleStatus, Restored, Swept
    from hearth.engine.pair.report import MemoryContext, MemorySearch, MemoryText
    from hearth.engine.reading import Passage
    from hearth.engine.related import Moment
    from hearth.engine.sync import SyncReport
    from hearth.engine.vault import Status, Vault
    from hearth.errors import (
        Ambiguous,
        BadReply,
        ConfigError,
        Conflict,
        HearthError,
        IndexNewer,
        NotFound,
        Unavailable,
        UnsupportedPlatform,
        UsageError,
    )
    from hearth.model.change import Changed, Purged
    from hearth.model.document import Document, DocumentState
    from hearth.model.memory import Entry, Remembered
    from hearth.model.query import Conversation, Explanation, Hit, LaneScore, Move, Query, Recall
    from hearth.model.session import (
        Feedback,
        Focus,
        Session,
        SessionDetail,
        Shown,
        ShownDocument,
        ShownTurn,
        Sighting,
        Surfacing,
        Turn,
    )
    from hearth.ports import CollectionState, Filter, Skipped, StoredDocument

__version__ = "0.1.0"

_HOMES = {
    "hearth.app": ("open_vault",),
    "hearth.engine.embedding": ("EmbedReport",),
    "hearth.engine.exchange.take": ("Imported",),
    "hearth.engine.lifecycle.report": (
        "LifecycleStatus",
        "Restored",
        "Swept",
    ),
    "hearth.engine.pair.report": (
        "MemoryContext",
        "MemorySearch",
        "MemoryText",
    ),
    "hearth.engine.reading": ("Passage",),
    "hearth.engine.related": ("Moment",),
    "hearth.engine.sync": ("SyncReport",),
    "hearth.engine.vault": (
        "Status",
        "Vault",
    ),
    "hearth.errors": (
        "Ambiguous",
        "BadReply",
        "ConfigError",
        "Conflict",
        "HearthError",
        "IndexNewer",
        "NotFound",
        "Unavailable",
        "UnsupportedPlatform",
        "UsageError",
    ),
    "hearth.model.change": (
        "Changed",
        "Purged",
    ),
    "hearth.model.document": (
        "Document",
        "DocumentState",
    ),
    "hearth.model.memory": (
        "Entry",
        "Remembered",
    ),
    "hearth.model.query": (
        "Conversation",
        "Explanation",
        "Hit",
        "LaneScore",
        "Move",
        "Query",
        "Recall",
    ),
    "hearth.model.session": (
        "Feedback",
        "Focus",
        "Session",
        "SessionDetail",
        "Shown",
        "ShownDocument",
        "ShownTurn",
        "Sighting",
        "Surfacing",
        "Turn",
    ),
    "hearth.ports": (
        "CollectionState",
        "Filter",
        "Skipped",
        "StoredDocument",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Ambiguous",
    "BadReply",
    "Changed",
    "CollectionState",
    "ConfigError",
    "Conflict",
    "Conversation",
    "Document",
    "DocumentState",
    "EmbedReport",
    "Entry",
    "Explanation",
    "Feedback",
    "Filter",
    "Focus",
    "HearthError",
    "Hit",
    "Imported",
    "IndexNewer",
    "LaneScore",
    "LifecycleStatus",
    "MemoryContext",
    "MemorySearch",
    "MemoryText",
    "Moment",
    "Move",
    "NotFound",
    "Passage",
    "Purged",
    "Query",
    "Recall",
    "Remembered",
    "Restored",
    "Session",
    "SessionDetail",
    "Shown",
    "ShownDocument",
    "ShownTurn",
    "Sighting",
    "Skipped",
    "Status",
    "StoredDocument",
    "Surfacing",
    "Swept",
    "SyncReport",
    "Turn",
    "Unavailable",
    "UnsupportedPlatform",
    "UsageError",
    "Vault",
    "__version__",
    "open_vault",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        from importlib import import_module

        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'hearth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
