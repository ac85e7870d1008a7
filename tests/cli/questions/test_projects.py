"""A question that is asked in the folder of a project is answered from that project first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def projects(hearth: Run, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Two repositories, each with a release day; the one of ``bakery`` was told later."""
    found = {}
    for name, day in (("orchard", "Tuesdays"), ("bakery", "Fridays")):
        found[name] = tmp_path / name
        (found[name] / ".git").mkdir(parents=True)
        monkeypatch.chdir(found[name])
        assert hearth("remember", "--type", "decision", "--project", name, f"We release on {day}.").code == 0
    return found


@pytest.mark.parametrize(("name", "day"), [("orchard", "Tuesdays"), ("bakery", "Fridays")])
@pytest.mark.parametrize("question", ["On which day do we release?", "When is the release day of this project?"])
def test_the_project_of_the_folder_stands_first(
    hearth: Run, projects: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str, day: str, question: str
) -> None:
    monkeypatch.chdir(projects[name])
    first, second, *_ = json.loads(hearth("query", "--json", question).out)["results"]
    assert day in first["snippet"] and day not in second["snippet"]


def test_a_project_that_the_question_names_stands_above_that_of_the_folder(
    hearth: Run, projects: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(projects["bakery"])
    first, *_ = json.loads(hearth("query", "--json", "On which day does the orchard release?").out)["results"]
    assert "Tuesdays" in first["snippet"]


def test_elsewhere_both_are_found(
    hearth: Run, projects: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    found = json.loads(hearth("query", "--json", "On which day do we release?").out)["results"]
    assert {day for day in ("Tuesdays", "Fridays") for one in found if day in one["snippet"]} == {"Tuesdays", "Fridays"}
