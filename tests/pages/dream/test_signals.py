"""Which passages the events of usage name: hashes alone, once each, and none where nobody wants or asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.journal import Event
from hearth.core.memory import NewMemory
from hearth.core.session import Shown, Sighting, Surfacing
from hearth.pages.dream.scores import is_page

PORT = "The staging database listens on port 6543 behind the bastion."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def keep(home: Home, text: str, session: str | None, content_type: str = "fact") -> str:
    return home.vault.memories.keep(NewMemory(text, content_type, session=session)).docid


def told(home: Home, kind: str) -> list[Event]:
    return [event for event in home.events() if event.kind == kind and event.data.get("blocks")]


def kinds(home: Home, docid: str) -> list[str]:
    return [signal.kind for one in home.vault.dream.explain(docid) for signal in one.score.fragment.signals]


def test_what_another_session_says_again_is_confirmed(home: Home) -> None:
    docid = keep(home, PORT, "one")
    assert keep(home, PORT, "two") == docid
    assert kinds(home, docid) == ["said"]
    [explained] = home.vault.dream.explain(docid)
    assert len(explained.score.fragment.confirmations) == 1
    assert keep(home, PORT, "three") == docid  # the same day
    assert kinds(home, docid) == ["said"]
    home.clock.advance(days=1)
    keep(home, PORT, "four")
    assert kinds(home, docid) == ["said", "said"]


@pytest.mark.parametrize("session", ["one", None, "agent:main:cron:4", "heartbeat"])
def test_what_the_same_session_or_nobody_says_again_confirms_nothing(home: Home, session: str | None) -> None:
    docid = keep(home, PORT, "one")
    assert keep(home, PORT, session) == docid
    assert kinds(home, docid) == []


def test_a_title_confirms_no_part_of_a_document_that_says_more(home: Home) -> None:
    home.write("daily/2026-02-01.md", "# Marta Lindqvist\n\n- Leads the billing team.\n- Wants invoices in kronor.\n")
    home.vault.index.sync()
    [stored] = home.vault.documents()
    asked = home.vault.usage.digest("who leads billing")
    shown = (Shown(stored.document.docid, 4, 4),)
    home.vault.usage.surfaced(Surfacing("s", "t", shown, 40, "context-surfacing", asked))
    assert home.vault.usage.feedback("s", "t", "Marta Lindqvist does, I would say.", "who leads billing").new
    assert kinds(home, stored.document.docid) == []


def test_the_same_statement_in_other_words_confirms_the_older_one(home: Home) -> None:
    older = keep(home, "We chose PostgreSQL for the ledger.", "one", "decision")
    home.clock.advance(days=1)
    newer = keep(home, "For the ledger we chose PostgreSQL.", "two", "decision")
    if newer != older:
        assert [event.kind for event in home.events() if event.kind == "duplicate"] == ["duplicate"]
    assert kinds(home, older) == ["said"]


def test_a_line_of_a_subjects_file_is_confirmed_alone(home: Home) -> None:
    first = home.vault.memories.keep(NewMemory("Ana Ruiz lives in Graz.", "entity", subject="Ana Ruiz", session="one"))
    home.vault.memories.keep(NewMemory("Ana Ruiz keeps two bees hives.", "entity", subject="Ana Ruiz", session="one"))
    again = home.vault.memories.keep(NewMemory("Ana Ruiz lives in Graz.", "entity", subject="Ana Ruiz", session="two"))
    assert again.docid == first.docid
    [explained] = home.vault.dream.explain(first.docid)
    assert "Graz" in explained.score.fragment.text


def test_lines_that_were_not_shown_take_no_use_from_those_that_were(home: Home) -> None:
    """An earlier conversation is brought up by its question, and quotes the note below it."""
    home.configure(collections="    dream: true\n")
    home.write("a.md", f"# Harbour\n\n{PORT}\n")
    home.write("b.md", f"# Talk\n\nWhere does staging listen?\n\n{PORT}\n")
    a, b = (home.vault.get(f"notes/{name}.md").document.docid for name in "ab")
    home.vault.usage.surfaced(Surfacing("s", "t", (Shown(a, 1, 3), Shown(b, 1, 3)), 40, "context-surfacing", "asked"))
    assert home.vault.usage.feedback("s", "t", f"As noted: {PORT}").referenced == (a,)
    assert (kinds(home, a), kinds(home, b)) == (["used"], [])


@pytest.mark.parametrize("prompt", ["[cron: every morning] Which port is it?", "Read HEARTBEAT.md and go on."])
def test_what_a_schedule_asks_in_a_session_of_any_name_is_no_use_of_a_passage(home: Home, prompt: str) -> None:
    docid = keep(home, PORT, "one")
    home.vault.usage.surfaced(Surfacing("s", "t", (Shown(docid, 1, 50),), 40, "context-surfacing", "asked"))
    assert home.vault.usage.feedback("s", "t", f"As noted: {PORT}", prompt).referenced == (docid,)
    assert kinds(home, docid) == []


UUID = "d64b4707-7875-4544-be86-fc815d1cdfb2"


def use_all(home: Home, docid: str, session: str) -> None:
    question = "which port does the staging database use"
    home.vault.usage.recalled(home.vault.recall(question), session)
    home.vault.usage.opened(docid, (1, 50), session)
    asked = home.vault.usage.digest(question)
    home.vault.usage.surfaced(Surfacing(session, "t", (Shown(docid, 1, 50),), 40, "context-surfacing", asked))
    home.vault.usage.feedback(session, "t", f"As noted: {PORT}", question)
    keep(home, PORT, session)


def test_a_session_that_its_host_calls_unattended_gives_no_signal_whatever_its_name(home: Home) -> None:
    docid = keep(home, PORT, "one")
    home.vault.sessions.seen(Sighting(UUID, "claude-code", unattended=True))
    use_all(home, docid, UUID)
    assert not [event for event in home.events() if "blocks" in event.data]
    home.vault.sessions.seen(Sighting("6a0f2f10-0000-4000-8000-000000000001", "claude-code"))
    use_all(home, docid, "6a0f2f10-0000-4000-8000-000000000001")
    told = {event.kind for event in home.events() if "blocks" in event.data}
    assert told == {"recalled", "seen", "referenced", "duplicate"}


def test_what_a_session_left_before_it_was_known_to_be_unattended_does_not_count(home: Home) -> None:
    docid = keep(home, PORT, "one")
    use_all(home, docid, UUID)
    assert kinds(home, docid)
    home.vault.sessions.seen(Sighting(UUID, "codex", unattended=True))
    assert kinds(home, docid) == []
    home.rebuilt()
    assert kinds(home, docid) == [] and home.vault.dream.status().signals == 0


def test_nothing_is_recorded_of_passages_where_that_is_switched_off(home: Home) -> None:
    home.configure("dream:\n  record: false\n")
    docid = keep(home, PORT, "one")
    keep(home, PORT, "two")
    home.vault.usage.recalled(home.vault.recall("which port does the staging database use"), "two")
    home.vault.usage.opened(docid, (1, 50), "two")
    assert not [event for event in home.events() if "blocks" in event.data]
    assert home.vault.dream.status().signals == 0


def test_the_two_pages_give_no_signal(home: Home) -> None:
    for name in ("MEMORY.md", "DREAMS.md"):
        Path(home.vault.dream.pages.path).with_name(name).write_text(f"# Page\n\n- {PORT}\n", "utf-8")
    home.vault.index.sync()
    assert {one.document.path for one in home.vault.documents()} == {"MEMORY.md"}
    [page] = home.vault.documents()
    home.vault.usage.recalled(home.vault.recall("which port does the staging database use"), "two")
    home.vault.usage.opened(page.document.docid, (1, 50), "two")
    assert told(home, "recalled") == told(home, "seen") == []


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("MEMORY.md", True),
        ("memory/MEMORY.md", True),
        ("DREAMS.md", True),
        ("DREAMS.2026.md", True),
        ("memory/DREAMS.2026-1.md", True),
        ("memory/DREAMS.sync-conflict-20260102-030000-ABCDEFG.md", True),
        ("DREAMSCAPE.md", False),
        ("MEMORY.md.md", False),
        ("OLD-MEMORY.md", False),
        ("DREAMS.md/a.md", False),
    ],
)
def test_pages_of_nights_are_known_wherever_they_lie(path: str, is_one: bool) -> None:
    assert is_page(path) is is_one
