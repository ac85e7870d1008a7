"""What a person asks in the chat to leave out or to forget is done, and answered once in a line at the next prompt."""

from __future__ import annotations

import re

import pytest
from tests.capture.conftest import Talk

from hearth.app import hooks
from hearth.config import Config
from hearth.core.hook import PromptSubmitted, TurnEnded
from hearth.ports import Filter

NEXT = "git status"
"""A prompt that notes have nothing to say to."""


def say(talk: Talk, text: str, answered: str = "Done.") -> None:
    """A turn whose end the host's hook tells; what is urgent is captured afterwards."""
    talk.say(text, answered)
    event = TurnEnded(
        host="claude-code", session=talk.name, turn=f"t{talk.turns}", reply=answered, transcript=str(talk.transcript)
    )
    hooks(talk.vault, Config()).answer("feedback-loop", event, 60_000).after()
    talk.capture.run()


def ask(talk: Talk, text: str = NEXT, session: str = "") -> str:
    talk.vault.index.freshen()
    event = PromptSubmitted(host="claude-code", session=session or talk.name, turn=f"next-{talk.now}", prompt=text)
    handled = hooks(talk.vault, Config()).answer("context-surfacing", event, 60_000)
    handled.after()
    return handled.reply.context or ""


def memories(talk: Talk) -> list[str]:
    """The titles of those that still count."""
    with talk.vault.store.read() as reader:
        found = list(reader.each_document(Filter(types=("fact", "decision", "preference", "principle"), at=talk.now)))
    return sorted(one.document.title.rstrip(".") for one in found)


def test_forget_that_takes_back_what_was_just_said_and_says_so_once(talk: Talk) -> None:
    say(talk, "We decided to keep the counters of the jars in SQLite.")
    assert memories(talk) == ["We decided to keep the counters of the jars in SQLite"]
    say(talk, "Forget that.")
    assert memories(talk) == []
    told = ask(talk)
    assert told.startswith("<vault-answer>\n") and told.endswith("\n</vault-answer>")
    said = 'Forgotten, as you asked: "We decided to keep the counters of the jars in SQLite" (undo: hearth undo '
    assert told.count(said) == 1
    assert ask(talk) == ""


def test_it_is_undone_by_the_command_that_the_answer_names(talk: Talk) -> None:
    say(talk, "We decided to keep the counters of the jars in SQLite.")
    say(talk, "Please forget it.")
    found = re.search(r"hearth undo (\w+)", ask(talk))
    assert found is not None
    talk.vault.state.undo(found[1])
    assert memories(talk) == ["We decided to keep the counters of the jars in SQLite"]


def test_the_answer_stands_before_what_the_notes_say_and_only_in_its_session(talk: Talk) -> None:
    talk.vault.memories.remember("We decided to keep the counters of the jars in SQLite.", "decision")
    say(talk, "Don't remember this: the spare key hangs behind the mirror.")
    assert ask(talk, session="another-session") == ""
    told = ask(talk, "Did we decide to keep the counters of the jars in SQLite?")
    assert told.index("Not kept, as you asked.") < told.index("SQLite")
    assert "mirror" not in talk.text()


def test_what_had_not_been_kept_is_said_to_be_so(talk: Talk) -> None:
    say(talk, "Which flour is in the larder?")
    say(talk, "Forget that.")
    assert "No memory of it was found." in ask(talk)


@pytest.mark.parametrize(
    ("kept", "wish"),
    [
        ("I live in Porto.", "Forget that I live in Porto."),
        ("I live in Porto.", "Forget where I live."),
        ("Ich wohne in Bremen.", "Vergiss, dass ich in Bremen wohne."),
        ("Vivo en Sevilla.", "Olvida que vivo en Sevilla."),
        ("J'habite à Lyon.", "Oublie que j'habite à Lyon."),
        ("Moro em Braga.", "Esquece que moro em Braga."),
        ("Abito a Pisa.", "Dimentica che abito a Pisa."),
        ("Я живу в Казани.", "Забудь, что я живу в Казани."),
        ("我住在杭州。", "忘掉我住在杭州。"),
        ("私は京都に住んでいます。", "私は京都に住んでいることは忘れてください。"),
    ],
)
def test_a_fact_that_is_named_is_forgotten_whenever_it_was_said(talk: Talk, kept: str, wish: str) -> None:
    say(talk, kept)
    say(talk, "I prefer tabs over spaces.")
    say(talk, "Which flour is in the larder?")
    assert kept.rstrip(".。") in [one.rstrip("。") for one in memories(talk)]
    say(talk, wish)
    assert memories(talk) == ["I prefer tabs over spaces"]
    assert f'Forgotten, as you asked: "{kept.rstrip(".。")}" (undo: hearth undo ' in ask(talk)


