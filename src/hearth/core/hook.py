"""What a host tells a hook, whatever its dialect, what it answers, and what an agent did in the host's own terms."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Literal

from hearth.core.errors import Conflict, Remedy
from hearth.core.lazy import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Where an event comes from. ``turn`` is the host's own id of the prompt; an ``agent`` is a subagent, whose events
    never count as the main session's. ``cwd`` and ``transcript`` are absolute names of this machine; ``reached`` is how
    many bytes the latter held then, where the event comes late. In an ``unattended`` session nobody asks: a script
    runs the host; in a ``shared`` one others listen: a group, a channel."""

    host: str
    session: str
    cwd: str | None = None
    transcript: str | None = None
    turn: str | None = None
    agent: str | None = None
    reached: int | None = None
    unattended: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSubmitted(Occasion):
    """``by_person`` is false for wake-ups, schedules and polls of the host."""

    prompt: str
    by_person: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(Occasion):
    source: Literal["startup", "clear", "resume", "fork", "compact"] = "startup"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionImminent(Occasion):
    trigger: Literal["manual", "auto"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Occasion):
    """``reply`` is the assistant's last message, ``prompt`` what it answers, where the host says so; ``paused`` where
    work goes on in the background. ``said`` is the whole turn, each part with its role and moment (ms UTC), of a host
    whose transcripts nobody else reads."""

    reply: str | None = None
    prompt: str | None = None
    paused: bool = False
    said: tuple[tuple[str, str, int | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Occasion):
    reason: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAboutToRun(Occasion):
    """``files`` are the absolute names that the tool is to change, ``command`` is what a shell is to run."""

    tool: str
    files: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailed(Occasion):
    """``error`` is what the tool answered."""

    tool: str
    error: str
    files: tuple[str, ...] = ()
    command: str = ""


HookEvent = (
    PromptSubmitted | SessionStarted | CompactionImminent | TurnEnded | SessionEnded | ToolAboutToRun | ToolFailed
)

ENTRYPOINT, HEADLESS = "CLAUDE_CODE_ENTRYPOINT", frozenset(("sdk-cli", "claude-code-github-action"))
"""How Claude Code says who started it: ``claude -p``, its action. At programs with an SDK of their own (``sdk-ts``,
``sdk-py``) a person may sit."""
PROBE = "hearth-doctor"
"""The session of ``hearth doctor``, of which nothing is written down."""

# Name of a hook -> the event that it answers.
HOOKS: dict[str, type[Occasion]] = {
    "context-surfacing": PromptSubmitted,
    "session-bootstrap": SessionStarted,
    "postcompact-inject": SessionStarted,
    "staleness-check": SessionStarted,
    "curator-nudge": SessionStarted,
    "precompact-extract": CompactionImminent,
    "feedback-loop": TurnEnded,
    "session-end": SessionEnded,
    "pretool-inject": ToolAboutToRun,
    "failure-inject": ToolFailed,
}


@dataclass(frozen=True, slots=True)
class HookReply:
    """``context`` is what the agent is to read, already rendered and fenced; ``None`` for nothing. ``reason`` says
    why there is nothing, or what could not be done; people see it in ``hearth hook --explain``, no host does."""

    context: str | None = None
    reason: str | None = None


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Handled:
    """A reply, and what is to be done once it is out: ``after`` writes down what was shown. Not ``done`` is what could
    not be dealt with now, and can be later."""

    reply: HookReply
    after: Callable[[], None] = _nothing
    done: bool = True


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
    off; for all sessions of an ``agent`` where that is its settings."""

    capture: bool = False
    surface: bool = False
    why: str = ""
    agent: str = ""

    @property
    def everything(self) -> bool:
        return self.capture and self.surface


NOTHING_OFF = SwitchedOff()
PRIVATE_PROMPT = SwitchedOff(capture=True, surface=True, why="a private prompt")


def check_switch(off: SwitchedOff, remedy: Remedy | None = None) -> None:
    """Raises ``Conflict`` where everything is switched off; an agent can't change its person's settings."""
    if off.agent:
        raise Conflict(f"the agent {off.agent} has no memory: {off.why}; go on without it")
    if off.everything:
        raise Conflict(f"memory is off: {off.why}", remedy)


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
