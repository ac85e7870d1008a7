"""A bar for work that takes longer than a moment; where no terminal shows it, a line every ten seconds."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hearth.cli import output, streams
from hearth.cli.session import CommandSession

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

SHOWN_AFTER_SECONDS = 2.0
_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 10.0


class Progress:
    """Call it with (done, total); ``total`` 0 means that nobody knows. Also tells the session how far work got."""

    def __init__(self, session: CommandSession, label: str, unit: str = "files") -> None:
        self._session = session
        self._label = label
        self._unit = unit
        self._started = time.monotonic()
        self._drawn = self._started
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._shown = streams.err().isatty()

    def __call__(self, done: int, total: int = 0) -> None:
        if self._unit == "files":
            self._session.done, self._session.total = done, total
        now = time.monotonic()
        if not self._shown:
            if now - self._drawn >= _LINE_SECONDS:
                self._drawn = now
                output.note(f"{self._label}: {done:,}{f' of {total:,}' if total else ''} {self._unit}")
            return
        if now - self._started < SHOWN_AFTER_SECONDS or now - self._drawn < _REDRAW_SECONDS:
            return
        self._drawn = now
        self._draw(done, total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if kind is None:
            self._session.done = self._session.total = 0

    def _draw(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar, self._task = _bar(self._label, self._unit)
            self._bar.start()
        assert self._task is not None
        rate = done / max(0.001, time.monotonic() - self._started)
        self._bar.update(self._task, completed=done, total=total or None, rate=f"{rate:,.0f} {self._unit}/s")


def _bar(label: str, unit: str) -> tuple[RichProgress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    bar = RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    return bar, bar.add_task(label, total=None, rate=f"0 {unit}/s")
