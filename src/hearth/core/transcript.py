"""What a host's transcript of a session says, whoever wrote it down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Literal, get_args

from hearth.core.hook import Action, Outcome, Step
from hearth.core.lazy import dataclass

Style = Literal["claude-code", "codex", "gemini", "inbox", "openclaw"]


class Kind(StrEnum):
    """Who speaks. Only ``USER`` is a person: what a program or a model wrote in the user's role is ``META``, as are
    summaries and what hooks injected. ``TITLE`` is what a model calls the session, ``NAME`` what the person calls it.
    Whatever a subagent's line holds is ``SIDECHAIN``."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"
    SIDECHAIN = "sidechain"
    META = "meta"
    TITLE = "title"
    NAME = "name"
    BOUNDARY = "compaction-boundary"


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One thing said or done. Instants are ms UTC; ``offset`` is the byte at which its line starts.

    ``turn`` counts the prompts up to here, from 1; 0 comes before the first. ``prompt`` is the host's own id of that
    prompt. ``queued`` marks a prompt typed while the assistant was at work: it belongs to the turn under way.
    Entries with the same ``message`` are parts of one message. ``call`` joins a tool's call and its result; ``files``
    are the absolute names that a call is to change, ``failed`` marks a result. ``action`` is what a call does,
    ``outcome`` what the person did about it. The text of tool results and of meta entries is cut after 4,000
    characters, that of results in the middle. ``cwd`` is the folder in which the session was then.
    """

    kind: Kind
    text: str = ""
    at: int | None = None
    uid: str | None = None
    offset: int = 0
    turn: int = 0
    prompt: str | None = None
    queued: bool = False
    message: str | None = None
    tool: str = ""
    files: tuple[str, ...] = ()
    call: str | None = None
    failed: bool = False
    action: Action | None = None
    outcome: Outcome | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A line in the tree that a host writes of a session: ``uid`` names it, ``parent`` the line that it
    follows. ``opens`` marks the prompt that opens ``turn``, ``spoken`` a line that the person or the model wrote.
    ``is_start`` marks a line that expressly follows none, ``index`` is the host's number of the prompt, ``is_aside``
    marks a subagent's line, which joins others at most."""

    uid: str
    parent: str | None
    offset: int = 0
    turn: int = 0
    opens: bool = False
    spoken: bool = False
    is_start: bool = False
    index: int | None = None
    is_aside: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt and what came of it. ``prompts`` is empty for what follows on a turn that was read before.

    ``replies`` are the assistant's messages, ``files`` the names that its tools changed (calls that failed left out),
    ``tools`` their names in order, ``steps`` its calls with what came of them. ``interrupted`` says that the person
    stopped the agent, ``cwd`` is the folder in which the turn began.
    """

    ordinal: int
    key: str | None = None
    prompts: tuple[TranscriptEntry, ...] = ()
    replies: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    interrupted: bool = False
    cwd: str | None = None

    @property
    def at(self) -> int | None:
        """When its first prompt was typed, else when its first call was made; ms UTC."""
        instants = (*(prompt.at for prompt in self.prompts), *(step.at for step in self.steps))
        return next((at for at in instants if at is not None), None)


UNATTENDED = "unattended"
"""The mark of a session that a script runs."""
PROMPT_LOST, PROMPT_MISSING = "prompt-lost", "prompt-missing"
"""The marks of a file whose last lines were damaged: the next answer may belong to a prompt that nobody can read, or
does, since it follows a line that is missing."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where reading stopped, ``offset`` bytes in, always after a complete line, and what the lines before have told.
    ``marks`` belong to the reader of that style, but for ``UNATTENDED`` and the marks of lost prompts; ``leaf`` names
    the last line of the session's tree."""

    offset: int = 0
    turn: int = 0
    prompt: str | None = None
    style: Style | None = None
    cwd: str | None = None
    marks: frozenset[str] = frozenset()
    leaf: str | None = None


@dataclass(frozen=True, slots=True)
class Watermark:
    """A position in a file. ``digest`` is of the first and last bytes before it, by which a file that was rotated or
    rewritten is told; without one, only truncation is noticed, and the offset may lie inside a line."""

    position: Position = field(default_factory=Position)
    digest: str = ""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        at = self.position
        return {
            "offset": at.offset,
            "turn": at.turn,
            "prompt": at.prompt,
            "style": at.style,
            "cwd": at.cwd,
            "marks": sorted(at.marks),
            "leaf": at.leaf,
            "digest": self.digest,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Watermark:
        """The inverse of :meth:`as_data`. A field that is missing or of another type gets its default: the worst that
        a damaged watermark does is to read from the start."""
        style = data.get("style")
        position = Position(
            offset=_count(data.get("offset")),
            turn=_count(data.get("turn")),
            prompt=_text(data.get("prompt")),
            style=style if style in get_args(Style) else None,
            cwd=_text(data.get("cwd")),
            marks=frozenset(mark for mark in _list(data.get("marks")) if isinstance(mark, str)),
            leaf=_text(data.get("leaf")),
        )
        return cls(position, _text(data.get("digest")) or "")


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that was passed over. ``offset`` is in bytes."""

    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A turn that the person took back, by rewinding the session or editing a prompt. ``offset`` is the byte at which
    the line of its prompt starts."""

    turn: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What was new in a transcript. ``reset`` says why reading began at the start again, ``None`` if it did not.
    ``faults`` are the first lines passed over of ``faulty``. ``more`` means that the most bytes of one reading were
    reached: read on from ``watermark``. ``watermark.position.style`` is ``None`` if no line was of a known host.
    ``entries`` are without turns that were taken back; these are ``dropped``. ``taken_back`` are turns that an earlier
    reading told and these lines take back, the first first."""

    entries: tuple[TranscriptEntry, ...]
    watermark: Watermark
    reset: str | None = None
    more: bool = False
    faulty: int = 0
    faults: tuple[Fault, ...] = ()
    dropped: tuple[TranscriptEntry, ...] = ()
    taken_back: tuple[TakenBack, ...] = ()


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
