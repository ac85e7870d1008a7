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

from hearth.cli.health import index
from hearth.cli.health.machine import FAIL, try_check
from hearth.core.document import docid
from hearth.core.errors import HearthError, Unavailable
from hearth.core.journal import Draft
from hearth.markdown.fragments import embedding_text
from hearth.store.sqlite.caches import SqliteEmbeddings
from hearth.vault.vault import Vault

MEANT = ("a backup of the database", "coffee on friday", "the next release", "what stands in memory", "down the river")


def answers(vault: Vault, site: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, word in site.markers.items():
        hits = vault.recall(word, recipe="keyword").hits
        found[path] = [(hit.path, hit.snippet, hit.start_line) for hit in hits]
    for text in MEANT:
        for recipe in ("semantic", "hybrid"):
            hits = vault.recall(text, recipe=recipe).hits
            found[f"{recipe}: {text}"] = [(hit.path, hit.snippet, round(hit.score, 4)) for hit in hits]
    with vault.store.read() as reader:
        stored = [reader.document(docid) for docid in sorted(reader.docids())]
    found["states"] = [(one.document.path, one.state, one.vanished) for one in stored if one is not None]
    return found


def damage(file: Path, rng: random.Random) -> None:
    """Some bytes of a page that is no header."""
    data = bytearray(file.read_bytes())
    at = rng.randrange(4_096, len(data))
    for place in range(at, min(at + rng.choice((1, 1, 8, 200)), len(data))):
        data[place] ^= rng.randrange(1, 256)
    file.write_bytes(data)


def was_announced(vault: Vault) -> bool:
    return any(finding.level == FAIL for finding in try_check("index", lambda: index.integrity(vault, deep=True)))


def changed(vault: Vault) -> None:
    """Something of all that the journal says of documents."""
    vault.state.pin("n0003.md")
    vault.state.forget("n0004.md")
    vault.state.supersede("n0006.md", "n0007.md")
    used = Draft("referenced", docid("notes", "n0008.md"), "n0008.md", data={"session": "s", "turn": "t"})
    vault.index.syncer.history.record([used])


def damage_at_random(site: Any, times: int, rng: random.Random, tally: Callable[[], None] = lambda: None) -> int:
    """Returns how often it was told."""
    with site.vault() as vault:
        changed(vault)
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
                if was_announced(vault):
                    told += 1
                    continue
                vault.index.sync()
                assert answers(vault, site) == right, number
        except HearthError:
            told += 1
    return told


def test_a_damaged_index_is_told_or_answers_as_before(indexed: Any) -> None:
    # About three in ten hit something that is used.
    assert damage_at_random(indexed, 12, random.Random(1)) >= 2


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
        "UPDATE meta SET value = '[]' WHERE key = 'journal'",
        "UPDATE registers SET value = '{'",
    ],
)
def test_what_the_index_has_of_the_journal_is_damage_too_where_it_means_nothing(indexed: Any, sql: str) -> None:
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


# What of the document it names is wrong, and how that came about.
OF_DOCUMENTS = (
    ("fragments", "UPDATE fragments SET text = replace(text, 'word', 'ward') WHERE id = 3"),
    ("words of it are not in the index", "UPDATE terms SET term = term || 'x' WHERE term = 'river'"),
    ("title", "UPDATE documents SET record = json_replace(record, '$.title', 'Another') WHERE id = 2"),
    ("trust", "UPDATE documents SET record = json_replace(record, '$.trust', 'agent') WHERE id = 2"),
    ("content_type", "UPDATE documents SET content_type = 'notd' WHERE id = 2"),
    ("raw_hash", "UPDATE documents SET raw_hash = 'a' || raw_hash WHERE id = 2"),
    ("hidden", "UPDATE documents SET hidden = 1 WHERE id = 2"),
    ("another name", "UPDATE names SET key = key || 'x' WHERE document = 2"),
    ("links", """UPDATE documents SET links = '["nowhere"]' WHERE id = 2"""),
    ("recorded problem", "UPDATE documents SET problem = 'odd' WHERE id = 2"),
    ("vector", "UPDATE vectors SET scale = scale * 3 WHERE fragment = 3"),
    ("vector", "UPDATE vectors SET vector = zeroblob(length(vector))"),
    ("vector", "UPDATE vectors SET vector = mirrored(vector)"),
    ("vector", "UPDATE vectors SET vector = turned(vector) WHERE fragment = 3"),
    ("state", "UPDATE documents SET state = NULL, hidden = 0 WHERE path = 'n0004.md'"),
    ("state", "UPDATE documents SET state = replace(state, 'true', 'false') WHERE path = 'n0003.md'"),
    ("'pinned' of it", "UPDATE registers SET value = 'false' WHERE field = 'pinned'"),
    ("of it is not what the journal says", "DELETE FROM registers"),
    ("of it is not what the journal says", "UPDATE registers SET hlc = hlc * 2"),
    ("'referenced' of it", "DELETE FROM members WHERE name = 'referenced'"),
    ("links differ", "UPDATE relations SET target = 'zzzzzzzzzzzzzzzz'"),
)
OF_COUNTS = (
    ("fragments are not as many", "UPDATE counters SET value = value + 5 WHERE key = 'fragments'"),
    ("fragments are not as many", "UPDATE counters SET value = value + 5 WHERE key = 'length'"),
    ("not in as many fragments", "UPDATE terms SET df = df + 1000 WHERE term = 'river'"),
    ("not in as many fragments", "UPDATE terms SET strong = 1 - strong"),
    ("not in as many fragments", "UPDATE postings SET packed = zeroblob(length(packed)) WHERE fragment = 3"),
    ("not found in the fragments", "DELETE FROM matches WHERE rowid = 3"),
    ("not of the names", "UPDATE entity_names SET documents = documents + 1"),
    ("not of the names", "DELETE FROM entities"),
)


