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


def test_the_overview_shows_the_latest_of_each_and_names_its_parts(hearth: Run) -> None:
    for number in range(3):
        hearth("remember", f"In house {number} it leaks from the zinc gutter.", "--type", "problem")
    shown = hearth("overview")
    assert "topics\n" in shown.out and "  zinc gutter: 3 documents" in shown.out
    assert "hearth overview threads, topics, summaries or reflect" in shown.err
    assert json.loads(hearth("overview", "--json").out)["topics"][0]["term"] == "zinc gutter"


def test_names_of_before_answer_as_the_parts_do_and_are_not_listed(hearth: Run) -> None:
    everything = hearth("help", "--all").out
    for name in ("threads", "topics", "summaries", "reflect"):
        former, part = hearth(name, "--json"), hearth("overview", name, "--json")
        assert (former.code, former.out) == (part.code, part.out) and former.code == 0
        assert f"\n  {name} " not in everything
    assert "\n  path " not in everything and hearth("path", "data").code == 0
