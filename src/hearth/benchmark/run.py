"""A run: every question of a set to every system, every answer against its gold. Its report: what was measured,
summed up by system, recipe and type of question."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from hearth.benchmark.confidence import Abstention, Confidence, abstention, measure_confidence
from hearth.benchmark.measures import (
    BenchQuestion,
    Case,
    any_at,
    coverage,
    interval,
    ndcg_at,
    quantile,
    recall_at,
    reciprocal_rank,
)
from hearth.benchmark.systems import NAME, Answer, BenchSystem, Hearth, Subject, Workbench, baselines, prepare
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


# What users get.
WINDOWS = 10
# Recipes that answer though nobody asked, and are silent rather than unsure.
UNASKED = ("surface",)
WALKING = frozenset({"intent"})
"""Recipes that follow relations, which are derived before."""
SAMPLE = 200
"""Of a larger set every n-th question is asked for packed answers, unasked and elsewhere, too, so that each is asked
three times at most in the mean."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: recipes by name, numbers of windows, budgets in tokens; ``budgets[0]`` is a hook's. About
    ``sample`` of the questions are asked for more than their first windows."""

    recipes: tuple[str, ...] = ("hybrid",)
    ks: tuple[int, ...] = (5, 10)
    budgets: tuple[int, ...] = (800, 2000)
    baselines: bool = True
    sample: int = SAMPLE


def measure(name: str, cases: Sequence[Case], plan: Plan, workbench: Workbench, progress: Progress) -> Report:
    """Raises ``UsageError`` for an unknown recipe or gold that names no document."""
    with ExitStack() as open_vaults:
        subjects: list[Subject] = []
        for case in cases:
            subject = prepare(case, workbench.open)
            if not WALKING.isdisjoint(plan.recipes):
                subject.vault.graph.build()
            subject.vault.graph.names().run()
            open_vaults.callback(subject.vault.close)
            subjects.append(subject)
        run = _Run(subjects, plan, progress)
        rows = [row for each in _line_up(subjects, plan, workbench) for row in run.rows(each)]
        abstained = run.abstention()
        confidence = run.confidence()
        embedder = [space.name for space in subjects[0].vault.status().spaces if space.serves][-1]
    return Report(
        set=name,
        cases=len(cases),
        fingerprint=f"{workbench.fingerprint} {embedder}",
        rows=tuple(rows),
        abstention=abstained,
        confidence=confidence,
        index=Size(
            docs_per_s=sum(s.documents for s in subjects) / sum(s.seconds for s in subjects),
            fragments=sum(s.fragments for s in subjects),
            bytes=workbench.size(),
        ),
    )


def _line_up(subjects: Sequence[Subject], plan: Plan, workbench: Workbench) -> list[list[BenchSystem]]:
    """For each system its instances, one a subject."""
    systems: list[list[BenchSystem]] = [[Hearth(subject, recipe) for subject in subjects] for recipe in plan.recipes]
    if plan.baselines:
        systems += [list(each) for each in zip(*(baselines(s, workbench) for s in subjects), strict=True)]
    return systems


class _Run:
    """One set under way."""

    def __init__(self, subjects: Sequence[Subject], plan: Plan, progress: Progress) -> None:
        self._subjects = subjects
        self._plan = plan
        self._progress = progress
        answerable = [asked for subject in subjects for asked in subject.case.questions if asked.gold]
        stride = -(-len(answerable) // plan.sample) or 1
        self._packed = set(map(id, answerable[::stride]))
        systems = len(plan.recipes) + (2 if plan.baselines else 0)
        self._total = systems * len(answerable) + len(self._packed)
        self._recipe = next((recipe for recipe in plan.recipes if recipe not in UNASKED), None)
        self._answers: list[Answer] = []
        self._covered: dict[int, float] = {}
        if self._recipe is not None and len(subjects) > 1:
            self._total += len(self._packed)
        self._done = 0

    def rows(self, systems: Sequence[BenchSystem]) -> list[ReportRow]:
        outcomes: list[QuestionResult] = []
        for subject, system in zip(self._subjects, systems, strict=True):
            answerable = [asked for asked in subject.case.questions if asked.gold]
            if answerable:
                system.top(answerable[0], WINDOWS)
            for asked in answerable:
                outcomes.append(self._outcome(subject, system, asked))
                self._step()
        return sum_up(systems[0].name, systems[0].recipe, outcomes)

    def abstention(self) -> Abstention:
        return abstention(
            self._subjects, self._covered, self._is_packed, min(self._plan.budgets, default=0), self._step
        )

    def confidence(self) -> Confidence | None:
        if self._recipe is None:
            return None
        return measure_confidence(self._subjects, self._recipe, self._answers, self._is_packed, self._step)

    def _is_packed(self, asked: BenchQuestion) -> bool:
        return id(asked) in self._packed

    def _step(self) -> None:
        self._done += 1
        self._progress(self._done, self._total)

    def _outcome(self, subject: Subject, system: BenchSystem, asked: BenchQuestion) -> QuestionResult:
        gold, ks = asked.gold, self._plan.ks
        started = time.perf_counter()
        answer = system.top(asked, max(WINDOWS, *ks))
        ms = (time.perf_counter() - started) * 1000
        first = (system.name, system.recipe) == (NAME, self._recipe)
        if first:
            self._answers.append(answer)
        windows = answer.windows
        values = {f"recall@{k}": recall_at(windows, gold, k) for k in ks}
        values[f"any@{max(ks)}"] = any_at(windows, gold, max(ks))
        values["ndcg@10"] = ndcg_at(windows, gold, 10)
        values["mrr"] = reciprocal_rank(windows, gold)
        if self._is_packed(asked):
            for budget in self._plan.budgets:
                packed = system.packed(asked, budget).windows
                values[f"coverage@{budget}"] = coverage(packed, gold, subject.sizes)
            if first and self._plan.budgets:
                self._covered[id(asked)] = values[f"coverage@{min(self._plan.budgets)}"]
        return QuestionResult(asked.type, values, answer.tokens, ms)
