"""Vectors that are put aside: the same as those of the index, however much of them there is room for."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from tests.graph.test_deriving import EMBEDDER, WORDS, derive, rows, write

from hearth.graph import similar_documents
from hearth.graph.similar_documents import Fragments, read_fragments
from hearth.models.static import quantize
from hearth.ports import Reader
from hearth.vault.embedding import Filler


class FullDisk(BytesIO):
    """Takes so many bytes."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.room:
            super().write(data[: self.room - self.tell()])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def open_full() -> BinaryIO:
    return Path("/dev/full").open("w+b")


def fill(box: Any, count: int = 30) -> None:
    for number in range(count):
        text = "\n\n".join(
            f"## {word}\n\n{word} {number} {' '.join(WORDS)}. " + "Words. " * 60 for word in WORDS[: number % 5]
        )
        write(box, f"{number}.md", text or "Nothing.")
    box.sync()
    Filler(box.store, quantize, nullcontext).run(EMBEDDER)


@pytest.mark.parametrize("most", [1, 3, 40])
@pytest.mark.parametrize("room", [0, 3_000, 10**9])
def test_what_is_put_aside_is_what_the_index_has(box: Any, most: int, room: int) -> None:
    fill(box)
    space = EMBEDDER.fingerprint
    with box.store.read() as reader:
        documents = list(reader.documents(list(range(1, 31))))
        expected = read_fragments(reader, space, documents, most, {})
        # The mean is that of all, as they were averaged.
        whole = read_fragments(reader, space, documents, 256, {})
        aside = Fragments(space, most, FullDisk(room))
        aside.keep({row: whole[row] for row in documents[:15]})
        for wanted in (documents[10:20], documents, documents[:3]):
            found = aside.read(reader, wanted, {})
            assert found.keys() == set(wanted)
            for row, one in found.items():
                assert np.array_equal(one.levels[:-1], expected[row].levels[:-1])
                assert np.array_equal(one.scales[:-1], expected[row].scales[:-1])


def test_what_is_put_aside_is_not_read_again(box: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(box)
    asked: list[int] = []

    def read(reader: Reader, space: str, wanted: Sequence[int], *given: Any) -> Any:
        asked.extend(wanted)
        return read_fragments(reader, space, wanted, *given)

    monkeypatch.setattr(similar_documents, "read_fragments", read)
    with box.store.read() as reader:
        aside = Fragments(EMBEDDER.fingerprint, 40, BytesIO())
        for wanted in ([1, 2, 3], [2, 3, 4], [1, 4]):
            aside.read(reader, wanted, {})
    assert sorted(asked) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "aside",
    [BytesIO, lambda: FullDisk(0), lambda: FullDisk(5_000), open_full],
    ids=["memory", "nothing", "a little", "a device"],
)
def test_relations_are_the_same_on_a_full_disk(box: Any, aside: Callable[[], BinaryIO]) -> None:
    fill(box)
    derive(box)
    expected = rows(box)
    assert any(one.type == "semantic" for one in expected)
    box.new_store()
    box.sync()
    derive(box, aside=aside)
    assert rows(box) == expected
