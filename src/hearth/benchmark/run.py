"""A run: every question of a set to every system, every answer against its gold."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from hearth.benchmark.confidence import Abstention, Confidence, abstention, measure_confidence
from hearth.benchmark.measures import BenchQuestion, Case, any_at, coverage, ndcg_at, recall_at, reciprocal_rank
from hearth.benchmark.report import QuestionResult, Report, ReportRow, Size, sum_up
from hearth.benchmark.systems import NAME, Answer, BenchSystem, Hearth, Subject, Workbench, baselines, prepare
from hearth.core.lazy import dataclass

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
