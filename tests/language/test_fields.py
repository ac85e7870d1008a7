"""What fields of notes state of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.triples import field_triples, row_triples


@pytest.mark.parametrize(
    ("row", "objects"),
    [
        ("owner:: Ines", ["Ines"]),
        ("- uses:: [[tools/polars]], DuckDB", ["polars", "DuckDB"]),
        ('Runs_on: "Hetzner, Falkenstein"', ["Hetzner, Falkenstein"]),
        ("uses: [polars, 'DuckDB']", ["polars", "DuckDB"]),
        ("depends_on:: [[a, b]], c", ["a, b", "c"]),
        ("owner:: O'Neil, D'Arcy", ["O'Neil", "D'Arcy"]),
        ("owner::", []),
        ("likes:: Ines", []),
        ("owner: null", []),
        ("owner: {{owner}}", []),
    ],
)
def test_a_line_names_one_or_several(row: str, objects: list[str]) -> None:
    assert [triple.object for triple in row_triples(row, "Larder")] == objects


def test_a_whole_value_is_one_whatever_it_holds() -> None:
    [found] = field_triples("runs_on", "Hetzner, Falkenstein", "Larder")
    assert found == ("Larder", "runs_on", "Hetzner, Falkenstein", "runs_on: Hetzner, Falkenstein", "")


def test_a_note_of_a_long_title_is_the_subject_of_nothing() -> None:
    assert list(field_triples("owner", "Ines", "word " * 13)) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_line_is_read(key: str, value: str) -> None:
    for triple in row_triples(f"{key}:: {value}", "Larder"):
        assert triple.object.strip()
