from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_what_a_document_is_about_is_said_without_building_anything(hearth: Run, vault: Path) -> None:
    told = hearth("graph", "evolution", "0001-postgres.md")
    assert told.code == 0 and "PostgreSQL" in told.out and "context" in told.out
    assert json.loads(hearth("graph", "evolution", "0001-postgres.md", "--json").out)["read_by"] == "rules"
    assert hearth("graph", "evolution", "nowhere.md").code != 0
