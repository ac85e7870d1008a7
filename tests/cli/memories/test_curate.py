"""hearth curate: what it prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.usefixtures("vault")
def test_what_is_to_be_done_comes_with_its_command(hearth: Run, notes: Path) -> None:
    told = hearth("curate")
    assert (told.code, told.out) == (0, "") and "nothing to do" in told.err
    (notes / "lease.md").write_text("---\nreview_by: 2020-01-01\n---\n# Lease\n\nCheck it.\n", encoding="utf-8")
    told = hearth("curate")
    assert told.out.startswith("- 1 note past the date of review\n    ") and "$ hearth lifecycle status" in told.out
    [action] = json.loads(hearth("curate", "--json").out)["actions"]
    assert (action["kind"], action["reversible"]) == ("overdue", False)


@pytest.mark.usefixtures("vault")
def test_what_is_safe_is_done_and_taken_back_by_its_run(hearth: Run) -> None:
    hearth("remember", "The importer fails when the network is slow.", "--type", "problem")
    hearth("remember", "When the network is slow, the importer fails.", "--type", "problem")
    assert "* 1 group of duplicate or expired memories" in hearth("curate").out
    done = json.loads(hearth("curate", "--apply", "--json").out)
    assert len(done["done"]) == 1 and done["actions"] == []
    assert hearth("undo", "--run", done["run"]).code == 0
    assert "* 1 group of duplicate or expired memories" in hearth("curate").out


@pytest.mark.usefixtures("vault")
def test_several_are_counted_in_words(hearth: Run, notes: Path) -> None:
    for name in ("a", "b"):
        text = f"---\nreview_by: 2020-01-01\n---\n# Lease {name}\n\nCheck {name}.\n"
        (notes / f"{name}.md").write_text(text, encoding="utf-8")
    out = hearth("curate").out
    assert out.startswith("- 2 notes past the date of review\n") and " days" in out
