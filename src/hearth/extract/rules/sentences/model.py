"""What a sentence is, by its cues, its form, its words and its vector: a linear model of some hundred kilobytes.

Words count singly and in pairs, hashed into ``BUCKETS`` columns (the hashing trick of Weinberger et al. 2009), so that
"the broker is at" and "gonna call the" tell what their meaning does not. ``tools/train_sentences.py`` makes
``model.npz`` from sentences written for it, and measures how often a probability holds.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.extract.rules.sentences.cues import NAMES
from hearth.lazy import dataclass, regex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

CLASSES = ("decision", "preference", "commitment", "fact", "correction", "principle", "opinion", "none")
FORMS = ("asks", "number", "name", "short", "long", "colon", "quoted", "imperative", "first", "exclaims")
PAIRS = (
    ("decide", "maybe"), ("prefer", "ask"), ("will", "due"), ("will", "idle"), ("will", "adopt"), ("promise", "maybe"),
    ("think", "confirm"), ("have", "number"), ("self", "ask"), ("pron", "number"), ("confirm", "number"),
    ("me", "number"), ("me", "day"), ("we", "will"), ("will", "me"), ("day", "number"), ("always", "me"),
)  # fmt: skip
FEATURES = (*NAMES, *FORMS, *("+".join(pair) for pair in PAIRS), "constant")
BUCKETS = 1 << 14
GRAM_SCALE = 5.0
"""Length of the row of a sentence's words, whatever their number."""
FILE = Path(__file__).parent / "model.npz"
_MOST_WORDS = 40
_WORD = regex(r"[^\W\d_]+(?:'\w+)?|\d\S*|[^\w\s]")
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_YEAR = (
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
    "spring", "summer", "autumn", "winter",
)  # fmt: skip
_DAYS = frozenset(
    (*_WEEK, *(f"{day}s" for day in _WEEK), *_YEAR, "today", "tonight", "tomorrow", "yesterday", "weekend")
)
_KINDS = frozenset(("NUMBER", "DAY", "NAME"))
_ENDS = frozenset('.!?:"“')
_NUMBER = regex(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|half)\b", re.IGNORECASE
)
_NAME = regex(r"(?<=[a-zà-ÿ,;:] )[A-ZÀ-Þ][\w'’-]+|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\b")
_FIRST = regex(r"(?:i|we|my|our|i['’]\w+|we['’]\w+)\b", re.IGNORECASE)
_VERB_FIRST = regex(
    r"(?:please\s+)?(?:use|add|write|make|create|fix|run|show|give|tell|explain|check|put|set|move|remove|delete|keep|"
    r"change|update|include|format|answer|respond|call|ask|look|find|try|do|don['’]?t|never|always|let)\b",
    re.IGNORECASE,
)
_SHORT, _LONG = 25, 160


@dataclass(frozen=True, slots=True, eq=False)
class SentenceModel:
    """``weights`` (classes, features + dimensions), ``words`` (``BUCKETS``, classes); the vectors are those of the
    embedder ``fingerprint`` names."""

    weights: Array
    words: Array
    dimensions: int
    fingerprint: str

    def judge(self, rows: Array, grams: Sequence[Sequence[int]], vectors: Array | None) -> Array:
        """Probabilities (n, classes) of ``CLASSES`` from features (n, ``FEATURES``), each sentence's ``word_grams`` and
        unit vectors (n, dimensions); without vectors, by the others alone."""
        import numpy as np

        scores = rows @ self.weights[:, : len(FEATURES)].T
        scores += [self.words[held].sum(axis=0) * (GRAM_SCALE / len(held) ** 0.5) for held in grams]
        if vectors is not None:
            scores = scores + vectors @ self.weights[:, len(FEATURES) :].T
        scores -= scores.max(axis=1, keepdims=True)
        powers = np.exp(scores)
        judged: Array = powers / powers.sum(axis=1, keepdims=True)
        return judged


def features(text: str, held: Iterable[str], *, asked: bool) -> list[float]:
    """One row, in the order of ``FEATURES``."""
    found = dict.fromkeys(held, 1.0)
    found |= {name: 1.0 for name, holds in _forms(text, asked) if holds}
    row = [found.get(name, 0.0) for name in (*NAMES, *FORMS)]
    row += [found.get(one, 0.0) * found.get(other, 0.0) for one, other in PAIRS]
    return [*row, 1.0]


def word_grams(text: str) -> list[int]:
    """Columns in ``BUCKETS`` of its words and pairs of words, each once; its first three words by their place, too.

    Figures, days and names stand for all of their kind.
    """
    words = ["^", *_words(text), "$"]
    grams = {*words, *map(" ".join, pairwise(words)), *(f"{at}:{word}" for at, word in enumerate(words[1:4]))}
    return [zlib.crc32(gram.encode()) % BUCKETS for gram in grams]


def _words(text: str) -> list[str]:
    """Small letters, and a kind in capitals for what is of one."""
    found: list[str] = []
    last, starts = "", True
    for word in _WORD.findall(text.replace("’", "'"))[:_MOST_WORDS]:
        kind = word.lower()
        if word[0].isdigit():
            kind = "NUMBER"
        elif kind in _DAYS:
            kind = "DAY"
        elif not starts and kind[0] != word[0] and kind.partition("'")[0] != "i":
            kind = "NAME"
        starts = word in _ENDS
        if kind != last or kind not in _KINDS:
            found.append(kind)
        last = kind
    return found


def _forms(text: str, asked: bool) -> Sequence[tuple[str, bool]]:
    return (
        ("asks", asked or text.endswith(("?", "？"))),
        ("number", _NUMBER.search(text) is not None),
        ("name", _NAME.search(text) is not None),
        ("short", len(text) < _SHORT),
        ("long", len(text) > _LONG),
        ("colon", ":" in text[:60]),
        ("quoted", '"' in text or "“" in text),
        ("imperative", _VERB_FIRST.match(text) is not None),
        ("first", _FIRST.match(text) is not None),
        ("exclaims", text.endswith("!")),
    )


@cache
def load() -> SentenceModel:
    """The model in the package."""
    import numpy as np

    with np.load(FILE, allow_pickle=False) as data:
        weights = data["weights"].astype(np.float32) * data["scales"][:, None]
        words = data["words"].astype(np.float32) * data["word_scales"]
        return SentenceModel(weights, words, int(data["dimensions"]), str(data["fingerprint"]))
