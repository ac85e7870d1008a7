"""Rebuilding the index while others write, forget, purge and ask: nothing acknowledged is lost."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.house import House
from tests.torture import Part, torture

from hearth import app
from hearth.app import rebuild as rebuilding
from hearth.core.document import docid
from hearth.store.sqlite.store import SqliteStore
from hearth.vault.vault import Vault

WRITERS, READERS = 2, 10


def word(random_: random.Random) -> str:
    """Unlike any other, so that a question for it has one answer."""
    return "zq" + "".join(random_.choices("abcdefghijklmnopqrstuvwxyz", k=14))


@dataclass
class Known:
    """What was acknowledged: words that must be found, and words that must not be any more."""

    there: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    asked: int = 0
    by_meaning: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pick(self, random_: random.Random) -> tuple[str, str, bool] | None:
        with self.lock:
            there = random_.random() < 0.7
            pool = self.there if there else self.gone
            if not pool:
                return None
            name = random_.choice(list(pool))
            return name, pool[name], there

    def leaves(self, name: str) -> None:
        """It may be found or not until its change is acknowledged."""
        with self.lock:
            self.there.pop(name, None)


def write(house: House, known: Known, seed: int, done: threading.Event) -> None:
    random_ = random.Random(seed)
    with app.open_vault(environ=house.environ) as vault:
        mine: list[str] = []
        while not done.is_set():
            name = word(random_)
            memory = vault.memories.remember(
                f"# {name}\n\nThe {name} stands in row {random_.randrange(10**9)}.", "observation"
            )
            with known.lock:
                known.there[name] = memory.docid
            mine.append(name)
            if len(mine) % 3 == 0:
                old = mine.pop(random_.randrange(len(mine)))
                identity = known.there[old]
                known.leaves(old)
                if random_.random() < 0.5:
                    vault.state.forget(identity)
                else:
                    vault.state.purge(identity, yes=True)
                with known.lock:
                    known.gone[old] = identity


def ask(house: House, known: Known, seed: int, done: threading.Event) -> None:
    random_ = random.Random(seed)
    with app.open_vault(environ=house.environ) as vault:
        while not done.is_set():
            chosen = known.pick(random_)
            if chosen is None:
                continue
            name, identity, there = chosen
            # By meaning alone, others may be nearer to a word that is none.
            recipe = random_.choice(("keyword", "keyword", "hybrid" if there else "semantic"))
            found = identity in {hit.docid for hit in vault.recall(name, recipe=recipe).hits}
            with known.lock:
                known.asked += 1
                known.by_meaning += recipe != "keyword"
                settled = there == (name in known.there)
                if settled and found != there:
                    known.faults.append(f"{name} is {'lost' if there else 'back'}")


def rebuild(house: House, times: int) -> None:
    """In processes of their own."""
    code = "from hearth.cli import main; import sys; main(sys.argv[1:])"
    for _ in range(times):
        done = subprocess.run([sys.executable, "-c", code, "reindex"], env=house.environ, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def storm(tmp_path: Path, times: int, notes: int) -> Known:
    house = House(tmp_path, tmp_path / "notes")
    house.configure()
    for at in range(notes):
        house.write(f"{at}.md", f"# Note {at}\n\n" + f"Amber and basalt of shelf {at}.\n" * 20)
    assert house.vault.status().documents == notes
    house.close()
    known, done = Known(), threading.Event()
    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        work = [pool.submit(write, house, known, seed, done) for seed in range(WRITERS)]
        work += [pool.submit(ask, house, known, 100 + seed, done) for seed in range(READERS)]
        try:
            rebuild(house, times)
        finally:
            done.set()
        for one in work:
            one.result()
    with app.open_vault(environ=house.environ) as vault:
        vault.index.sync()
        check_end(vault, known)
    left = b"".join(file.read_bytes() for file in house.cache.glob("*.sqlite*"))
    known.faults += [f"{name} is in a file" for name in purged(house, known) if name.encode() in left]
    return known


def check_end(vault: Vault, known: Known) -> None:
    with vault.store.read() as reader:
        for name, identity in known.there.items():
            stored = reader.document(identity)
            if stored is None or stored.state.hidden:
                known.faults.append(f"{name} is lost in the end")
        for name, identity in known.gone.items():
            stored = reader.document(identity)
            if stored is not None and not stored.state.hidden:
                known.faults.append(f"{name} is back in the end")


def purged(house: House, known: Known) -> list[str]:
    with app.open_vault(environ=house.environ) as vault, vault.store.read() as reader:
        return [name for name, identity in known.gone.items() if "purged" in reader.registers(identity)]


def test_what_is_acknowledged_while_the_index_is_rebuilt_is_seen_by_every_later_question(tmp_path: Path) -> None:
    known = storm(tmp_path, times=2, notes=100)
    assert known.faults == []
    assert len(known.there) > 3
    assert known.asked > 20 and known.by_meaning > 2


@torture("reindex storm", parts=5)
def test_what_is_acknowledged_during_many_rebuilds_is_seen_by_every_later_question(part: Part, tmp_path: Path) -> None:
    known = storm(tmp_path, times=part.cases, notes=2_000)
    part.count(part.cases)
    assert known.faults == []
    assert known.asked > 100 * part.cases and known.by_meaning > 20 * part.cases


# -- the moment before the exchange --------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path) -> House:
    built = House(tmp_path, tmp_path / "notes")
    built.configure()
    built.write("bread.md", "# Bread\n\nThe sourdough rests for zqsourdough hours.\n")
    return built


def at_the_end_of_filling(vault: Vault, monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any]) -> None:
    """Does the work when the new index holds all that was there, and rebuilds."""
    real = rebuilding.fill

    def fill(*given: Any) -> Any:
        report = real(*given)
        work()
        return report

    monkeypatch.setattr(rebuilding, "fill", fill)
    vault.index.reindex()


def test_a_memory_written_during_a_rebuild_is_there_afterwards(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = house.vault
    with app.open_vault(environ=house.environ) as other:
        at_the_end_of_filling(vault, monkeypatch, lambda: other.memories.remember("The larder key hangs by the door."))
    assert [hit.text for hit in vault.recall("where does the larder key hang").hits]


def test_what_was_forgotten_or_pinned_during_a_rebuild_stays_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = house.vault
    house.write("tea.md", "# Tea\n\nAlmond tea steeps for four minutes.\n")
    vault.index.sync()
    with app.open_vault(environ=house.environ) as other:

        def work() -> None:
            other.state.forget("bread.md")
            other.state.pin("tea.md")

        at_the_end_of_filling(vault, monkeypatch, work)
    with vault.store.read() as reader:
        bread, tea = (reader.document(docid("notes", name)) for name in ("bread.md", "tea.md"))
    assert bread is not None and bread.state.forgotten
    assert tea is not None and tea.state.pinned


def test_an_event_between_the_last_look_and_the_exchange_is_not_lost(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = house.vault
    real = SqliteStore.replace_with
    with app.open_vault(environ=house.environ) as other:

        def replace_with(self: SqliteStore, *given: Any) -> None:
            other.state.forget("bread.md")
            real(self, *given)

        monkeypatch.setattr(SqliteStore, "replace_with", replace_with)
        vault.index.reindex()
    with vault.store.read() as reader:
        bread = reader.document(docid("notes", "bread.md"))
    assert bread is not None and bread.state.forgotten


def test_what_was_purged_during_a_rebuild_is_in_no_file(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = house.vault
    with app.open_vault(environ=house.environ) as other:

        def work() -> None:
            done = other.state.purge("bread.md", yes=True)
            assert done.pending is not None and "rebuilt" in done.pending

        at_the_end_of_filling(vault, monkeypatch, work)
    house.close()
    files = [file for file in house.cache.rglob("*") if file.is_file()]
    assert not [file for file in files if b"zqsourdough" in file.read_bytes()]


def test_what_was_kept_in_memory_of_the_former_index_is_not_taken_for_the_new_one(house: House) -> None:
    vault = house.vault
    for _ in range(5):
        vault.state.pin("bread.md")
        vault.state.unpin("bread.md")
    with vault.store.read() as reader:
        before = reader.statistics().generation, reader.vector_removals()
    vault.index.reindex()
    with vault.store.read() as reader:
        after = reader.statistics().generation, reader.vector_removals()
    assert after[0] > before[0] and after[1] > before[1]
