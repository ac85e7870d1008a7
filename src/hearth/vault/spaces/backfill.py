"""A provider's batch service, as embedding uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hearth.ports import Vectors


class Backfilled(Protocol):
    """By position in the texts given: unit vectors, and reasons for those that failed. The others are for next time."""

    @property
    def vectors(self) -> Mapping[int, Vectors]: ...
    @property
    def failed(self) -> Mapping[int, str]: ...


class Backfill(Protocol):
    """A provider's batch service: cheaper, hours slower, and it outlives the process. Raises ``Unavailable`` or
    ``BadReply``."""

    @property
    def pending(self) -> bool:
        """Whether a batch is under way, or its result not yet acknowledged."""

    def run(self, texts: Sequence[str], wait: Callable[[], None]) -> Backfilled:
        """Goes on with the batch under way or starts one, and calls ``wait`` between two looks at it."""

    def finish(self) -> None:
        """The result is stored."""
