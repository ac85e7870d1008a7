"""What one run of the command line carries from its options to its end, and the progress it shows."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import click

from hearth.cli import output
from hearth.core.errors import HearthError, Unavailable
from hearth.core.hook import check_switch
from hearth.core.lazy import dataclass

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from hearth.app import Settings
    from hearth.daemon.address import Address
    from hearth.vault.vault import Vault

Result = TypeVar("Result")


@dataclass
class CommandSession:
    """For the message when somebody stops the present work: ``done`` of ``total`` is how far it got, ``kept`` what
    becomes of it. ``missing`` is where no daemon listens that could have answered."""

    vault_name: str | None = None
    debug: bool = False
    done: int = 0
    total: int = 0
    kept: str = "work done so far is kept"
    missing: Address | None = None

    def settings(self) -> Settings:
        """Raises ``ConfigError``, or ``NotFound`` for an unknown vault."""
        from hearth import app

        return app.settings(self.vault_name)

    @contextmanager
    def vault(self) -> Iterator[Vault]:
        """The chosen vault, closed in the end; then a daemon is started for the next command, where one is missing."""
        chosen = self.settings()
        from hearth import app

        if chosen.loaded.config.daemon.mode == "never":
            _take_in()
        with app.compose(chosen, warn=output.warn) as vault:
            yield vault
        if self.missing is not None and chosen.loaded.config.daemon.mode == "auto":
            _start_daemon(self.missing)

    @contextmanager
    def fresh_vault(self) -> Iterator[Vault]:
        """As ``vault``, after a look at the folders; a failing look is a warning, since the index still answers."""

        with self.vault() as vault:
            check_switch(vault.core.off)
            vault.run_waiting_captures()
            self.freshen(vault)
            yield vault

    def freshen(self, vault: Vault) -> None:
        """Looks at the folders, and rebuilds an index of another version; a person waits for that and sees how far it
        is."""
        try:
            with Progress(self, "updating") as progress:
                report = vault.index.freshen(progress=progress, patient=True)
        except (HearthError, OSError) as error:
            output.warn(f"the folders could not be scanned; answering from the existing index: {error}")
        else:
            for remark in report.remarks() if report is not None else ():
                output.warn(remark)

    def find_project(self, vault: Vault) -> str | None:
        """The project of the folder that the command runs in; ``None`` where it is none, or was removed."""
        try:
            return vault.sessions.project_of(self.folder())
        except FileNotFoundError:
            return None

    def resolve_project(self, vault: Vault, given: str) -> str:
        """The key of the project that a person names: a folder, or this folder's project by its last name."""
        if given.startswith((".", "/", "~")):
            folder = os.path.abspath(os.path.expanduser(given))  # noqa: PTH100, PTH111 (as ``folder``)
            return vault.sessions.project_of(folder) or given
        here = self.find_project(vault)
        return here if here and here.removesuffix("/.git").rpartition("/")[2] == given else given

    def folder(self) -> str:
        """Raises ``FileNotFoundError`` where it was removed."""
        return os.getcwd()  # noqa: PTH109 (a Path would drop what is not text)

    def catch_up(self, vault: Vault) -> None:
        """Finds out what new memories replace, where no daemon does: nobody else would."""
        if self.settings().loaded.config.daemon.mode != "never":
            return
        with suppress(Unavailable):  # the next import or capture goes on
            while vault.memories.follow.count_left():
                for problem in vault.memories.follow.catch_up().problems:
                    output.warn(output.line(problem))


def _take_in() -> None:
    """What hooks left behind, where no daemon does it. What fails is in their log, and comes again."""
    from hearth.daemon.address import address
    from hearth.daemon.spool import waiting

    with suppress(HearthError, OSError):
        if waiting(address(os.environ)):
            from hearth.daemon.intake import take_in

            take_in(os.environ)


def _start_daemon(at: Address) -> None:
    """What can't be started is tried again by the next command."""
    from hearth.daemon.stub.start import start

    with suppress(OSError):
        start(at, os.environ)


def is_terminal() -> bool:
    return output.out().isatty()


_pass = click.make_pass_decorator(CommandSession, ensure=True)


def pass_session(command: Callable[..., Result]) -> Callable[..., Result]:
    """Decorates a command that takes the session as its first argument."""
    return _pass(command)


@contextmanager
def note_stop() -> Iterator[Callable[[], bool]]:
    """Says whether somebody pressed Ctrl-C, so that work can end where nothing is half done. A second one stops it at
    once."""
    pressed = threading.Event()

    def note(number: int, frame: object) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


SHOWN_AFTER_SECONDS = 2.0
_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 10.0


# What follows once all files are read, which takes a while in a large vault.
_LAST_STAGE = "linking"


class Progress:
    """Call it with (done, total); ``total`` 0 means that nobody knows. Also tells the session how far work got. Once
    all files are done it names the stage that follows, in which the bar moves without an end."""

    def __init__(self, session: CommandSession, label: str, unit: str = "files") -> None:
        self._session = session
        self._label = label
        self._unit = unit
        self._started = time.monotonic()
        self._drawn = self._started
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._shown = output.err().isatty()
        self._told = False
        self._linking = False

    def __call__(self, done: int, total: int = 0) -> None:
        if self._unit == "files":
            self._session.done, self._session.total = done, total
            self._linking = 0 < total <= done
        now = time.monotonic()
        if not self._shown:
            if self._linking and self._told:
                output.note(f"{self._label}: {done:,} {self._unit} read, {_LAST_STAGE}")
                self._told = False
            elif now - self._drawn >= _LINE_SECONDS:
                self._drawn, self._told = now, True
                output.note(f"{self._label}: {done:,}{f' of {total:,}' if total else ''} {self._unit}")
            return
        if now - self._started < SHOWN_AFTER_SECONDS or (now - self._drawn < _REDRAW_SECONDS and not self._linking):
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
        if self._linking:
            self._bar.update(self._task, description=_LAST_STAGE, total=None, rate="")
            return
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
