"""How long a call may take, and the clock it is measured with."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import field

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class CallTimeout:
    """Seconds: ``connect`` and ``read`` bound one step on the wire, ``total`` a call with its ``retries``.

    ``paced`` calls wait for the tokens of the minute; the others only count."""

    name: str
    connect: float
    read: float
    total: float
    retries: int
    paced: bool = False


# Somebody waits for an answer, and keyword search stands by.
QUERY = CallTimeout("query", connect=1.0, read=2.0, total=3.0, retries=1)
RERANK = CallTimeout("rerank", connect=1.0, read=10.0, total=10.0, retries=1)
# Nobody waits. A server may load its model first (tens of seconds) or be slow at 50 long texts.
DOCUMENT = CallTimeout("document", connect=5.0, read=60.0, total=300.0, retries=4, paced=True)


@dataclass(frozen=True, slots=True)
class Timing:
    """``now`` in seconds, never going back; ``wait`` lets so many pass; ``chance`` is uniform in [0, 1)."""

    now: Callable[[], float] = field(default=time.monotonic)
    wait: Callable[[float], None] = field(default=time.sleep)
    chance: Callable[[], float] = field(default=random.random)
