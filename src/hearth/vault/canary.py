"""Fixed texts that show whether a model still tells texts apart, and the calibration of a space by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from hearth.core.document import Curve
from hearth.core.errors import BadReply, Remedy
from hearth.core.lazy import dataclass, library
from hearth.ports import Embedder, Reader

if TYPE_CHECKING:
    import numpy as np

    from hearth.ports import Vectors
else:
    np = library("numpy")

SAME = 0.99
"""A model gives a text the same vector twice; below this cosine it is another model."""

FLOORS = {"related": 0.7, "paraphrase": 0.7, "truncation": 0.7, "spread": 0.01}
"""Margins below which a model is of no use. Measured: static table .995 .996 1.0 .98, MiniLM .998 1.0 1.0 .96; a model
that reads endings only has truncation 0, one that gives all texts nearly one vector has spread 0."""

_KEPT = {"related": 0.8, "paraphrase": 0.8, "truncation": 0.8, "spread": 0.5, "negation": 0.3, "order": 0.3}
# Share of its first margin that a model must keep.
_ROUNDING = 1e-6
_KNOWN_BY = 8


class Collapsed(BadReply):
    """The model answers, but its vectors mean nothing, or not what they meant."""


@dataclass(frozen=True, slots=True)
class CanaryReading:
    """``margins`` by kind: the share of cases in which a text is nearer to its partner than to another (``related``,
    ``paraphrase``, ``truncation``), and the mean distance 1 - cosine of unrelated texts (``spread``) and, for
    contextual models, of texts that differ by a negation or by their order. ``own`` and ``other`` are cosines of
    questions with their own and with other fragments, ``vectors`` (n, d) those of the texts to know the model by."""

    margins: Mapping[str, float]
    own: Vectors
    other: Vectors
    vectors: Vectors


def read(embedder: Embedder) -> CanaryReading:
    """Embeds all pairs. Raises ``Unavailable`` or ``BadReply``."""
    pairs = _pairs()
    kinds = ["related", "paraphrase", "truncation", *(("negation", "order") if embedder.contextual else ())]
    firsts = {kind: checked(embedder, [a for a, _ in pairs[kind]], _ROLES.get(kind, "document")) for kind in kinds}
    seconds = {kind: checked(embedder, [b for _, b in pairs[kind]], "document") for kind in kinds}
    cosines = {kind: firsts[kind] @ seconds[kind].T for kind in kinds}
    margins: dict[str, float] = {}
    for kind in ("related", "paraphrase", "truncation"):
        # A text and its beginning are nearer than two texts with one ending.
        against = firsts[kind] @ firsts[kind].T if kind == "truncation" else cosines[kind]
        margins[kind] = _nearer(np.diag(cosines[kind]), _others(against))
    margins["spread"] = float(1 - _others(seconds["related"] @ seconds["related"].T).mean())
    for kind in kinds[3:]:
        margins[kind] = float(1 - np.diag(cosines[kind]).mean())
    related = cosines["related"]
    return CanaryReading(margins, np.diag(related).copy(), _others(related), seconds["related"][:_KNOWN_BY])


_ROLES = {"related": "query"}


def recognise(embedder: Embedder, known: Vectors) -> None:
    """Raises ``Collapsed`` where the model gives the texts other vectors than at first."""
    compare(checked(embedder, list_canary_texts(), "document"), np.asarray(known), embedder.fingerprint)


def list_canary_texts() -> list[str]:
    """The texts whose vectors a model is known by."""
    return [fragment for _, fragment in _pairs()["related"][:_KNOWN_BY]]


def compare(found: Vectors, known: Vectors, fingerprint: str) -> None:
    cosine = 0.0
    if found.shape == known.shape:
        lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(known, axis=1)
        cosine = float(((found * known).sum(axis=1) / np.where(lengths > 0, lengths, 1)).min())
    if cosine < SAME:
        what = "the width of its vectors changed" if found.shape != known.shape else f"cosine {cosine:.2f} with before"
        raise Collapsed(
            f"the model {fingerprint} is not the model that made the stored vectors ({what}); restore "
            "the earlier model, or re-embed everything",
            Remedy("embed -f", lead="with: ", joint=" "),
        )


def judge(margins: Mapping[str, float], first: Mapping[str, float] | None, fingerprint: str) -> None:
    """Raises ``Collapsed`` for margins below the floors, or far below those at the first use."""
    for kind, margin in margins.items():
        floor = max(FLOORS.get(kind, 0.0), _KEPT[kind] * (first or {}).get(kind, 0.0))
        if not margin >= floor - _ROUNDING:
            raise Collapsed(
                f"the model {fingerprint} can't tell texts apart: {kind} {margin:.3f}, needs {floor:.3f}; check "
                "that it is an embedding model and how it is served, or choose another",
                Remedy("doctor", lead="", more=" shows all margins"),
            )


def checked(embedder: Embedder, texts: Sequence[str], role: str) -> Vectors:
    """The vectors, once it is certain that they are as many, as wide and as finite as the port promises."""
    vectors = np.asarray(embedder.embed(texts, "query" if role == "query" else "document"), dtype=np.float32)
    return _promise(vectors, len(texts), embedder)


def checked_rows(rows: Sequence[Vectors], embedder: Embedder) -> Vectors:
    """As ``checked``, for vectors that came one by one."""
    if len({row.shape for row in rows}) > 1:
        raise BadReply(f"{embedder.fingerprint} gave vectors of several widths; check how the model is served")
    return _promise(np.asarray(rows, dtype=np.float32), len(rows), embedder)


def _promise(vectors: Vectors, count: int, embedder: Embedder) -> Vectors:
    if vectors.shape != (count, embedder.dimensions):
        raise BadReply(
            f"{embedder.fingerprint} gave vectors of shape {vectors.shape} for {count} texts, expected "
            f"({count}, {embedder.dimensions}); check embedding.model and embedding.dimensions"
        )
    if not np.isfinite(vectors).all():
        raise BadReply(f"{embedder.fingerprint} gave vectors that hold NaN or infinity; check how the model is served")
    return vectors


def refuse_alike(vectors: Vectors, texts: Sequence[str], fingerprint: str) -> None:
    """Raises ``Collapsed`` where many different texts got one vector."""
    if len(set(texts)) >= _KNOWN_BY and float(np.abs(vectors - vectors.mean(axis=0)).max()) < 1e-4 and vectors.any():
        raise Collapsed(f"the model {fingerprint} gives different texts the same vector; check how it is served")


def _nearer(own: Vectors, others: Vectors) -> float:
    """The share of pairs (own, other) in which the own is greater: the area under the ROC curve."""
    return float((own[:, None] > others[None, :]).mean())


def _others(cosines: Vectors) -> Vectors:
    """What stands off the diagonal."""
    return cosines[~np.eye(len(cosines), dtype=bool)]


@cache
def _pairs() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for line in files("hearth.vault").joinpath("canary.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            kind, first, second = line.split("\t")
            found.setdefault(kind, []).append((first, second))
    return found


def questions() -> list[str]:
    """Questions about many things, to probe a vault with."""
    return [question for question, _ in _pairs()["related"]]


CANDIDATES = 10
"""0.5 lies where a fragment is as likely the own one as one of so many others; as for the static table."""

# Fragments are taken in runs, so that a sample costs a few reads at any size of the vault.
_RUNS = 16
_RUN = 16
_FEWEST = 20
# A space loses weight below this share of the spread that its model shows between texts about different things.
_ENOUGH = 0.1


def by_pairs(own: Vectors, other: Vectors) -> Curve:
    """From cosines of questions with their own fragments and with others."""
    curve = fit_curve(own.tolist(), other.tolist())
    return Curve(curve.slope, curve.intercept - math.log(CANDIDATES))


def by_canary(reading: CanaryReading, known: CanaryReading, curve: Curve) -> Curve:
    """The curve of a model by what the canary read of it, and of a ``known`` model that has a curve.

    0.5 lies where Platt's fit has it. The slope of that fit is too steep, since the canary's few questions are easier
    than people's: so it is the known one, stretched as the gap between own and other fragments is."""
    fitted = by_pairs(reading.own, reading.other)
    half = -fitted.intercept / fitted.slope
    slope = curve.slope * _gap(known) / _gap(reading)
    return Curve(slope, -slope * half)


