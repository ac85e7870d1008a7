from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def test_a_question_is_listed_answered_and_dismissed(hearth: Run) -> None:
    assert "nothing is open" in hearth("questions").err
    for text in ("Which port shall the exporter use?", "Should the importer cache archives?"):
        hearth("remember", text, "--type", "question")
    listed = json.loads(hearth("questions", "list", "--json").out)
    assert listed["total"] == 2
    assert hearth("questions", "answer", "1", "Yes,", "on", "the", "disk.").out.startswith("fulfilled ")
    assert hearth("questions", "dismiss", "1").out.startswith("dismissed ")
    assert "nothing is open" in hearth("questions").err
    shown = hearth("questions", "list", "--status", "all").out
    assert "answered, " in shown and "dismissed, " in shown