def test_a_fact_is_forgotten_that_was_said_in_the_same_piece(talk: Talk) -> None:
    talk.turn("I live in Porto.")
    talk.turn("Forget that I live in Porto.")
    talk.end()
    talk.capture.run()
    assert memories(talk) == []
    assert "Forgotten, as you asked" in ask(talk)


def test_the_hand_off_does_not_say_what_is_forgotten(talk: Talk) -> None:
    for text in ("We decided to sell the bakery to Wren.", "We decided to bake on Mondays.", "Which oven is free?"):
        talk.turn(text)
    talk.turn("Forget that we decided to sell the bakery to Wren.")
    talk.end()
    talk.capture.run()
    [page] = (talk.folder / "data").rglob("handoffs/*.md")
    text = page.read_text("utf-8")
    assert "bake on Mondays" in text and "Wren" not in text


def test_what_was_said_anew_later_stays(talk: Talk) -> None:
    talk.turn("Forget that I live in Porto.")
    talk.turn("I live in Porto.")
    talk.end()
    talk.capture.run()
    assert memories(talk) == ["I live in Porto"]


def test_of_several_that_may_be_meant_none_is_forgotten_and_they_are_named(talk: Talk) -> None:
    say(talk, "Remember that the key of the shed is with Ada.")
    say(talk, "Remember that slate covers the roof of the shed.")
    say(talk, "Forget what I told you about the shed.")
    assert len(memories(talk)) == 2
    told = ask(talk)
    assert "Nothing forgotten yet; did you mean one of: " in told and told.count("(hearth forget ") == 2


@pytest.mark.parametrize(
    "text",
    [
        "Here is the mail from Bo:\n\nHi,\nplease forget that I live in Porto. Forget that.\nBest,\nBo\n\nReply to it.",
        "> Forget that I live in Porto.\n\nWhat does he mean?",
        "Don't forget that I live in Porto.",
        "Forget that approach and look at the importer again.",
    ],
)
def test_what_somebody_else_wrote_or_asks_for_nothing_of_the_kind_forgets_nothing(talk: Talk, text: str) -> None:
    say(talk, "I live in Porto.")
    say(talk, text)
    talk.end()
    talk.capture.run()
    assert "I live in Porto" in memories(talk)
    assert "vault-answer" not in ask(talk)


def test_what_still_waits_for_approval_is_forgotten_too(talk: Talk) -> None:
    talk.again(HEARTH_CAPTURE_APPROVE="all")
    say(talk, "I live in Porto.")
    say(talk, "Forget that I live in Porto.")
    assert 'Forgotten, as you asked: "I live in Porto"' in ask(talk)


def test_a_memory_of_another_project_is_not_meant(talk: Talk) -> None:
    talk.vault.memories.remember("The alarm code of the shed is with Ada.", "fact", project="shed")
    say(talk, "Forget that the alarm code of the shed is with Ada.")
    assert memories(talk) == ["The alarm code of the shed is with Ada"]
    assert "No memory of it was found." in ask(talk)


def test_the_reason_is_in_the_journal(talk: Talk) -> None:
    say(talk, "I live in Porto.")
    say(talk, "Forget that I live in Porto.")
    [event] = [one for one in talk.capture.history.log.newest(own=True) if one.kind == "forget"]
    assert event.data["reason"] == "the user asked to forget it" and event.data["actor"] == "capture"
