"""Which texts a model computes together."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

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
