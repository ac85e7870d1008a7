"""A log of bounded size, for what goes wrong where nobody is to be told: hooks and the daemon."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from hearth.core import instants
from hearth.core.errors import HearthError
from hearth.core.files import PRIVATE_FILE, make_folder

MAX_BYTES = 512 * 1024
MAX_LINE = 500


class Log:
    """Lines in ``file``, of any number of processes; when it is full it becomes ``<file>.1``. Never raises: a log that
    can't be written must not cost what it is about. ``scrub`` takes the secrets out of a line."""

    def __init__(self, file: Path, scrub: Callable[[str], str]) -> None:
        self.file = file
        self._scrub = scrub

    def write(self, text: str) -> None:
        moment = instants.show(instants.of(datetime.now(UTC)))
        line = " ".join(self._scrub(text).split())[:MAX_LINE]
        with suppress(OSError):
            make_folder(self.file.parent)
            handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            try:
                if os.fstat(handle).st_size > MAX_BYTES:
                    self.file.replace(self.file.with_name(f"{self.file.name}.1"))
                os.write(handle, f"{moment} {os.getpid()} {line}\n".encode("utf-8", "replace"))
            finally:
                os.close(handle)

    def failure(self, doing: str, error: BaseException) -> None:
        """What was being done, the error, and where in the source it arose. Only what was raised on purpose, or by the
        system, is quoted: the text of any other error may hold what the user typed."""
        place, frame = "", error.__traceback__
        while frame is not None:
            place = f" at {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}"
            frame = frame.tb_next
        message = f": {error}" if isinstance(error, HearthError | OSError) else ""
        self.write(f"{doing}: {type(error).__name__}{message}{place}")

    def last(self, count: int) -> list[str]:
        """The newest lines, oldest first; empty where there is no log."""
        try:
            return self.file.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
        except OSError:
            return []
