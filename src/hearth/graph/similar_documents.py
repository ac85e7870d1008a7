"""Documents alike by the vectors of their fragments: which are nearest, and how near."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from hearth.core.graph import BACKGROUND, VECTORS, DocumentRelation
from hearth.core.lazy import dataclass
from hearth.ports import MeanVector, Reader, StoredDocument

if TYPE_CHECKING:
    from hearth.ports import Bytes, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _ByteArray = NDArray[np.int8]
    _VectorArray = NDArray[np.float32]
    Places = NDArray[np.int64]

NEAREST = 24
"""Candidates by their mean vectors."""
SAMPLE = 142
"""Documents whose pairs, some 10,000, tell how alike any two are."""
_LEVELS = 127
_EXACT = 1_024  # dimensions up to which float32 holds every product of two rows
_BLOCK = 8_192
_LEAST = np.finfo(np.float32).min


@dataclass(frozen=True, slots=True)
class FragmentRows:
    """The vectors of a document: its fragments in order, and last their mean."""

    levels: _ByteArray
    scales: _VectorArray


def find_mean(levels: _ByteArray, scales: _VectorArray) -> tuple[_ByteArray, float]:
    """The mean of rows, brought to length 1, as int8 and its scale."""
    mean = (levels.astype(np.float64) * scales[:, None].astype(np.float64)).sum(axis=0)
    mean /= float(np.sqrt((mean * mean).sum())) or 1.0
    peak = float(np.abs(mean).max(initial=0.0))
    if peak == 0.0:
        return np.zeros(levels.shape[1], dtype=np.int8), 0.0
    # Rounded, so that the last bits of a sum decide nothing.
    scale = float(np.float32(round(peak / _LEVELS, 9)))
    return np.clip(np.rint(np.round(mean / scale, 6)), -_LEVELS, _LEVELS).astype(np.int8), scale


def multiply(one: _ByteArray, other: _ByteArray) -> _VectorArray:
    """Products of all pairs of rows, exact."""
    kind = _exact(one)
    return np.asarray(one.astype(kind) @ other.astype(kind).T, dtype=np.float32)


def find_nearest(
    queries: _ByteArray, own: Sequence[int], vectors: _ByteArray, scales: _VectorArray, docids: Sequence[str]
) -> list[tuple[list[int], float]]:
    """For each query the places of its ``NEAREST`` rows, and the value of the last (minus infinity where there are no
    more); ``own`` is the place of each query itself. Of equals the first docids."""
    found = _find_all(queries, np.asarray(own, dtype=np.int64), vectors, scales)
    return [_select(there, values, docids) for there, values in found]


def _find_all(
    queries: _ByteArray, own: Places, vectors: _ByteArray, scales: _VectorArray
) -> list[tuple[Places, _VectorArray]]:
    """Of each query the places and values of its ``NEAREST`` rows, and of all that are as near as the last."""
    count = len(queries)
    rows, places = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    values = np.empty(0, dtype=np.float32)
    least = np.full(count, _LEAST, dtype=np.float32)
    left = queries.astype(_exact(queries))
    room = np.empty((count, _BLOCK), dtype=left.dtype)
    for first in range(0, len(vectors), _BLOCK):
        right = vectors[first : first + _BLOCK]
        products = np.matmul(left, right.astype(left.dtype).T, out=room[:, : len(right)])
        block = products.astype(np.float32, copy=False)
        block *= scales[first : first + _BLOCK]
        here = np.flatnonzero((own >= first) & (own < first + len(right)))
        block[here, own[here] - first] = -np.inf
        if first == 0 and len(right) > NEAREST:
            least = np.maximum(np.partition(block, -NEAREST, axis=1)[:, -NEAREST], least)
        # Few of later blocks come near the best of earlier ones.
        row, column = np.divmod(np.flatnonzero(block >= least[:, None]), len(right))
        rows, values = np.concatenate((rows, row)), np.concatenate((values, block[row, column]))
        places = np.concatenate((places, column + first))
        order = np.lexsort((-values, rows))
        rows, places, values = rows[order], places[order], values[order]
        starts, ends = np.searchsorted(rows, np.arange(count)), np.searchsorted(rows, np.arange(count), side="right")
        full = ends - starts >= NEAREST
        least[full] = values[starts[full] + NEAREST - 1]
        kept = values >= least[rows]
        rows, places, values = rows[kept], places[kept], values[kept]
    bounds = np.searchsorted(rows, np.arange(1, count))
    return list(zip(np.split(places, bounds), np.split(values, bounds), strict=True))


def _exact(rows: _ByteArray) -> Any:
    """The type of floats that holds every product of two such rows."""
    return np.float32 if rows.shape[1] <= _EXACT else np.float64


def _select(places: Places, values: _VectorArray, docids: Sequence[str]) -> tuple[list[int], float]:
    order = sorted(range(len(places)), key=lambda at: (-float(values[at]), docids[int(places[at])]))[:NEAREST]
    last = float(values[order[-1]]) if len(order) == NEAREST else float("-inf")
    return [int(places[at]) for at in order], last


def find_similarity(one: FragmentRows, others: Sequence[FragmentRows]) -> list[float]:
    """How alike the best fragments are, of each pair the nearest: two fragments, or a fragment and the mean."""
    if not others:
        return []
    levels = np.concatenate([other.levels for other in others])
    scales = np.concatenate([other.scales for other in others])
    products = multiply(one.levels, levels) * one.scales[:, None] * scales[None]
    sizes = [len(other.levels) for other in others]
    ends = np.cumsum(sizes)
    # Two means are alike in any two long texts of a language.
    products[-1, ends - 1] = -np.inf
    best = np.maximum.reduceat(products.max(axis=0), ends - np.array(sizes))
    return [float(value) for value in best]


def choose_sample(docids: Sequence[str]) -> list[str]:
    """The same of the same documents; one more or less changes one of them at most."""
    ranked = sorted(docids, key=lambda docid: sha256(f"relations:{docid}".encode()).digest())
    return sorted(ranked[:SAMPLE])


def find_median(sample: Sequence[FragmentRows]) -> float:
    """How alike two documents are that have nothing to do with each other: the median of all pairs."""
    found = [value for at, one in enumerate(sample) for value in find_similarity(one, sample[at + 1 :])]
    return float(np.median(found)) if found else 0.0


_SCALE_BYTES = 4


class Fragments:
    """Of each document the first ``most``. ``aside`` is an empty file, which is closed where it can't be written; then
    the index is read again."""

    def __init__(self, space: str, most: int, aside: BinaryIO) -> None:
        self._space, self._most, self._aside = space, most, aside
        # By row the offset in bytes, and how many vectors there are.
        self._places: dict[int, tuple[int, int]] = {}
        self._end, self._width = 0, 0

    def read(self, reader: Reader, rows: Iterable[int], means: Mapping[int, MeanVector]) -> dict[int, FragmentRows]:
        """By row the vectors of documents that have them all; the others are absent. ``means`` are those that are
        known."""
        wanted = set(rows)
        found = dict(self._recall(wanted & self._places.keys()))
        fresh = read_fragments(reader, self._space, wanted - found.keys(), self._most, means)
        self.keep(fresh)
        return found | fresh

    def keep(self, read: Mapping[int, FragmentRows]) -> None:
        """Puts them aside."""
        if self._aside.closed:
            return
        parts: list[bytes] = []
        end = self._end
        for row, one in read.items():
            levels, scales = self._cut(one)
            self._places[row] = end, len(levels)
            parts += [levels.tobytes(), scales.tobytes()]
            end, self._width = end + levels.nbytes + scales.nbytes, levels.shape[1]
        try:
            self._aside.seek(self._end)
            self._aside.write(b"".join(parts))
            self._aside.flush()
            self._end = end
        except OSError:
            self._places.clear()
            with suppress(OSError):  # what it holds is written once more
                self._aside.close()

    def _cut(self, one: FragmentRows) -> tuple[_ByteArray, _VectorArray]:
        if len(one.levels) <= self._most + 1:
            return one.levels, one.scales
        kept = [*range(self._most), len(one.levels) - 1]
        return one.levels[kept], one.scales[kept]

    def _recall(self, rows: Iterable[int]) -> Iterable[tuple[int, FragmentRows]]:
        width = self._width
        for place, count, row in sorted((*self._places[row], row) for row in rows):
            self._aside.seek(place)
            data = self._aside.read(count * (width + _SCALE_BYTES))
            levels = np.frombuffer(data, np.int8, count * width).reshape(count, width)
            yield row, FragmentRows(levels, np.frombuffer(data, np.float32, count, count * width))


def read_fragments(
    reader: Reader, space: str, rows: Iterable[int], most: int, means: Mapping[int, MeanVector]
) -> dict[int, FragmentRows]:
    """As ``Fragments.read``, at most ``most`` of each."""
    block = reader.vectors_within(space, list(rows), most)
    if not len(block.documents):
        return {}
    # Those of a document follow one another; here with room for the mean behind them.
    bounds = [0, *(np.flatnonzero(np.diff(block.documents)) + 1).tolist(), len(block.documents)]
    places = np.arange(len(block.documents)) + np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    levels = np.empty((len(block.documents) + len(bounds) - 1, block.vectors.shape[1]), dtype=np.int8)
    scales = np.empty(len(levels), dtype=np.float32)
    levels[places], scales[places] = block.vectors, block.scales
    found: dict[int, FragmentRows] = {}
    for at, (first, last) in enumerate(pairwise(bounds)):
        row, mean = int(block.documents[first]), last + at
        known = means.get(row)
        levels[mean], scales[mean] = (
            (known.levels, known.scale)
            if known is not None
            else find_mean(block.vectors[first:last], block.scales[first:last])
        )
        found[row] = FragmentRows(levels[first + at : mean + 1], scales[first + at : mean + 1])
    return found


KEPT = 8
"""Of the nearest of a document so many are related to it."""
_MIN_SIMILARITY = 0.9
"""Below this share of the least weight no similarity is kept, whatever is usual in the vault."""
_USUAL, _KNOWN_FROM = 0.2, 500
_STEP = 50  # documents that have to come or go before their number counts
_COMPARED = 40  # fragments of a document, as where similar documents are asked for
_AVERAGED = 256
_HASHED = 12  # characters of a text's hash that tell whether it is another one


@dataclass(frozen=True, slots=True)
class LikenessChange:
    """Means that are new or other ones, rows of documents that have none any more, and rows of documents near which
    something changed."""

    means: list[MeanVector]
    dropped: list[int]
    near: list[int]


class Candidates(NamedTuple):
    """Rows of documents near to one, and how near the last of them is."""

    rows: list[int]
    reach: float


class _Stack(NamedTuple):
    """All means: row i is of the document ``rows[i]``."""

    rows: list[int]
    places: dict[int, int]
    docids: list[str]
    levels: Bytes
    scales: Vectors


class Likeness:
    """``means`` are those of the documents in ``space``, by row; of another space they are of no use. ``aside`` is an
    empty file for what is read again and again."""

    def __init__(self, space: str, means: Iterable[MeanVector], least: float, aside: BinaryIO) -> None:
        self.space = space
        self._least = least
        self._means = {one.document: one for one in means}
        # Those of which it is known how far their nearest reach.
        self._reaching = {row: one for row, one in self._means.items() if one.reach is not None}
        self._fragments = Fragments(space, _COMPARED, aside)

    def __contains__(self, row: int) -> bool:
        return row in self._means

    def leave(self) -> LikenessChange:
        """What the documents that left were near to."""
        gone = [one for one in self._means.values() if one.gone]
        for one in gone:
            self._drop(one.document)
        return LikenessChange([], [one.document for one in gone], self._near(gone))

    def look(self, reader: Reader, batch: Sequence[StoredDocument]) -> LikenessChange:
        """Brings the means of documents up to date."""
        known = {stored.id: stored for stored in batch}
        read = read_fragments(reader, self.space, known, _AVERAGED, {})
        self._fragments.keep(read)
        fresh = {row: self._average(known[row], rows) for row, rows in read.items()}
        made: list[MeanVector] = []
        dropped = [row for row in known if row in self._means and row not in fresh]
        changed = [self._drop(row) for row in dropped]
        for row, one in fresh.items():
            before = self._means.get(row)
            if before is not None and _key(before) == _key(one):
                continue
            changed += [one] if before is None else [self._drop(row), one]
            made.append(one)
            self._means[row] = one
        return LikenessChange(made, dropped, self._near(changed))

    def comparer(self) -> Callable[[Iterable[int]], dict[int, Candidates]]:
        """Of documents (rows) that have a mean it tells the rows whose means are nearest, and how near the last is: of
        the means as they are now, in any thread."""
        return partial(_compare, self._stack())

    def relate(self, reader: Reader, compared: Mapping[int, Candidates]) -> dict[int, list[DocumentRelation]]:
        """By row what each document is alike."""
        wanted = {row for own, found in compared.items() for row in (own, *found.rows)}
        texts = self._fragments.read(reader, wanted, self._means)
        return {row: self._rank(row, found.rows, texts) for row, found in compared.items()}

    def background(self, reader: Reader) -> str | None:
        """How alike two documents are that have nothing to do with each other, as ``BACKGROUND`` keeps it: the vault's
        own median, and in a small one rather what is usual. ``None`` where that is known."""
        by_docid = {one.docid: one for one in self._means.values()}
        chosen = [by_docid[docid] for docid in choose_sample(list(by_docid))]
        count = len(by_docid) - len(by_docid) % _STEP
        key = json.dumps([self.space, self._least, count, [[one.docid, one.text] for one in chosen]])
        of = sha256(key.encode()).hexdigest()[:16]
        if (known := reader.meta(BACKGROUND)) is not None and json.loads(known)["of"] == of:
            return None
        texts = self._fragments.read(reader, [one.document for one in chosen], self._means)
        median = find_median([texts[one.document] for one in chosen if one.document in texts])
        share = count / (count + _KNOWN_FROM)
        return json.dumps({"of": of, "median": round(share * median + (1 - share) * _USUAL, 6), "least": self._least})

    # -- details ---------------------------------------------------------------------------------------------------

    def _rank(self, row: int, close: Sequence[int], texts: dict[int, FragmentRows]) -> list[DocumentRelation]:
        there = [other for other in close if other in texts]
        if row not in texts:
            return []
        values = find_similarity(texts[row], [texts[other] for other in there])
        docid, docids = self._means[row].docid, [self._means[other].docid for other in there]
        ranked = sorted((-round(value, 6), other) for value, other in zip(values, docids, strict=True))
        return [
            DocumentRelation(docid, "semantic", other, min(1.0, -value), origin=VECTORS)
            for value, other in ranked[:KEPT]
            if -value >= _MIN_SIMILARITY * self._least
        ]

    def _average(self, stored: StoredDocument, rows: FragmentRows) -> MeanVector:
        document = stored.document
        # A copy, or the rows of the whole batch would stay.
        levels, scale = rows.levels[-1].copy(), float(rows.scales[-1])
        return MeanVector(stored.id, document.docid, document.body_hash[:_HASHED], scale, levels)

    def _drop(self, row: int) -> MeanVector:
        self._reaching.pop(row, None)
        return self._means.pop(row)

    def _near(self, changed: Sequence[MeanVector]) -> list[int]:
        """Rows of the documents that have, or would have, one of these among their nearest."""
        reaching = list(self._reaching.values())
        found: list[int] = []
        if not changed or not reaching:
            return found
        vectors = np.stack([one.levels for one in changed])
        scales = np.array([one.scale for one in changed], dtype=np.float32)
        for first in range(0, len(reaching), _BLOCK):
            part = reaching[first : first + _BLOCK]
            values = multiply(np.stack([one.levels for one in part]), vectors) * scales[None]
            reach = np.array([one.reach for one in part], dtype=np.float32)
            found += [part[at].document for at in np.flatnonzero(values.max(axis=1) >= reach).tolist()]
        return found

    def _stack(self) -> _Stack:
        rows = sorted(self._means)
        means = [self._means[row] for row in rows]
        levels = np.stack([one.levels for one in means]) if means else np.empty((0, 0), dtype=np.int8)
        scales = np.array([one.scale for one in means], dtype=np.float32)
        return _Stack(rows, {row: at for at, row in enumerate(rows)}, [one.docid for one in means], levels, scales)


def _compare(every: _Stack, documents: Iterable[int]) -> dict[int, Candidates]:
    own = [every.places[row] for row in documents if row in every.places]
    if not own:
        return {}
    found = find_nearest(every.levels[own], own, every.levels, every.scales, every.docids)
    return {
        every.rows[place]: Candidates([every.rows[at] for at in close], reach)
        for (close, reach), place in zip(found, own, strict=True)
    }


def _key(one: MeanVector) -> tuple[str, str, float, bytes]:
    return one.docid, one.text, one.scale, one.levels.tobytes()
