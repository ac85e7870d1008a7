"""Problems that are said to be solved."""

from __future__ import annotations

import pytest

from hearth.capture.records import find_solutions, tells_trouble
from hearth.capture.rules import spoken
from hearth.core.extraction import Category, Tier
from hearth.core.transcript import Kind, TranscriptEntry, Turn

FOUND = "The timer is started twice because `init` runs in both threads. Guard it with a lock."


def talk(*said: tuple[str, str]) -> list[Turn]:
    return [
        Turn(at, prompts=(TranscriptEntry(Kind.USER, asked),), replies=(reply,))
        for at, (asked, reply) in enumerate(said, 1)
    ]


def told(*said: tuple[str, str]) -> list[str]:
    return [memory.text for memory in find_solutions(talk(*said))]


@pytest.mark.parametrize(
    ("problem", "confirmed"),
    [
        ("the oven timer crashes after the second tray", "that was it, starts now"),
        ("The oven timer hangs after the second tray.", "Yes, that fixed it."),
        ("der Ofentimer stürzt nach dem zweiten Blech ab", "super, läuft wieder"),
        ("el temporizador del horno se cae a la segunda bandeja", "era eso, ya funciona"),
        ("le minuteur du four plante à la deuxième plaque", "c'était ça, merci"),
        ("o temporizador do forno trava na segunda bandeja", "resolvido, valeu"),
        ("il timer del forno si blocca alla seconda teglia", "era quello, adesso funziona"),
        ("таймер печи зависает на втором противне", "теперь работает"),
        ("烤箱的定时器每次到第二盘的时候就会崩溃,完全没有任何提示信息", "解决了,谢谢"),
        ("オーブンのタイマーが二枚目の天板でいつも動かない、表示も消えます", "直りました"),
    ],
)
def test_what_was_wrong_what_was_found_and_that_it_holds_is_one_memory(problem: str, confirmed: str) -> None:
    turns = talk((problem, FOUND), ("do that", "Done."), (confirmed, "Good."))
    [memory] = find_solutions(turns, since=2)
    assert (memory.category, memory.tier) == (Category.PROBLEM, Tier.IMPLIED)
    assert problem.rstrip(".") in memory.text
    assert "`init` runs in both threads" in memory.text
    assert memory.evidence.turn == 3 and memory.evidence.quote in confirmed


@pytest.mark.parametrize(
    "answer",
    [
        "it still hangs, that fixed nothing",
        "would that be it?",
        "if it works now I buy cake",
        "Thanks!",
        "crashes again",
    ],
)
def test_what_is_not_said_to_be_solved_is_none(answer: str) -> None:
    assert told(("the oven timer crashes after the second tray", FOUND), (answer, "Hm.")) == []


def test_praise_where_nothing_was_wrong_and_a_reply_that_finds_nothing_solve_nothing() -> None:
    assert told(("Write me a label for the second tray.", FOUND), ("it works, thanks", "Good.")) == []
    assert told(("the oven timer crashes after the second tray", "Let me look."), ("that fixed it", "Good.")) == []


def test_one_problem_is_solved_once() -> None:
    said = [
        ("the oven timer crashes after the second tray", FOUND),
        ("that fixed it", "Good."),
        ("yes, it works now", "!"),
    ]
    assert len(told(*said)) == 1


def test_a_private_turn_tells_no_problem() -> None:
    assert told(("<private> the oven timer crashes after the second tray", FOUND), ("that fixed it", "Good.")) == []


@pytest.mark.parametrize(
    "text", ["I can't connect to the staging database.", "app crashes on launch on android 9 only"]
)
def test_what_goes_wrong_is_no_lasting_fact(text: str) -> None:
    assert tells_trouble(text)
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, text),))
    assert [memory.category for memory in spoken([turn])] == []


def test_what_cannot_be_for_a_reason_is_no_trouble() -> None:
    assert not tells_trouble("We can't use AWS because of the contract.")
