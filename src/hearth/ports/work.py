"""Work that may be shared out to other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar


class Sized(Protocol):
    """``size`` is in bytes: what is under way at a time is bounded by the sum."""

    @property
    def size(self) -> int: ...


Item = TypeVar("Item", bound=Sized)
Result = TypeVar("Result")


class Spread(Protocol):
    """As ``map``, maybe in several processes: results in order. There, work and items have to be picklable."""

    def __call__(self, work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]: ...
