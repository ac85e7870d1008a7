from __future__ import annotations

import json
from pathlib import Path

import pytest

from hearth.benchmark.measures import Gold, load
from hearth.core.errors import NotFound, UsageError


def make_case(folder: Path, *rows: dict[str, object], corpus: str = "corpus") -> Path:
    (folder / corpus).mkdir(parents=True)
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return folder


QUESTION = {"id": "q1", "query": "why?", "type": "why", "gold": [{"path": "a.md", "start": 2, "end": 3}]}


def test_a_folder_with_questions_is_one_case(tmp_path: Path) -> None:
    [case] = load(make_case(tmp_path / "notebook", QUESTION, corpus="notes"))
    assert (case.name, case.corpus.name) == ("notebook", "notes")
    assert case.questions[0].gold == (Gold("a.md", 2, 3),)
    assert case.questions[0].at is None


def test_a_folder_of_cases_is_read_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b", "c", "a"):
        make_case(tmp_path / name, QUESTION)
    assert [case.name for case in load(tmp_path)] == ["a", "b", "c"]


def test_gold_and_type_may_be_left_out_and_at_is_taken_as_ms(tmp_path: Path) -> None:
    [case] = load(make_case(tmp_path / "x", {"id": 7, "query": "when?", "at": 1_700_000_000_000}))
    [asked] = case.questions
    assert (asked.id, asked.type, asked.gold, asked.at) == ("7", "all", (), 1_700_000_000_000)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_folder_without_questions_is_not_found_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound, match=r"folder|queries\.jsonl"):
        load(tmp_path / name)


def test_questions_without_notes_are_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="corpus"):
        load(make_case(tmp_path / "x", QUESTION, corpus="elsewhere"))


@pytest.mark.parametrize(
    "line",
    ["{", '"text"', "[]", '{"id": 1}', '{"id": 1, "query": "a", "gold": [{"path": "a.md"}]}',
     '{"id": 1, "query": "a", "at": "yesterday"}', '{"id": 1, "query": "a", "gold": 5}'],
)  # fmt: skip
def test_a_malformed_line_is_named(tmp_path: Path, line: str) -> None:
    folder = make_case(tmp_path / "x", QUESTION)
    with (folder / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(UsageError, match=r"queries.jsonl:2"):
        load(folder)


def test_an_empty_list_of_questions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no question"):
        load(make_case(tmp_path / "x"))
