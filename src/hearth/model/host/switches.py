"""What is switched off for a session or folder: incognito reads and writes nothing."""

from __future__ import annotations

from typing import Any

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """``capture``: nothing is recorded or captured. ``surface``: hooks bring nothing. ``why`` names what switched it
    off."""

    capture: bool = False
    surface: bool = False
    why: str = ""

    @property
    def everything(self) -> bool:
        return self.capture and self.surface


NOTHING_OFF = SwitchedOff()
PRIVATE_PROMPT = SwitchedOff(capture=True, surface=True, why="a private prompt")


@dataclass(frozen=True, slots=True)
class IncognitoReport:
    """``sessions`` and ``folders`` are those that are incognito on this machine, ``here`` what is switched off for the
    session or folder that was asked about; ``problems`` say what of the files that switch things off can't be read."""

    here: SwitchedOff
    session: str | None = None
    folder: str | None = None
    sessions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "incognito": self.here.everything,
            "capture": not self.here.capture,
            "surface": not self.here.surface,
            "why": self.here.why,
            "session": self.session,
            "folder": self.folder,
            "sessions": list(self.sessions),
            "folders": list(self.folders),
            "problems": list(self.problems),
        }
