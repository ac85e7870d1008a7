"""The index in memory: the twin of the SQLite index, for tests and for vaults that need no file."""

from __future__ import annotations

from hearth.store.memory.store import InMemoryStore

__all__ = ["InMemoryStore"]
