"""Which sessions and folders of this machine are incognito, and transcripts without what was said so."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hearth.core.errors import Unavailable
from hearth.core.files import locked, write_atomically
from hearth.core.hook import NOTHING_OFF, IncognitoReport, SwitchedOff
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, library
from hearth.core.transcript import Reading, TranscriptEntry, Watermark
from hearth.ports.files import Privacy, Transcripts

tomllib = library("tomllib")  # few projects have such a file

NAME = ".hearth.toml"
KEYS = ("capture", "surface")
_MAX_BYTES = 64 * 1024
_MAX_LEVELS = 64


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """``problems`` say which keys are passed over and why. What can't be read switches both off: somebody wanted
    that."""

    path: Path
    capture: bool = True
    surface: bool = True
    problems: tuple[str, ...] = ()


def find_project_files(folder: str | None) -> Iterator[ProjectFile]:
    """Those of a folder (an absolute name) and the folders above it."""
    if folder is None or not folder.startswith("/"):
        return
    place = Path(os.path.normpath(folder))
    for above in (place, *place.parents)[:_MAX_LEVELS]:
        file = above / NAME
        try:
            data = _read_bytes(file)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield ProjectFile(file, False, False, (f"it can't be read ({error.strerror})",))
            continue
        yield _read(file, data)


def _read_bytes(file: Path) -> bytes:
    """Without waiting: somebody may have put a pipe there. Raises ``OSError``."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file")
        return os.read(handle, _MAX_BYTES + 1)
    finally:
        os.close(handle)


def _read(file: Path, data: bytes) -> ProjectFile:
    try:
        if len(data) > _MAX_BYTES:
            raise ValueError(f"it is larger than {_MAX_BYTES // 1024} KiB")
        given: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:100]
        return ProjectFile(file, False, False, (f"not valid TOML, so capture and surface are off: {why}",))
    problems = [f"{key!r} is not a key of this file and is ignored" for key in given if key not in KEYS]
    problems += [
        f"{key} must be true or false; treated as false"
        for key in KEYS
        if key in given and not isinstance(given[key], bool)
    ]
    capture, surface = (given.get(key, True) is True for key in KEYS)
    return ProjectFile(file, capture, surface, tuple(problems))


FILE = "incognito.json"
_KEPT_MS = 90 * DAY_MS
"""How long it is known what a session was told, and which parts of a transcript are hidden once it is gone."""
_WAIT = 2.0
_TABLES = ("sessions", "folders", "told", "hidden")
Range = tuple[int, int | None]
"""First byte, and the one after the last; ``None`` while it goes on."""


