"""Stamps: a hybrid logical clock that orders events across machines, and identifiers that sort by time.

The clock follows Kulkarni et al., "Logical Physical Clocks" (2014), packed into one integer: milliseconds * 2**16 plus
a counter that overflows into the milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable

COUNTER_BITS = 16
SKEW_MS = 5 * 60 * 1000
HLC_END = 2**62  # stays clear of SQLite's signed 64-bit integers, with room to count on
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MS_END = HLC_END >> COUNTER_BITS
_STEP_BYTES = 8


class Clock:
    """Stamps that only grow; ``now`` gives the wall clock in ms UTC and may jump back."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._last = 0

    def now(self) -> int:
        """The wall clock, ms UTC, within what a stamp and a ULID can hold."""
        return min(max(self._now(), 0), _MS_END - 1)

    def tick(self) -> int:
        """A stamp greater than all stamps given, resumed or observed before."""
        self._last = max(self.now() << COUNTER_BITS, self._last + 1)
        return self._last

    def observe(self, *hlcs: int) -> None:
        """Other machines' stamps: ours will exceed them, except those over 5 minutes ahead of the wall clock."""
        limit = (self.now() + SKEW_MS) << COUNTER_BITS
        self._last = max(self._last, *(hlc for hlc in hlcs if hlc <= limit), 0)

    def resume(self, hlc: int) -> None:
        """A stamp of this machine's own journal; trusted however far ahead it is."""
        self._last = max(self._last, hlc)


class UlidSource:
    """Makes ULIDs that grow within the process: 48 bits of ms UTC, 80 random bits, as 26 Crockford characters.

    Within a millisecond the random part grows by a random step rather than by one, so that processes forked from
    one another don't repeat each other's identifiers.
    """

    def __init__(self, now: Callable[[], int], random: Callable[[int], bytes] = os.urandom) -> None:
        self._now = now
        self._random = random
        self._last = 0

    def __call__(self) -> str:
        ms = self._now()
        if ms > self._last >> 80:
            self._last = ms << 80 | int.from_bytes(self._random(10), "big")
        else:
            self._last += 1 + int.from_bytes(self._random(_STEP_BYTES), "big")
        return _spell(self._last)


def _spell(value: int) -> str:
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
