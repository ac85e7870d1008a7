"""WordPiece: text to token ids over a BERT uncased vocabulary.

The algorithm is the published one (Wu et al. 2016; Devlin et al. 2019): clean, split Han characters, strip accents,
lower-case, split punctuation, then greedy longest match. It differs where the original would lose text:
a word with an unknown character is cut there instead of becoming one unknown token, pieces outside the table are
dropped, every separator (form feed, vertical tab …) ends a word, and camelCase is read as its words
where each of them has a piece.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import chain

from hearth.core.lazy import regex

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
        self._memo = _Memo(self)

    def ids(self, text: str) -> list[int]:
        """Rows of the text's pieces in order; unknown characters leave nothing."""
        memo = self._memo
        if len(memo) >= MEMO_LIMIT:
            # A fresh object instead of clear(): another thread may be in the middle of a lookup.
            memo = self._memo = _Memo(self)
        return list(chain.from_iterable(map(memo.__getitem__, text.split())))

    def pieces(self, run: str) -> tuple[int, ...]:
        """Rows of one run of text without whitespace."""
        if run.isascii() and not run.islower():
            run = _NAME.sub(self._part, run)
        return tuple(chain.from_iterable(map(self._word, words(run))))

    def _part(self, name: re.Match[str]) -> str:
        """getUserById as four words, PostgreSQL as the one that people also write in lower case."""
        parts = _CAMEL.split(name[0])
        if len(parts) == 1 or name[0].lower() in self._heads:
            return name[0]
        return " ".join(parts) if all(len(p) > 1 and p.lower() in self._heads for p in parts) else name[0]

    def _word(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return []
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


class _Memo(dict[str, tuple[int, ...]]):
    """Rows by run of text; a miss is computed and, if short enough to come again, kept."""

    def __init__(self, wordpiece: WordPiece) -> None:
        super().__init__()
        self._pieces = wordpiece.pieces

    def __missing__(self, run: str) -> tuple[int, ...]:
        rows = self._pieces(run)
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
