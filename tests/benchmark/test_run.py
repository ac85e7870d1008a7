from __future__ import annotations

import os
from pathlib import Path

import pytest

from hearth.benchmark.measures import BenchQuestion, Case, Gold
from hearth.benchmark.run import Plan, Report, measure
from hearth.benchmark.systems import FIXED_AT, prepare
from hearth.cli.questions.bench import TemporaryWorkbench
from hearth.core.errors import UsageError

DAY = 86_400_000
NOTES = {
    "garden": {
        "gate.md": "---\nauthored_at: 2024-03-01\n---\n# Gate\n\nThe garden gate sticks when the hinges are wet.\n",
        "beds.md": "---\nauthored_at: 2024-03-05\n---\n# Beds\n\nTomatoes went into the raised bed by the wall.\n",
    },
    "kitchen": {"oven.md": "# Oven\n\nThe oven thermostat reads twenty degrees too high.\n"},
}
QUESTIONS = {
    "garden": (
        BenchQuestion("g1", "why does the garden gate stick?", "why", (Gold("gate.md", 6, 6),)),
        BenchQuestion("g2", "where did the tomatoes go?", "fact", (Gold("beds.md", 6, 6),)),
        BenchQuestion("g3", "which submarine won the regatta?", "fact", ()),
    ),
    "kitchen": (BenchQuestion("k1", "is the oven thermostat right?", "fact", (Gold("oven.md", 3, 3),)),),
}


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    for name, notes in NOTES.items():
        (tmp_path / name).mkdir()
        for path, text in notes.items():
            (tmp_path / name / path).write_text(text, encoding="utf-8")
    return [Case(name, tmp_path / name, QUESTIONS[name]) for name in NOTES]


def run(cases: list[Case], work: Path, plan: Plan | None = None) -> Report:
    return measure("home", cases, plan or Plan(), TemporaryWorkbench(work), lambda done, total: None)


def test_a_report_has_a_row_for_each_system_and_type(cases: list[Case], tmp_path: Path) -> None:
    report = run(cases, tmp_path / "work", Plan(recipes=("hybrid", "keyword")))
    systems = [("hearth", "hybrid"), ("hearth", "keyword"), ("bm25", ""), ("grep", "")]
    rows = [(row.system, row.recipe, row.type, row.queries) for row in report.rows]
    assert rows == [(*system, *kind) for system in systems for kind in (("all", 3), ("fact", 2), ("why", 1))]


def test_questions_that_share_the_words_of_their_answer_are_answered(cases: list[Case], tmp_path: Path) -> None:
    row = run(cases, tmp_path / "work").find("hearth", "hybrid")
    assert row is not None
    assert row.values["recall@5"] == row.values["mrr"] == row.values["coverage@2000"] == 1.0
    assert row.ci95["mrr"] == (1.0, 1.0)
    assert row.tokens > 0


def test_questions_about_something_else_are_not_answered(cases: list[Case], tmp_path: Path) -> None:
    abstained = run(cases, tmp_path / "work").abstention
    assert (abstained.unanswerable, abstained.injected) == (0.0, 0.0)
    assert (abstained.answered, abstained.answerable_kept) == (1.0, 1.0)


def test_one_case_alone_has_no_other_to_be_asked(cases: list[Case], tmp_path: Path) -> None:
    abstained = run(cases[1:], tmp_path / "work").abstention
    assert (abstained.unanswerable, abstained.injected) == (None, None)


def test_json_has_the_documented_keys(cases: list[Case], tmp_path: Path) -> None:
    report = run(cases, tmp_path / "work").to_dict()
    assert list(report) == ["set", "cases", "fingerprint", "rows", "abstention", "confidence", "index"]
    assert list(report["rows"][0]) == [
        "system", "recipe", "type", "queries", "recall@5", "recall@10", "any@10", "ndcg@10", "mrr", "coverage@800",
        "coverage@2000", "tokens", "p50_ms", "p95_ms", "ci95",
    ]  # fmt: skip
    assert list(report["abstention"]) == ["unanswerable", "injected", "answered", "answerable_kept"]
    assert list(report["confidence"]) == ["auroc", "silence", "kept", "doubted"]
    assert list(report["index"]) == ["docs_per_s", "fragments", "bytes"]
    assert (report["set"], report["cases"]) == ("home", 2)
    assert report["index"]["bytes"] > 10_000


def test_progress_counts_up_to_the_total(cases: list[Case], tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    measure("home", cases, Plan(), TemporaryWorkbench(tmp_path / "work"), lambda *step: seen.append(step))
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))


def test_of_a_larger_set_every_nth_question_is_asked_for_more_than_its_first_windows(
    cases: list[Case], tmp_path: Path
) -> None:
    steps: list[tuple[int, int]] = []
    plan = Plan(recipes=("hybrid",), baselines=False, sample=1)
    report = measure("home", cases, plan, TemporaryWorkbench(tmp_path / "work"), lambda *step: steps.append(step))
    assert steps[-1] == (5, 5)
    row = report.find("hearth", "hybrid")
    assert row is not None
    assert (row.queries, row.values["recall@5"], row.values["coverage@800"]) == (3, 1.0, 1.0)


def test_file_times_change_no_figure(cases: list[Case], tmp_path: Path) -> None:
    before = run(cases, tmp_path / "one").to_dict()
    for case in cases:
        for path in case.corpus.iterdir():
            os.utime(path, (1, 1))
    after = run(cases, tmp_path / "two").to_dict()
    for report in (before, after):
        for row in report["rows"]:
            del row["p50_ms"], row["p95_ms"]
    assert before["rows"] == after["rows"]


def test_a_case_is_asked_the_day_after_its_latest_note(cases: list[Case], tmp_path: Path) -> None:
    bench = TemporaryWorkbench(tmp_path / "work")
    garden, kitchen = (prepare(case, bench.open) for case in cases)
    with garden.vault, kitchen.vault:
        dates = [stored.document.authored_at for stored in garden.vault.documents()]
        assert garden.at == max(date for date in dates if date) + DAY
        assert kitchen.at == FIXED_AT
        assert garden.find_time(BenchQuestion("x", "when?", "all", (), at=5)) == 5


def test_gold_in_a_file_that_is_not_there_is_named(cases: list[Case], tmp_path: Path) -> None:
    lost = Case("garden", cases[0].corpus, (BenchQuestion("g9", "where?", "fact", (Gold("shed.md", 1, 1),)),))
    with pytest.raises(UsageError, match=r"g9.*shed\.md"):
        run([lost], tmp_path / "work")
