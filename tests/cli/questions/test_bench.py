from __future__ import annotations

import json
from pathlib import Path

import pytest

from hearth.cli import main

NOTE = "# Gate\n\nThe garden gate sticks when the hinges are wet.\n"
QUESTION = {
    "id": "q1",
    "query": "why does the garden gate stick?",
    "type": "why",
    "gold": [{"path": "gate.md", "start": 3, "end": 3}],
}


@pytest.fixture
def case(tmp_path: Path) -> Path:
    folder = tmp_path / "garden"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "gate.md").write_text(NOTE, encoding="utf-8")
    (folder / "queries.jsonl").write_text(json.dumps(QUESTION) + "\n", encoding="utf-8")
    return folder


def test_bench_prints_a_table_that_programs_can_split(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", str(case)]) == 0
    header, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines() if "\t" in line)
    assert header[:4] == ["system", "recipe", "type", "queries"]
    assert [row[0] for row in rows] == ["hearth", "bm25", "grep"]
    assert all(len(row) == len(header) for row in rows)


def test_bench_says_how_large_the_index_was_and_what_the_cut_costs(
    case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", str(case), "--no-baselines"]) == 0
    out = capsys.readouterr().out
    assert "garden: 1 case" in out
    assert "is brought unasked, too" in out
    assert "bm25" not in out


def test_bench_measures_what_is_asked_for(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", str(case), "--json", "--recipe", "keyword", "--recipe", "semantic", "--k", "1,3",
                 "--budget", "500", "--no-baselines"]  # fmt: skip
    assert main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["recipe"] for row in report["rows"]] == ["keyword", "semantic"]
    assert {"recall@1", "recall@3", "any@3", "coverage@500"} <= report["rows"][0].keys()
    assert report["rows"][0]["recall@1"] == 1.0


def test_a_missing_folder_is_not_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", str(tmp_path / "nowhere")]) == 3
    assert "nowhere" in capsys.readouterr().err


def test_a_folder_whose_name_no_system_can_hold_is_not_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "\ud800"]) == 3
    assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--k", "five"], ["--k", "0"], ["--k", "5,1000"], ["--recipe", "magic"]])
def test_values_out_of_range_are_usage_errors(case: Path, arguments: list[str]) -> None:
    assert main(["bench", str(case), *arguments]) == 2
