"""Retrieval quality over a folder of evaluation sets: prints the table of the README and stores the figures.

    python bench/retrieval.py DATA

DATA holds a folder per set (``hearth bench`` says how one looks). The sets' licences differ and some forbid passing
them on, so none comes with the project; a set that is not there is skipped with a notice. Figures go to
``bench/results/<date>.json`` with machine, commit and hashes of the data.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hearth.benchmark.measures import load
from hearth.benchmark.run import Plan, Report, measure
from hearth.cli.questions.bench import TemporaryWorkbench
from machine import ROOT, commit, describe, digest, table

SETS = ("locomo", "beam-100k", "notes", "scifact", "xquad", "cranfield", "chunking")
# Hearth may fall this little below BM25 on a set and still count as not below it.
TOLERANCE = 0.005
PLAN = Plan(recipes=("hybrid", "keyword"), ks=(1, 5, 10), sample=1_000)


@dataclass(frozen=True)
class Goal:
    """A measure of a set and what the default configuration must reach. One gold passage a question makes recall@1
    the share of questions whose first window holds the answer."""

    set: str
    measure: str
    least: float


GOALS = (
    Goal("locomo", "coverage@2000", 0.89),
    Goal("locomo", "coverage@800", 0.80),
    Goal("beam-100k", "coverage@2000", 0.50),
    Goal("beam-100k", "recall@10", 0.55),
    Goal("notes", "recall@5", 0.88),
    Goal("notes", "mrr", 0.78),
    Goal("scifact", "ndcg@10", 0.71),
    Goal("xquad", "recall@1", 0.92),
)
# Sets without a goal of their own show this measure.
SHOWN = {"cranfield": ("ndcg@10",), "chunking": ("recall@10", "coverage@2000")}
# Questions put to another case's notes that return something, at most.
INJECTED = {"locomo": 0.10, "beam-100k": 0.20}
KEPT = 0.95


def main() -> None:
    options = _options()
    found = [name for name in options.sets.split(",") if (options.data / name).is_dir()]
    for name in sorted(set(options.sets.split(",")) - set(found)):
        print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
    if not found:
        raise SystemExit(f"{options.data} holds none of {options.sets}")
    reports: dict[str, Report] = {}
    for name in found:
        started = time.perf_counter()
        reports[name] = _measured(options.data / name)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    print(quality(reports))
    print()
    print(abstention(reports))
    print()
    print(confidence(reports))
    path = options.results / f"{datetime.now(UTC):%Y-%m-%d}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    figures = {
        "machine": describe(),
        "commit": commit(),
        "data": {name: digest(options.data / name) for name in found},
        "sets": [report.to_dict() for report in reports.values()],
    }
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"\nFigures: {path}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of sets")
    parser.add_argument("--sets", default=",".join(SETS), help="(default: %(default)s)")
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results", help="(default: %(default)s)")
    return parser.parse_args()


def _measured(folder: Path) -> Report:
    with tempfile.TemporaryDirectory(prefix="hearth-retrieval-") as work:
        bench = TemporaryWorkbench(Path(work))
        return measure(folder.name, load(folder), PLAN, bench, lambda done, total: None)


def quality(reports: dict[str, Report]) -> str:
    """Hearth beside the baselines; ``goal`` says what it must reach and whether it does."""
    rows = []
    for name, report in reports.items():
        goals = {goal.measure: goal.least for goal in GOALS if goal.set == name}
        shown = goals or SHOWN.get(name, ("recall@10",))
        rows += [_line(report, measure, goals.get(measure)) for measure in shown]
    header = ["set", "questions", "measure", "hybrid", "95 %", "keyword", "bm25", "grep", "goal"]
    return table(header, rows)


def _line(report: Report, measure: str, least: float | None) -> list[str]:
    rows = [report.find("hearth", "hybrid"), report.find("hearth", "keyword"), report.find("bm25"), report.find("grep")]
    hybrid, keyword, bm25, grep = (row.values[measure] if row else 0.0 for row in rows)
    best = rows[0]
    low, high = best.ci95[measure] if best else (0.0, 0.0)
    bar = max(least or 0.0, bm25 - TOLERANCE)
    goal = (f">= {least:.2f}" if least else ">= bm25") + (" ✓" if hybrid >= bar else " ✗")
    return [
        report.set, str(best.queries if best else 0), measure, f"{hybrid:.3f}", f"{low:.3f}–{high:.3f}",
        f"{keyword:.3f}", f"{bm25:.3f}", f"{grep:.3f}", goal,
    ]  # fmt: skip


def abstention(reports: dict[str, Report]) -> str:
    """Injections that can't help, latency and index size."""
    rows = []
    for name, report in reports.items():
        abstained, hybrid = report.abstention, report.find("hearth", "hybrid")
        rows.append([
            name, _percent(abstained.injected, INJECTED.get(name), at_most=True),
            _percent(abstained.answered, KEPT, at_most=False), _percent(abstained.answerable_kept, None, at_most=False),
            _percent(abstained.unanswerable, None, at_most=True),
            f"{hybrid.p50_ms:.1f} / {hybrid.p95_ms:.1f}" if hybrid else "",
            f"{report.index.docs_per_s:,.0f}", f"{report.index.fragments:,}", f"{report.index.bytes / 2**20:.1f}",
        ])  # fmt: skip
    header = ["set", "injected from another case", "answered", "coverage kept", "unanswerable answered", "p50 / p95 ms",
              "docs/s", "fragments", "MB"]  # fmt: skip
    return table(header, rows)


def confidence(reports: dict[str, Report]) -> str:
    """How well the answer to whoever asks tells that there is none; a set without such questions is left out."""
    rows = []
    for name, report in reports.items():
        if (told := report.confidence) is not None:
            shares = (told.silence, told.kept, told.doubted)
            rows.append([name, f"{told.auroc:.3f}", *(f"{share:.1%}" for share in shares)])
    header = ["set", "told apart (AUROC)", "silent at 95 % kept", "answerable confident", "unanswerable doubted"]
    return table(header, rows)


def _percent(value: float | None, bar: float | None, *, at_most: bool) -> str:
    if value is None:
        return "–"
    if bar is None:
        return f"{value:.1%}"
    good = value <= bar if at_most else value >= bar
    return f"{value:.1%} ({'<=' if at_most else '>='} {bar:.0%} {'✓' if good else '✗'})"


if __name__ == "__main__":
    main()
