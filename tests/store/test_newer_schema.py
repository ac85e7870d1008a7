"""An index of a later Hearth is neither read nor written, rebuilt or moved; one of an earlier is built again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from hearth.core.errors import IndexNewer
from hearth.store.sqlite.connection import SCHEMA
from hearth.store.sqlite.store import SqliteStore

CHANGES = {
    "the number alone": (),
    "no fingerprint where we look for it": ("ALTER TABLE meta RENAME TO meta_of_later",),
    "no table that we know": ("DROP TABLE documents", "DROP TABLE meta"),
}


def alter(index: Path, version: int, statements: tuple[str, ...] = ()) -> None:
    connection = apsw.Connection(str(index))
    for statement in statements:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


@pytest.mark.parametrize("statements", CHANGES.values(), ids=CHANGES)
def test_an_index_whose_schema_is_one_above_is_left_alone(indexed_home: Any, statements: tuple[str, ...]) -> None:
    index = indexed_home.folder / "cache" / "default" / "index.sqlite"
    alter(index, SCHEMA + 1, statements)
    before = index.read_bytes()
    with pytest.raises(IndexNewer, match=rf"newer Hearth \(schema {SCHEMA + 1}\)"):
        indexed_home.vault().recall("PostgreSQL")
    for words in (("search", "postgresql"), ("update",), ("status",)):
        done = indexed_home.hearth(*words)
        assert done.code == 5, (words, done.err)
        assert "was written by a newer Hearth" in done.err and "upgrade: pip install" in done.err
    assert index.read_bytes() == before
    assert not [file.name for file in index.parent.iterdir() if "corrupt" in file.name]


def test_an_index_of_this_schema_is_read(indexed_home: Any) -> None:
    alter(indexed_home.folder / "cache" / "default" / "index.sqlite", SCHEMA)
    with indexed_home.vault() as vault:
        assert vault.recall("Why did we choose PostgreSQL over MongoDB for the larder?").hits


def test_an_index_of_an_earlier_schema_is_built_again(indexed_home: Any) -> None:
    index = indexed_home.folder / "cache" / "default" / "index.sqlite"
    alter(index, SCHEMA - 1, ("DROP INDEX documents_files", "ALTER TABLE documents DROP COLUMN committed_at"))
    done = indexed_home.hearth("search", "postgresql")
    assert (done.code, done.err) == (0, "") and done.out.startswith("1. ")
    connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
    assert connection.execute("PRAGMA user_version").get == SCHEMA


def test_one_that_somebody_puts_there_while_another_is_about_to_be_made_is_left_alone(tmp_path: Path) -> None:
    index = tmp_path / "index.sqlite"
    store = SqliteStore(index, "1")
    with store.read():
        pass
    store.close()
    alter(index, SCHEMA + 1, CHANGES["no fingerprint where we look for it"])
    before = index.read_bytes()
    store._restore()  # as it goes on once it has the lock
    assert index.read_bytes() == before and store.moved_aside is None
