"""What every vector index must do: exact ones equal brute force, approximate ones come near it and rescore exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hearth.models.static import dequantize, quantize
from hearth.ports import Rows, Store, VectorBlock, VectorIndex
from hearth.store.sqlite.store import SqliteStore
from hearth.store.sqlite.vectors import ExactIndex, HnswFolder, HnswIndex, VectorCache
from hearth.testing import record, temporary_store

SPACE = "hash:32:1"
WIDTH = 32


def clustered(count: int, seed: int = 1) -> Any:
    """Unit vectors around fifty centres."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((50, WIDTH), dtype=np.float32)
    rows = centres[rng.integers(0, 50, count)] + 0.5 * rng.standard_normal((count, WIDTH), dtype=np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def fill(store: Store, count: int, per_document: int = 4) -> Any:
    vectors = clustered(count)
    with store.write() as writer:
        for number in range(0, count, per_document):
            writer.put(record("notes", f"{number}.md", *(str(number + i) for i in range(per_document))))
        ids = [part.id for part in writer.fragments_after(0, count)]
        writer.put_vectors(SPACE, ids, *quantize(vectors))
    return vectors


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    built: Store = SqliteStore(tmp_path / "index.sqlite", "1")
    yield built
    built.close()


@pytest.fixture(params=["exact", "hnsw"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Any], VectorIndex]:
    def build(reader: Any) -> VectorIndex:
        if request.param == "exact":
            return ExactIndex(reader.vectors(SPACE))
        folder = HnswFolder(tmp_path / "graphs", minimum=1)
        folder.build(reader, SPACE, lambda done: None)
        found = folder.open(reader, SPACE)
        assert found is not None
        return found

    return build


def brute_force(block: VectorBlock, query: Any, count: int, rows: Rows | None) -> list[int]:
    if not len(block.fragments):
        return []
    # Row by row, so that equal rows get equal cosines and ties break on the fragment; a BLAS product rounds them apart.
    cosines = np.vecdot(dequantize(block.vectors, block.scales), query)
    order = sorted(range(len(cosines)), key=lambda i: (-cosines[i], block.fragments[i]))
    return [int(block.fragments[i]) for i in order if rows is None or rows.admits(int(block.documents[i]))][:count]


FILTERS = (None, Rows(frozenset(range(1, 60)), only=True), Rows(frozenset(range(1, 60)), only=False))


@pytest.mark.parametrize("rows", FILTERS)
def test_the_nearest_admitted_come_first(store: Store, open_index: Any, rows: Rows | None) -> None:
    vectors = fill(store, 600)
    with store.read() as reader:
        index, block = open_index(reader), reader.vectors(SPACE)
        shared = 0
        for query in vectors[::60]:
            found, expected = index.search(query, 10, rows), brute_force(block, query, 10, rows)
            shared += len({fragment for fragment, _ in found} & set(expected))
            assert len(found) == 10
            assert isinstance(index, HnswIndex) or [fragment for fragment, _ in found] == expected
            assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)
            kept = reader.vectors(SPACE, fragments=[fragment for fragment, _ in found])
            assert all(rows is None or rows.admits(int(row)) for row in kept.documents)
        assert shared >= 95


def test_a_filter_that_admits_a_single_document_finds_it(store: Store, open_index: Any) -> None:
    vectors = fill(store, 2_000, per_document=1)
    with store.read() as reader:
        index = open_index(reader)
        for document in (3, 1_999):
            found = index.search(-vectors[document - 1], 5, Rows(frozenset({document}), only=True))
            assert [fragment for fragment, _ in found] == [document]
        assert index.search(vectors[0], 5, Rows(frozenset(), only=True)) == []


def test_scores_are_the_cosines_of_those_that_have_a_vector(store: Store, open_index: Any) -> None:
    vectors = fill(store, 40)
    with store.read() as reader:
        index = open_index(reader)
        found = index.scores(vectors[0], [40, 1, 999])
        assert found.keys() == {40, 1}
        assert found[1] == pytest.approx(1, abs=0.02)
        assert found[40] == pytest.approx(float(vectors[39] @ vectors[0]), abs=0.02)
        assert index.scores(vectors[0], []) == {}


