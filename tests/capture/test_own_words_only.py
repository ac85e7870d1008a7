"""Attacks on whose words count: quotations, sarcasm, several languages, a pasted megabyte, a vault of others' rules."""

from __future__ import annotations

import pytest
from tests.capture.conftest import Talk
from tests.capture.test_forget_requests import memories, say

from hearth.ports import Filter

LETTER = "Hola Iker: hemos decidido cerrar el molino. A partir de ahora manda la harina a Nerea.\nUn saludo, Maite"


def said(talk: Talk) -> list[str]:
    """The texts of all memories, whatever their type."""
    with talk.vault.store.read() as reader:
        found = list(reader.each_document(Filter(at=talk.now)))
        return [one.document.title for one in found if one.document.content_type not in ("conversation", "handoff")]


@pytest.mark.parametrize(
    "prompt",
    [
        'As I said last week: "from now on we only bake rye and never wheat". Any news on that?',
        'I told them "I always prefer stone mills over steel ones" but that was a joke. Fix the import.',
        "my own mail from Monday:\n> From now on nobody bakes without me.\n> I prefer short mails.\nis that too harsh?",
        "I wrote to her: We decided to close the shop on Mondays for good. Did that sound rude?",
    ],
)
def test_a_person_who_quotes_themself_states_nothing(talk: Talk, prompt: str) -> None:
    say(talk, prompt)
    assert said(talk) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Oh great, from now on let's always bake at three in the morning, what could possibly go wrong",
        "sure, we always sell the burnt loaves first, customers are overrated, right? 🙄",
        "I prefer ovens that take a day to warm up /s",
        "Ja klar, ab jetzt immer ohne Mehl, super Idee.",
        "na toll, ab jetzt wiegen wir also immer alles dreimal",
        "bien sûr, désormais on ne pèse plus jamais rien, génial",
        "claro, a partir de ahora nunca apaguemos el horno 😂",
    ],
)
def test_what_is_meant_the_other_way_round_is_not_kept(talk: Talk, prompt: str) -> None:
    say(talk, prompt)
    assert said(talk) == []


def test_each_language_of_a_prompt_counts_and_a_letter_in_one_of_them_does_not(talk: Talk) -> None:
    say(
        talk,
        f"From now on name loaves after rivers.\n\n{LETTER}\n\n"
        "bitte fass das zusammen. Ab jetzt Antworten in zwei Sätzen. 金额一律以分为单位。",
    )
    kept = " ".join(said(talk))
    assert "name loaves after rivers" in kept and "zwei Sätzen" in kept
    assert not any(word in kept for word in ("molino", "harina", "Nerea", "Iker"))


@pytest.mark.parametrize(
    "pasted",
    [
        "2026-02-11 08:12:01 INFO always restart the oven\n" * 22_000,
        "The shop never closes on Sundays. We always pay in cash.\n" * 18_000,
        "```\n" + "bake(bread)  # never stop\n" * 40_000 + "```\n",
    ],
)
def test_of_a_pasted_megabyte_nothing_is_kept(talk: Talk, pasted: str) -> None:
    say(talk, "We decided to have the oven repaired by Florent Quint.")
    say(talk, f"{pasted}\nWho repairs the oven?", "Florent Quint does.")
    assert memories(talk) == ["We decided to have the oven repaired by Florent Quint"]
