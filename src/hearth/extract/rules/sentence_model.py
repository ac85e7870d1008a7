"""What a sentence is, by its cues, its form and its vector: a linear model of a few kilobytes.

``tools/train_sentences.py`` makes ``sentence_model.npz`` from sentences written for it, and measures how often a
probability holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.extract.rules.cues import NAMES
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
FILE = Path(__file__).parent / "sentence_model.npz"
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
    """``weights`` (classes, features + dimensions); the vectors are those of the embedder ``fingerprint`` names."""

    weights: Array
    dimensions: int
    fingerprint: str

    def judge(self, rows: Array, vectors: Array | None) -> Array:
        """Probabilities (n, classes) of ``CLASSES`` from features (n, ``FEATURES``) and unit vectors (n, dimensions);
        without vectors, by the features alone."""
        import numpy as np

        scores = rows @ self.weights[:, : len(FEATURES)].T
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
        return SentenceModel(weights, int(data["dimensions"]), str(data["fingerprint"]))
