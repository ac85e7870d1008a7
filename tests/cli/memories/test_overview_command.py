from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def test_without_conversations_there_is_no_thread(hearth: Run) -> None:
    assert "no conversation is kept" in hearth("threads").err
    assert json.loads(hearth("threads", "--json").out) == {"threads": []}


def test_topics_name_how_often_they_occur(hearth: Run) -> None:
    for number in range(3):
        hearth(
            "remember",
            f"In house {number} it leaks from the zinc gutter.",
            "--type",
            "problem",
        )
    for tree in range(12):
        hearth("remember", f"tree{chr(97 + tree) * 3} stands by itself.", "--type", "fact")
    shown = hearth("topics", "-n", "5").out
    assert "zinc gutter: 3 documents, 3 mentions" in shown
    assert json.loads(hearth("topics", "--trending", "--json").out)["documents"] == 15
