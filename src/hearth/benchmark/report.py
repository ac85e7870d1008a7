"""The report: what was measured, summed up by system, recipe and type of question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hearth.benchmark.confidence import Abstention, Confidence
from hearth.benchmark.measures import interval, quantile
from hearth.core.lazy import dataclass

ALL = "all"


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question answered by one system; ``values`` lie in [0, 1]."""

    type: str
    values: Mapping[str, float]
    tokens: int
    ms: float


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A system by type of question; ``values`` are means, ``ci95`` their bootstrap intervals."""

    system: str
    recipe: str
    type: str
    queries: int
    values: Mapping[str, float]
    tokens: float
    p50_ms: float
    p95_ms: float
    ci95: Mapping[str, tuple[float, float]]

    def to_dict(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "recipe": self.recipe,
            "type": self.type,
            "queries": self.queries,
            **{name: round(value, 4) for name, value in self.values.items()},
            "tokens": round(self.tokens),
            "p50_ms": round(self.p50_ms, 2),
            "p95_ms": round(self.p95_ms, 2),
            "ci95": {name: [round(low, 4), round(high, 4)] for name, (low, high) in self.ci95.items()},
        }


@dataclass(frozen=True, slots=True)
class Size:
    """``docs_per_s`` counts analysis, writing and vectors; ``bytes`` is the index on disk."""

    docs_per_s: float
    fragments: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Report:
    set: str
    cases: int
    fingerprint: str
    rows: tuple[ReportRow, ...]
    abstention: Abstention
    confidence: Confidence | None
    index: Size

    def to_dict(self) -> dict[str, Any]:
        return {
            "set": self.set,
            "cases": self.cases,
            "fingerprint": self.fingerprint,
            "rows": [row.to_dict() for row in self.rows],
            "abstention": {
                name: None if value is None else round(value, 4) for name, value in asdict(self.abstention).items()
            },
            "confidence": None
            if self.confidence is None
            else {name: round(value, 4) for name, value in asdict(self.confidence).items()},
            "index": {**asdict(self.index), "docs_per_s": round(self.index.docs_per_s, 1)},
        }

    def find(self, system: str, recipe: str = "", kind: str = ALL) -> ReportRow | None:
        wanted = (system, recipe, kind)
        return next((row for row in self.rows if (row.system, row.recipe, row.type) == wanted), None)


def sum_up(system: str, recipe: str, outcomes: Sequence[QuestionResult]) -> list[ReportRow]:
    """A row over all questions, then one by type where there are several."""
    kinds = sorted({outcome.type for outcome in outcomes} - {ALL})
    rows = [_row(system, recipe, ALL, outcomes)] if outcomes else []
    if len(kinds) > 1:
        rows += [_row(system, recipe, kind, [o for o in outcomes if o.type == kind]) for kind in kinds]
    return rows


def _row(system: str, recipe: str, kind: str, outcomes: Sequence[QuestionResult]) -> ReportRow:
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.values)
    columns = {name: [o.values[name] for o in outcomes if name in o.values] for name in names}
    times = sorted(outcome.ms for outcome in outcomes)
    return ReportRow(
        system=system,
        recipe=recipe,
        type=kind,
        queries=len(outcomes),
        values={name: sum(column) / len(column) for name, column in columns.items()},
        tokens=sum(outcome.tokens for outcome in outcomes) / len(outcomes),
        p50_ms=quantile(times, 0.5),
        p95_ms=quantile(times, 0.95),
        ci95={name: interval(column) for name, column in columns.items()},
    )
