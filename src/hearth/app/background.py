"""What follows an answer: written down behind it, for each vault one thing after the other, in the order of answers."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hearth.core.files import Log
from hearth.core.lazy import dataclass

MOST = 1_000
# Seconds after which what was written down is to be on the disk.
_SETTLE = 2.0


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class FollowUp:
    """``work`` is done once the answer is out, and not at all where it never got out; ``end`` is called in the end
    either way, and must not raise. ``vault`` is whose turn it takes."""

    vault: str
    work: Callable[[], object]
    end: Callable[[], None] = _nothing


@dataclass(slots=True, eq=False)
class _Entry:
    item: FollowUp
    free: bool = False
    dropped: bool = False


class Background:
    """Thread-safe. Where more than ``most`` things wait, more are left undone: ``left_out`` counts them."""

    def __init__(self, log: Log, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._most = most
        self._clock = clock
        self._changed = threading.Condition()
        self._rows: dict[str, deque[_Entry]] = {}
        self._active: set[str] = set()
        self._began = clock()
        self._settled: dict[str, float] = {}
        self._closed = False
        self.left_out = 0

    @contextmanager
    def following(self, item: FollowUp | None) -> Iterator[None]:
        """The block sends the answer. The place in the row is taken before it, or answers that others send meanwhile
        would overtake; an error inside the block drops the work."""
        entry = None if item is None else self._queue(item)
        if entry is None:
            yield
            return
        try:
            yield
        except BaseException:
            entry.dropped = True
            raise
        finally:
            self._release(entry)

    def do(self, vault: str, work: Callable[[], object]) -> None:
        """For an answer that is made already."""
        with self.following(FollowUp(vault, work)):
            pass

    def due(self, vault: str) -> bool:
        """Asked by the work itself: whether it should bring what was written down to the disk, since nothing else
        waits for that vault or two seconds have passed."""
        now = self._clock()
        with self._changed:
            last = self._settled.get(vault, self._began)
            if len(self._rows.get(vault, ())) > 1 and now - last < _SETTLE:
                return False
            self._settled[vault] = now
            return True

    def close(self, wait: float | None = None) -> None:
        """After all that waits is done, or so many seconds; what comes later is left out."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._rows, wait)
        if self.left_out:
            self._log.write(f"{self.left_out} usage records were dropped: too many at once")

    def _queue(self, item: FollowUp) -> _Entry | None:
        with self._changed:
            if not self._closed and sum(map(len, self._rows.values())) < self._most:
                entry = _Entry(item)
                self._rows.setdefault(item.vault, deque()).append(entry)
                return entry
            self.left_out += 1
        item.end()
        return None

    def _release(self, entry: _Entry) -> None:
        vault = entry.item.vault
        with self._changed:
            entry.free = True
            if vault in self._active or not self._rows[vault][0].free:
                return
            self._active.add(vault)
        # One a vault: where one disk is slow, the others go on. Daemonic, since a disk that hangs must let us end.
        threading.Thread(target=self._work_off, args=(vault,), name=f"hearth-after-{vault}", daemon=True).start()

    def _work_off(self, vault: str) -> None:
        """Until the row is empty or its first answer is not out yet."""
        while (entry := self._first(vault)) is not None:
            try:
                if not entry.dropped:
                    entry.item.work()
            except Exception as error:  # noqa: BLE001 (the answer is out; the next is to be written down all the same)
                self._log.failure("after an answer", error)
            finally:
                entry.item.end()
                self._finish(vault)

    def _first(self, vault: str) -> _Entry | None:
        with self._changed:
            row = self._rows.get(vault)
            if row and row[0].free:
                return row[0]
            self._active.discard(vault)
            return None

    def _finish(self, vault: str) -> None:
        """Takes the thing that was done out of its row, which tells ``due`` what waits behind it."""
        with self._changed:
            row = self._rows[vault]
            row.popleft()
            if not row:
                del self._rows[vault]
                self._changed.notify_all()
