from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_an_intent_chooses_the_lines_that_query_shows(hearth: Run, notes: Path) -> None:
    lines = [f"Line {n}: the kettle is on this list like the others are." for n in range(7)]
    (notes / "list.md").write_text("\n".join([*lines, "The kettle of the invoice."]) + "\n", encoding="utf-8")
    assert hearth("bootstrap", str(notes)).code == 0
    for intent, shown in (((), False), (("--intent", "find the invoice"), True)):
        answer = json.loads(hearth("query", "kettle", "--json", *intent).out)
        assert ("invoice" in answer["results"][0]["snippet"]) is shown


def test_only_query_takes_an_intent(hearth: Run, notes: Path) -> None:
    assert hearth("bootstrap", str(notes)).code == 0
    assert hearth("search", "kettle", "--intent", "x").code == 2
