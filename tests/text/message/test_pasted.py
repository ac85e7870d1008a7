"""What is pasted into a message is told from what is said in it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.text.message.pasted import split_pasted

ASKED = "Why does the import fail?"
PASTED = (
    '{"error": "invalid token", "code": 500}',
    '{"error":{"code":"ECONNREFUSED","list":["a",{"b":null}]}}',
    "{'ok': False, 'errors': ['x', None]}",
    '[{"id": 1}, {"id": 2}]',
    '["a", "b"]',
    '{\n  "error": {\n    "message": "what? a \\"quote\\" and a }"\n  }\n}',
    "```json\nanything at all\n```",
    "~~~\nwithout an end",
    "TypeError: x is None",
    "requests.exceptions.ConnectionError: refused",
    "AssertionError",
    "Uncaught TypeError: Cannot read properties of undefined (reading 'map')\n    at render (/a/b.js:1:2)",
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g(None)\nshop.Closed: at noon',
    'Exception in thread "main" java.lang.IllegalStateException: closed\n\tat a.B.c(B.java:12)',
    "error: failed to push some refs",
    "error[E0382]: borrow of moved value",
    "npm ERR! code ELIFECYCLE",
    "src/a.c:3:5: error: expected ';'",
    "2026-03-01T10:22:11Z ERROR worker: reset (code=104)",
    "E       assert 1 == 2",
)
SAID = (
    "It says [[Name]] and [a link](b.md) and {braces} and [1, 2].",
    'The screen is 27" wide and he said "never again".',
    "type: foo before:noon? -x",
    "I get a TypeError: x is None when it starts.",
    "TypeError: what does that mean?",
    "Meet at 10:30: bring the papers.",
    "- at the office (second floor)\n  at 10:30",
    "default: dark",
    "The interrupt came late.",
)


@pytest.mark.parametrize("pasted", PASTED)
def test_what_is_pasted_before_or_after_a_question_is_told_from_it(pasted: str) -> None:
    for message in (f"{ASKED}\n{pasted}", f"{pasted}\n\n{ASKED}" if not pasted.startswith("~") else ASKED):
        assert split_pasted(message)[0].strip() == ASKED


@pytest.mark.parametrize("pasted", ['{"error": "invalid token"}', "TypeError: x is None", "error: no such file"])
def test_it_may_stand_on_the_line_of_the_question(pasted: str) -> None:
    said, found = split_pasted(f"{ASKED} {pasted}")
    assert (said.strip(), [one.strip() for one in found]) == (ASKED, [pasted])


@pytest.mark.parametrize("said", SAID)
def test_what_people_say_stays_as_it_is(said: str) -> None:
    assert split_pasted(said) == (said, [])


def test_data_that_is_cut_off_ends_where_words_begin() -> None:
    assert split_pasted('{"error": {"code": 5,\nWhy does it fail?')[0].strip() == ASKED.replace("the import", "it")


@given(st.lists(st.sampled_from([ASKED, *PASTED, *SAID, "", "{", '{"a":', "[["]), max_size=6))
def test_no_word_is_lost(parts: list[str]) -> None:
    message = "\n".join(parts)
    said, pasted = split_pasted(message)
    told = " ".join((said, *pasted))
    fences = ("json", "```", "~~~")
    assert all(word in told for word in message.split() if not word.startswith(fences))


@pytest.mark.parametrize(
    "unit", ['{"a":', "[[", "{ ", '{"', '"', "`", "```\n", "a.", "_a", "Error", " at (", "at a(b:1"]
)
def test_it_takes_time_linear_in_the_length(unit: str) -> None:
    started = time.perf_counter()
    split_pasted(unit * (200_000 // len(unit)))
    assert time.perf_counter() - started < 5
