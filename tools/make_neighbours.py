"""Makes ``src/hearth/text/neighbours.bin``: for English stems, those nearest in meaning, by the built-in table.

The stems are those of the whole words of the vocabulary in ``src/hearth/models/static_table`` and of the words that
documentation inside the running environment's packages often uses; a stem's vector is the mean of its words'.
Deterministic for one table and one set of packages.

    python tools/make_neighbours.py
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from count_background import texts
from hearth.models.static import StaticEmbedder, read_table
from hearth.text.language import is_stop_word, stem

ROOT = Path(__file__).parents[1] / "src/hearth"
OUTPUT = ROOT / "text/neighbours.bin"
WORD = re.compile(r"(?<![\w`./-])[a-z]{3,20}(?![\w/-])")
USED_IN = 12
"""Files that must use a word which the vocabulary only spells."""

NEAREST = 32
CLOSE = 0.3
BATCH = 2_000


def find_words() -> list[str]:
    embedder = StaticEmbedder()
    whole = read_table(ROOT / "models/static_table", embedder.dimensions).pieces
    used: Counter[str] = Counter()
    for text in texts():
        used.update(set(WORD.findall(text)))
    often = (word for word, count in sorted(used.items()) if count >= USED_IN)
    candidates = dict.fromkeys((*(piece for piece in whole if WORD.fullmatch(piece)), *often))
    return [word for word in candidates if not is_stop_word(word, ("en",))]


def find_vectors(words: list[str]) -> tuple[list[str], NDArray[np.float32]]:
    """The stems in order, and the unit vector of each: the mean of its words'."""
    stems = [stem(word, "en") for word in words]
    order = sorted(set(stems))
    at = {term: row for row, term in enumerate(order)}
    sums = np.zeros((len(order), StaticEmbedder().dimensions), np.float32)
    np.add.at(sums, [at[term] for term in stems], StaticEmbedder().embed(words, "document"))
    return order, sums / np.linalg.norm(sums, axis=1, keepdims=True)


def find_neighbours(vectors: NDArray[np.float32]) -> list[list[tuple[int, int]]]:
    """(row, cosine in 255ths) of each row's nearest, the nearest first."""
    found = []
    for start in range(0, len(vectors), BATCH):
        cosines = vectors[start : start + BATCH] @ vectors.T
        for row, near in enumerate(cosines, start):
            near[row] = 0
            close = np.flatnonzero(near >= CLOSE)
            nearest = close[np.argsort(-near[close], kind="stable")][:NEAREST]
            found.append([(int(other), round(255 * float(near[other]))) for other in nearest])
    return found


def pack(stems: list[str], neighbours: list[list[tuple[int, int]]]) -> bytes:
    """Number of stems and of neighbours (uint32), where each stem's neighbours begin (uint32), their positions
    (uint16), their cosines (uint8), then the stems in order, a line each; little endian."""
    counts = np.array([0, *(len(each) for each in neighbours)], "<u4").cumsum(dtype="<u4")
    flat = [pair for each in neighbours for pair in each]
    head = np.array([len(stems), len(flat)], "<u4")
    positions = np.array([other for other, _ in flat], "<u2")
    cosines = np.array([cosine for _, cosine in flat], "u1")
    parts = (head, counts, positions, cosines)
    return b"".join((*(part.tobytes() for part in parts), "\n".join(stems).encode()))


def main() -> None:
    stems, vectors = find_vectors(find_words())
    neighbours = find_neighbours(vectors)
    OUTPUT.write_bytes(pack(stems, neighbours))
    print(f"{len(stems)} stems, {sum(map(len, neighbours))} neighbours, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