def _gap(reading: CanaryReading) -> float:
    return float(reading.own.mean() - reading.other.mean())


class Say(NamedTuple):
    """How far a space counts in a vault, both in [0, 1]. ``weight`` is 1 unless the vault's fragments lie too close
    together to tell apart, as they do in a language that the model can't read. ``spread`` is how far apart they lie, as
    a share of the distance of texts about different things."""

    weight: float
    spread: float


def weigh(reader: Reader, space: str, unrelated: Vectors) -> Say | None:
    """``unrelated`` are the model's vectors of texts about different things. ``None`` for a vault too small to tell."""
    sample = _sample(reader, space)
    if len(sample) < _FEWEST:
        return None
    shares = [have / want if want > 0 else 1.0 for have, want in zip(_spread(sample), _spread(unrelated), strict=True)]
    return Say(min(1.0, *(share / _ENOUGH for share in shares)), min(1.0, max(0.0, shares[0])))


def _spread(vectors: Vectors) -> tuple[float, float]:
    """Mean distance 1 - cosine of different rows, and the standard deviation of their cosines."""
    cosines = (vectors @ vectors.T)[~np.eye(len(vectors), dtype=bool)]
    return float(1 - cosines.mean()), float(cosines.std())


def _sample(reader: Reader, space: str) -> Vectors:
    """Unit vectors (n, d) of fragments from all over the vault; rows of zeros are left out."""
    count = reader.statistics().fragments
    starts = sorted({count * part // _RUNS for part in range(_RUNS)})
    ids = sorted({fragment.id for start in starts for fragment in reader.fragments_after(start, _RUN)})
    block = reader.vectors(space, fragments=ids)
    vectors = block.vectors.astype(np.float32) * block.scales[:, None]
    lengths = np.linalg.norm(vectors, axis=1)
    kept = lengths > 0
    return np.asarray(vectors[kept] / lengths[kept, None], dtype=np.float32)


_STEPS = 50
_RIDGE = 1e-3


def fit_curve(relevant: Sequence[float], others: Sequence[float]) -> Curve:
    """The curve over known examples of both kinds, each kind weighing half.

    Platt (1999): targets (n + 1) / (n + 2) and 1 / (n + 2) keep separable examples from an endless slope. By Newton's
    method on standardised values with a small ridge.
    """
    values = [*relevant, *others]
    mean = sum(values) / len(values)
    scale = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) or 1.0
    examples = [
        *(
            ((value - mean) / scale, (len(relevant) + 1) / (len(relevant) + 2), 0.5 / len(relevant))
            for value in relevant
        ),
        *(((value - mean) / scale, 1 / (len(others) + 2), 0.5 / len(others)) for value in others),
    ]
    slope = intercept = 0.0
    for _ in range(_STEPS):
        step = _newton(examples, slope, intercept)
        slope, intercept = slope - step[0], intercept - step[1]
        if max(map(abs, step)) < 1e-9:
            break
    return Curve(slope / scale, intercept - slope * mean / scale)


def _newton(examples: Sequence[tuple[float, float, float]], slope: float, intercept: float) -> tuple[float, float]:
    """One step of both parameters for (value, target, weight)."""
    first, second = _RIDGE * slope, 0.0
    squares, products, ones = _RIDGE, 0.0, 1e-12
    for value, target, weight in examples:
        found = 0.5 * (1 + math.tanh(0.5 * (slope * value + intercept)))
        error, bend = weight * (found - target), weight * found * (1 - found)
        first, second = first + error * value, second + error
        squares, products, ones = squares + bend * value * value, products + bend * value, ones + bend
    size = squares * ones - products * products
    return (ones * first - products * second) / size, (squares * second - products * first) / size
