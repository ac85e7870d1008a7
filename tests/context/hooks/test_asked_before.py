"""What earlier conversations only asked, or could not answer, or repeat of a note, is brought to nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TALK = """---
title: {title}
content_type: conversation
session: "{session}"
host: claude-code
started: "{day}T09:40:00Z"
trust: agent
created_by: capture
machine: sjyft5gt2n
turns: "1"
---

## User · 09:40

{asked}

## Assistant · 09:41

{answered}
"""
NOTE = "# Coffee\n\nThe espresso machine in the kitchen wants descaling with citric acid each month.\n"
ASKED = "How often does the espresso machine want descaling?"


def talk(home: Any, day: str, asked: str, answered: str) -> None:
    """A conversation of one turn, as capture writes it."""
    root = next(Path(one.root) for one in home.vault.collections if one.name == "_hearth")
    path = root / "agent" / "conversations" / f"{day}-talk.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TALK.format(title=asked, session=f"s-{day}", day=day, asked=asked, answered=answered), "utf-8")
    home.vault.index.sync()


def test_questions_that_nobody_could_answer_are_never_brought(home: Any) -> None:
    home.write("garden.md", "# Garden\n\nThe bed wants water.\n")
    talk(home, "2025-01-03", ASKED, "I can't say; no note tells how often the espresso machine wants descaling.")
    talk(home, "2025-02-03", "How often should I descale the espresso machine?", "I don't know. Shall I look it up?")
    talk(home, "2025-03-03", "Wie oft muss die Espressomaschine entkalkt werden?", "Dazu steht nichts in den Notizen.")
    assert home.prompt(ASKED) is None
    said = home.prompt("Do you remember how often the espresso machine wants descaling?", session="s2") or ""
    assert "vault-context" not in said


def test_an_answer_that_repeats_a_note_leaves_the_note_alone(home: Any) -> None:
    home.write("coffee.md", NOTE)
    said = "Your notes say: the espresso machine in the kitchen wants descaling with citric acid each month."
    talk(home, "2025-01-03", ASKED, said)
    text = home.prompt(ASKED) or ""
    assert "coffee.md" in text
    assert "conversations/" not in text


def test_an_answer_of_its_own_is_brought(home: Any) -> None:
    home.write("garden.md", "# Garden\n\nThe bed wants water.\n")
    said = "The espresso machine takes the Claris Smart filter; the older Claris Blue does not fit its tank."
    talk(home, "2025-01-03", "Which filter fits the espresso machine?", said)
    assert "Claris Smart" in (home.prompt("Do you remember which filter fits the espresso machine?") or "")


def test_a_reply_that_knows_nothing_is_no_use_of_what_was_shown(home: Any) -> None:
    home.write("coffee.md", NOTE.replace("# Coffee", "# Descaling in the kitchen"))
    assert home.prompt(ASKED, turn="t1")
    home.end_turn("t1", "I can't say how often; Descaling in the kitchen doesn't tell.")
    assert home.vault.usage.statistics(home.docid("coffee.md")).referenced == 0
    home.end_turn("t1", "Each month, says Descaling in the kitchen, and with citric acid.")
    assert home.vault.usage.statistics(home.docid("coffee.md")).referenced == 1


def test_a_hand_off_that_ends_with_the_question_does_not_answer_it(home: Any) -> None:
    home.write("pricing.md", "# Prices\n\nWe keep one price per household because families share one jar.\n")
    asked = "Why do we keep one price per household?"
    home.prompt("let us begin", session="s0")
    home.vault.memories.remember(f"## Last request\n\n{asked}", "handoff", session="s0")
    text = home.prompt(asked, session="s2") or ""
    assert "families share one jar" in text and "Last request" not in text
