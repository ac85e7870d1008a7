"""What an agent did in its host's own terms, and what is switched off for a session or folder."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from hearth.core.lazy import dataclass

TodoState = Literal["open", "active", "done"]


class Act(StrEnum):
    """``ASK`` puts a multiple-choice question, ``PLAN`` asks for a plan's approval, ``TODOS`` writes the list of what
    is to do, ``COMMAND`` runs a shell command."""

    ASK = "ask"
    PLAN = "plan"
    TODOS = "todos"
    COMMAND = "command"
    EDIT = "edit"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Choice:
    """``key`` is the host's id of the question, where it is not known by its words."""

    question: str
    options: tuple[str, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Todo:
    """``key`` is the host's id, where it keeps its list item by item; a text may then be missing."""

    text: str
    state: TodoState | None = "open"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """``text`` is the plan, the command, or the file that is read. ``partial`` marks todos that change some items of
    the list; otherwise they are the whole list."""

    act: Act
    text: str = ""
    choices: tuple[Choice, ...] = ()
    todos: tuple[Todo, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a person did about a call. ``answers`` are pairs of a question (or its key) and what was chosen, ``plan``
    the text that was approved, ``denied`` that the call was refused, ``words`` what the person said to that.
    ``interrupted`` stands for a person who stopped the agent. ``key`` is the id that the host gave what it made.
    ``plan`` is an outline; ``approved`` says that there was an approval, with or without the text. ``marked`` says
    that the host itself marked the refusal, beside what the result says."""

    answers: tuple[tuple[str, str], ...] = ()
    plan: str = ""
    denied: bool = False
    words: str = ""
    interrupted: bool = False
    key: str | None = None
    approved: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A call and what came of it. ``output`` is cut in the middle after 4,000 characters, ``at`` ms UTC; ``done`` is
    false where no result was recorded."""

    tool: str
    action: Action | None = None
    output: str = ""
    failed: bool = False
    done: bool = True
    outcome: Outcome | None = None
    files: tuple[str, ...] = ()
    at: int | None = None


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
