from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.errors import Unavailable
from hearth.models.http.protocol import FIRST_PAUSE, LIMIT, LONGEST_PAUSE, Breaker, Pace, Timing, backoff, read_delay


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        self.seconds += seconds

    @property
    def timing(self) -> Timing:
        return Timing(lambda: self.seconds, self.wait)


@given(st.integers(1, 500), st.lists(st.tuples(st.integers(1, 600), st.floats(0, 40)), max_size=60))
def test_no_minute_sends_more_than_its_tokens(limit: int, calls: list[tuple[int, float]]) -> None:
    clock = Clock()
    pace = Pace(limit, clock.timing)
    sent: list[tuple[float, int]] = []
    for tokens, idle in calls:
        pace.take(tokens, patient=True)
        sent.append((clock.seconds, tokens))
        clock.seconds += idle
    for at, _ in sent:
        window = [tokens for other, tokens in sent if at <= other < at + 59.999]
        assert sum(window) <= limit or len(window) == 1


def test_what_fits_waits_for_nothing() -> None:
    clock = Clock()
    pace = Pace(100, clock.timing)
    for _ in range(10):
        pace.take(10, patient=True)
    assert clock.seconds == 0


def test_a_question_counts_but_does_not_wait() -> None:
    clock = Clock()
    pace = Pace(100, clock.timing)
    pace.take(100, patient=True)
    pace.take(100, patient=False)
    assert clock.seconds == 0
    pace.take(1, patient=True)
    assert clock.seconds == 60


def test_the_pause_doubles_with_each_failed_trial_up_to_its_limit_and_success_ends_it() -> None:
    clock = Clock()
    breaker = Breaker("the server", lambda: clock.seconds)
    for _ in range(LIMIT):
        breaker.check()
        breaker.failed("HTTP 503")
    pauses = []
    for _ in range(8):
        with pytest.raises(Unavailable, match=r"HTTP 503"):
            breaker.check()
        start = clock.seconds
        while True:
            clock.seconds += 1
            try:
                breaker.check()
            except Unavailable:
                continue
            break
        pauses.append(clock.seconds - start)
        breaker.failed("HTTP 503")
    assert pauses[:3] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE]
    assert max(pauses) == LONGEST_PAUSE
    breaker.succeeded()
    breaker.check()
    breaker.failed("HTTP 503")
    breaker.check()


def test_after_a_pause_only_one_call_tries() -> None:
    clock = Clock()
    breaker = Breaker("the server", lambda: clock.seconds)
    for _ in range(LIMIT):
        breaker.failed("HTTP 500")
    clock.seconds += FIRST_PAUSE
    breaker.check()
    with pytest.raises(Unavailable):
        breaker.check()


@given(st.integers(1, 50), st.floats(0, 1, exclude_max=True))
def test_waits_grow_and_stay_bounded(attempt: int, chance: float) -> None:
    assert 0.25 <= backoff(attempt, chance) <= 8
    assert backoff(attempt, chance) <= backoff(attempt + 1, chance)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "3"}, b"", 3),
        ({"retry-after": "2.5"}, b"", 2.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, b"", 0.25),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:49 GMT"}, b"", 10),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Sat, 01 Jan 2000 00:00:00 GMT"}, b"", 0),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, b"", None),
        ({"retry-after": "soon"}, b"", None),
        ({"retry-after": "-5"}, b"", None),
        ({"retry-after": "nan"}, b"", None),
        ({}, b'{"error": {"details": [{"@type": "x"}, {"retryDelay": "12s"}]}}', 12),
        ({}, b'{"error": "slow down"}', None),
        ({}, b"[" * 100_000, None),
    ],
)
def test_what_a_reply_asks_to_wait_is_understood(headers: dict[str, str], body: bytes, seconds: Any) -> None:
    assert read_delay(headers, body) == seconds
