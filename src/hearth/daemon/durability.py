"""Usage events are appended without waiting for the disk; the daemon makes them durable within two seconds."""

from __future__ import annotations

import os
from pathlib import Path

from hearth.app import Settings
from hearth.app.settings import os_machine_id
from hearth.core.errors import HearthError
from hearth.journal import machine_id
from hearth.journal.machine import list_folder

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
