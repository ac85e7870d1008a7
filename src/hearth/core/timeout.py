"""Timeout: work that may stall is done beside the caller's thread, and waited for no longer than it is given."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from hearth.core.errors import Unavailable

Result = TypeVar("Result")


class Timeout:
    """Calls that overran leave their thread behind; until it comes back nobody waits for another. Thread-safe."""

    def __init__(self) -> None:
        self._late = 0
        self._lock = threading.Lock()

    def call(self, work: Callable[[], Result], seconds: float) -> Result:
        """What ``work`` returns or raises; ``Unavailable`` where it takes longer, or there is no time to begin with."""
        if seconds <= 0:
            raise Unavailable("there was no time left to ask it")
        with self._lock:
            if self._late:
                raise Unavailable("it has not answered an earlier question yet")
        job = _Job(work, self._return)
        # A daemon thread: a stalled connection must not keep the program from ending.
        threading.Thread(target=job.run, name="hearth-model", daemon=True).start()
        if not job.done.wait(seconds):
            with self._lock:
                if not job.done.is_set():
                    job.late = True
                    self._late += 1
                    raise Unavailable(f"it did not answer within {seconds:.2g} s")
        return job.result()

    def _return(self, job: _Job[Result]) -> None:
        with self._lock:
            job.done.set()
            if job.late:
                self._late -= 1


class _Job(Generic[Result]):
    def __init__(self, work: Callable[[], Result], returned: Callable[[_Job[Result]], None]) -> None:
        self._work = work
        self._return = returned
        self._value: list[Result] = []
        self._error: BaseException | None = None
        self.done = threading.Event()
        self.late = False

    def run(self) -> None:
        try:
            self._value.append(self._work())
        except BaseException as error:  # noqa: BLE001 (raised again where the answer is awaited)
            self._error = error
        finally:
            self._return(self)

    def result(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._value[0]
