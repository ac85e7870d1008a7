from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.errors import UsageError
from hearth.core.session import hashed
from hearth.guard.secrets.redaction import redact
from hearth.memory import session_log

ANY_TEXT = st.text(st.characters(), min_size=1, max_size=300)


@pytest.mark.parametrize("name", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "agent:main:main", "s", "a" * 128])
def test_a_plain_name_stays_as_it_is(name: str) -> None:
    assert session_log.of_session(name) == name


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", ".hidden", "x" * 10_000_000, "\x1b]0;x\x07", "ä", "\ud800", "a b", "a\n", "\0"]
)
def test_any_other_name_is_a_short_hash(name: str) -> None:
    found = session_log.of_session(name)
    assert re.fullmatch(r"x[0-9a-f]{31}", found)
    assert found == session_log.of_session(name) == session_log.of_session(found)
    assert found != session_log.of_session(name + "!")


def test_a_name_that_looks_like_a_secret_does_not_become_one_with_others() -> None:
    names = [
        f"ghp_{'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'[i:] + 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'[:i]}" for i in (0, 5)
    ]
    assert all(redact(name).text != name for name in names)
    found = [session_log.of_session(name) for name in names]
    assert found[0] != found[1]
    assert [redact(name).text for name in found] == found


@given(ANY_TEXT, ANY_TEXT)
def test_names_stay_apart_and_can_be_kept(one: str, other: str) -> None:
    first, second = session_log.of_session(one), session_log.of_session(other)
    assert (first == second) == (one == other)
    assert first.isascii() and len(first) <= 128 and "/" not in first and redact(first).text == first


def test_a_turn_without_a_name_is_known_by_its_number() -> None:
    assert session_log.of_turn("s", "p:1") == hashed("p:1")
    assert session_log.of_turn("s", "p-1") == "p-1"
    assert session_log.of_turn("s", None, 3) == session_log.of_turn("s", "", 3) != session_log.of_turn("s", None, 4)
    assert session_log.of_turn("s", None, 3) != session_log.of_turn("t", None, 3)


def test_nothing_is_no_name() -> None:
    with pytest.raises(UsageError):
        session_log.of_session("")
    with pytest.raises(UsageError):
        session_log.of_turn("s", None)


@given(ANY_TEXT, st.integers(1, 50))
def test_a_line_of_outside_text_is_short_and_printable(text: str, limit: int) -> None:
    found = session_log.one_line(text, limit)
    assert found is None or (0 < len(found) <= limit and found.isprintable() and found.encode("utf-8"))
