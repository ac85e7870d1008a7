"""Of what was remembered and said about one thing the newest comes first, and an older statement brings it along."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth.app import hooks, open_folder
from hearth.config import Config
from hearth.core.hook import PromptSubmitted
from hearth.core.query import Hit
from hearth.vault.vault import Vault

DAY_MS = 86_400_000
NOW = 1_795_000_000_000


class Diary:
    """A vault in which somebody remembers things on given days, counted back from the present."""

    def __init__(self, folder: Path) -> None:
        (folder / "notes").mkdir()
        self.vault = open_folder(folder / "notes", folder / "work", clock=lambda: NOW)
        self.vault.index.sync()

    def tell(self, days: float, text: str, kind: str = "decision", **given: Any) -> str:
        return self.vault.memories.remember(text, kind, said_at=NOW - int(days * DAY_MS), **given).docid

    def ask(self, question: str) -> list[Hit]:
        """What is found, whether or not somebody noticed that it was replaced: the order is that of time."""
        return list(self.vault.recall(question, include=("superseded",)).hits)

    def surface(self, prompt: str) -> str:
        event = PromptSubmitted(host="claude-code", session="s1", turn="t1", prompt=prompt)
        return hooks(self.vault, Config()).answer("context-surfacing", event, 60_000).reply.context or ""


@pytest.fixture
def diary(tmp_path: Path) -> Iterator[Diary]:
    built = Diary(tmp_path)
    yield built
    vault: Vault = built.vault
    vault.close()


def test_the_newer_of_two_statements_about_one_thing_stands_first(diary: Diary) -> None:
    diary.tell(200, "The newsletter goes out through Mailgun.")
    diary.tell(20, "The newsletter is sent by our own Postfix box, and Mailgun only costs us money.")
    first, second = diary.ask("What do we send the newsletter with?")[:2]
    assert "Postfix" in first.text
    assert "Mailgun." in second.text


def test_an_older_statement_says_what_was_said_later_and_when(diary: Diary) -> None:
    diary.tell(200, "The newsletter goes out through Mailgun.")
    newer = diary.tell(20, "The newsletter is sent by our own Postfix box these days.")
    older = next(hit for hit in diary.ask("What do we send the newsletter with?") if "Mailgun." in hit.text)
    [later] = older.validity.later
    assert later.docid == newer
    assert "Postfix" in later.text
    assert later.words.startswith("later, 2026-10-")
    row = older.to_dict()
    assert row["later"][0]["docid"] == newer
    assert row["marks"] == ["older"]


def test_every_way_of_asking_brings_the_later_statement_along(diary: Diary) -> None:
    diary.tell(200, "In production the newsletter goes out through Mailgun.")
    diary.tell(20, "Locally the newsletter goes out through a fake inbox.")
    question = "What does the newsletter go out through in production?"
    assert "later, 2026-10-" in diary.surface(f"Do you remember? {question}")
    found = diary.vault.compat.search(question)
    assert any("Mailgun" in one.snippet and "later, 2026-10-" in one.snippet for one in found.results)


def test_two_changes_of_mind_stand_in_the_order_of_time(diary: Diary) -> None:
    diary.tell(200, "Holiday photos are kept on Flickr.")
    diary.tell(100, "Holiday photos are kept on the NAS in the cellar now.")
    diary.tell(10, "Holiday photos are kept on Flickr again, the NAS died.")
    assert [hit.authored_at for hit in diary.ask("Where are the holiday photos kept?")[:3]] == [
        NOW - days * DAY_MS for days in (10, 100, 200)
    ]


def test_a_change_of_mind_within_an_hour_counts(diary: Diary) -> None:
    diary.tell(1.00, "We meet the auditors on Tuesday.")
    diary.tell(0.97, "We meet the auditors on Friday instead.")
    assert "Friday" in diary.ask("When do we meet the auditors?")[0].text


def test_a_question_about_the_past_puts_the_older_one_first(diary: Diary) -> None:
    diary.tell(200, "The newsletter goes out through Mailgun.")
    diary.tell(20, "The newsletter is sent by our own Postfix box these days.")
    assert "Mailgun." in diary.ask("What did we send the newsletter with before?")[0].text


def test_a_question_about_a_past_time_is_answered_with_what_was_said_then(diary: Diary) -> None:
    diary.tell(200, "The newsletter goes out through Mailgun.")
    diary.tell(20, "The newsletter is sent by our own Postfix box these days.")
    assert "Mailgun." in diary.ask("What did we send the newsletter with in May 2026?")[0].text


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "In production the mails go out through Postmark.",
            "Locally the mails go to a fake inbox.",
            "What sends mails in production?",
        ),
        ("The shop runs on Django.", "What would it take to move the shop to Rails?", "What does the shop run on?"),
        ("The api is at version 4.", "Back in 2021 the api was at version 2.", "Which version is the api at?"),
        ("Alerts go to Pushover.", "Send the alerts by SMS too.", "Where do alerts go?"),
        ("My bike is at the repair shop.", "My sister's bike is in the cellar.", "Where is my bike?"),
    ],
)
def test_what_holds_beside_it_takes_no_place(diary: Diary, older: str, newer: str, question: str) -> None:
    diary.tell(200, older)
    diary.tell(20, newer)
    assert older in diary.ask(question)[0].text


def test_statements_of_two_projects_are_no_rivals(diary: Diary) -> None:
    diary.tell(200, "We deploy with Kamal.", project="github.com/acme/larkmeadow")
    diary.tell(20, "We deploy by rsync.", project="github.com/acme/quillpen")
    hits = diary.ask("How does larkmeadow deploy?")
    assert "Kamal" in hits[0].text
    assert hits[0].validity.later == ()


def test_what_a_person_says_of_themselves_is_of_no_project(diary: Diary) -> None:
    diary.tell(200, "I live in Lisbon.", "fact", project="github.com/acme/larkmeadow")
    diary.tell(20, "I live in Porto these days.", "fact", project="github.com/acme/quillpen")
    assert "Porto" in diary.ask("Where do I live?")[0].text


def test_the_block_of_a_hook_never_holds_an_outdated_statement_alone(diary: Diary) -> None:
    diary.tell(200, "The parents of Ada live in a flat in Ghent.", "fact")
    diary.tell(20, "The parents of Ada sold the flat in Ghent, they live in Ostend.", "fact")
    text = diary.surface("Do you remember where the parents of Ada live?")
    assert "Ostend" in text
    assert "flat in Ghent." not in text or text.index("Ostend") < text.index("flat in Ghent.")


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Room 210 seats 12 people.", "Room 310 seats 8 people.", "How many people does room 210 seat?"),
        ("Server 7 is saved at 02:00.", "Server 8 is saved at 03:00.", "When is server 7 saved?"),
        ("Ticket #88 was closed by Anna.", "Ticket #89 was closed by Bert.", "Who closed ticket 88?"),
    ],
)  # fmt: skip
def test_what_is_said_of_another_number_replaces_nothing(diary: Diary, older: str, newer: str, question: str) -> None:
    diary.tell(20, older, "observation")
    diary.tell(3, newer, "observation")
    first = diary.ask(question)[0]
    assert older in first.text
    assert not first.validity.later


def test_a_number_that_is_the_value_is_replaced(diary: Diary) -> None:
    diary.tell(20, "We use port 8080 for the API.")
    diary.tell(3, "We use port 9090 for the API.")
    assert "9090" in diary.ask("Do we use port 8080 for the API?")[0].text


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Our team sits on floor 3.", "Our team now sits on floor 5 by the lift.", "Does our team sit on floor 3?"),
        ("Our office is room 210.", "Our office moved upstairs to room 310.", "Is our office room 210?"),
        ("Wir treffen uns um 8 im Büro.", "Das Treffen ist jetzt um 9 im Café.", "Treffen wir uns um 8?"),
    ],
)  # fmt: skip
def test_a_change_to_another_number_replaces_what_was(diary: Diary, older: str, newer: str, question: str) -> None:
    diary.tell(20, older)
    diary.tell(3, newer)
    assert newer in diary.ask(question)[0].text
