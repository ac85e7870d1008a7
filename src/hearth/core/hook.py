"""What a host tells a hook, whatever its dialect, and what a hook answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

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
