"""What there is to capture: what turns reached, less what was captured of them. Nothing is queued anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.core.transcript import Watermark
from hearth.ports import StateReader

MINUTE_MS = 60_000
_OVERDUE_MS = 60 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class CaptureWork:
    """The part of a session that waits: ``end`` is the byte of the transcript that its turns reached, ``since`` where
    capturing stopped; ``turns`` counts those in between, ``first`` and ``last`` are ms UTC. ``urgent`` says that a turn
    is worth being kept at once, ``ended`` that nothing more is to be expected."""

    session: str
    transcript: str
    end: int
    since: Watermark
    turns: int
    first: int
    last: int
    urgent: bool
    ended: bool


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """When capturing begins: ``smart`` by any of what follows, ``every_n`` after so many turns, ``time_based`` after so
    many minutes, ``off`` never."""

    mode: str = "smart"
    turns: int = 5
    minutes: int = 15

    def due_at(self, work: CaptureWork) -> int | None:
        """The moment (ms UTC) from which on the work is to be done; ``None`` for never before another turn."""
        if self.mode == "off":
            return None
        if work.ended or (self.mode == "smart" and work.urgent):
            return work.last
        if self.mode != "time_based" and work.turns >= self.turns:
            return work.last
        return None if self.mode == "every_n" else work.first + self.minutes * MINUTE_MS


@dataclass(frozen=True, slots=True)
class CaptureChoices:
    """``exclude`` are patterns of projects and folders of which nothing is kept; ``keep_days`` is how long
    conversations are, ``None`` for ever; ``patterns`` mark prompts that are captured at once; ``is_closed``: a folder
    says itself that nothing is kept of it."""

    rules: CaptureRules = field(default_factory=CaptureRules)
    conversations: bool = True
    keep_days: int | None = None
    exclude: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    is_closed: Callable[[str], bool] = lambda folder: False

    def excludes(self, *places: str | None) -> bool:
        """Whether nothing is kept of a session of such a project or folder."""
        named = [place for place in places if place]
        return any(fnmatchcase(place, pattern) for place in named for pattern in self.exclude) or any(
            map(self.is_closed, named)
        )

    def find_hindrance(self, waiting: Iterable[CaptureWork], at: int, *places: str | None) -> str | None:
        """In one line what keeps sessions of such a project or folder from being captured, and the command that helps;
        ``None`` where nothing does. What has been due for an hour is overdue: nobody captures, or it fails."""
        if self.rules.mode == "off":
            return "Capture is off. Run: hearth config set capture.mode smart"
        if self.excludes(*places):
            return "Capture is off for this project. See: hearth config get capture.exclude, and .hearth.toml here"
        due = (self.rules.due_at(work) for work in waiting)
        overdue = [moment for moment in due if moment is not None and moment < at - _OVERDUE_MS]
        if not overdue:
            return None
        waits = "a session waits" if len(overdue) == 1 else f"{len(overdue)} sessions wait"
        return f"Capture is overdue: {waits} since {(at - min(overdue)) // _OVERDUE_MS} h. Run: hearth capture run"


def pending(reader: StateReader, machine: str) -> list[CaptureWork]:
    """The work of this machine, the session that waits longest first."""
    found = reader.registers(subjects.name_machine(machine))
    reached = {s: v for field, v in found.items() if (s := subjects.read_watermark("turn", field)) is not None}
    done = {s: v for field, v in found.items() if (s := subjects.read_watermark("captured", field)) is not None}
    waiting = [
        _work(reader, session, turn, captured)
        for session, turn in reached.items()
        if not _is_done(turn, captured := done.get(session))
    ]
    return sorted(waiting, key=lambda work: (work.first, work.session))


def captured(reader: StateReader, machine: str, until: int) -> dict[str, int]:
    """Transcripts of this machine's sessions that were last captured before the moment ``until`` (ms UTC), and up to
    which byte."""
    found = reader.registers(subjects.name_machine(machine))
    done = [v for field, v in found.items() if subjects.read_watermark("captured", field) is not None]
    return {one["transcript"]: one["watermark"] for one in done if one["at"] < until}


def _is_done(turn: Mapping[str, Any], captured: Mapping[str, Any] | None) -> bool:
    """A file that was rewritten may reach as far as before: what was heard of it later counts."""
    if captured is None or captured["at"] < turn["at"]:
        return False
    return all(captured.get(name) == turn.get(name) for name in ("transcript", "watermark"))


def _work(
    reader: StateReader, session: str, turn: Mapping[str, Any], captured: Mapping[str, Any] | None
) -> CaptureWork:
    subject = subjects.name_session(session)
    before = captured["at"] if captured is not None else 0
    turns = sorted(at for at in reader.keys(subject, "turns").values() if at > before)
    ended = reader.registers(subject, "ended").get("ended")
    file, gone = _file(turn, captured)
    position = captured.get("position") if captured and captured["transcript"] == file["transcript"] else None
    return CaptureWork(
        session=session,
        transcript=file["transcript"],
        end=file["watermark"],
        since=Watermark.from_data(position) if isinstance(position, dict) else Watermark(),
        turns=max(1, len(turns)),
        first=turns[0] if turns else turn["at"],
        last=turn["at"],
        urgent=bool(turn.get("urgent")),
        ended=gone or (isinstance(ended, int) and ended >= turn["at"]),
    )


def _file(turn: Mapping[str, Any], captured: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], bool]:
    """The file that is read next, and whether the session goes on in another one."""
    before = [
        one for one in turn.get("before", ()) if isinstance(one, dict) and {"transcript", "watermark"} <= one.keys()
    ]
    if captured is not None:
        if captured["transcript"] == turn["transcript"]:
            return turn, False
        for at, one in enumerate(before):
            if one["transcript"] == captured["transcript"]:
                before = before[at if captured["watermark"] < one["watermark"] else at + 1 :]
                break
    return (before[0], True) if before else (turn, False)
