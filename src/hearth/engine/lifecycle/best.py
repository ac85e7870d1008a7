"""The first few of many, without keeping the rest."""

from __future__ import annotations

import bisect
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Best(Generic[Item]):
    """Keeps the ``limit`` items of the least keys; ``count`` is how many there were."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[tuple[tuple[float, str], Item]] = []
        self.count = 0

    def add(self, key: tuple[float, str], item: Item) -> None:
        self.count += 1
        bisect.insort(self._kept, (key, item), key=lambda entry: entry[0])
        del self._kept[self._limit :]

    @property
    def items(self) -> tuple[Item, ...]:
        """The least key first."""
        return tuple(item for _, item in self._kept)
