"""What follows an answer: behind it, in the order of answers, none lost unnoticed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hearth.app.background import Background, FollowUp
from hearth.core.errors import Unavailable
from hearth.core.files import Log


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path / "log", lambda text: text)


def test_things_are_done_in_order_and_all_of_them_before_the_end(log: Log) -> None:
    background, done = Background(log), []
    for number in range(50):
        background.do("v", lambda number=number: done.append(number))
    background.close()
    assert done == list(range(50))


def test_what_fails_is_logged_and_the_next_is_done(log: Log) -> None:
    background, done = Background(log), []

    def fail() -> None:
        raise Unavailable("the disk is full")

    background.do("v", fail)
    background.do("v", lambda: done.append(1))
    background.close()
    assert done == [1] and "the disk is full" in log.last(1)[0]


def test_too_many_at_once_are_left_out_and_counted(log: Log) -> None:
    background, go, done, ended = Background(log, most=3), threading.Event(), [], []
    background.do("v", go.wait)
    for number in range(4):
        background.do("v", lambda number=number: done.append(number))
    with background.following(FollowUp("v", lambda: done.append(4), lambda: ended.append(4))):
        pass
    assert ended == [4]  # though it is not done, who waits for its end must hear of it
    go.set()
    background.close()
    assert done == [0, 1] and "3 usage records were dropped" in log.last(1)[0]


def test_it_is_time_for_the_disk_when_nothing_waits_or_after_two_seconds(log: Log) -> None:
    now = [0.0]
    background, go, said = Background(log, clock=lambda: now[0]), threading.Event(), []
    background.do("v", go.wait)
    background.do("v", lambda: said.append(background.due("v")))
    background.do("v", lambda: now.__setitem__(0, 2.5))
    background.do("v", lambda: said.append(background.due("v")))
    background.do("v", lambda: said.append(background.due("v")))
    background.do("v", lambda: said.append(background.due("v")))
    go.set()
    background.close()
    assert said == [False, True, False, True]


def test_the_place_in_the_row_is_taken_before_the_answer_goes_out(log: Log) -> None:
    background, done = Background(log), []
    with background.following(FollowUp("v", lambda: done.append(1))):
        with background.following(FollowUp("v", lambda: done.append(2))):
            pass  # out first
        assert done == []
    background.close()
    assert done == [1, 2]


def test_what_follows_an_answer_that_never_got_out_is_dropped_and_ended(log: Log) -> None:
    background, done, ended = Background(log), [], []
    with (
        pytest.raises(BrokenPipeError),
        background.following(FollowUp("v", lambda: done.append(1), lambda: ended.append(1))),
    ):
        raise BrokenPipeError
    background.do("v", lambda: done.append(2))
    background.close()
    assert (done, ended) == ([2], [1])


def test_a_vault_that_is_slow_holds_up_no_other(log: Log) -> None:
    background, go, done = Background(log), threading.Event(), threading.Event()
    background.do("slow", go.wait)
    background.do("quick", done.set)
    assert done.wait(20)
    go.set()
    background.close()


def test_what_comes_after_the_end_is_left_out(log: Log) -> None:
    background, done = Background(log), []
    background.close()
    background.do("v", lambda: done.append(1))
    assert done == [] and background.left_out == 1
