"""Fits the model that tells decisions, preferences, promises and facts from what else people say.

    python tools/train_sentences.py            writes src/hearth/extract/rules/sentences/model.npz
    python tools/train_sentences.py --measure  only prints, by five-fold cross-validation over templates

Reads ``tools/sentences/<language>.txt``: templates with slots, a section for each class. Every template is filled
several times; what is not written as a sentence, once more with what people say in passing. Folds are cut between
templates, so no template is judged by a model that saw it. The vectors are the built-in embedder's. A softmax
regression with an L2 penalty; every sentence is seen a second time without its vector, so that languages that the
embedder can't read are judged by their cues and words. The scores are divided by one temperature, fitted on the
held-out folds. Needs scikit-learn, which Hearth does not.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, vstack
from sklearn.linear_model import LogisticRegression

from hearth.extract.rules.sentences.cues import cues
from hearth.extract.rules.sentences.model import BUCKETS, CLASSES, FEATURES, FILE, GRAM_SCALE, features, word_grams
from hearth.models.static import StaticEmbedder

SOURCES = Path(__file__).parent / "sentences"
FILLED = {"en": 10}
OTHER_LANGUAGES = 10
FOLDS = 5
STRENGTH = 4.0
"""Inverse of the L2 penalty."""
VECTOR_SCALE = 3.0
BEFORE = 0.7
"""Share of the second copies that get words before them; the others get some after."""
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
                whole = text[0].upper() + text[1:] if line.startswith("{") else text
                yield Sample(file.stem, label, start + number, whole)
                if line[0].islower():
                    yield Sample(file.stem, label, start + number, _in_passing(whole, slots, chance))


def _in_passing(text: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    """With a word or two before it, or after it, as people add them to anything."""
    if chance.random() < BEFORE:
        return f"{chance.choice(slots['before'])} {text}"
    return f"{text.rstrip('.')}, {chance.choice(slots['after'])}"


def rows(found: list[Sample], *, blind: bool = False) -> Any:
    """Features, words and vectors (n, all columns), sparse; ``blind`` without the vectors."""
    held = [features(s.text, cues(s.text, s.language), asked=s.text.endswith("?")) for s in found]
    vectors = StaticEmbedder().embed([s.text for s in found], "document") * VECTOR_SCALE
    grams = [word_grams(s.text) for s in found]
    starts = np.cumsum([0, *map(len, grams)])
    values = np.concatenate([np.full(len(row), GRAM_SCALE / len(row) ** 0.5) for row in grams])
    words = csr_matrix((values, np.concatenate(grams), starts), (len(found), BUCKETS), np.float32)
    return hstack([csr_matrix(np.array(held, np.float32)), words, csr_matrix(vectors * (not blind))]).tocsr()


def weigh(found: list[Sample]) -> Array:
    """Templates count alike however often they are filled, classes by the root of their size."""
    templates = Counter(s.template for s in found)
    each = np.array([1 / templates[s.template] for s in found], np.float32)
    labels = np.array([s.label for s in found])
    totals = np.bincount(labels, each, len(CLASSES))
    return np.asarray(each / np.sqrt(totals[labels] / totals.mean()), np.float32)


def train(found: list[Sample], seen: Any, blind: Any) -> Any:
    """Softmax regression; each sentence is seen a second time, at half weight, without its vector."""
    labels = np.array([s.label for s in found])
    weights = weigh(found)
    model = LogisticRegression(C=STRENGTH, max_iter=200, fit_intercept=False)
    return model.fit(vstack([seen, blind]), np.tile(labels, 2), np.concatenate([weights, weights / 2]))


def cross_validate(found: list[Sample], seen: Any, blind: Any) -> tuple[Array, float]:
    """Held-out probabilities (n, classes), and the temperature that was applied to them."""
    order = np.random.default_rng(SEED).permutation(max(s.template for s in found) + 1)
    fold = np.array([order[s.template] % FOLDS for s in found])
    scores = np.zeros((len(found), len(CLASSES)), np.float32)
    for one in range(FOLDS):
        inside = fold != one
        kept = [s for s, keep in zip(found, inside, strict=True) if keep]
        scores[~inside] = train(kept, seen[inside], blind[inside]).decision_function(seen[~inside])
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
    """``weights`` (classes, all columns), one byte each, with scales: of dense columns by class, of words by class."""
    weights = weights - weights.mean(axis=0)
    first, last = len(FEATURES), len(FEATURES) + BUCKETS
    dense = np.concatenate([weights[:, :first], weights[:, last:] * VECTOR_SCALE], axis=1)
    words = weights[:, first:last].T
    embedder = StaticEmbedder()
    data: dict[str, Any] = {
        "dimensions": np.int64(embedder.dimensions),
        "fingerprint": np.array(embedder.fingerprint),
    }
    for name, scale_name, table, axis in (("weights", "scales", dense, 1), ("words", "word_scales", words, 0)):
        scales = np.abs(table).max(axis=axis, keepdims=True) / 127
        data[name] = np.round(table / scales).astype(np.int8)
        data[scale_name] = scales.ravel().astype(np.float32)
    with FILE.open("wb") as file:
        np.savez_compressed(file, **data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="print and write nothing")
    parser.add_argument("--errors", type=int, default=0, help="how many held-out errors to print")
    options = parser.parse_args()
    found = samples()
    seen, blind = rows(found), rows(found, blind=True)
    told, temperature = cross_validate(found, seen, blind)
    report(found, told)
    print(f"{len(found)} sentences of {len({s.template for s in found})} templates, temperature {temperature:.2f}")
    labels = np.array([s.label for s in found])
    wrong = list(np.flatnonzero(told.argmax(axis=1) != labels))
    for at in random.Random(SEED).sample(wrong, min(options.errors, len(wrong))):
        print(
            f"  {CLASSES[labels[at]]} taken for {CLASSES[told[at].argmax()]} ({told[at].max():.2f}): {found[at].text}"
        )
    if not options.measure:
        save(train(found, seen, blind).coef_ / temperature)
        print(f"{FILE}: {FILE.stat().st_size} bytes, {len(FEATURES)} features")


if __name__ == "__main__":
    main()
