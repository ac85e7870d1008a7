"""The embedding cache: what was computed once is not computed again, and losing the file loses nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hearth.app import open_folder
from hearth.store.sqlite.caches import SqliteEmbeddings


def vector(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-127, 128, 8).astype(np.int8)


def test_known_texts_come_back_by_position_and_space(tmp_path: Path) -> None:
    cache = SqliteEmbeddings(tmp_path / "e.sqlite", 100)
    cache.put("a", {"one": (vector(1), 0.5), "two": (vector(2), 0.25)})
    found = cache.get("a", ["zero", "two", "one", "two"])
    assert sorted(found) == [1, 2, 3]
    assert (found[2][0] == vector(1)).all()
    assert found[1][1] == 0.25
    assert cache.get("b", ["one"]) == {}
    cache.close()


def test_entries_above_the_limit_are_trimmed(tmp_path: Path) -> None:
    cache = SqliteEmbeddings(tmp_path / "e.sqlite", 3)
    cache.put("a", {str(n): (vector(n), 1.0) for n in range(10)})
    assert cache.trim() == 7
    assert len(cache.get("a", [str(n) for n in range(10)])) == 3
    cache.close()


def test_what_is_not_kept_is_in_no_file_any_more(tmp_path: Path) -> None:
    cache = SqliteEmbeddings(tmp_path / "e.sqlite", 1_000)
    many = {str(n): (vector(n), 1.0) for n in range(400)}
    cache.put("a", many)
    cache.put("b", {"7": (vector(1_000), 1.0)})
    assert cache.keep(["7", "never there"])
    assert sorted(cache.get("a", list(many))) == [7]
    assert sorted(cache.get("b", ["7"])) == [0]
    bytes_left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert vector(7).tobytes() in bytes_left
    assert [n for n in range(400) if n != 7 and vector(n).tobytes() in bytes_left] == []
    cache.close()


def test_keeping_nothing_of_no_file_makes_none(tmp_path: Path) -> None:
    assert SqliteEmbeddings(tmp_path / "e.sqlite", 10).keep([])
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_cache_file_costs_time_but_no_answer(tmp_path: Path) -> None:
    (tmp_path / "e.sqlite").write_bytes(b"no database at all" * 100)
    cache = SqliteEmbeddings(tmp_path / "e.sqlite", 100)
    cache.put("a", {"one": (vector(1), 0.5)})
    assert cache.get("a", ["one"]) == {}
    assert cache.problem is not None
    cache.close()


def test_a_rebuild_embeds_nothing_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for n in range(5):
        (notes / f"{n}.md").write_text(f"# Note {n}\n\nThe kettle number {n} boils.\n")
    with open_folder(notes, tmp_path / "work") as vault:
        vault.index.sync()
        vault.index.reindex()
        with vault.store.write() as writer:
            writer.drop_space(vault.index.upkeep.spaces.static.load().fingerprint)
        report = vault.index.embed()
        assert report.embedded == report.reused > 0
        assert vault.recall("kettle").hits
