"""Folders watched, and journals made durable."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hearth.app import Settings
from hearth.app.settings import os_machine_id
from hearth.core.errors import HearthError
from hearth.journal import machine_id
from hearth.journal.machine import list_folder

# However little the system tells, folders are looked at this often: it covers lost events, folders that were not
# there at first, and network mounts, for the price of a stat scan.
RESCAN_SECONDS = 60.0
# The first of these ends when the watch stands, which is when changes made meanwhile can be looked for.
_TICK_MS = 1_000
_RETRY_SECONDS = 5.0
_POLL_MS = 1_000
# Quiet for this long ends a batch before the debounce does.
_STEP_MS = 200


def due(
    roots: Sequence[str], debounce: int, warn: Callable[[str], None], stop: threading.Event | None = None
) -> Iterator[None]:
    """Yields when a scan is due: once the watch stands, after each batch of changes, and every ``RESCAN_SECONDS``;
    ends when ``stop`` is set. ``debounce`` is in milliseconds.

    A watch that breaks is begun anew; where the system has no watches left it polls."""
    polling = False
    stop = stop or threading.Event()
    while not stop.is_set():
        present = _present(roots)
        last = -RESCAN_SECONDS
        try:
            for changes in _stream(present, debounce, polling=polling, stop=stop):
                now = time.monotonic()
                if changes or now - last >= RESCAN_SECONDS:
                    last = now
                    yield
                if stop.is_set() or present != _present(roots):
                    break
        except (OSError, RuntimeError) as error:
            polling = polling or "os error 28" in str(error) or getattr(error, "errno", 0) == errno.ENOSPC
            warn(f"watching failed ({error}); looking again{' by polling' if polling else ''}")
            stop.wait(_RETRY_SECONDS)


def _stream(present: list[str], debounce: int, *, polling: bool, stop: threading.Event) -> Iterator[object]:
    """Batches of changes, an empty one each ``_TICK_MS`` without any."""
    import watchfiles

    return watchfiles.watch(
        *present,
        watch_filter=None,
        debounce=debounce,
        step=min(debounce, _STEP_MS),
        stop_event=stop,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        force_polling=polling or None,
        poll_delay_ms=_POLL_MS,
        ignore_permission_denied=True,
        raise_interrupt=True,
    )


def _present(roots: Sequence[str]) -> list[str]:
    return [root for root in roots if Path(root).is_dir()]


SETTLE_SECONDS = 2.0


class Durability:
    """The journal files of this machine in one vault. Whoever wrote to them, a sync of the file covers it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.vault.data / "journal"
        self._synced: dict[str, tuple[int, int]] = {}
        self.syncs = 0

    def settle(self) -> bool:
        """Syncs what has grown since the last time, and says whether something had; a file that can't be read now is
        tried again."""
        try:
            machine = machine_id(Path(self._settings.folders.state), self._settings.vault.data, os_machine_id())
            own = [file.name for file in list_folder(self._folder)[0] if file.machine == machine]
        except (HearthError, OSError):
            return False
        before = self.syncs
        # The others never change again.
        for name in own[-2:]:
            self._sync(name)
        return self.syncs > before

    def _sync(self, name: str) -> None:
        try:
            handle = os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            status = os.fstat(handle)
            stamp = (status.st_size, status.st_mtime_ns)
            if self._synced.get(name) != stamp:
                os.fsync(handle)
                self._synced[name] = stamp
                self.syncs += 1
        except OSError:
            return
        finally:
            os.close(handle)
