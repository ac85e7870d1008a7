"""A limit that other work of the machine does not use up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fails what takes more processor time; for the main thread."""

    def fail(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"took more than {seconds:g} seconds of processor time")

    former = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)
