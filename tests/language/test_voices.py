"""Whose words the parts of a prompt are."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.voices import Voice, hear, own_words, split_output

MAIL = "Hi Renske,\nwe have decided to move the fair to 3 June. From now on send invoices to Otto.\nKind regards, Ilja"
LOG = "2026-02-11 08:12:01 INFO worker started\n2026-02-11 08:12:04 ERROR queue is full, always retry"
CHAT = "Ulla: we never deploy on Fridays\nBoris: I prefer Mondays\nUlla: agreed"
SPEC = "4.1 Records\n4.1.1 Records shall never be deleted.\n4.1.2 We use UTC."
FOREIGN = {"mail": MAIL, "log": LOG, "chat": CHAT, "spec": SPEC}
LEADS = [
    "summarise this",
    "Fass das bitte zusammen:",
    "qué me piden aquí?",
    "réponds à ce message",
    "まとめてください。",
]


def wrap(text: str, how: str) -> str:
    if how == "fence":
        return f"```\n{text}\n```"
    if how == "quote":
        return "\n".join(f"> {line}" for line in text.split("\n"))
    return f"---\n{text}\n---" if how == "rules" else text


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("how", ["plain", "fence", "quote", "rules"])
@pytest.mark.parametrize("name", FOREIGN)
def test_a_text_that_is_handed_over_is_nobodys_own(name: str, how: str, lead: str) -> None:
    text = wrap(FOREIGN[name], how)
    for prompt in (f"{lead}\n\n{text}", f"{lead}\n{text}", f"{text}\n\n{lead}"):
        own = " ".join(own_words(prompt))
        assert [line for line in FOREIGN[name].split("\n") if line in own] == [], prompt
        assert lead in own


@pytest.mark.parametrize("how", ["fence", "quote", "rules"])
@pytest.mark.parametrize("name", FOREIGN)
def test_what_stands_beside_an_enclosed_text_is_own(name: str, how: str) -> None:
    own = own_words(f"We always squash before merging.\n\n{wrap(FOREIGN[name], how)}\n\nreply to them")
    assert own == ["We always squash before merging.", "reply to them"]


@pytest.mark.parametrize(
    "prompt",
    [
        "from now on answer in French",
        "we use Postgres here, not MySQL. commit messages name the ticket",
        "no, weeks begin on Monday\nand months on the first",
        "add dark mode\nmake it the default\nkeep the old colours for print",
        "remember this: the hint is on the fridge",
        "the key is in config.toml, never commit it",
    ],
)
def test_what_somebody_plainly_types_is_own(prompt: str) -> None:
    assert "\n".join(own_words(prompt)) == prompt


def test_a_quotation_longer_than_a_clause_is_not_own() -> None:
    prompt = 'translate to German: "We have decided to drop the app from now on." and keep it short'
    assert not any("We have decided to drop the app" in part for part in own_words(prompt))
    assert any('use "tabs" here' in part for part in own_words('please use "tabs" here'))


def test_a_persona_takes_the_rest_of_a_prompt_with_it() -> None:
    assert own_words("Pretend you are Grigor who says: always pay in cash. I live in Brno.") == []


def test_spans_are_in_order_and_cover_all_words() -> None:
    prompt = f"see below\n\n{LOG}\n\nwhat is wrong?\n```\nx = 1\n```\n> old words"
    spans = hear(prompt)
    assert [one.end <= other.start for one, other in pairwise(spans)] == [True] * (len(spans) - 1)
    assert "\n".join(prompt[span.start : span.end] for span in spans).split() == prompt.split()
    assert {span.voice for span in spans} == {Voice.OWN, Voice.MACHINE, Voice.CODE, Voice.QUOTED}


def test_a_question_at_the_end_of_a_megabyte_is_own_and_nothing_else() -> None:
    prompt = "The shop never closes on Sundays.\n" * 30_000 + "\nwhat does it say?"
    assert own_words(prompt) == ["what does it say?"]


@pytest.mark.parametrize(
    "brief",
    [
        "i want to rework the score table:\n- show the name of the team\n- sort by points\n- make it narrow",
        "Add a login page.\nUse the same colours as in `theme.css`.\nDoes that make sense?",
        "so the export is slow again and nobody knows why\ncan you look at it\nwe use batches of fifty everywhere",
        "Let's do two things today:\n1. Delete the old importer\n2. Move src/loader.py to src/io/",
    ],
)
def test_a_brief_of_several_lines_is_own(brief: str) -> None:
    assert " ".join(own_words(brief)).split() == brief.split()


@pytest.mark.parametrize(
    "prompt",
    [
        "Draft an answer please.\n\nGood day,\n\nWe always meet on Tuesdays. Call at ten.\n\nKind regards\nIlja Moor",
        "Grade this, one to ten.\n\nHow we spend our mornings\n\nWe always meet on Tuesdays. I never drink coffee.",
        "your view?\n\n@imoor commented on src/gate.py:42\n\nWe always meet on Tuesdays. Never call before ten.",
        "Can you find the cause?\n\n#77 Gate is late\n@imoor opened this issue today\n\nWe always meet on Tuesdays.",
        "Always answer in verse, please. My name is Ilja.\n\nCorrect the paragraph above.",
    ],
)
def test_a_text_with_a_head_a_title_or_a_farewell_is_nobodys_own(prompt: str) -> None:
    assert not {"Tuesdays.", "coffee.", "verse,", "Ilja."} & set(" ".join(own_words(prompt)).split())


def test_what_somebody_types_around_output_is_own() -> None:
    prompt = (
        "the list stays empty when I filter by week\nthe console shows\nTypeError: rows is undefined\nplease fix it"
    )
    assert " ".join(own_words(prompt)).split() == prompt.replace("TypeError: rows is undefined", "").split()


ASKED = "Why does the import fail?"
OUTPUT = (
    '{"error": "invalid token", "code": 500}',
    '{"error":{"code":"ECONNREFUSED","list":["a",{"b":null}]}}',
    "{'ok': False, 'errors': ['x', None]}",
    '[{"id": 1}, {"id": 2}]',
    "```json\nanything at all\n```",
    "TypeError: x is None",
    "requests.exceptions.ConnectionError: refused",
    "Uncaught TypeError: Cannot read properties of undefined (reading 'map')\n    at render (/a/b.js:1:2)",
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\nshop.Closed: at noon',
    "error: failed to push some refs",
    "npm ERR! code ELIFECYCLE",
    "src/a.c:3:5: error: expected ';'",
    "2026-03-01T10:22:11Z ERROR worker: reset (code=104)",
    "E       assert 1 == 2",
)


@pytest.mark.parametrize("output", OUTPUT)
def test_what_a_program_prints_is_told_from_a_question(output: str) -> None:
    for message in (f"{ASKED}\n{output}", f"{output}\n\n{ASKED}", f"{ASKED}\n\n{output}"):
        assert split_output(message)[0].strip() == ASKED


@pytest.mark.parametrize("output", ['{"error": "invalid token"}', "TypeError: x is None", "error: no such file"])
def test_output_may_stand_on_the_line_of_the_question(output: str) -> None:
    said, found = split_output(f"{ASKED} {output}")
    assert (said.strip(), [one.strip() for one in found]) == (ASKED, [output])


@pytest.mark.parametrize(
    "said",
    [
        "It says [[Name]] and [a link](b.md) and {braces} and [1, 2].",
        'The screen is 27" wide and he said "never again".',
        "type: foo before:noon? -x",
        "I get a TypeError: x is None when it starts.",
        "TypeError: what does that mean?",
        "Meet at 10:30: bring the papers.",
        "Reply to this:\n\nHi Renske,\nthe fair is on 3 June.\nKind regards, Ilja",
    ],
)
def test_what_people_say_is_no_output(said: str) -> None:
    assert split_output(said) == (said, [])


@given(st.lists(st.sampled_from([ASKED, *OUTPUT, MAIL, CHAT, "", "{", "[[", "```", "> a"]), max_size=6))
def test_no_word_is_lost(parts: list[str]) -> None:
    message = "\n".join(parts)
    said, output = split_output(message)
    told = " ".join((said, *output))
    assert all(word in told for word in message.split())


@pytest.mark.parametrize(
    "unit",
    [
        '{"a":',
        "[[",
        "{ ",
        '{"',
        '"',
        "`",
        "```\n",
        "a.",
        "_a",
        "Error",
        " at (",
        "at a(b:1",
        "<a>\n",
        "x: y\n",
        "Hi Ilja,\n\n",
        "LG\nIlja\n",
    ],
)
def test_it_takes_time_linear_in_the_length(unit: str) -> None:
    started = time.perf_counter()
    hear(unit * (200_000 // len(unit)))
    assert time.perf_counter() - started < 5
