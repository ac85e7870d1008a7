"""Fits the model that tells decisions, preferences, promises and facts from what else people say.

    python tools/train_sentences.py            writes src/hearth/extract/rules/sentence_model.npz
    python tools/train_sentences.py --measure  only prints, by five-fold cross-validation over templates

Reads ``tools/sentences/<language>.txt``: templates with slots, a section for each class. Every template is filled
several times; folds are cut between templates, so no template is judged by a model that saw it. The vectors are the
built-in embedder's. A softmax regression with an L2 penalty, fitted by L-BFGS-like full gradient steps (Nesterov);
half of the sentences are seen a second time without their vector, so that languages that the embedder can't read are
judged by their cues. The scores are divided by one temperature, fitted on the held-out folds.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearth.extract.rules.cues import cues
from hearth.extract.rules.sentence_model import CLASSES, FEATURES, FILE, features
from hearth.models.static import StaticEmbedder

SOURCES = Path(__file__).parent / "sentences"
FILLED = {"en": 10}
OTHER_LANGUAGES = 10
FOLDS = 5
PENALTY = 3e-4
VECTOR_SHARE = 1.0
STEPS = 150
SEED = 7
Array = NDArray[np.float32]
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Sample:
    language: str
    label: int
    template: int
    text: str


def samples() -> list[Sample]:
    """Of all languages, in the order of their files."""
    found: list[Sample] = []
    for file in sorted(SOURCES.glob("*.txt")):
        start = found[-1].template + 1 if found else 0
        found += _filled(file, start)
    return found


def _filled(file: Path, start: int) -> Iterator[Sample]:
    chance = random.Random(f"{SEED}{file.stem}")
    slots: dict[str, list[str]] = {}
    label = -1
    for number, line in enumerate(file.read_text("utf-8").splitlines()):
        if line.startswith("$"):
            name, _, fillers = line[1:].partition(":")
            slots[name.strip()] = [filler.strip() for filler in fillers.split("|")]
        elif line.startswith("="):
            label = CLASSES.index(line[1:].strip())
        elif line and not line.startswith("#"):
            times = FILLED.get(file.stem, OTHER_LANGUAGES) if "{" in line else 1
            texts = {_SLOT.sub(lambda match: chance.choice(slots[match[1]]), line) for _ in range(times)}
            for text in sorted(texts):
                whole = text[0].upper() + text[1:]
                yield Sample(file.stem, label, start + number, whole)


def rows(found: list[Sample]) -> tuple[Array, Array]:
    """Features (n, FEATURES) and vectors (n, dimensions)."""
    held = [features(s.text, cues(s.text, s.language), asked=s.text.endswith("?")) for s in found]
    return np.array(held, np.float32), StaticEmbedder().embed([s.text for s in found], "document")


def weigh(found: list[Sample]) -> Array:
    """Templates count alike however often they are filled, classes by the root of their size."""
    templates = np.bincount([s.template for s in found])
    each = np.array([1 / templates[s.template] for s in found], np.float32)
    labels = np.array([s.label for s in found])
    totals = np.bincount(labels, each, len(CLASSES))
    return np.asarray(each / np.sqrt(totals[labels]), np.float32)


def fit(table: Array, labels: NDArray[np.int64], weights: Array) -> Array:
    """Softmax regression, (classes, columns)."""
    weights = weights / weights.sum()
    target = np.eye(len(CLASSES), dtype=np.float32)[labels]
    found = np.zeros((len(CLASSES), table.shape[1]), np.float32)
    moved = found.copy()
    rate = 1.0 / (0.5 * float(np.einsum("n,nd,nd->", weights, table, table)) + PENALTY)
    for step in range(STEPS):
        ahead = moved
        scores = table @ ahead.T
        scores -= scores.max(axis=1, keepdims=True)
        powers = np.exp(scores)
        wrong = (powers / powers.sum(axis=1, keepdims=True) - target) * weights[:, None]
        after = ahead - rate * 4 * (wrong.T @ table + PENALTY * ahead)
        moved = after + step / (step + 3) * (after - found)
        found = after
    return found


def judged(weights: Array, table: Array, temperature: float = 1.0) -> Array:
    scores = table @ weights.T / temperature
    scores -= scores.max(axis=1, keepdims=True)
    powers = np.exp(scores)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def table_of(held: Array, vectors: Array, *, blind: bool = False) -> Array:
    return np.concatenate([held, np.zeros_like(vectors) if blind else vectors * VECTOR_SHARE], axis=1)


def train(found: list[Sample], held: Array, vectors: Array) -> Array:
    labels = np.array([s.label for s in found])
    weights = weigh(found)
    both = np.concatenate([table_of(held, vectors), table_of(held, vectors, blind=True)])
    return fit(both, np.concatenate([labels, labels]), np.concatenate([weights, weights / 2]))


def cross_validate(found: list[Sample], held: Array, vectors: Array) -> tuple[Array, float]:
    """Held-out probabilities (n, classes), and the temperature that was applied to them."""
    order = np.random.default_rng(SEED).permutation(max(s.template for s in found) + 1)
    fold = np.array([order[s.template] % FOLDS for s in found])
    scores = np.zeros((len(found), len(CLASSES)), np.float32)
    for one in range(FOLDS):
        inside = fold != one
        weights = train([s for s, keep in zip(found, inside, strict=True) if keep], held[inside], vectors[inside])
        scores[~inside] = table_of(held[~inside], vectors[~inside]) @ weights.T
    labels = np.array([s.label for s in found])
    weights = weigh(found)

    def loss(temperature: float) -> float:
        told = _softmax(scores / temperature)[np.arange(len(labels)), labels]
        return float(-(weights * np.log(told + 1e-9)).sum())

    temperature = min((0.4 + 0.05 * step for step in range(40)), key=loss)
    return _softmax(scores / temperature), temperature


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def report(found: list[Sample], told: Array) -> None:
    """Precision and recall by class and language, and how often a probability holds."""
    labels = np.array([s.label for s in found])
    guesses = told.argmax(axis=1)
    weights = np.array(weigh(found))
    for at, name in enumerate(CLASSES):
        right = weights[(guesses == at) & (labels == at)].sum()
        precision = right / max(1e-9, weights[guesses == at].sum())
        recall = right / max(1e-9, weights[labels == at].sum())
        print(f"{name:12} precision {precision:.2f} recall {recall:.2f} sentences {(labels == at).sum()}")
    for language in sorted({s.language for s in found}):
        inside = np.array([s.language == language for s in found])
        print(language, f"right {(guesses == labels)[inside].mean():.3f} of {inside.sum()}")
    best = told.max(axis=1)
    for low, high in ((0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01)):
        inside = (best >= low) & (best < high)
        if inside.any():
            share = (guesses == labels)[inside].mean()
            print(f"said {best[inside].mean():.2f}, right {share:.2f} of {inside.sum()}")


def save(weights: Array) -> None:
    """One byte a weight, with a scale for each class."""
    scales = np.abs(weights).max(axis=1) / 127
    whole = np.round(weights / scales[:, None]).astype(np.int8)
    embedder = StaticEmbedder()
    data: dict[str, Any] = {
        "weights": whole,
        "scales": scales.astype(np.float32),
        "dimensions": np.int64(embedder.dimensions),
        "fingerprint": np.array(embedder.fingerprint),
    }
    with FILE.open("wb") as file:
        np.savez_compressed(file, **data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="print and write nothing")
    parser.add_argument("--errors", type=int, default=0, help="how many held-out errors to print")
    options = parser.parse_args()
    found = samples()
    held, vectors = rows(found)
    told, temperature = cross_validate(found, held, vectors)
    report(found, told)
    print(f"{len(found)} sentences of {len({s.template for s in found})} templates, temperature {temperature:.2f}")
    labels = np.array([s.label for s in found])
    wrong = list(np.flatnonzero(told.argmax(axis=1) != labels))
    for at in random.Random(SEED).sample(wrong, min(options.errors, len(wrong))):
        print(
            f"  {CLASSES[labels[at]]} taken for {CLASSES[told[at].argmax()]} ({told[at].max():.2f}): {found[at].text}"
        )
    if not options.measure:
        save(train(found, held, vectors) / temperature)
        print(f"{FILE}: {FILE.stat().st_size} bytes, {len(FEATURES)} features")


if __name__ == "__main__":
    main()
