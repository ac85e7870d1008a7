"""Every row of every table finds its examples, and nothing in its counterexamples."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from hearth.language.words import Row, cues, rows, tables

ROWS = [(table, row) for table in tables() for row in rows(table)]


@pytest.mark.parametrize(("table", "row"), ROWS, ids=[f"{table}-{row.id}" for table, row in ROWS])
def test_a_row_finds_its_examples_and_no_counterexample(table: str, row: Row) -> None:
    pattern = re.compile(row.expression, 0 if row.lang == "form" else re.IGNORECASE)
    find = pattern.match if row.lang == "form" else pattern.search
    assert len(row.yes) >= 2
    assert len(row.no) >= 2
    assert [text for text in row.yes if not find(text)] == []
    assert [text for text in row.no if find(text)] == []


def test_ids_are_unique_within_a_table() -> None:
    assert [key for key, count in Counter((table, row.id) for table, row in ROWS).items() if count > 1] == []


def test_a_kind_without_rows_finds_nothing() -> None:
    assert cues(tables()[0], "no such kind").search("whatever is said") is None
