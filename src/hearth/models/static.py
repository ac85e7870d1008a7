"""The built-in embedder: a small table of token vectors, no model run time, no download."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hearth.core.document import Curve
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass, regex

DATA_FILES = ("vocabulary.txt", "vectors.npy", "scales.npy")


@dataclass(frozen=True, slots=True)
class Card:
    """What ``model.json`` says about the table; ``tools/train_static.py`` fitted the curve."""

    name: str
    revision: str
    dimensions: int
    curve: Curve


@dataclass(frozen=True, slots=True, eq=False)
class VectorTable:
    """Token vectors: ``pieces[i]`` has the vector ``vectors[i] * scales[i]``, its weight included."""

    pieces: tuple[str, ...]
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]


def read_card(folder: Path) -> Card:
    """The card of the table in ``folder``. Raises ``Unavailable`` if it is missing or damaged."""
    try:
        facts = json.loads((folder / "model.json").read_text("utf-8"))
        curve = Curve(**facts["calibration"])
        return Card(facts["name"], facts["revision"], facts["dimensions"], curve)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refuse(folder, str(error)) from error


def read_table(folder: Path, dimensions: int) -> VectorTable:
    """The table in ``folder``, its vectors mapped, not read. Raises ``Unavailable`` if a file is missing or damaged."""
    try:
        pieces = tuple((folder / "vocabulary.txt").read_text("utf-8").split("\n"))
        # As a plain array: each slice of a ``memmap`` takes a few microseconds more.
        vectors = np.asarray(np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False))
        scales = np.load(folder / "scales.npy", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise _refuse(folder, str(error)) from error
    if vectors.shape != (len(pieces), dimensions) or scales.shape != (len(pieces),):
        raise _refuse(folder, "its files do not match each other")
    return VectorTable(pieces, vectors, scales)


def _refuse(folder: Path, why: str) -> Unavailable:
    return Unavailable(f"the built-in token table in {folder} can't be read ({why}); reinstall hearth-memory")


def revision(folder: Path) -> str:
    """First 16 hexadecimal digits of the SHA-256 over the data files; ``model.json`` states the same."""
    digest = hashlib.sha256()
    for name in DATA_FILES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:16]


LONGEST_WORD = 100
"""Characters; a longer unbroken run (base64, hashes) has no words in it and is dropped, as the original does."""

MEMO_LIMIT = 60_000
"""Distinct words kept, about 15 MB at most; natural text repeats itself, so a full memo is simply begun anew."""

_MEMO_WORD = 48
_HAN = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_NAME = regex(r"[A-Za-z]+")
_CAMEL = regex(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APART = {ord(mark): f" {mark} " for mark in _ASCII_PUNCTUATION}


class WordPiece:
    """Tokenizer with a memo of words; safe to share between threads."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """``vocabulary`` maps a piece (``##`` before a continuation) to its row in the table."""
        self._heads = {piece: row for piece, row in vocabulary.items() if not piece.startswith("##")}
        self._tails = {piece[2:]: row for piece, row in vocabulary.items() if piece.startswith("##")}
        self._longest = max(map(len, vocabulary), default=0)
        self._runs = _Memo(self.pieces)
        self._words = _Memo(self._word)

    def ids(self, text: str) -> list[int]:
        """Rows of the text's pieces in order; unknown characters leave nothing."""
        # A fresh object instead of clear(): another thread may be in the middle of a lookup.
        if len(self._runs) >= MEMO_LIMIT:
            self._runs = _Memo(self.pieces)
        if len(self._words) >= MEMO_LIMIT:
            self._words = _Memo(self._word)
        return list(chain.from_iterable(map(self._runs.__getitem__, text.split())))

    def pieces(self, run: str) -> tuple[int, ...]:
        """Rows of one run of text without whitespace."""
        if run.isascii() and not run.islower():
            run = _NAME.sub(self._part, run)
        return tuple(chain.from_iterable(map(self._words.__getitem__, words(run))))

    def _part(self, name: re.Match[str]) -> str:
        """getUserById as four words, PostgreSQL as the one that people also write in lower case."""
        parts = _CAMEL.split(name[0])
        if len(parts) == 1 or name[0].lower() in self._heads:
            return name[0]
        return " ".join(parts) if all(len(p) > 1 and p.lower() in self._heads for p in parts) else name[0]

    def _word(self, word: str) -> Sequence[int]:
        whole = self._heads.get(word)
        if whole is not None:
            return (whole,)
        if len(word) > LONGEST_WORD:
            return ()
        found = self._match(word)
        if found is None:
            known = [c if c in self._heads or c in self._tails else " " for c in word]
            found = [row for part in "".join(known).split() for row in self._match(part) or ()]
        return found

    def _match(self, word: str) -> list[int] | None:
        pieces, rows, start, size = self._heads, list[int](), 0, len(word)
        while start < size:
            for end in range(min(size, start + self._longest), start, -1):
                row = pieces.get(word[start:end])
                if row is not None:
                    break
            else:
                return None
            rows.append(row)
            start, pieces = end, self._tails
        return rows


class _Memo(dict[str, Sequence[int]]):
    """Rows by text; a miss is computed and, if short enough to come again, kept."""

    def __init__(self, compute: Callable[[str], Sequence[int]]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, run: str) -> Sequence[int]:
        rows = self._compute(run)
        if len(run) <= _MEMO_WORD and len(self) < MEMO_LIMIT:
            self[run] = rows
        return rows


def words(run: str) -> list[str]:
    """Normalised words of a run without whitespace: lower case, no accents, punctuation and Han characters alone."""
    if run.isascii() and run.isprintable():
        return run.translate(_APART).lower().split()
    plain = _fold(run)
    # Character by character: str.lower() on the whole would turn a final sigma into one that the vocabulary lacks.
    return "".join(_space(c).lower() for c in plain).split()


def _fold(run: str) -> str:
    kept = (f" {c} " if _is_han(c) else c for c in run if unicodedata.category(c)[0] != "C")
    return "".join(c for c in unicodedata.normalize("NFD", "".join(kept)) if unicodedata.category(c) != "Mn")


def _space(character: str) -> str:
    if character in _ASCII_PUNCTUATION or (not character.isascii() and unicodedata.category(character)[0] == "P"):
        return f" {character} "
    return character


def _is_han(character: str) -> bool:
    point = ord(character)
    return any(low <= point <= high for low, high in _HAN)


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
        self._folder = folder or Path(__file__).with_name("static_table")
        card = self._card = read_card(self._folder)
        self.fingerprint = f"{card.name}:{card.dimensions}:{card.revision}"
        self.dimensions = card.dimensions
        self.curve = card.curve
        self._loaded: tuple[VectorTable, WordPiece] | None = None

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """Vectors (n, dimensions), float32, unit length, in the order of ``texts``.

        Nothing is truncated. A text without any known token gives a row of zeros, whose cosine with all is 0. Questions
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


__all__ = ["StaticEmbedder"]


LEVELS = 127
"""Symmetric, so that -128 never occurs and a vector and its negative stay mirror images."""


def quantize(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """float32 (n, d) -> int8 (n, d) and scales (n,); a row is about ``int8 row * scale``.

    A component is off by at most scale / 2 = max|row| / 254, a row of Euclidean length 1 therefore by at most
    sqrt(d) * max|row| / 254: about 0.01 for d = 256 and the usual largest component of 0.2. Rows of zeros stay zero.
    Values must be finite.
    """
    peaks = np.abs(vectors).max(axis=1, initial=0)
    scales = np.asarray(peaks / LEVELS, dtype=np.float32)
    # A subnormal peak can make its scale too coarse for the row to fit; such a row is nothing but zero.
    scales[scales < np.finfo(np.float32).tiny] = 0
    divisors = np.where(scales > 0, scales, np.float32(np.inf))
    levels = np.clip(np.rint(vectors / divisors[:, None]), -LEVELS, LEVELS)
    return levels.astype(np.int8), scales


def dequantize(levels: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """int8 (n, d) and scales (n,) -> float32 (n, d)."""
    return np.asarray(levels * scales[:, None], dtype=np.float32)
