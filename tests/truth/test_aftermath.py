"""What follows from a memory is found out later where its writer could not see to it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.house import House

from hearth.core.errors import BadReply, Unavailable
from hearth.core.memory import NewMemory
from hearth.guard.attacks import suspicion
from hearth.llm.reader import PairJudge
from hearth.testing import ScriptedLlm
from hearth.truth.noticing import Aftermath

KILLED = """
import os, signal
from hearth import app
from hearth.truth.acts import Rivals
Rivals.find = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
app.open_vault(environ=os.environ).memories.remember("The API now listens on port 9090.", "fact")
"""
SETTINGS = "truth:\n  notes: true\n"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "house", tmp_path / "notes")
    built.configure()
    yield built
    built.close()


def written(house: Any, text: str) -> str:
    """A memory as a killed writer leaves it: there, and looked at by nobody."""
    return str(house.vault.memories.writer.remember(NewMemory(text, "fact")).docid)


def hidden(house: Any, docid: str) -> bool:
    with house.vault.store.read() as reader:
        return bool(reader.document(docid).state.hidden)


def test_what_a_writer_was_killed_before_it_noticed_is_noticed_later(house: House) -> None:
    old = house.vault.memories.remember("The API listens on port 8080.", "fact").docid
    house.close()
    child = subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, **house.environ}, check=False)
    assert child.returncode == -signal.SIGKILL
    assert not hidden(house, old)
    follow = house.vault.memories.follow
    assert follow.count_left() == 1
    done = follow.catch_up()
    assert (done.documents, done.supersedes, done.problems) == (1, 1, ())
    assert hidden(house, old)
    assert follow.count_left() == 0
    assert follow.catch_up().documents == 0


def test_what_was_noticed_stays_so_when_the_index_is_built_anew_and_again_when_the_text_changes(house: House) -> None:
    done = house.vault.memories.remember("The API listens on port 8080.", "fact")
    house.rebuilt()
    assert house.vault.memories.follow.count_left() == 0
    house.close()
    Path(done.file).write_text(Path(done.file).read_text("utf-8").replace("8080", "7070"), encoding="utf-8")
    assert house.vault.memories.follow.count_left() == 1


def test_a_promise_is_kept_by_a_statement_whose_writer_was_killed(house: House) -> None:
    house.vault.memories.remember("I will send the invoice to Marta.", "commitment")
    written(house, "The invoice was sent to Marta this morning.")
    assert len(house.vault.truth.commitments()) == 1
    house.vault.memories.follow.catch_up()
    assert house.vault.truth.commitments() == []


def test_what_was_imported_is_noticed(house: House, tmp_path: Path) -> None:
    old = house.vault.memories.remember("The user lives in Lisbon.", "fact").docid
    other = House(tmp_path / "other", tmp_path / "other-notes")
    other.configure()
    written(other, "The user moved to Porto.")
    export = io.BytesIO(b"".join(other.vault.exchange.export()))
    other.close()
    house.vault.exchange.import_(export)
    assert house.vault.memories.follow.catch_up().supersedes == 1
    assert hidden(house, old)


def test_notes_of_people_are_compared_only_where_that_is_switched_on(house: House) -> None:
    house.write("server.md", "# Server\n\nIt hums.\n\nThe API listens on port 8080.\n")
    house.vault.index.sync()
    new = house.vault.memories.remember("The API now listens on port 9090.", "fact")
    assert (new.supersedes, new.asks) == ((), ())
    assert house.vault.memories.follow.count_left() == 0


@pytest.mark.parametrize("trust", ["team", "external"])
def test_notes_of_others_among_ones_own_are_compared_with_nothing(house: House, trust: str) -> None:
    house.configure(SETTINGS)
    house.write("server.md", f"---\ntrust: {trust}\n---\n\n# Server\n\nIt hums.\n\n- The API listens on port 8080.\n")
    house.vault.index.sync()
    house.vault.memories.follow.catch_up()
    new = house.vault.memories.remember("The API now listens on port 9090.", "fact")
    assert (new.supersedes, new.asks) == ((), ())


def test_a_note_that_a_memory_contradicts_goes_to_review_and_stays_as_it_is(house: House) -> None:
    house.configure(SETTINGS)
    note = house.write("server.md", "# Server\n\nIt hums.\n\n- The API listens on port 8080.\n")
    text = note.read_bytes()
    house.vault.index.sync()
    house.vault.memories.follow.catch_up()
    new = house.vault.memories.remember("The API now listens on port 9090.", "fact")
    [case] = house.vault.truth.reviews()
    assert case.older is not None and case.older.path == "server.md"
    assert (new.supersedes, new.asks) == ((), (case.older.docid,))
    assert not hidden(house, case.older.docid) and note.read_bytes() == text
    with house.vault.store.read() as reader:
        assert not reader.registers(case.older.docid)


def test_a_note_that_contradicts_a_memory_or_another_note_asks_and_nothing_gives_way(house: House) -> None:
    house.configure(SETTINGS)
    old = house.vault.memories.remember("The billing service uses MySQL as its database.", "fact").docid
    house.write("billing.md", "# Billing\n\nThe billing service uses PostgreSQL as its database.\n")
    house.vault.index.sync()
    done = house.vault.memories.follow.catch_up()
    assert (done.supersedes, done.asks) == (0, 1)
    assert not hidden(house, old)
    assert [case.entry.older for case in house.vault.truth.reviews()] == [old]


OTTO, FRITZ = "Otto guards the larder of the team.", "Fritz guards the larder of the team."
CHANGED = {"number": 1, "relation": "update", "current": "newer", "confidence": 0.97}
SAYS_SO = json.dumps({"verdicts": [{**CHANGED, "older_quote": "Otto", "newer_quote": "Fritz", "reason": "renamed"}]})


def followed(house: House, llm: ScriptedLlm) -> Aftermath:
    """What sees to consequences, with a language model that says this."""
    judge = PairJudge(llm, lambda text: text, lambda text: bool(suspicion(text).labels))
    return Aftermath(house.vault.memories.follow.noticer, house.vault.store, lambda: judge.judge)


def test_a_model_is_asked_later_about_what_rules_leave_open_and_its_word_is_one_run_to_undo(house: House) -> None:
    old = house.vault.memories.remember(OTTO, "fact").docid
    new = written(house, FRITZ)
    llm = ScriptedLlm(SAYS_SO)
    follow = followed(house, llm)
    assert follow(new).supersedes == () and llm.asked == []
    assert follow.count_left() == 1
    done = follow.catch_up()
    assert (done.documents, done.supersedes) == (1, 1) and hidden(house, old)
    link = house.events()
    assert any("scripted says: renamed" in str(event.data.get("reason")) for event in link)
    assert follow.count_left() == 0 and follow.catch_up().documents == 0 and len(llm.asked) == 1
    house.vault.truth.undo_run(new)
    assert not hidden(house, old)


@pytest.mark.parametrize("error", [Unavailable("the tokens of the day are spent"), BadReply("no usable answer")])
def test_without_the_model_the_rules_decide_and_nothing_waits_for_ever(house: House, error: Exception) -> None:
    old = house.vault.memories.remember(OTTO, "fact").docid
    port = house.vault.memories.remember("The API listens on port 8080.", "fact").docid
    written(house, FRITZ)
    written(house, "The API now listens on port 9090.")
    llm = ScriptedLlm(error, error)
    follow = followed(house, llm)
    done = follow.catch_up()
    assert (done.documents, done.supersedes, done.problems) == (2, 1, ())
    assert not hidden(house, old) and hidden(house, port)
    assert follow.count_left() == 0


def test_notes_of_people_are_not_shown_to_a_model(house: House) -> None:
    house.configure(SETTINGS)
    house.write("team.md", f"# Team\n\n{OTTO}\n")
    house.vault.index.sync()
    house.vault.memories.follow.catch_up()
    written(house, FRITZ)
    llm = ScriptedLlm(SAYS_SO)
    followed(house, llm).catch_up()
    assert llm.asked == []