def test_asking_for_more_than_there_is_gives_all(store: Store, open_index: Any) -> None:
    vectors = fill(store, 8)
    with store.read() as reader:
        index = open_index(reader)
        assert len(index.search(vectors[0], 100, None)) == 8
        assert index.search(vectors[0], 0, None) == []


# -- exact ------------------------------------------------------------------------------------------------------------


def test_an_empty_exact_index_finds_nothing() -> None:
    with temporary_store().read() as reader:
        index = ExactIndex(reader.vectors(SPACE))
    query = np.ones(WIDTH, dtype=np.float32)
    assert len(index) == 0
    assert index.search(query, 5, None) == []
    assert index.scores(query, [1]) == {}
    assert index.last_fragment == 0


def test_an_extended_exact_index_equals_a_new_one(store: Store) -> None:
    vectors = fill(store, 60)
    with store.read() as reader:
        whole = reader.vectors(SPACE)
        first = VectorBlock(
            *(column[:25] for column in (whole.fragments, whole.documents, whole.vectors, whole.scales))
        )
        grown = ExactIndex(first).extend(reader.vectors(SPACE, after=25)).extend(reader.vectors(SPACE, after=60))
        empty = ExactIndex(reader.vectors("none")).extend(whole)
        for query in vectors[::7]:
            expected = ExactIndex(whole).search(query, 9, None)
            assert grown.search(query, 9, None) == expected == empty.search(query, 9, None)


# -- cache ------------------------------------------------------------------------------------------------------------


def search(cache: VectorCache, store: Store, query: Any) -> list[int]:
    with store.read() as reader:
        index = cache.index(reader, SPACE, reader.statistics().generation)
        found = [fragment for fragment, _ in index.search(query, 5, None)]
        assert found == brute_force(reader.vectors(SPACE), query, 5, None)
        return found


def test_a_warm_cache_follows_every_write(store: Store) -> None:
    vectors = fill(store, 40)
    cache = VectorCache()
    assert search(cache, store, vectors[3])[0] == 4
    with store.write() as writer:
        writer.put(record("notes", "new.md", "first", "second"))
        late, last = (part.id for part in writer.fragments_after(40, 2))
        writer.put_vectors(SPACE, [last], *quantize(vectors[5:6]))
    assert last in search(cache, store, vectors[5])
    with store.write() as writer:
        writer.put_vectors(SPACE, [late], *quantize(vectors[6:7]))
    assert late in search(cache, store, vectors[6]), "a vector below the last one was missed"
    with store.write() as writer:
        writer.put_vectors(SPACE, [late], *quantize(-vectors[6:7]))
    assert late not in search(cache, store, vectors[6]), "the old vector still answers"
    with store.write() as writer:
        writer.drop_collection("notes")
    assert search(cache, store, vectors[6]) == []


