"""Every row of every table finds its examples, and nothing in its counterexamples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hearth.text.time_expressions import time_ranges
from hearth.text.words import cues, load, read_row, read_table, tables

ROWS = [(table, row) for table in tables() for row in read_table(table).get("row", ())]


@pytest.mark.parametrize(("table", "row"), ROWS, ids=[f"{table}-{row['id']}" for table, row in ROWS])
def test_a_row_finds_its_examples_and_no_counterexample(table: str, row: dict[str, Any]) -> None:
    read = read_row(row)
    pattern = re.compile(read.expression, 0 if read.lang in ("form", "inline") else re.IGNORECASE)
    find = pattern.match if read.lang == "form" else pattern.search
    assert len(row["yes"]) >= 2
    assert len(row["no"]) >= 2
    assert [text for text in row["yes"] if not find(text)] == []
    assert [text for text in row["no"] if find(text)] == []


def test_ids_are_unique_within_a_table() -> None:
    assert [key for key, count in Counter((table, row["id"]) for table, row in ROWS).items() if count > 1] == []


def test_phrases_are_found_as_they_stand_and_parts_by_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "any" / "data" / "names.toml"
    file.parent.mkdir(parents=True)
    head = '[parts]\nPET = "cat|dog"\nPETS = "<PET>s"\n'
    rows_of = ("pattern = 'two <PETS>'", "phrases = 'C.F. Gauss|a b'")
    written = "".join(f'[[row]]\nid = "{at}"\nlang = "en"\nkind = "{at}"\n{row}\n' for at, row in enumerate(rows_of))
    file.write_text(head + written, encoding="utf-8")
    monkeypatch.setattr("hearth.text.words._ROOMS", tmp_path)
    parts, phrases = (re.compile(row.expression) for row in map(read_row, read_table("any/names")["row"]))
    assert parts.search("two  dogs") and not parts.search("two birds")
    assert phrases.search("of C.F.\nGauss") and phrases.search("a  b") and not phrases.search("CxF. Gauss")


def test_a_kind_without_rows_finds_nothing() -> None:
    assert cues(tables()[0], "no such kind").search("whatever is said") is None


@pytest.mark.parametrize("table", tables())
def test_a_process_needs_no_examples(table: str) -> None:
    assert "'yes'" not in repr(load(table))


def test_a_table_is_parsed_once_and_again_when_its_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "any" / "data" / "names.toml"
    file.parent.mkdir(parents=True)
    script = (
        "import sys; from pathlib import Path; from hearth.core import patterns; from hearth.text import words\n"
        f"words._ROOMS = Path({str(tmp_path)!r})\n"
        f"words.CACHE = patterns.PatternCache({str(tmp_path / 'kept.bin')!r}, worth=0)\n"
        "print(words.rows('any/names')[0].pattern, 'tomllib' in sys.modules)\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def run(pattern: str) -> str:
        file.write_text(f'[[row]]\nid = "a"\nlang = "en"\nkind = "b"\npattern = "{pattern}"\n', encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert [run("one"), run("three"), run("three")] == ["one True", "three True", "three True"]
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "three False"


TIMES = read_table("text/times")["language"]
WEDNESDAY = 1_778_673_600_000  # noon of 13 May 2026


@pytest.mark.parametrize(
    ("text", "expected"),
    [(text, expected) for language in TIMES.values() for text, expected in language["yes"].items()],
)
def test_a_text_names_the_time_that_its_language_says(text: str, expected: str) -> None:
    [found] = time_ranges(text, WEDNESDAY, "UTC")
    first, last = (datetime.fromtimestamp(at / 1000, UTC).date() for at in (found.start, found.end - 1))
    assert (f"{first}" if first == last else f"{first}/{last}") == expected


@pytest.mark.parametrize("text", [text for language in TIMES.values() for text in language["no"]])
def test_a_text_that_names_no_time_gives_none(text: str) -> None:
    assert time_ranges(text, WEDNESDAY, "UTC") == ()


def test_a_tool_that_is_taken_up_has_what_it_is_for_in_each_language() -> None:
    kinds = [(row["lang"], row["kind"]) for row in read_table("signals")["row"] if row["kind"] in ("use", "aim")]
    languages = {lang for lang, _ in kinds}
    assert sorted(kinds) == sorted((lang, kind) for lang in languages for kind in ("use", "aim"))
