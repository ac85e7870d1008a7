"""Which texts a model computes together, and long ones in windows that fit it."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Item = TypeVar("Item")

BATCH_TOKENS = 256
"""Tokens computed at once, padding included. Larger batches were slower on processors, smaller ones for short texts
(all-MiniLM-L6-v2, one thread: 12 words 192 texts/s alone, 296 by four, 187 by 64; 120 words 31 alone, 21 by 64)."""

_DYNAMIC = b"DynamicQuantize"


def batches(items: Sequence[Item], tokens: Callable[[Item], int], limit: int) -> Iterator[list[Item]]:
    """The items by length; each run, padded to its longest, has at most ``limit`` tokens, or a single item."""
    run: list[Item] = []
    for item in sorted(items, key=tokens):
        if run and tokens(item) * (len(run) + 1) > limit:
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def limit_of(model_file: Path) -> int:
    """``BATCH_TOKENS``, or 0, which means one at a time, for a model that scales its int8 activations over a batch.

    There a text's vector would depend on the texts beside it: the cosine between the two fell to 0.97.
    """
    with model_file.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return 0 if data.find(_DYNAMIC) >= 0 else BATCH_TOKENS


SLOT = "{text}"
_BLOCK = 256
"""Texts tokenised at once: the tokenizer pads them all to the longest."""


class TokenWindow(NamedTuple):
    """A piece of a text inside its template, and its length in tokens, special ones included."""

    text: str
    tokens: int


class Cutter:
    """Cuts texts for one template at ``limit`` tokens, template and special tokens included.

    ``tokenizer`` is set to the model's length, which is no smaller, and is not changed: threads share it.
    """

    def __init__(self, tokenizer: Tokenizer, limit: int, template: str = SLOT) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._before, self._after = template.split(SLOT, 1)
        around = sum(tokenizer.encode(template.replace(SLOT, "")).attention_mask)
        self._room = max(1, limit - around)
        self._unknown = getattr(tokenizer.model, "unk_token", None)

    def windows(self, texts: Sequence[str]) -> list[list[TokenWindow]]:
        """The pieces of each text, in order and without overlap; together they are the text.

        They are about equally long and end between words where there are any. A piece without a token that the model
        knows is left out.
        """
        found: list[list[TokenWindow]] = []
        for start in range(0, len(texts), _BLOCK):
            found += map(list, self._block([legible(text) for text in texts[start : start + _BLOCK]]))
        return found

    def _block(self, texts: Sequence[str]) -> Iterator[Iterator[TokenWindow]]:
        encodings = self._tokenizer.encode_batch([self._dress(text) for text in texts])
        return map(self._pieces, texts, encodings)

    def _dress(self, text: str) -> str:
        return f"{self._before}{text}{self._after}"

    def _pieces(self, text: str, encoding: Encoding) -> Iterator[TokenWindow]:
        tokens = sum(encoding.attention_mask)
        if len(text) > 1 and (encoding.overflowing or tokens > self._limit):
            # On its own, a piece may take a token more than in its place, and be cut again.
            for pieces in self._block(self._parts(text, encoding)):
                yield from pieces
        elif any(token != self._unknown for _, token in self._tokens(text, encoding)):
            yield TokenWindow(self._dress(text), tokens)

    def _tokens(self, text: str, encoding: Encoding) -> Iterator[tuple[int, str]]:
        """Where in the text each of its tokens begins, and the token; not those of the template."""
        start, end = len(self._before), len(self._before) + len(text)
        for (begin, stop), token in zip(encoding.offsets, encoding.tokens, strict=True):
            if start <= begin < stop <= end:
                yield begin - start, token

    def _parts(self, text: str, encoding: Encoding) -> list[str]:
        """At least two, each shorter than the text, with about the same number of tokens."""
        starts = [at for one in (encoding, *encoding.overflowing) for at, _ in self._tokens(text, one)]
        count = max(2, -(-len(starts) // self._room))
        cuts = [0]
        for number in range(1, count):
            place = starts[len(starts) * number // count] if starts else 0
            cuts.append(_between_words(text, cuts[-1], place))
        kept = [text[start:end] for start, end in pairwise([*cuts, len(text)]) if end > start]
        half = (len(text) + 1) // 2
        return kept if len(kept) > 1 else [text[:half], text[half:]]


def legible(text: str) -> str:
    """The text without lone surrogates, which stand for undecodable bytes and which no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _between_words(text: str, start: int, end: int) -> int:
    """The end of the last white space in the second half of ``text[start:end]``, else ``end``, but never before
    ``start``."""
    for at in range(end, (start + end) // 2, -1):
        if text[at - 1].isspace():
            return at
    return max(start, end)
