"""Names of one entity that differ by case, space or legal form alone are one, until somebody says otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def remember(hearth: Run, name: str, text: str) -> None:
    assert hearth("remember", "--type", "entity", "--subject", name, text).code == 0


def files(tmp_path: Path) -> list[str]:
    return sorted(file.name for file in (tmp_path / "data" / "default" / "memory" / "user" / "entities").glob("*.md"))


def test_what_is_remembered_of_one_entity_gathers_without_a_question(hearth: Run, tmp_path: Path) -> None:
    remember(hearth, "Hollunder GmbH", "Hollunder GmbH builds boats.")
    remember(hearth, "hollunder", "Hollunder employs nine people.")
    remember(hearth, "HOLLUNDER Gmbh", "HOLLUNDER Gmbh sails to Hvar.")
    remember(hearth, "Nordkiefer Werft", "Nordkiefer Werft lies in Kiel.")
    remember(hearth, "NordkieferWerft Ltd.", "NordkieferWerft Ltd. repairs masts.")
    remember(hearth, "Nordkiefer Werft, Limited", "Nordkiefer Werft, Limited owns a crane.")
    remember(hearth, "Hollunder Inc.", "Hollunder Inc. sells juice in Ohio.")  # another company
    assert files(tmp_path) == ["other-hollunder-gmbh.md", "other-hollunder-inc.md", "other-nordkiefer-werft.md"]
    assert "nothing needs a decision" in hearth("review").out + hearth("review").err
    shown = hearth("entities", "show", "nordkiefer werft").out
    assert "lies in Kiel" in shown and "repairs masts" in shown and "owns a crane" in shown


def test_a_name_that_was_split_off_has_a_file_of_its_own_until_that_is_undone(hearth: Run, tmp_path: Path) -> None:
    remember(hearth, "Hollunder", "Hollunder builds boats.")
    assert hearth("entities", "split", "Hollunder AG").code == 0
    remember(hearth, "Hollunder AG", "Hollunder AG insures ships.")
    assert files(tmp_path) == ["other-hollunder-ag.md", "other-hollunder.md"]
    assert hearth("undo").code == 0


def test_notes_that_spell_a_name_otherwise_are_about_one_entity(hearth: Run, tmp_path: Path) -> None:
    folder = tmp_path / "firms"
    folder.mkdir()
    for name, text in {
        "a": "We signed the contract with Quorvex Robotics GmbH on Monday.",
        "b": "Yesterday Quorvex Robotics called about the invoice.",
        "c": "The mail from QUORVEX ROBOTICS says the arm ships in May.",
    }.items():
        (folder / f"{name}.md").write_text(f"# Note {name}\n\n{text}\n", encoding="utf-8")
    assert hearth("bootstrap", str(folder), "--setup", "none").code == 0
    listed = json.loads(hearth("entities", "list", "--json").out)["entities"]
    [firm] = [one for one in listed if "quorvex" in one["name"].casefold()]
    assert firm["aliases"] == ["Quorvex Robotics GmbH"]
    assert hearth("entities", "split", "Quorvex Robotics GmbH").code == 0
    assert "on 1 line" in hearth("entities", "show", "Quorvex Robotics GmbH").out
    assert hearth("undo").code == 0
    assert "on 3 lines" in hearth("entities", "show", "Quorvex Robotics GmbH").out
