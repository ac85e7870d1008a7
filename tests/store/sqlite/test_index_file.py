"""What stands in the place of an index: kept where a Hearth made it, else moved aside whole."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from hearth.store.sqlite.connection import SCHEMA
from hearth.store.sqlite.store import SqliteStore


def write(path: Path, *statements: str) -> bytes:
    connection = apsw.Connection(str(path))
    for statement in ("PRAGMA journal_mode = wal", *statements):  # as opening it would
        connection.execute(statement)
    connection.close()
    return path.read_bytes()


FOREIGN = {
    "tables and no version": ("CREATE TABLE mine (words TEXT)", "INSERT INTO mine VALUES ('basalt')"),
    "tables and a version": ("CREATE TABLE mine (words TEXT)", "PRAGMA user_version = 1"),
    "our tables, and no version": (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
        "INSERT INTO meta VALUES ('fingerprint', '1')",
    ),
}


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN)
def test_a_database_that_is_no_index_is_moved_aside_as_it_is(tmp_path: Path, statements: tuple[str, ...]) -> None:
    path = tmp_path / "index.sqlite"
    before = write(path, *statements)
    store = SqliteStore(path, "1")
    assert store.unfilled
    aside = store.moved_aside
    assert aside is not None and aside.read_bytes() == before
    store.close()


def test_one_whose_making_was_cut_short_is_made_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    write(path, "CREATE TABLE passing (x)", "DROP TABLE passing")
    store = SqliteStore(path, "1")
    with store.read():
        pass
    assert (store.moved_aside, store.unfilled, store.stale) == (None, False, False)
    store.close()


@pytest.mark.parametrize(
    "change", [f"PRAGMA user_version = {SCHEMA - 1}", "UPDATE meta SET value = 'another'", "DELETE FROM meta"]
)
def test_an_index_of_another_version_or_fingerprint_stays_and_is_stale(tmp_path: Path, change: str) -> None:
    path = tmp_path / "index.sqlite"
    SqliteStore(path, "1").close()
    write(path, change)
    store = SqliteStore(path, "1")
    for _ in range(2):  # looked at as a new file, and as one known already
        assert (store.stale, store.unfilled, store.moved_aside) == (True, False, None)
    store.close()


def test_an_index_of_this_version_and_fingerprint_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    SqliteStore(path, "1").close()
    store = SqliteStore(path, "1")
    assert (store.stale, store.unfilled, store.moved_aside) == (False, False, None)
    store.close()
