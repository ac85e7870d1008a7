"""Bytes that change on the disk: found by ``doctor``, and never the source of a wrong answer that nobody is told of."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from tests.torture import Part, torture

from hearth.cli.health.checks import index
from hearth.cli.health.checks.finding import FAIL, tried
from hearth.engine.vault import Vault
from hearth.errors import HearthError, Unavailable
from hearth.store.sqlite.embeddings import SqliteEmbeddings


def answers(vault: Vault, site: Any) -> dict[str, list[Any]]:
    found = {}
    for path, word in site.markers.items():
        hits = vault.recall(word, recipe="keyword").hits
        found[path] = [(hit.path, hit.snippet, hit.start_line) for hit in hits]
    return found


def damage(file: Path, rng: random.Random) -> None:
    """Some bytes of a page that is no header."""
    data = bytearray(file.read_bytes())
    at = rng.randrange(4_096, len(data))
    for place in range(at, min(at + rng.choice((1, 1, 8, 200)), len(data))):
        data[place] ^= rng.randrange(1, 256)
    file.write_bytes(data)


def is_told(vault: Vault) -> bool:
    return any(finding.level == FAIL for finding in tried("index", lambda: index.integrity(vault, deep=True)))


def damage_at_random(site: Any, times: int, rng: random.Random, tally: Callable[[], None] = lambda: None) -> int:
    """Returns how often it was told."""
    with site.vault() as vault:
        vault.index.checkpoint()
        right = answers(vault, site)
    whole = site.index.read_bytes()
    told = 0
    for number in range(times):
        for suffix in ("-wal", "-shm"):
            site.index.with_name(site.index.name + suffix).unlink(missing_ok=True)
        site.index.write_bytes(whole)
        damage(site.index, rng)
        tally()
        try:
            with site.vault() as vault:
                if is_told(vault):
                    told += 1
                    continue
                vault.index.sync()
                assert answers(vault, site) == right, number
        except HearthError:
            told += 1
    return told


def test_a_damaged_index_is_told_or_answers_as_before(indexed: Any) -> None:
    # About three in ten hit something that is used.
    assert damage_at_random(indexed, 30, random.Random(1)) >= 2


def test_a_text_in_the_index_that_is_none_any_more_is_damage_and_a_rebuild_mends_it(indexed: Any) -> None:
    with sqlite3.connect(indexed.index) as db:
        db.execute("UPDATE documents SET path = CAST(x'b0b0' AS TEXT) WHERE id = 3")
    db.close()
    with indexed.vault() as vault, pytest.raises(Unavailable, match="is damaged"):
        vault.index.sync()
    indexed.run("reindex", "--force").ok()
    indexed.check()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE meta SET value = 'x' || value WHERE key = 'journal'",
        "UPDATE registers SET value = '{'",
    ],
)
def test_what_the_index_has_of_the_journal_is_damage_too_where_it_is_no_json(indexed: Any, sql: str) -> None:
    indexed.run("pin", "n0003.md").ok()
    with sqlite3.connect(indexed.index) as db:
        assert db.execute(sql).rowcount
    db.close()
    assert indexed.run("doctor", "--deep").plain().code == 1
    indexed.run("pin", "n0004.md").plain()  # meets it, and leaves it to the next one
    indexed.run("pin", "n0004.md").ok()
    indexed.check()


@torture("damaged index", parts=5)
def test_an_index_damaged_in_many_places_is_told_or_answers_as_before(part: Part, indexed: Any) -> None:
    assert damage_at_random(indexed, part.cases, part.rng, part.count) >= part.cases // 6


@pytest.mark.parametrize(
    ("what", "sql"),
    [
        ("passages", "UPDATE fragments SET text = replace(text, 'word', 'ward') WHERE id = 3"),
        ("words of it are not in the index", "UPDATE terms SET term = term || 'x' WHERE term = 'river'"),
        ("words are not those", "UPDATE postings SET packed = zeroblob(length(packed)) WHERE fragment = 3"),
        ("title", "UPDATE documents SET record = json_replace(record, '$.title', 'Another') WHERE id = 2"),
        ("trust", "UPDATE documents SET record = json_replace(record, '$.trust', 'agent') WHERE id = 2"),
        ("content_type", "UPDATE documents SET content_type = 'notd' WHERE id = 2"),
        ("raw_hash", "UPDATE documents SET raw_hash = 'a' || raw_hash WHERE id = 2"),
        ("hidden", "UPDATE documents SET hidden = 1 WHERE id = 2"),
        ("another name", "UPDATE names SET key = key || 'x' WHERE document = 2"),
        ("links", """UPDATE documents SET links = '["nowhere"]' WHERE id = 2"""),
        ("said to be wrong", "UPDATE documents SET problem = 'odd' WHERE id = 2"),
        ("vector", "UPDATE vectors SET scale = scale * 3 WHERE fragment = 3"),
    ],
)
def test_doctor_names_the_document_of_which_the_index_holds_something_else(indexed: Any, what: str, sql: str) -> None:
    with sqlite3.connect(indexed.index) as db:
        db.execute(sql)
    db.close()
    with indexed.vault() as vault:
        (found,) = [one for one in tried("index", lambda: index.integrity(vault, deep=True)) if one.level == FAIL]
    assert what in found.message and "notes/" in found.message


def test_the_command_names_it_and_rebuilds_the_index(indexed: Any) -> None:
    with sqlite3.connect(indexed.index) as db:
        db.execute("UPDATE fragments SET text = replace(text, 'word', 'ward') WHERE id = 3")
    db.close()
    result = indexed.run("doctor", "--deep", "--json").plain()
    rows = [row for row in json.loads(result.out)["findings"] if row["check"] == "index"]
    assert (result.code, [row["level"] for row in rows]) == (1, ["fail"])
    assert "passages" in rows[0]["message"] and "notes/" in rows[0]["message"]
    fixed = indexed.run("doctor", "--deep", "--fix", "--json").ok()
    assert "rebuilt the index" in json.loads(fixed.out)["fixed"]
    indexed.check()


def test_a_purged_note_whose_file_stays_is_no_damage(indexed: Any) -> None:
    indexed.run("purge", "--yes", "n0003.md").ok()
    del indexed.markers["n0003.md"]
    indexed.run("doctor", "--deep").ok()


# -- the cache of embeddings -------------------------------------------------------------------------------------------


def row(seed: int) -> tuple[Any, float]:
    return np.random.default_rng(seed).integers(-127, 128, 64).astype(np.int8), 0.01


def test_a_vector_that_the_disk_changed_is_dropped_and_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "e.sqlite"
    cache = SqliteEmbeddings(file, 1_000)
    cache.put("a", {str(n): row(n) for n in range(50)})
    assert cache.check() is None and cache.check(deep=True) is None
    cache.close()
    changed = row(7)[0].tobytes()
    data = file.read_bytes()
    assert changed in data
    file.write_bytes(data.replace(changed, changed[:20] + b"\x55" + changed[21:]))
    again = SqliteEmbeddings(file, 1_000)
    assert "1 entries" in (again.check(deep=True) or "")
    assert sorted(again.get("a", [str(n) for n in range(50)])) == [n for n in range(50) if n != 7]
    assert again.check(deep=True) is None
    again.put("a", {"7": row(7)})
    assert (again.get("a", ["7"])[0][0] == row(7)[0]).all()
    again.close()


def test_a_damaged_cache_of_embeddings_fails_and_fix_empties_it(indexed: Any) -> None:
    file = indexed.cache / "embeddings.sqlite"
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    file.write_bytes(b"no database at all" * 1_000)
    result = indexed.run("doctor", "--json").plain()
    (found,) = [one for one in json.loads(result.out)["findings"] if one["check"] == "embedding cache"]
    assert (result.code, found["level"]) == (1, "fail") and str(file) in found["message"]
    fixed = json.loads(indexed.run("doctor", "--fix", "--json").ok().out)["fixed"]
    assert "emptied the embedding cache" in fixed
    indexed.check()


# -- an index that is gone ---------------------------------------------------------------------------------------------


def test_status_of_a_deleted_index_counts_what_the_vault_holds(indexed: Any) -> None:
    for file in indexed.cache.glob("index.sqlite*"):
        file.unlink()
    assert json.loads(indexed.run("status", "--json").ok().out)["documents"] == 40


def test_the_deep_look_finds_a_row_that_an_index_of_sqlite_lacks(indexed: Any) -> None:
    with indexed.vault() as vault:
        vault.index.checkpoint()
    data = bytearray(indexed.index.read_bytes())
    connection = apsw.Connection(str(indexed.index))
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'vectors_fragment'").fetchall()
    [(size,)] = connection.execute("PRAGMA page_size").fetchall()
    connection.close()
    end = page * size
    data[end - 1] ^= 1  # the last byte of the first entry: its row
    indexed.index.write_bytes(data)
    with indexed.vault() as vault:
        assert vault.index.check() == []
        [problem, *_] = vault.index.check(deep=True)
        assert "vectors_fragment" in problem
        assert is_told(vault)