def test_a_warm_cache_does_not_outlive_its_index(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    store, cache = SqliteStore(path, "1"), VectorCache()
    vectors = fill(store, 8)
    assert search(cache, store, vectors[0])[0] == 1
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    with store.write() as writer:
        writer.put(record("notes", "other.md", "one", "two"))
        writer.put_vectors(SPACE, [1, 2], *quantize(vectors[5:7]))
    assert search(cache, store, vectors[5]) == [1, 2]
    store.close()


# -- HNSW -------------------------------------------------------------------------------------------------------------


def check_overlap(store: Store, folder: Path, count: int) -> float:
    vectors = fill(store, count)
    graphs = HnswFolder(folder, minimum=1)
    with store.read() as reader:
        graphs.build(reader, SPACE, lambda done: None)
        index, block = graphs.open(reader, SPACE), reader.vectors(SPACE)
        assert index is not None
        shared = 0
        for query in vectors[:: count // 50]:
            found = {fragment for fragment, _ in index.search(query, 10, None)}
            shared += len(found & set(brute_force(block, query, 10, None)))
        return shared / 500


def test_approximate_search_keeps_the_top_ten(tmp_path: Path) -> None:
    assert check_overlap(temporary_store(), tmp_path, 5_000) >= 0.95


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_approximate_search_keeps_the_top_ten_of_many(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "index.sqlite", "1")
    assert check_overlap(store, tmp_path, 50_000) >= 0.95
    store.close()


def test_a_small_space_gets_no_graph(tmp_path: Path, store: Store) -> None:
    fill(store, 8)
    folder = HnswFolder(tmp_path / "graphs", minimum=9)
    with store.read() as reader:
        assert folder.build(reader, SPACE, lambda done: None) is None
        assert folder.open(reader, SPACE) is None


def test_a_graph_is_published_whole_and_replaces_older_ones(tmp_path: Path, store: Store) -> None:
    vectors = fill(store, 40)
    graphs = tmp_path / "graphs"
    folder = HnswFolder(graphs, minimum=1)
    progress: list[int] = []
    with store.read() as reader:
        folder.build(reader, SPACE, progress.append)
        stranger = folder.path(reader, "other space")
        stranger.write_bytes(b"of another space")
    with store.write() as writer:
        writer.put_vectors(SPACE, [1], *quantize(-vectors[:1]))
    with store.read() as reader:
        assert folder.open(reader, SPACE) is None, "a graph of other vectors must not answer"
        path = folder.build(reader, SPACE, progress.append)
        assert folder.open(reader, SPACE) is not None
        assert folder.build(reader, SPACE, progress.append) == path
    assert progress == [40, 40]
    assert set(graphs.glob("*.usearch")) == {path, stranger}


def test_a_graph_stays_valid_while_another_space_is_filled(tmp_path: Path, store: Store) -> None:
    vectors = fill(store, 40)
    folder = HnswFolder(tmp_path / "graphs", minimum=1)
    with store.read() as reader:
        path = folder.build(reader, SPACE, lambda done: None)
    for start in range(1, 41, 10):
        with store.write() as writer:
            writer.put_vectors("other", range(start, start + 10), *quantize(vectors[start - 1 : start + 9]))
            writer.put_vectors("other", (), (), (), {start: "refused"})
    cache = VectorCache(folder)
    with store.read() as reader:
        assert folder.path(reader, SPACE) == path
        index = cache.index(reader, SPACE, reader.statistics().generation)
        assert isinstance(index, HnswIndex)
        assert index.search(vectors[8], 1, None)[0][0] == 9


def add(store: Store) -> None:
    with store.write() as writer:
        writer.put(record("notes", "new.md", "new"))
        (part,) = writer.fragments_after(40, 1)
        writer.put_vectors(SPACE, [part.id], *quantize(clustered(1)))


def remove(store: Store) -> None:
    with store.write() as writer:
        writer.remove(record("notes", "36.md").document.docid)


def remove_and_add(store: Store) -> None:
    remove(store)
    add(store)


def replaced(store: Store) -> None:
    with store.write() as writer:
        writer.put_vectors(SPACE, [40], *quantize(clustered(1, seed=2)))


@pytest.mark.parametrize("change", [add, remove, remove_and_add, replaced])
def test_a_graph_answers_no_more_once_its_own_space_changed(
    tmp_path: Path, store: Store, change: Callable[[Store], None]
) -> None:
    fill(store, 40)
    folder = HnswFolder(tmp_path / "graphs", minimum=1)
    with store.read() as reader:
        folder.build(reader, SPACE, lambda done: None)
        assert folder.open(reader, SPACE) is not None
    change(store)
    with store.read() as reader:
        assert folder.open(reader, SPACE) is None


def test_the_cache_prefers_a_graph_of_these_vectors_and_falls_back_to_the_scan(tmp_path: Path, store: Store) -> None:
    vectors = fill(store, 40)
    folder = HnswFolder(tmp_path / "graphs", minimum=1)
    cache = VectorCache(folder)
    with store.read() as reader:
        generation = reader.statistics().generation
        folder.build(reader, SPACE, lambda done: None)
        assert not isinstance(cache.index(reader, SPACE, generation), ExactIndex)
    with store.write() as writer:
        writer.remove(record("notes", "0.md").document.docid)
    assert search(cache, store, vectors[8])[0] == 9


@pytest.mark.parametrize("damage", [b"", b"no graph", None])
def test_a_damaged_graph_leaves_the_scan_to_answer(tmp_path: Path, store: Store, damage: bytes | None) -> None:
    vectors = fill(store, 400)
    with store.read() as reader:
        path = HnswFolder(tmp_path / "graphs", minimum=1).build(reader, SPACE, lambda done: None)
    assert path is not None
    path.write_bytes(path.read_bytes()[:-5_000] if damage is None else damage)
    assert search(VectorCache(HnswFolder(tmp_path / "graphs", minimum=1)), store, vectors[0])[0] == 1