def told(site: Any, whole: bytes, sql: str) -> list[str]:
    """What ``doctor --deep`` says of an index after a change to it that is none of ours."""
    for suffix in ("-wal", "-shm"):
        site.index.with_name(site.index.name + suffix).unlink(missing_ok=True)
    site.index.write_bytes(whole)
    connection = apsw.Connection(str(site.index))
    connection.create_scalar_function("mirrored", lambda data: data[::-1])
    connection.create_scalar_function("turned", lambda data: bytes((data[0] ^ 0x55, *data[1:])))
    connection.execute(sql)
    assert connection.changes(), sql
    connection.close()
    with site.vault() as vault:
        return [
            one.message for one in try_check("index", lambda: index.integrity(vault, deep=True)) if one.level == FAIL
        ]


def test_doctor_names_what_of_the_index_is_not_what_files_journal_and_models_say(indexed: Any) -> None:
    indexed.write("linked.md", more="\nSee [[n0001]].\n")
    indexed.write("anna.md", more="\nAnna Berg works at the Harbour Museum in Bergen.\n")
    with indexed.vault() as vault:
        vault.index.sync()
        changed(vault)
        vault.graph.build()
        vault.graph.names().run()
        assert not was_announced(vault)
        vault.index.checkpoint()
    whole = indexed.index.read_bytes()
    for what, sql in OF_DOCUMENTS:
        [said] = told(indexed, whole, sql)
        assert what in said and "notes/" in said, (sql, said)
    for what, sql in OF_COUNTS:
        [said] = told(indexed, whole, sql)
        assert what in said, (sql, said)
    assert told(indexed, whole, "UPDATE counters SET value = value WHERE key = 'length'") == []


def test_a_vector_of_a_model_is_compared_with_what_the_model_gave(indexed: Any) -> None:
    with indexed.vault() as vault:
        with vault.store.read() as reader:
            parts = reader.fragments_after(0, 10)
            titles = {row: one.document.title for row, one in reader.documents([p.document for p in parts]).items()}
        rows = [row(part.id) for part in parts]
        texts = [embedding_text(p, titles[p.document]) for p in parts]
        cache = vault.index.upkeep.filler.cache
        assert cache is not None
        cache.put("a model", dict(zip(texts, rows, strict=True)))
        with vault.store.write() as writer:
            writer.put_vectors("a model", [part.id for part in parts], *zip(*rows, strict=True))
        assert not was_announced(vault)
        with vault.store.write() as writer:
            writer.put_vectors("a model", [parts[4].id], [rows[4][0][::-1]], [rows[4][1]])
        assert was_announced(vault)


def test_an_index_behind_the_journals_is_not_taken_for_a_damaged_one(indexed: Any) -> None:
    with indexed.vault() as vault:
        vault.index.syncer.history.log.append([Draft("pin", docid("notes", "n0001.md"), "n0001.md")])
        [found] = try_check("index", lambda: index.integrity(vault, deep=True))
    assert found.level != FAIL and "journals" in found.message
    indexed.run("update").ok()
    with indexed.vault() as vault:
        [found] = try_check("index", lambda: index.integrity(vault, deep=True))
    assert found.level != FAIL and "journals" not in found.message


def test_daily_notes_named_as_another_program_names_them_are_no_damage(indexed: Any) -> None:
    indexed.write(".obsidian/daily-notes.json").write_text('{"folder": "Tage", "format": "DD.MM.YYYY"}')
    del indexed.markers[".obsidian/daily-notes.json"]
    indexed.write("Tage/05.03.2024.md")
    indexed.run("update").ok()
    indexed.run("doctor", "--deep").ok()


def test_the_command_names_it_and_rebuilds_the_index(indexed: Any) -> None:
    with sqlite3.connect(indexed.index) as db:
        db.execute("UPDATE fragments SET text = replace(text, 'word', 'ward') WHERE id = 3")
    db.close()
    result = indexed.run("doctor", "--deep", "--json").plain()
    rows = [row for row in json.loads(result.out)["findings"] if row["check"] == "index"]
    assert (result.code, [row["level"] for row in rows]) == (1, ["fail"])
    assert "fragments" in rows[0]["message"] and "notes/" in rows[0]["message"]
    fixed = indexed.run("doctor", "--deep", "--fix", "--json").ok()
    assert "rebuilt the index" in json.loads(fixed.out)["fixed"]
    indexed.check()


def test_a_purged_note_whose_file_stays_is_no_damage(indexed: Any) -> None:
    indexed.run("purge", "--yes", "n0003.md").ok()
    del indexed.markers["n0003.md"]
    indexed.run("doctor", "--deep").ok()


def test_a_text_that_was_purged_under_another_name_is_no_damage(indexed: Any) -> None:
    indexed.run("purge", "--yes", "n0003.md").ok()
    (indexed.notes / "n0003.md").rename(indexed.notes / "other.md")
    indexed.run("update").ok()
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
        assert was_announced(vault)
