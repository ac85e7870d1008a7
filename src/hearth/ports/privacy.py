"""What is switched off for a session or a folder, and work shared out to other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from hearth.core.action import NOTHING_OFF, IncognitoReport, SwitchedOff


class Privacy(Protocol):
    """Instants are ms UTC, transcripts and folders absolute names. What changes something raises ``Unavailable``."""

    def find_off(self, session: str | None, cwd: str | None) -> SwitchedOff: ...

    def switch(self, on: bool, *, session: str | None = None, folder: str | None = None) -> bool:
        """Makes a session or a folder incognito, or ends that; says whether anything changed."""

    def report(self, session: str | None, folder: str | None) -> IncognitoReport: ...
    def is_told(self, session: str) -> bool: ...
    def set_told(self, session: str) -> None: ...

    def hidden(self, transcript: str) -> Sequence[tuple[int, int | None]]:
        """The first byte of each part that nobody reads, and the one after its last; ``None`` while it goes on."""

    def hide(self, transcript: str, since: int) -> None:
        """From a byte on nobody reads it, until ``show``."""

    def show(self, transcript: str) -> None:
        """From its present end on it is read again."""


class NoPrivacy:
    """Nothing is ever switched off."""

    def find_off(self, session: str | None, cwd: str | None) -> SwitchedOff:
        return NOTHING_OFF

    def switch(self, on: bool, *, session: str | None = None, folder: str | None = None) -> bool:
        return False

    def report(self, session: str | None, folder: str | None) -> IncognitoReport:
        return IncognitoReport(NOTHING_OFF, session, folder)

    def is_told(self, session: str) -> bool:
        return True

    def set_told(self, session: str) -> None:
        return None

    def hidden(self, transcript: str) -> Sequence[tuple[int, int | None]]:
        return ()

    def hide(self, transcript: str, since: int) -> None:
        return None

    def show(self, transcript: str) -> None:
        return None


class Sized(Protocol):
    """``size`` is in bytes: what is under way at a time is bounded by the sum."""

    @property
    def size(self) -> int: ...


Item = TypeVar("Item", bound=Sized)
Result = TypeVar("Result")


class Spread(Protocol):
    """As ``map``, maybe in several processes: results in order. There, work and items have to be picklable."""

    def __call__(self, work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]: ...
