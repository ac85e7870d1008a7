from __future__ import annotations

import threading

import pytest

from hearth.errors import Unavailable
from hearth.server.rest.later import Later


def test_things_are_done_in_order_and_all_of_them_before_the_end() -> None:
    later, done = Later(), []
    for number in range(50):
        later.do(lambda number=number: done.append(number))
    later.close()
    assert done == list(range(50))


def test_what_fails_is_logged_and_the_next_is_done(caplog: pytest.LogCaptureFixture) -> None:
    later, done = Later(), []

    def fail() -> None:
        raise Unavailable("the disk is full")

    later.do(fail)
    later.do(lambda: done.append(1))
    later.close()
    assert done == [1] and "the disk is full" in caplog.text


def test_too_many_at_once_are_left_out_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    later, go, done = Later(most=3), threading.Event(), []
    later.do(go.wait)
    for number in range(5):
        later.do(lambda number=number: done.append(number))
    go.set()
    later.close()
    assert done == [0, 1] and "3 records of use were left out" in caplog.text


def test_it_is_time_for_the_disk_when_nothing_waits_or_after_two_seconds() -> None:
    now = [0.0]
    later, go, said = Later(clock=lambda: now[0]), threading.Event(), []
    later.do(go.wait)
    later.do(lambda: said.append(later.due()))
    later.do(lambda: now.__setitem__(0, 2.5))
    later.do(lambda: said.append(later.due()))
    later.do(lambda: said.append(later.due()))
    later.do(lambda: said.append(later.due()))
    go.set()
    later.close()
    assert said == [False, True, False, True]