@dataclass(frozen=True, slots=True)
class DiskIncognito:
    """Implements ``ports.Privacy``. ``folder`` is the state folder; ``clock`` gives ms UTC; ``of_agent`` says what the
    settings switch off for the agent of a session in a folder."""

    folder: Path
    clock: Callable[[], int]
    of_agent: Callable[[str | None, str | None], SwitchedOff] = lambda session, cwd: NOTHING_OFF

    def find_off(self, session: str | None, cwd: str | None) -> SwitchedOff:
        """What is switched off for a session in a folder."""
        if (off := self.of_agent(session, cwd)).everything:
            return off
        try:
            known = self._read()
        except Unavailable as error:
            return SwitchedOff(capture=True, surface=True, why=error.said)
        if session is not None and session in known["sessions"]:
            return SwitchedOff(capture=True, surface=True, why="this session is incognito")
        for above in known["folders"] if cwd is not None else ():
            if is_below(str(cwd), above):
                return SwitchedOff(capture=True, surface=True, why=f"{above} is incognito")
        return find_project_switches(cwd)

    def switch(self, on: bool, *, session: str | None = None, folder: str | None = None) -> bool:
        """Makes a session or a folder incognito, or ends that; says whether anything changed. Raises
        ``Unavailable``."""
        table, name = ("sessions", session) if session is not None else ("folders", folder)
        with self._change() as known:
            if (name in known[table]) is on or name is None:
                return False
            if on:
                known[table][name] = self.clock()
            else:
                del known[table][name]
        return True

    def report(self, session: str | None, folder: str | None) -> IncognitoReport:
        """What is incognito. Never raises: what can't be read is among the problems."""
        problems = [f"{one.path}: {problem}" for one in find_project_files(folder) for problem in one.problems]
        try:
            known = self._read()
        except Unavailable as error:
            known = _empty()
            problems.append(error.said)
        here = self.find_off(session, folder)
        return IncognitoReport(
            here, session, folder, tuple(sorted(known["sessions"])), tuple(sorted(known["folders"])), tuple(problems)
        )

    def was_announced(self, session: str) -> bool:
        """Whether a session was told that it is incognito."""
        return session in self._read_or_nothing()["told"]

    def mark_announced(self, session: str) -> None:
        with self._change() as known:
            known["told"][session] = self.clock()

    def hidden(self, transcript: str) -> list[Range]:
        """The parts of a transcript that nobody reads."""
        found = self._read_or_nothing()["hidden"].get(transcript, {})
        return [(first, end) for first, end in found.get("ranges", ())]

    def hide(self, transcript: str, since: int) -> None:
        """From a byte on nobody reads it, until ``show``."""
        ranges = self.hidden(transcript)
        if ranges and ranges[-1][1] is None:
            return
        with self._change() as known:
            known["hidden"][transcript] = {"ranges": [*map(list, ranges), [since, None]], "at": self.clock()}

    def show(self, transcript: str) -> None:
        """From its present end on it is read again."""
        ranges = self.hidden(transcript)
        if not ranges or ranges[-1][1] is not None:
            return
        try:
            size = Path(transcript).stat().st_size
        except OSError:
            return
        with self._change() as known:
            known["hidden"][transcript] = {
                "ranges": [*map(list, ranges[:-1]), [ranges[-1][0], size]],
                "at": self.clock(),
            }

    # -- details ---------------------------------------------------------------------------------------------------

    def _read_or_nothing(self) -> dict[str, dict[str, Any]]:
        try:
            return self._read()
        except Unavailable:
            return _empty()

    def _read(self) -> dict[str, dict[str, Any]]:
        """Raises ``Unavailable`` for a file that can't be understood: then all is incognito."""
        place = self.folder / FILE
        try:
            text = place.read_text(encoding="utf-8")
        except FileNotFoundError:
            return _empty()
        except (OSError, ValueError) as error:
            raise _damaged(place) from error
        try:
            found = json.loads(text)
            return {table: dict(found.get(table, {})) for table in _TABLES}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _damaged(place) from error

    @contextmanager
    def _change(self) -> Iterator[dict[str, dict[str, Any]]]:
        with locked(self.folder / f"{FILE}.lock", wait=_WAIT):
            known = self._read()
            yield known
            before = self.clock() - _KEPT_MS
            known["told"] = {name: at for name, at in known["told"].items() if at >= before}
            known["hidden"] = {
                name: one for name, one in known["hidden"].items() if one["at"] >= before or Path(name).exists()
            }
            write_atomically(self.folder / FILE, json.dumps(known, indent=1, sort_keys=True).encode())


def find_project_switches(cwd: str | None) -> SwitchedOff:
    """What the files of a folder and of those above it switch off."""
    off = NOTHING_OFF
    for file in find_project_files(cwd):
        if not (file.capture and file.surface):
            why = off.why or f"{NAME} of {file.path.parent}"
            off = SwitchedOff(off.capture or not file.capture, off.surface or not file.surface, why)
    return off


def is_below(folder: str, above: str) -> bool:
    return folder == above or folder.startswith(above.rstrip("/") + "/")


def _empty() -> dict[str, dict[str, Any]]:
    return {table: {} for table in _TABLES}


def _damaged(place: Path) -> Unavailable:
    return Unavailable(f"{place} can't be read, so everything is incognito; fix or remove it")


_MOST = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenTranscripts:
    """Implements ``ports.Transcripts`` over another."""

    files: Transcripts
    privacy: Privacy

    def read(
        self, path: str, since: Watermark | None = None, most: int = _MOST, *, until: int | None = None
    ) -> Reading:
        reading = self.files.read(path, since, most, until=until)
        return replace(reading, entries=tuple(self._leave_out(path, reading.entries)))

    def tail(self, path: str) -> list[TranscriptEntry]:
        return self._leave_out(path, self.files.tail(path))

    def size(self, path: str) -> int:
        return self.files.size(path)

    def _leave_out(self, path: str, entries: Iterable[TranscriptEntry]) -> list[TranscriptEntry]:
        hidden = self.privacy.hidden(path)
        return [
            entry
            for entry in entries
            if not any(first <= entry.offset and (end is None or entry.offset < end) for first, end in hidden)
        ]
