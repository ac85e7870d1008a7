"""The built-in embedder: a text's vector is the weighted sum of its tokens' vectors, scaled to unit length."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hearth.core.fragment import Curve
from hearth.models.static.table import Card, VectorTable, read_card, read_table
from hearth.models.static.wordpiece import WordPiece, words

Vectors = NDArray[np.float32]

_BLOCK = 2048
"""Tokens gathered at once: 2048 rows of 256 float32 are 2 MB, which stays in the second-level cache."""

_MEANINGFUL = 3
"""Letters from which on a piece is more than a bit of spelling."""


class StaticEmbedder:
    """Embeds without a model run time. Opening reads a card of a few lines, the first use the table, which all of one
    process share. Thread-safe."""

    fingerprint: str
    """Names model, dimensions and data; equal fingerprints mean comparable vectors."""

    dimensions: int
    """Width of the vectors."""

    curve: Curve | None
    contextual = False

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` holds another table made by ``tools/train_static.py``; default: the one in the package.

        Raises ``Unavailable`` when the card can't be read.
        """
        self._folder = folder or Path(__file__).parent
        card = self._card = read_card(self._folder)
        self.fingerprint = f"{card.name}:{card.dimensions}:{card.revision}"
        self.dimensions = card.dimensions
        self.curve = card.curve
        self._loaded: tuple[VectorTable, WordPiece] | None = None

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """Vectors (n, dimensions), float32, unit length, in the order of ``texts``.

        Nothing is cut off. A text without any known token gives a row of zeros, whose cosine with all is 0. Questions
        and documents are embedded alike; ``role`` is there for the port. Raises ``Unavailable``.
        """
        del role
        table, wordpiece = self._load()
        rows = [wordpiece.ids(text) for text in texts]
        sums = _sums(rows, table)
        norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        sums /= np.where(norms > 0, norms, 1)[:, None]
        return sums

    def coverage(self, text: str) -> float:
        """Share of the text's letters that lie in pieces of three letters or more, in [0, 1]; 0 without letters.

        Low where the vocabulary only spells a language (English about .73, Russian .02): weigh the lane by it.
        """
        table, wordpiece = self._load()
        pieces = table.pieces
        letters = sum(map(str.isalpha, "".join(word for run in text.split() for word in words(run))))
        known = (pieces[row].removeprefix("##") for row in wordpiece.ids(text))
        covered = sum(len(piece) for piece in known if len(piece) >= _MEANINGFUL and piece.isalpha())
        return min(1.0, covered / letters) if letters else 0.0

    def _load(self) -> tuple[VectorTable, WordPiece]:
        loaded = self._loaded
        if loaded is None:
            # Two threads that begin at once read it once.
            with _LOADING:
                loaded = self._loaded = _load(self._folder, self._card)
        return loaded


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _load(folder: Path, card: Card) -> tuple[VectorTable, WordPiece]:
    """Kept for the vaults to come: reading it takes longer than to open one. A card of another revision means other
    files."""
    table = read_table(folder, card.dimensions)
    return table, WordPiece(dict(zip(table.pieces, range(len(table.pieces)), strict=True)))


def _sums(rows: Sequence[Sequence[int]], table: VectorTable) -> Vectors:
    """Sum of the token vectors of each text (n, d); texts are pooled in blocks of about ``_BLOCK`` tokens."""
    sums = np.zeros((len(rows), table.vectors.shape[1]), np.float32)
    block: list[int] = []
    size = 0
    for index, tokens in enumerate(rows):
        if len(tokens) > _BLOCK:
            sums[index] = _long_sum(tokens, table)
        elif tokens:
            block.append(index)
            size += len(tokens)
        if size >= _BLOCK:
            _pool(block, rows, table, sums)
            block, size = [], 0
    if block:
        _pool(block, rows, table, sums)
    return sums


def _pool(block: Sequence[int], rows: Sequence[Sequence[int]], table: VectorTable, sums: Vectors) -> None:
    tokens = np.array([row for index in block for row in rows[index]], np.intp)
    weights = table.scales.take(tokens)
    vectors = table.vectors.take(tokens, axis=0).astype(np.float32)
    start = 0
    for index in block:
        # One small product a text: three times as fast as np.add.reduceat over the same rows.
        end = start + len(rows[index])
        sums[index] = weights[start:end] @ vectors[start:end]
        start = end


def _long_sum(tokens: Sequence[int], table: VectorTable) -> Vectors:
    """A long text repeats its tokens, so each distinct one is multiplied once."""
    distinct, counts = np.unique(np.asarray(tokens, np.intp), return_counts=True)
    total = np.zeros(table.vectors.shape[1], np.float32)
    for start in range(0, len(distinct), _BLOCK):
        part = distinct[start : start + _BLOCK]
        weights = counts[start : start + _BLOCK].astype(np.float32) * table.scales[part]
        total += weights @ table.vectors[part].astype(np.float32)
    return total
