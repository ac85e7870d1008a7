"""What the recipe ``intent`` is worth, beside hybrid search: recall@10 and coverage@2000 by type of question."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hearth.benchmark.measures import load
from hearth.benchmark.run import ALL, Plan, Report, measure
from hearth.benchmark.systems import NAME
from hearth.cli.questions.bench import TemporaryWorkbench
from machine import table

RECIPES = ("hybrid", "intent")
MEASURES = ("recall@10", "coverage@2000")
# What intent must reach, by set and type of question; of all others it may lose so much.
GOALS = {
    ("locomo", "multi-hop"): (0.59, 0.655),
    ("beam-100k", "multi_session_reasoning"): (0.62, 0.57),
}
LOSS = 0.005


def measure_walks(folder: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="hearth-graph-") as work:
        plan = Plan(RECIPES, ks=(10,), budgets=(2_000,), baselines=False)
        report = measure(folder.name, load(folder), plan, TemporaryWorkbench(Path(work)), lambda done, total: None)
    kinds = dict.fromkeys((ALL, *(row.type for row in report.rows)))
    header = [folder.name, "questions", *(f"{recipe} {name}" for name in MEASURES for recipe in RECIPES), "goal"]
    return table(header, [_row(folder.name, report, kind) for kind in kinds])


def _row(name: str, report: Report, kind: str) -> list[str]:
    found = {recipe: report.find(NAME, recipe, kind) for recipe in RECIPES}
    values = {recipe: [row.values[measure] for measure in MEASURES] for recipe, row in found.items() if row is not None}
    plain, walked = values["hybrid"], values["intent"]
    least = GOALS.get((name, kind)) or [value - LOSS for value in plain]
    good = all(value >= goal for value, goal in zip(walked, least, strict=True))
    cells = [f"{value:.3f}" for pair in zip(plain, walked, strict=True) for value in pair]
    asked = next(row.queries for row in found.values() if row is not None)
    return [kind, str(asked), *cells, f">= {_tell(least)} {'✓' if good else '✗'}"]


def _tell(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)
