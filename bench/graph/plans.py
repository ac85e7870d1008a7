"""What the recipe ``plan`` is worth, beside hybrid search.

reached@n is the share of gold passages of which a line stands within the first n tokens of an answer.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from hearth.benchmark.measures import BenchQuestion, load
from hearth.benchmark.systems import Subject, prepare
from hearth.cli.questions.bench import TemporaryWorkbench
from hearth.core.query import Recall
from machine import table

BUDGETS = (800, 2000)
# What a plan must reach, by the kind of question in BEAM.
GOALS = {"event_ordering": (0.40, 0.58), "multi_session_reasoning": (0.68, 0.76), "summarization": (0.15, 0.24)}
RECIPES = ("hybrid", "plan")


def measure_plans(folder: Path) -> str:
    """reached@n of plans beside hybrid search, and which kinds of plan were made."""
    values: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory(prefix="hearth-graph-") as work:
        bench = TemporaryWorkbench(Path(work))
        for case in load(folder):
            subject = prepare(case, bench.open)
            for asked in case.questions:
                if asked.gold and asked.type in GOALS:
                    for recipe, budget, recall in _ask(subject, asked):
                        values[asked.type, recipe, budget].append(reached(recall, asked))
                        if recall.plan is not None and budget == BUDGETS[0]:
                            kinds[asked.type][recall.plan.kind] += 1
            subject.vault.close()
    rows = [_row(kind, values, kinds[kind]) for kind in GOALS if kinds[kind]]
    return table(["BEAM", "questions", *(f"{r} @{b}" for r in RECIPES for b in BUDGETS), "goal", "plans"], rows)


def _ask(subject: Subject, asked: BenchQuestion) -> Iterator[tuple[str, int, Recall]]:
    for recipe in RECIPES:
        for budget in BUDGETS:
            at = subject.find_time(asked)
            yield recipe, budget, subject.vault.recall(asked.text, recipe=recipe, budget_tokens=budget, at=at)


def reached(recall: Recall, asked: BenchQuestion) -> float:
    outline = recall.plan is not None and recall.plan.kind == "outline"
    # Of an outline only the line itself is shown.
    spans = [(hit.path, hit.start_line, hit.start_line if outline else hit.end_line) for hit in recall.hits]
    found = sum(any(p == gold.path and a <= gold.end and b >= gold.start for p, a, b in spans) for gold in asked.gold)
    return found / len(asked.gold)


def _row(kind: str, values: dict[tuple[str, str, int], list[float]], kinds: Counter[str]) -> list[str]:
    means = [_mean(values[kind, recipe, budget]) for recipe in RECIPES for budget in BUDGETS]
    good = all(value >= goal for value, goal in zip(means[len(BUDGETS) :], GOALS[kind], strict=True))
    goal = " / ".join(f"{value:.2f}" for value in GOALS[kind])
    made = ", ".join(f"{count} {name}" for name, count in kinds.most_common())
    return [
        kind, str(sum(kinds.values())), *(f"{value:.3f}" for value in means), f">= {goal} {'✓' if good else '✗'}", made,
    ]  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
