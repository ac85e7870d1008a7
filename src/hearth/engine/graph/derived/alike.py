"""Which documents are alike, by their vectors in one space, kept up to date as they come, change and leave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from hearth.engine.graph.derived.passages import Passages, read_passages
from hearth.graph import nearest
from hearth.graph.nearest import PassageRows
from hearth.lazy import dataclass
from hearth.model.graph.relation import BACKGROUND, VECTORS, DocumentRelation
from hearth.ports import MeanVector, Reader, StoredDocument

if TYPE_CHECKING:
    from hearth.ports import Bytes, Vectors

KEPT = 8
"""Of the nearest of a document so many are related to it."""
_LEAST = 0.9
"""Below this share of the least weight no similarity is kept, whatever is usual in the vault."""
_USUAL, _KNOWN_FROM = 0.2, 500
_STEP = 50  # documents that have to come or go before their number counts
_COMPARED = 40  # fragments of a document, as where similar documents are asked for
_AVERAGED = 256
_HASHED = 12  # characters of a text's hash that tell whether it is another one
_BLOCK = 8_192


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
        self._passages = Passages(space, _COMPARED, aside)

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
        read = read_passages(reader, self.space, known, _AVERAGED, {})
        self._passages.keep(read)
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
        texts = self._passages.read(reader, wanted, self._means)
        return {row: self._rank(row, found.rows, texts) for row, found in compared.items()}

    def background(self, reader: Reader) -> str | None:
        """How alike two documents are that have nothing to do with each other, as ``BACKGROUND`` keeps it: the vault's
        own median, and in a small one rather what is usual. ``None`` where that is known."""
        by_docid = {one.docid: one for one in self._means.values()}
        chosen = [by_docid[docid] for docid in nearest.choose_sample(list(by_docid))]
        count = len(by_docid) - len(by_docid) % _STEP
        told = json.dumps([self.space, self._least, count, [[one.docid, one.text] for one in chosen]])
        of = sha256(told.encode()).hexdigest()[:16]
        if (known := reader.meta(BACKGROUND)) is not None and json.loads(known)["of"] == of:
            return None
        texts = self._passages.read(reader, [one.document for one in chosen], self._means)
        median = nearest.find_median([texts[one.document] for one in chosen if one.document in texts])
        share = count / (count + _KNOWN_FROM)
        return json.dumps({"of": of, "median": round(share * median + (1 - share) * _USUAL, 6), "least": self._least})

    # -- details ---------------------------------------------------------------------------------------------------

    def _rank(self, row: int, close: Sequence[int], texts: dict[int, PassageRows]) -> list[DocumentRelation]:
        there = [other for other in close if other in texts]
        if row not in texts:
            return []
        values = nearest.find_similarity(texts[row], [texts[other] for other in there])
        docid, docids = self._means[row].docid, [self._means[other].docid for other in there]
        ranked = sorted((-round(value, 6), other) for value, other in zip(values, docids, strict=True))
        return [
            DocumentRelation(docid, "semantic", other, min(1.0, -value), origin=VECTORS)
            for value, other in ranked[:KEPT]
            if -value >= _LEAST * self._least
        ]

    def _average(self, stored: StoredDocument, rows: PassageRows) -> MeanVector:
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
            values = nearest.multiply(np.stack([one.levels for one in part]), vectors) * scales[None]
            reach = np.array([one.reach for one in part], dtype=np.float32)
            found += [part[at].document for at in np.flatnonzero(values.max(axis=1) >= reach).tolist()]
        return found

    def _stack(self) -> _Stack:
        rows = sorted(self._means)
        held = [self._means[row] for row in rows]
        levels = np.stack([one.levels for one in held]) if held else np.empty((0, 0), dtype=np.int8)
        scales = np.array([one.scale for one in held], dtype=np.float32)
        return _Stack(rows, {row: at for at, row in enumerate(rows)}, [one.docid for one in held], levels, scales)


def _compare(every: _Stack, documents: Iterable[int]) -> dict[int, Candidates]:
    own = [every.places[row] for row in documents if row in every.places]
    if not own:
        return {}
    found = nearest.find_nearest(every.levels[own], own, every.levels, every.scales, every.docids)
    return {
        every.rows[place]: Candidates([every.rows[at] for at in close], reach)
        for (close, reach), place in zip(found, own, strict=True)
    }


def _key(one: MeanVector) -> tuple[str, str, float, bytes]:
    return one.docid, one.text, one.scale, one.levels.tobytes()
