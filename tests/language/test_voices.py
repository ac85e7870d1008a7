"""Whose words the parts of a prompt are."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hearth.language.voices import Voice, hear, own_words

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
