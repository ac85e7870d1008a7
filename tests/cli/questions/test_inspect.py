from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hearth.cli import main

NOTES = {
    "gate.md": "# Gate\n\nThe garden gate sticks when the hinges are wet.\n",
    "oven.md": "# Oven\n\nThe oven thermostat reads twenty degrees too high.\n",
    "copy.md": "# Gate again\n\nThe garden gate sticks when the hinges are wet.\n",
}


@pytest.fixture
def notes(tmp_path: Path, environ: dict[str, str], capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for path, text in NOTES.items():
        (folder / path).write_text(text, encoding="utf-8")
    assert main(["bootstrap", str(folder), "--name", "notes"]) == 0
    capsys.readouterr()
    return folder


def inspect(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["inspect", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_document_shows_its_passages_as_the_index_has_them(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspect(capsys, "oven.md")
    assert found["path"] == "notes/oven.md"
    [fragment] = found["passages"]
    assert "thermostat" in fragment["text"]
    assert (fragment["start_line"], fragment["end_line"]) == (1, 3)
    assert len(fragment["spaces"]) == 1


def test_a_document_that_answers_is_followed_to_its_place(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspect(capsys, "is the oven thermostat right?", "--expect", "oven.md")
    assert found["lost"] is None
    assert found["steps"][-1] == {**found["steps"][-1], "name": "results", "place": 1}
    assert {lane["name"]: lane["place"] for lane in found["lanes"]}["keyword"] == 1


def test_the_step_that_loses_a_document_is_named(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspect(capsys, "why does the garden gate stick?", "--expect", "oven.md")
    places = [step["place"] for step in found["steps"]]
    at = places.index(None)
    assert found["lost"] == found["steps"][at]["name"]
    assert found["why"]
    assert all(place is None for place in places[at:])
    assert main(["inspect", "why does the garden gate stick?", "--expect", "oven.md"]) == 0
    assert f"notes/oven.md is lost at {found['lost'].replace('_', ' ')}: " in capsys.readouterr().out


def test_one_result_leaves_the_second_best_beyond_the_limit(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspect(capsys, "oven garden gate", "--expect", "oven.md", "-n", "1")
    assert found["lost"] is not None


def test_a_question_without_a_word_has_no_steps(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "?!", "--expect", "oven.md"]) == 0
    assert "nothing to search for" in capsys.readouterr().out


def test_a_document_that_there_is_not_is_not_found(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "anything", "--expect", "nowhere.md"]) == 3
    assert "nowhere.md" in capsys.readouterr().err
