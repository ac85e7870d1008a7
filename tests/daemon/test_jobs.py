"""Jobs: done where they are due, under a lease, and one that fails hurts no other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.house import House
from tests.pages.dream.test_dreamer import page, used
from tests.truth.home import Home

from hearth.app import settings
from hearth.core.files import Log, locked
from hearth.core.memory import NewMemory
from hearth.core.session import Sighting
from hearth.daemon.followers import Durability
from hearth.daemon.jobs import (
    DREAM_IDLE_MS,
    FIRST_PAUSE,
    IDLE_MS,
    BackgroundJob,
    Jobs,
    consolidating,
    curating,
    dreaming,
    embedding,
    noticing,
    reading_names,
    relating,
)
from hearth.vault.vault import Vault


@pytest.fixture
def vault(indexed_home: Any) -> Iterator[Vault]:
    with indexed_home.vault() as opened:
        yield opened


def jobs(vault: Vault, tmp_path: Path, *made: BackgroundJob, lease: Callable[[], Any] = nullcontext) -> Jobs:
    return Jobs(vault, made, lease, Log(tmp_path / "log", lambda text: text), threading.Event())


def counting(name: str, done: list[str], due: int = 1) -> BackgroundJob:
    return BackgroundJob(name, lambda vault: due, lambda vault: done.append(name) or f"{name} done")  # type: ignore[func-returns-value]


def failing(name: str) -> BackgroundJob:
    def run(vault: Vault) -> str:
        raise RuntimeError("bug")

    return BackgroundJob(name, lambda vault: 1, run)


def test_only_what_is_due_is_done(vault: Vault, tmp_path: Path) -> None:
    done: list[str] = []
    made = jobs(vault, tmp_path, counting("a", done), counting("b", done, due=0))
    made.once()
    assert done == ["a"]
    assert [standing.last for standing in made.standings] == ["a done", None]


def test_a_failing_job_is_reported_put_off_and_does_not_stop_the_others(vault: Vault, tmp_path: Path) -> None:
    done: list[str] = []
    made = jobs(vault, tmp_path, failing("bad"), counting("good", done))
    began = time.monotonic()
    made.once()
    put_off = made.standings[0].not_before - FIRST_PAUSE
    assert began <= put_off <= time.monotonic()
    made.once()
    assert done == ["good", "good"]
    row = made.standings[0].to_dict()
    assert (row["failures"], row["error"], row["running"]) == (1, "unexpected RuntimeError", False)
    assert row["again_in_seconds"] <= FIRST_PAUSE
    assert "job bad of vault default: RuntimeError" in made.log.last(1)[0]


def test_it_waits_longer_after_each_failure_and_forgets_them_after_a_success(vault: Vault, tmp_path: Path) -> None:
    made = jobs(vault, tmp_path, failing("bad"))
    began = time.monotonic()
    for _ in range(3):
        made.standings[0].not_before = 0
        made.once()
    assert made.standings[0].not_before - began > 3 * FIRST_PAUSE
    made.standings[0].job = counting("bad", [])
    made.standings[0].not_before = 0
    made.once()
    assert (made.standings[0].failures, made.standings[0].error) == (0, None)


def test_a_lease_that_another_holds_puts_the_job_off(vault: Vault, tmp_path: Path) -> None:
    done: list[str] = []
    lock = tmp_path / "jobs.lock"
    made = jobs(vault, tmp_path, counting("a", done), lease=lambda: locked(lock, wait=0))
    with locked(lock):
        made.once()
    assert done == [] and "is in use by" in str(made.standings[0].error)
    made.standings[0].not_before = 0
    made.once()
    assert done == ["a"]


def test_the_loop_wakes_for_news_and_ends_when_stopped(vault: Vault, tmp_path: Path) -> None:
    done = threading.Semaphore(0)
    made = jobs(vault, tmp_path, BackgroundJob("a", lambda vault: 1, lambda vault: done.release() or ""))  # type: ignore[func-returns-value]
    thread = threading.Thread(target=made.loop)
    thread.start()
    assert done.acquire(timeout=100)
    made.wake()
    assert done.acquire(timeout=100)
    made.stop.set()
    made.wake()
    thread.join(10)
    assert not thread.is_alive()


def test_missing_vectors_are_due_and_filled_in(vault: Vault, tmp_path: Path) -> None:
    job = embedding()
    assert job.due(vault) == 0
    with vault.store.write() as writer:
        for space in writer.spaces():
            writer.drop_space(space)
    missing = job.due(vault)
    assert missing == vault.status().fragments > 0
    made = jobs(vault, tmp_path, job)
    made.once()
    assert job.due(vault) == 0
    assert made.standings[0].last == f"{missing} fragments embedded, 0 failed"


def test_what_a_memory_replaces_is_made_up_for(vault: Vault, tmp_path: Path) -> None:
    old = vault.memories.remember("The API listens on port 8080.", "fact")
    vault.memories.writer.remember(NewMemory("The API now listens on port 9090.", "fact"))
    job = noticing()
    assert (job.due(vault), job.due_in(vault)) == (1, 0.0)
    made = jobs(vault, tmp_path, job)
    made.once()
    assert made.standings[0].last == "1 documents looked at: 1 superseded, 0 to review"
    assert (job.due(vault), job.due_in(vault)) == (0, None)
    with vault.store.read() as reader:
        stored = reader.document(old.docid)
    assert stored is not None and stored.state.hidden


def test_a_night_is_dreamt_once_when_its_time_has_come_and_nobody_talks(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    docid = used(home)
    home.vault.truth.consolidator.run_leased()
    made = Jobs(home.vault, (dreaming(),), nullcontext, Log(tmp_path / "log", str), threading.Event())
    home.vault.sessions.seen(Sighting("talk", "claude-code"))
    made.once()
    assert made.standings[0].last is None  # somebody talked a moment ago
    home.clock.advance(seconds=DREAM_IDLE_MS / 1000)
    made.once()
    assert (made.standings[0].last or "").startswith("1 promoted, 0 left")
    before = page(home).read_bytes()
    made.once()
    assert page(home).read_bytes() == before and made.standings[0].failures == 0
    home.vault.state.forget(docid)
    page(home).chmod(0o444)
    home.clock.advance(days=1)
    made.once()
    assert "read-only" in (made.standings[0].error or "")
    home.clock.advance(seconds=3_600)
    assert dreaming().due(home.vault) and curating().due(home.vault)


def test_what_is_to_be_consolidated_comes_before_the_night(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    used(home)
    every = (consolidating(), dreaming())
    made = Jobs(home.vault, every, nullcontext, Log(tmp_path / "log", str), threading.Event())
    home.vault.sessions.seen(Sighting("talk", "claude-code"))
    home.clock.advance(seconds=DREAM_IDLE_MS / 1000)
    made.once()
    assert [one.last for one in made.standings] == [None, None]
    home.clock.advance(seconds=(IDLE_MS - DREAM_IDLE_MS) / 1000)
    made.once()
    assert all(one.last for one in made.standings) and page(home).exists()


def test_before_any_session_is_known_whoever_wrote_something_down_is_at_work(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for text in ("The importer fails when the network is slow.", "When the network is slow, the importer fails."):
        home.remember(text, "problem")
    assert not home.vault.sessions.recent(1) and home.vault.truth.consolidator.due()
    assert not consolidating().due(home.vault)
    home.clock.advance(seconds=IDLE_MS / 1000)
    assert consolidating().due(home.vault)


def test_what_any_process_appended_is_synced_once(indexed_home: Any, vault: Vault) -> None:
    chosen = settings(environ=indexed_home.environ)
    durability = Durability(chosen)
    durability.settle()
    before = durability.syncs
    vault.state.pin("0001-postgres.md")
    durability.settle()
    durability.settle()
    assert durability.syncs == before + 1
    assert list((chosen.vault.data / "journal").iterdir())


def test_a_vault_is_looked_after_once_a_week_and_never_beside_a_session(vault: Vault, tmp_path: Path) -> None:
    made = jobs(vault, tmp_path, curating())
    made.once()
    assert made.standings[0].last is not None and made.standings[0].last.endswith("actions for a person")
    assert not made.standings[0].job.due(vault)
    vault.knowledge.curator().log.file.write(b"")
    assert made.standings[0].job.due(vault)
    vault.sessions.seen(Sighting("a session that just began"))
    assert not made.standings[0].job.due(vault)


def test_names_and_relations_are_derived_unasked_unless_the_settings_say_no(tmp_path: Path) -> None:
    house = House(tmp_path / "home", tmp_path / "notes")
    house.write("a.md", "We met Ines Aldana.\n")
    house.configure("graph:\n  enrich: off\n")
    made = (reading_names(), relating())
    assert [job.due(house.vault) for job in made] == [0, 0]
    house.configure()
    assert [job.due(house.vault) for job in made] == [1, 1]
    house.close()
