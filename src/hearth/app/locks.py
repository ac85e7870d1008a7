"""The locks of one vault's index: who scans, who writes memories, who embeds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from hearth.errors import Unavailable
from hearth.files import LockHeld, holder, locked
from hearth.lazy import dataclass

# Seconds that a search waits for a scan under way: most end sooner, and a long one must not hold up an answer.
_SCAN_WAIT = 1.0
# Seconds that a writer waits for others' writes, of some hundredths each.
_WRITERS_WAIT = 60.0


def former(data: Path) -> Path:
    """What the folder of a vault is called once the vault was moved out of it."""
    return data.with_name(f"{data.name}.moved")


@dataclass(frozen=True, slots=True)
class VaultLocks:
    """``cache`` is the folder of the index, ``data`` that of memories and journal. The kernel releases what a process
    held when it ends."""

    cache: Path
    data: Path

    def scan(self) -> AbstractContextManager[None]:
        return locked(self.cache / "sync.lock")

    @contextmanager
    def write(self) -> Iterator[None]:
        """One writer of memories at a time. Raises ``Unavailable`` where the vault was moved meanwhile: nobody would
        look for what is written where it was."""
        with locked(self.cache / "memory.lock", wait=_WRITERS_WAIT):
            if former(self.data).exists() and not self.data.exists():
                raise Unavailable(f"the vault was moved away from {self.data} this moment; run it again")
            yield

    def embed(self, wait: float | None) -> AbstractContextManager[None]:
        return locked(self.cache / "embed.lock", wait=wait)

    def jobs(self, wait: float = 0) -> AbstractContextManager[None]:
        """Work in the background: one process at a time, which gives way to none. ``wait`` seconds for it to end."""
        return locked(self.cache / "jobs.lock", wait=wait)

    def wait_for_scan(self) -> bool:
        """Whether another process has been scanning for longer than a search should wait."""
        try:
            with locked(self.cache / "sync.lock", wait=_SCAN_WAIT):
                return False
        except LockHeld:
            return True
        except Unavailable:  # whoever needs the lock says what is wrong with it
            return False

    def scanner(self) -> str | None:
        return holder(self.cache / "sync.lock")

    def embedder(self) -> str | None:
        """Who embeds by a model at this moment."""
        lock = self.cache / "embed.lock"
        try:
            with locked(lock, wait=0):
                return None
        except LockHeld:
            return holder(lock) or "another process"
        except Unavailable:
            return None
