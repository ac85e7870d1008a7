"""The index is disposable: whatever happens to its files, the next use answers as before."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.app import open_folder
from hearth.core.document import docid
from hearth.core.errors import Unavailable
from hearth.core.journal import Draft
from hearth.ports import EVERYTHING, Filter
from hearth.store.sqlite.store import SqliteStore
from hearth.testing import record
from hearth.vault.vault import Vault

QUESTIONS = ("why PostgreSQL", "deploy on friday", "getUserById", "amber and basalt")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "db.md").write_text("# Database\n\nWe chose PostgreSQL over MongoDB.\n", encoding="utf-8")
    (folder / "ops.md").write_text("# Ops\n\nWe deploy on friday, see [[db]].\n", encoding="utf-8")
    (folder / "api.md").write_text("# API\n\n`getUserById` returns amber.\n", encoding="utf-8")
    return folder


@pytest.fixture
def open_it(notes: Path, tmp_path: Path) -> Iterator[Callable[[], Vault]]:
    opened: list[Vault] = []

    def build() -> Vault:
        opened.append(open_folder(notes, tmp_path / "work"))
        return opened[-1]

    yield build
    for vault in opened:
        vault.close()


def index_of(vault: Vault) -> Path:
    store = vault.store
    assert isinstance(store, SqliteStore)
    return store.path


def state_event(vault: Vault, kind: str, path: str, **data: Any) -> None:
    name = docid("notes", path)
    stored = next((d for d in vault.documents(Filter(include_hidden=True)) if d.document.docid == name), None)
    known = stored.document.body_hash if stored else None
    vault.index.syncer.history.record([Draft(kind, name, path, known, data)])


def dump(vault: Vault) -> dict[str, Any]:
    """What must be as before: row numbers, times of indexing and inodes may differ."""
    at = 1_800_000_000_000
    with vault.store.read() as reader:
        documents = list(reader.each_document(Filter(include_hidden=True)))
        found = {
            "documents": [(d.document.docid, d.document.path, d.document.raw_hash, d.problem) for d in documents],
            "states": [d.state for d in documents],
            "fragments": [
                [(p.seq, p.kind, p.start_byte, p.text) for p in reader.fragments_of(d.id)] for d in documents
            ],
            "links": [reader.links(d.document.docid, incoming=True) for d in documents],
            "folded": reader.folded(),
            "terms": sorted((row.term, row.df, row.strong) for row in reader.terms_with_prefix("", 100_000)),
        }
    answers = [vault.recall(vault.query(question, at=at)) for question in QUESTIONS]
    found["answers"] = [[(hit.docid, hit.start_line, round(hit.score, 6)) for hit in a.hits] for a in answers]
    return found


def remove(path: Path, *suffixes: str) -> None:
    for suffix in suffixes:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scramble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8_192:] = random.Random(1).randbytes(len(data) - 8_192)
    path.write_bytes(bytes(data))


LOSSES: dict[str, Callable[[Path], Any]] = {
    "alone": lambda path: remove(path, ""),
    "all three": lambda path: remove(path, "", "-wal", "-shm"),
    "log only": lambda path: remove(path, "-wal", "-shm"),
    "truncated": truncate,
    "garbage": lambda path: path.write_bytes(b"garbage" * 1_000),
    "zero bytes": lambda path: path.write_bytes(b""),
    "another program's": lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 4_000),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("running", [False, True])
def test_a_lost_index_is_rebuilt_by_the_next_use(open_it: Callable[[], Vault], loss: str, running: bool) -> None:
    vault = open_it()
    vault.index.sync()
    state_event(vault, "pin", "db.md")
    state_event(vault, "archive", "ops.md")
    before = dump(vault)
    assert before["answers"][0]
    other = open_it()
    dump(other)
    if not running:
        vault.close()
        other.close()
    if loss == "log only" and running:
        pytest.skip("deleting the log of a database in use loses what is in it")
    LOSSES[loss](index_of(vault))
    again = other if running else open_it()
    again.index.freshen()
    assert dump(again) == before
    if running:
        vault.index.freshen()
        assert dump(vault) == before
    if again.index.check():
        # Damage in place shows only where it is read: what a running process holds in memory and in the log still
        # answers. A rebuild by hand mends it.
        assert running
        again.index.reindex(force=True)
        assert dump(again) == before
    assert again.index.check() == []


def test_damage_inside_the_file_costs_one_request(open_it: Callable[[], Vault]) -> None:
    vault = open_it()
    vault.index.sync()
    before = dump(vault)
    vault.close()
    scramble(index_of(vault))
    again = open_it()
    for _ in range(3):
        try:
            again.index.freshen()
            found = dump(again)
            break
        except Unavailable as error:
            assert "damaged" in str(error)
    assert found == before
    assert list(index_of(again).parent.glob("*.corrupt-*")), "the damaged file is kept"


def damaged(vault: Vault) -> Path:
    """Its index, in which a text is none any more, which nobody has met yet."""
    vault.index.sync()
    vault.index.checkpoint()
    vault.close()
    path = index_of(vault)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE documents SET path = CAST(x'b0b0' AS TEXT) WHERE path = 'db.md'")
    db.close()
    return path


def test_damage_that_one_process_met_is_known_to_the_next(open_it: Callable[[], Vault], notes: Path) -> None:
    path = damaged(open_it())
    script = "import sys; from pathlib import Path; from hearth.store.sqlite.store import SqliteStore\n"
    script += "try:\n    with SqliteStore(Path(sys.argv[1]), sys.argv[2]).read() as reader: reader.files('notes')\n"
    script += "except Exception as error: print(error)"
    with SqliteStore(path, "").read() as reader:
        fingerprint = reader.meta("fingerprint") or ""
    for expected in ("is damaged", "was damaged and is not rebuilt yet"):
        done = subprocess.run([sys.executable, "-c", script, path, fingerprint], capture_output=True, text=True)
        assert expected in done.stdout, done
    assert list(path.parent.glob("*.corrupt-*"))
    vault = open_it()
    assert vault.index.is_stale()
    vault.index.freshen()
    assert not vault.index.is_stale() and vault.index.check(deep=True) == []
    assert vault.recall("why PostgreSQL").hits


def test_a_vault_whose_index_was_damaged_is_never_said_to_be_empty(open_it: Callable[[], Vault]) -> None:
    """Whatever a process that lives long asks, and whoever holds up the rebuild."""
    whole, vault = open_it(), open_it()
    vault.index.sync()
    vault.recall("why PostgreSQL")
    damaged(whole)
    asked: list[Callable[[], object]] = [
        lambda: vault.recall("why PostgreSQL"), vault.documents, vault.status, lambda: vault.multi_get("*.md"),
    ]  # fmt: skip
    vault.store.close()  # connections hold pages of the file as it was
    with pytest.raises(Unavailable, match="is damaged"), vault.store.read() as reader:
        reader.files("notes")
    for ask in asked:
        with pytest.raises(Unavailable, match="is not rebuilt yet"):
            ask()
    assert vault.index.is_stale()
    vault.index.scan()
    assert vault.recall("why PostgreSQL").hits and vault.status().documents == 3


def test_a_row_that_means_nothing_any_more_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    store = SqliteStore(path, "1")
    with store.write() as writer:
        writer.put(record("notes", "a.md", "amber"))
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("DROP INDEX documents_review")
        db.execute("DROP INDEX documents_project")
        db.execute("DROP INDEX documents_misnamed")
        db.execute("DROP INDEX documents_unsettled")
        db.execute("UPDATE documents SET record = substr(record, 3)")
    db.close()
    with pytest.raises(Unavailable, match="is damaged"), store.read() as reader:
        list(reader.each_document(EVERYTHING))
    with SqliteStore(path, "1").write():
        pass
    assert not path.with_name("index.sqlite.damaged").exists() and SqliteStore(path, "1").stale


def test_a_damaged_index_in_a_folder_that_is_read_only_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    store = SqliteStore(path, "1")
    status = path.stat()
    path.with_name("index.sqlite.damaged").write_bytes(b"%d %d" % (status.st_dev, status.st_ino))
    store.read_only = True
    with pytest.raises(Unavailable, match="read-only; make the folder writable"), store.read():
        pass


def test_another_fingerprint_rebuilds_while_the_old_index_answers(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    old = SqliteStore(path, "1")
    with old.write() as writer:
        writer.put(record("notes", "a.md", "amber"))
    assert not old.stale
    new, third = SqliteStore(path, "2"), SqliteStore(path, "2")
    assert new.stale and third.stale
    with new.read() as reader:
        assert reader.statistics().documents == 1
    side = SqliteStore(tmp_path / "rebuild" / "index.sqlite", "2")
    with side.write() as writer:
        writer.put(record("notes", "a.md", "amber"))
        writer.put(record("notes", "b.md", "amber"))
    side.close()
    new.replace_with(side.path)
    with third.read():
        pass
    assert not new.stale and not third.stale
    third.close()
    for store in (new, old):
        with store.read() as reader:
            assert reader.statistics().documents == 2
            assert reader.terms(["amber"])["amber"].df == 2
        store.close()
    assert not SqliteStore(path, "2").stale


def test_a_vault_with_another_window_size_rebuilds_itself(open_it: Callable[[], Vault], notes: Path) -> None:
    vault = open_it()
    (notes / "long.md").write_text("Amber and basalt. " * 200, encoding="utf-8")
    vault.index.sync()
    before = dump(vault)
    vault.close()
    with SqliteStore(index_of(vault), "other").write() as writer:
        writer.set_meta("fingerprint", "older")
    again = open_it()
    assert again.index.is_stale()
    again.index.freshen()
    assert not again.index.is_stale()
    assert dump(again) == before


def test_readers_see_the_old_index_or_the_new_one_while_it_is_replaced(tmp_path: Path) -> None:
    live = SqliteStore(tmp_path / "index.sqlite", "1")
    sides = []
    for count in (10, 40):
        sides.append(tmp_path / str(count) / "index.sqlite")
        side = SqliteStore(sides[-1], "1")
        with side.write() as writer:
            for number in range(count):
                writer.put(record("notes", f"{number}.md", f"amber {number}"))
        side.close()
    live.replace_with(sides[0])
    wrong: list[Any] = []
    done = threading.Event()

    def read() -> None:
        mine = SqliteStore(tmp_path / "index.sqlite", "1")
        generations = []
        while not done.is_set():
            with mine.read() as reader:
                documents, df = reader.statistics().documents, reader.terms(["amber"])["amber"].df
                generations.append((reader.statistics().generation, documents))
                if documents not in (10, 40) or df != documents or len(list(reader.each_document(EVERYTHING))) != df:
                    wrong.append((documents, df))
        mine.close()
        by_generation = dict(generations)
        if any(by_generation[generation] != documents for generation, documents in generations):
            wrong.append("one generation named two contents")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(8):
        live.replace_with(sides[(turn + 1) % 2])
    done.set()
    for reader in readers:
        reader.join()
    live.close()
    assert wrong == []


def test_a_write_waits_for_a_replacement_and_is_not_lost(tmp_path: Path) -> None:
    live = SqliteStore(tmp_path / "index.sqlite", "1")
    side = SqliteStore(tmp_path / "side" / "index.sqlite", "1")
    side.close()
    other = SqliteStore(tmp_path / "index.sqlite", "1")
    started = threading.Event()

    def write() -> None:
        with other.write() as writer:
            started.set()
            time.sleep(0.1)
            writer.put(record("notes", "a.md", "amber"))

    thread = threading.Thread(target=write)
    thread.start()
    started.wait()
    live.replace_with(side.path)
    thread.join()
    with live.read() as reader:
        assert reader.statistics().documents == 0
    with other.write() as writer:
        writer.put(record("notes", "b.md", "amber"))
    with live.read() as reader:
        assert reader.statistics().documents == 1
    live.close()
    other.close()


# -- any history ----------------------------------------------------------------------------------------------------

TEXTS = ("We chose PostgreSQL.", "deploy on friday", "getUserById and amber", "amber basalt", "# Title\n\nbasalt")
PATHS = ("a.md", "b.md", "deep/c.md", "deep/d.md", "e.md")
STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2**32)), min_size=1, max_size=14)


class Life:
    """A vault whose files and journal change at random; every event carries path and text, as all do."""

    def __init__(self, home: Path) -> None:
        self.notes = home / "notes"
        self.notes.mkdir()
        self.home = home
        self.vault = open_folder(self.notes, home / "work")
        self.serial = 0

    def step(self, kind: int, seed: int) -> None:
        rng = random.Random(seed)
        path = rng.choice(PATHS)
        file = self.notes / path
        if kind <= 3:
            self.serial += 1
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{rng.choice(TEXTS)}\n\nversion {self.serial}\n", encoding="utf-8")
        elif kind == 4 and file.exists():
            self.serial += 1
            target = self.notes / f"moved-{self.serial}.md"
            file.rename(target)
        elif kind == 5 and file.exists() and len(list(self.notes.rglob("*.md"))) > 1:
            file.unlink()
        elif kind >= 6:
            self.vault.index.sync()
            known = [d.document.path for d in self.vault.documents(Filter(include_hidden=True))]
            if known:
                event = rng.choice(("pin", "unpin", "forget", "unforget", "archive", "restore", "referenced", "snooze"))
                state_event(self.vault, event, rng.choice(known), until=seed, session="s", turn=str(seed % 3))

    def check(self) -> None:
        self.vault.index.sync(force=True)
        before = dump(self.vault)
        remove(index_of(self.vault), "", "-wal", "-shm")
        self.vault.index.sync()
        assert dump(self.vault) == before
        self.vault.index.reindex()
        assert dump(self.vault) == before


def check_life(home: Path, steps: list[tuple[int, int]]) -> None:
    life = Life(home)
    try:
        for kind, seed in steps:
            life.step(kind, seed)
        life.check()
    finally:
        life.vault.close()


@settings(max_examples=12, deadline=None)
@given(STEPS)
def test_deleting_the_index_changes_nothing_after_any_history(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    check_life(tmp_path_factory.mktemp("life"), steps)


@pytest.mark.torture
@pytest.mark.timeout(1800)
@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2**32)), min_size=5, max_size=40))
def test_deleting_the_index_changes_nothing_after_hundreds_of_histories(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    check_life(tmp_path_factory.mktemp("life"), steps)
