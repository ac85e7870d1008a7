"""What is switched off for a session or a folder, and which parts of transcripts nobody reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hearth.model.host.switches import NOTHING_OFF, IncognitoReport, SwitchedOff


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
