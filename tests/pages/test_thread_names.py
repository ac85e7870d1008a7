"""Threads named by a language model: once, in words that the person said, and gone with the conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models.llm.chat import ChatServer, Reply, Sent
from tests.pages.test_overview import SAID, converse
from tests.truth.home import Home

from hearth.core.errors import Unavailable
from hearth.daemon.jobs import naming_threads

NAMES = {"parser": "Mark of Parquet archives", "invoices": "Greenhouse VAT"}


def answer(sent: Sent) -> str:
    rows = [line for line in sent.prompt.split("\n") if line.startswith("group ")]
    named = [
        (row.split(":")[0].removeprefix("group "), name) for row in rows for word, name in NAMES.items() if word in row
    ]
    return json.dumps({"statements": [], "themes": [{"n": int(number), "name": name} for number, name in named]})


@pytest.fixture
def server() -> Iterator[ChatServer]:
    made = ChatServer(always=answer)
    yield made
    made.stop()


@pytest.fixture
def home(tmp_path: Path, server: ChatServer) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    made.configure(server.settings)
    yield made
    made.close()


def titles(home: Home) -> list[tuple[str, str | None]]:
    return [(one.title, one.named_by) for one in home.vault.knowledge.overview.threads()]


def test_a_model_names_each_thread_once_in_words_of_the_person(home: Home, server: ChatServer) -> None:
    converse(home)
    threads = home.vault.knowledge.threads
    rules = titles(home)
    assert {by for _, by in rules} == {None}
    # The last is an assistant's alone: there is nothing to name it by.
    assert (threads.waiting(), threads.run(), threads.waiting(), threads.run()) == (2, 2, 0, 0)
    assert len(server.sent) == 1
    [model] = {by for _, by in titles(home) if by}
    assert titles(home) == [rules[0], ("Greenhouse VAT", model), ("Mark of Parquet archives", model)]
    home.rebuilt()
    assert titles(home)[1:] == [("Greenhouse VAT", model), ("Mark of Parquet archives", model)]


def test_a_thread_that_goes_on_has_the_title_of_the_rules_until_it_is_named_anew(home: Home) -> None:
    file = converse(home)
    threads = home.vault.knowledge.threads
    assert threads.run() == 2
    file.write_text(file.read_text().replace("is wrong.", "is wrong. The cellar's, too."))
    home.vault.index.sync()
    assert [by is None for _, by in titles(home)] == [True, True, False]
    assert (threads.waiting(), threads.run()) == (1, 1)


def test_a_thread_under_way_waits_for_its_end(home: Home) -> None:
    file = converse(home)
    began = home.vault.knowledge.overview.threads()[1].began
    assert began is not None
    home.clock.ms = began + 60_000
    file.write_text(SAID.format(machine=home.vault.memories.writer.machine).split("## Assistant · 2026")[0])
    home.vault.index.sync()
    threads, job = home.vault.knowledge.threads, naming_threads()
    assert (threads.waiting(), job.due(home.vault), threads.run()) == (1, 1, 1)
    # Whoever waits for a change would never hear of its end.
    assert (job.due(home.vault), job.due_in(home.vault)) == (0, 29 * 60.0)
    home.clock.advance(seconds=29 * 60 + 1)
    assert (job.due(home.vault), job.due_in(home.vault), job.run(home.vault)) == (1, 0.0, "1 threads named")
    assert (job.due(home.vault), job.due_in(home.vault)) == (0, None)


@pytest.mark.parametrize("said", ["no JSON", '{"statements": [], "themes": [{"n": 1, "name": "Secret of the vault"}]}'])
def test_where_its_words_do_not_hold_the_rules_stand_and_nobody_asks_again(
    home: Home, server: ChatServer, said: str
) -> None:
    converse(home)
    before = titles(home)
    server.always = lambda sent: said
    threads = home.vault.knowledge.threads
    assert (threads.run(), threads.waiting()) == (0, 0)
    assert titles(home) == before


def test_a_model_that_is_away_is_asked_again(home: Home, server: ChatServer) -> None:
    converse(home)
    server.always = lambda sent: Reply(status=503)
    threads = home.vault.knowledge.threads
    with pytest.raises(Unavailable):
        threads.run()
    assert threads.waiting() == 2
    server.always = answer
    assert threads.run() == 2


def test_names_leave_the_disk_with_the_conversation(home: Home) -> None:
    converse(home)
    home.vault.knowledge.threads.run()
    [docid] = {one.docid for one in home.vault.knowledge.overview.threads()}
    notes = Path(home.vault.memories.writer.memories.root) / ".notes"
    assert any("Greenhouse VAT" in file.read_text() for file in notes.iterdir())
    home.vault.state.purge(f"#{docid}", yes=True, actor="human")
    assert not any("Greenhouse" in file.read_text() for file in notes.iterdir() if file.is_file())
    assert titles(home) == []


def test_without_a_model_nothing_is_to_be_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "plain")
    converse(home)
    assert (home.vault.knowledge.threads.waiting(), home.vault.knowledge.threads.run()) == (0, 0)
