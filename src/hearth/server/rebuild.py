"""Rebuilding a stale index: never inside the server, whose clients wait, but in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

from hearth.app import Settings
from hearth.errors import Unavailable

# Seconds before a rebuild that did not help is tried again.
_AGAIN_AFTER = 60.0


class Rebuilding(Unavailable):
    """The index is of another version and is being rebuilt."""

    code = "rebuilding"


class Rebuilder:
    """Starts ``hearth update`` for a vault, once at a time; it ends by itself, also after the server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: dict[str, tuple[subprocess.Popen[bytes], float]] = {}

    def ask(self, settings: Settings) -> None:
        name = settings.vault.name
        with self._lock:
            if name in self._started:
                process, at = self._started[name]
                if process.poll() is None or time.monotonic() - at < _AGAIN_AFTER:
                    return
            command = [sys.executable, "-m", "hearth", "--vault", name, "update"]
            process = subprocess.Popen(
                command,
                env=dict(settings.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._started[name] = (process, time.monotonic())
