"""Notes with questions whose answers are known, and what an answer is worth."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hearth.core.errors import NotFound, UsageError
from hearth.core.lazy import dataclass

_CORPORA = ("corpus", "notes")


@dataclass(frozen=True, slots=True)
class Gold:
    """Lines ``start`` to ``end`` (1-based, inclusive) of a file hold an answer."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question; without gold it can't be answered from the corpus. ``at`` is ms UTC."""

    id: str
    text: str
    type: str
    gold: tuple[Gold, ...]
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    corpus: Path
    questions: tuple[BenchQuestion, ...]


_FORMAT = 'each of its lines is {"id": "1", "query": "…", "gold": [{"path": "a.md", "start": 1, "end": 3}]}'


def load(folder: Path) -> list[Case]:
    """``folder`` is a case, or holds cases: each has ``queries.jsonl`` beside a folder ``corpus`` (or ``notes``).

    Raises ``NotFound`` where there is none and ``UsageError`` naming a malformed line or an empty file.
    """
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}; hearth bench needs queries.jsonl beside corpus or notes")
    files = (
        [folder / "queries.jsonl"] if (folder / "queries.jsonl").is_file() else sorted(folder.glob("*/queries.jsonl"))
    )
    if not files:
        raise NotFound(f"no queries.jsonl in {folder} or its subfolders; put one beside a folder corpus; {_FORMAT}")
    return [_case(file) for file in files]


def _case(file: Path) -> Case:
    corpus = next((file.parent / name for name in _CORPORA if (file.parent / name).is_dir()), None)
    if corpus is None:
        raise NotFound(f"{file.parent} has no folder corpus (or notes) beside queries.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    questions = tuple(_question(line, f"{file}:{n}") for n, line in enumerate(lines, 1) if line.strip())
    if not questions:
        raise UsageError(f"{file} has no questions; {_FORMAT}")
    return Case(file.parent.resolve().name, corpus, questions)


def _question(line: str, place: str) -> BenchQuestion:
    try:
        row: dict[str, Any] = json.loads(line)
        gold = tuple(Gold(str(g["path"]), int(g["start"]), int(g["end"])) for g in row.get("gold", []))
        at = None if row.get("at") is None else int(row["at"])
        return BenchQuestion(str(row["id"]), str(row["query"]), str(row.get("type", "all")), gold, at)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{place}: not a question ({error}); {_FORMAT}") from error


_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Window:
    """A fragment that a system returned: lines ``start`` to ``end``, 1-based and inclusive."""

    path: str
    start: int
    end: int


def recall_at(windows: Sequence[Window], gold: Sequence[Gold], k: int) -> float:
    """The share of gold fragments that one of the first ``k`` windows overlaps."""
    found = sum(any(_overlaps(window, fragment) for window in windows[:k]) for fragment in gold)
    return found / len(gold)


def any_at(windows: Sequence[Window], gold: Sequence[Gold], k: int) -> float:
    return float(any(_overlaps(window, fragment) for window in windows[:k] for fragment in gold))


def ndcg_at(windows: Sequence[Window], gold: Sequence[Gold], k: int) -> float:
    """nDCG by document with binary relevance (Järvelin & Kekäläinen 2002)."""
    relevant = {fragment.path for fragment in gold}
    ranked = list(dict.fromkeys(window.path for window in windows))[:k]
    gain = sum(1 / math.log2(rank + 2) for rank, path in enumerate(ranked) if path in relevant)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(k, len(relevant))))
    return gain / ideal


def reciprocal_rank(windows: Sequence[Window], gold: Sequence[Gold]) -> float:
    """1 / the rank of the first document that holds gold."""
    relevant = {fragment.path for fragment in gold}
    ranked = list(dict.fromkeys(window.path for window in windows))
    return next((1 / rank for rank, path in enumerate(ranked, 1) if path in relevant), 0.0)


def coverage(windows: Sequence[Window], gold: Sequence[Gold], sizes: Mapping[str, int]) -> float:
    """The share of gold lines that stand in the windows; ``sizes`` caps open-ended gold at the file's lines."""
    wanted = {(g.path, n) for g in gold for n in range(g.start, min(g.end, sizes.get(g.path, g.end)) + 1)}
    lines_found = {(w.path, n) for w in windows for n in range(w.start, w.end + 1)}
    return len(wanted & lines_found) / len(wanted) if wanted else 0.0


def interval(values: Sequence[float], seed: int = 7) -> tuple[float, float]:
    """Bootstrap 95 % interval of the mean (Efron 1979)."""
    if not values:
        return (0.0, 0.0)
    rng = np.random.default_rng(seed)
    column = np.asarray(values)
    # A hundred resamples at a time: thousands of questions would fill memory.
    means = [column[rng.integers(len(column), size=(100, len(column)))].mean(axis=1) for _ in range(_RESAMPLES // 100)]
    low, high = np.quantile(np.concatenate(means), (0.025, 0.975))
    return float(low), float(high)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the ascending values lie (nearest rank)."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _overlaps(window: Window, gold: Gold) -> bool:
    return window.path == gold.path and window.start <= gold.end and window.end >= gold.start
