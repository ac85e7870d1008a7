"""What a person said in earlier sessions comes back as dated quotes of a line, not as parts of conversations."""

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

{text}

## Assistant · 09:41

Fine, I keep that in mind for the newsletter.
"""


def talk(home: Any, day: str, text: str, title: str = "") -> None:
    """A conversation as capture writes it, of one turn where ``text`` begins no other."""
    root = next(Path(one.root) for one in home.vault.collections if one.name == "_hearth")
    path = root / "agent" / "conversations" / f"{day}-talk-x{day.replace('-', '')}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TALK.format(title=title or text[:50], session=f"s-{day}", day=day, text=text), "utf-8")
    home.vault.index.sync()


def test_an_own_sentence_is_quoted_with_its_day_without_the_turns_around_it(home: Any) -> None:
    talk(home, "2025-03-12", "The newsletter goes out through Mailgun every second Tuesday.")
    text = home.prompt("Do you remember how the newsletter goes out?") or ""
    assert "- You said on 12 March 2025: “The newsletter goes out through Mailgun every second Tuesday.”" in text
    assert "keep that in mind" not in text


def test_what_was_said_later_stands_above_what_it_replaced(home: Any) -> None:
    talk(home, "2025-03-12", "The newsletter goes out through Mailgun every second Tuesday.")
    talk(home, "2025-09-20", "The newsletter goes out through our own Postfix box now.")
    text = home.prompt("Do you remember how the newsletter goes out?") or ""
    assert text.index("You said on 20 September 2025") < text.index("You said on 12 March 2025")


def test_a_change_of_mind_and_back_in_one_session_ends_with_the_last_word(home: Any) -> None:
    first, second = "The newsletter goes out through Mailgun.", "The newsletter goes out through Postfix instead."
    talk(home, "2025-03-12", f"{first}\n\n## Assistant · 09:50\n\nOK.\n\n## User · 09:58\n\n{second}")
    hits = home.vault.recall("How does the newsletter go out?").hits
    said = [hit.text for hit in hits if hit.fragment == "said"]
    assert said[0] == second


TURNS = """Which database should hold the local cache of the product images?

## Assistant · 09:41

SQLite, LMDB and plain files would do.

## User · 09:50

SQLite holds the cache, because LMDB needs a native module.

## Assistant · 09:51

Good.

## User · 10:00

Write the migration for the thumbnails now.

## Assistant · 10:01

It is in migrations/004.sql.

## User · 10:10

And rename the helper to load_thumbnail, that reads better.
"""


def test_a_later_turn_does_not_answer_because_its_conversation_is_called_what_is_asked(home: Any) -> None:
    talk(home, "2025-03-12", TURNS, title="Which database should hold the local cache of the product images?")
    question = "Which database holds the local cache of the product images?"
    hits = [hit for hit in home.vault.recall(question).hits if hit.fragment == "said"]
    assert hits[0].text.startswith("SQLite holds the cache")
    assert not any(hit.validity.later for hit in hits)
    assert "“And rename the helper" not in (home.prompt(f"Do you remember? {question}") or "")
