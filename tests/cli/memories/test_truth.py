"""hearth history, review, commitments and consolidate: what they print, and how they end."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.app import open_vault
from hearth.core.judgement import Said
from hearth.core.memory import NewMemory
from hearth.memory.reviews import draft_review
from hearth.truth.judge import judge

ROOT = Path(__file__).parents[3]
Run = Callable[..., Any]


def remember(hearth: Run, text: str, *options: str) -> str:
    docid: str = json.loads(hearth("remember", text, "--json", *options).out)["docid"]
    return docid


@pytest.fixture
def doubt(hearth: Run, vault: Path, environ: dict[str, str]) -> tuple[str, str]:
    """Two memories, the newer of which may replace the older; their docids."""
    old = remember(hearth, "The kettle stands on the left shelf.", "--type", "problem")
    new = remember(hearth, "The toaster stands on the right shelf.", "--type", "problem")
    with open_vault(environ=environ) as opened:
        with opened.store.read() as reader:
            newer = reader.document(new)
        assert newer is not None
        opened.truth.history.record([draft_review(newer.document, old, "update", why="another shelf", confidence=0.7)])
    return old, new


def test_a_doubt_is_listed_shown_settled_and_taken_back(hearth: Run, doubt: tuple[str, str]) -> None:
    old, new = doubt
    listed = hearth("review")
    assert listed.out.startswith("1. update (") and old in listed.out and new in listed.out
    shown = hearth("review", "show", "1").out
    assert "update, 0.70 sure: another shelf" in shown
    assert "left shelf" in shown and "right shelf" in shown
    done = hearth("review", "keep-new", "1")
    assert done.out.startswith("keep-new: ")
    assert hearth("review").err == "nothing needs a decision\n"
    got = hearth("get", old)
    assert got.out.endswith("left shelf.\n") or "left shelf" in got.out
    assert f"not current: superseded by #{new}" in got.err
    undo = done.err.removeprefix("to undo: hearth ").split()
    assert hearth(*undo).code == 0
    assert hearth("review", "list", "--json").out.count('"number": 1') == 1
    assert hearth("review", "keep-new", "7").code != 0


@pytest.fixture
def waiting(hearth: Run, vault: Path, environ: dict[str, str]) -> list[str]:
    """Three captured memories that wait for approval, of two sessions; their docids."""
    said = (("The kettle whistles in E flat.", "s1"), ("The oven ticks on Sundays.", "s1"), ("The sink hums.", "s2"))
    with open_vault(environ=environ) as opened:
        keep = opened.memories.keep
        return [keep(NewMemory(text, "fact", session=name, pending=True)).docid for text, name in said]


def test_what_was_captured_is_listed_approved_rejected_and_taken_back(hearth: Run, waiting: list[str]) -> None:
    kettle, oven, sink = waiting
    listed = hearth("review")
    assert all(f"fact #{docid}: The " in listed.out for docid in waiting)
    assert "hearth review accept N" in listed.err
    assert "not yet approved" in hearth("query", "how does the kettle whistle").out
    assert "not yet approved; hearth review approves or rejects it" in hearth("get", kettle).err
    assert "(not yet approved)" in hearth("list", "--type", "fact").out
    assert "The kettle whistles in E flat." in hearth("review", "show", kettle).out
    done = hearth("review", "accept", kettle)
    assert done.out == f"accepted: #{kettle}\n"
    assert "not yet approved" not in hearth("get", kettle).err
    assert hearth(*done.err.removeprefix("to undo: hearth ").split()).code == 0
    assert kettle in hearth("review").out
    whole = hearth("review", "reject", "--session", "s1")
    assert kettle in whole.out and oven in whole.out and sink not in whole.out
    assert kettle not in hearth("query", "how does the kettle whistle").out
    assert hearth(*whole.err.removeprefix("to undo: hearth ").split()).code == 0
    assert hearth("review", "accept", "--all").out.count("#") == 3
    assert hearth("review").err == "nothing needs a decision\n"
    assert hearth("review", "accept").code != 0


def test_what_a_person_is_asked_about_says_so_wherever_it_is_found_until_it_is_settled(
    hearth: Run, doubt: tuple[str, str]
) -> None:
    old, new = doubt
    said = f"in doubt: #{new} may contradict it"
    assert said in hearth("query", "which shelf does the kettle stand on").out
    [found] = [
        one
        for one in json.loads(hearth("query", "which shelf does the kettle stand on", "--json").out)["results"]
        if one["docid"] == old
    ]
    assert found["doubts"] == [new]
    assert f"{said}; hearth review settles it" in hearth("get", old).err
    assert json.loads(hearth("get", new, "--json").out)["doubts"] == [old]
    hearth("review", "both", "1")
    assert "in doubt" not in hearth("query", "which shelf does the kettle stand on").out
    assert "doubts" not in json.loads(hearth("get", old, "--json").out)


def test_the_two_decisions_of_the_docs_print_what_they_show(hearth: Run, vault: Path) -> None:
    example = (ROOT / "docs" / "truth.md").read_text("utf-8").split("```console\n", 1)[1].split("```", 1)[0]
    printed = ""
    for line in re.findall(r"^\$ hearth (.*)$", example, re.MULTILINE):
        done = hearth(*shlex.split(line))
        printed += f"$ hearth {line}\n{done.out}{done.err}"

    def comparable(text: str) -> str:
        """With ids by the order in which they come, and without the times and the folder of the memory."""
        text = re.sub(r"/\S*/memory/", "", re.sub(r"\d{4}-\d\d-\d\d(?:T[\d:]+Z)?", "day", text))
        for number, docid in enumerate(dict.fromkeys(re.findall(r"#([0-9a-hjkmnp-tv-z]{16})\b", text))):
            text = text.replace(docid, f"id{number}")
        return text

    assert comparable(printed) == comparable(example)


def test_the_ten_traps_of_the_docs_are_judged_as_they_say() -> None:
    rows = (ROOT / "docs" / "truth.md").read_text("utf-8").split("## Ten traps", 1)[1].split("|---|---|---|\n", 1)[1]
    table = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows.strip().split("\n")[:10]]
    for older, newer, said in table:
        verdict = judge(Said(older), Said(newer))
        assert f"{verdict.relation}: {verdict.reason}" == said
        assert not verdict.replaces


def test_the_history_of_a_document_reads_from_the_oldest_on(hearth: Run, vault: Path) -> None:
    old = remember(hearth, "The kettle stands on the left shelf.")
    assert hearth("history", old).err.endswith("it replaced nothing, and nothing replaced it\n")
    new = remember(hearth, "The kettle stands on the right shelf.", "--supersedes", old)
    lines = hearth("history", new).out.splitlines()
    assert old in lines[0] and lines[0].startswith("  ") and lines[0].endswith("superseded")
    assert any(line.startswith("> ") and new in line for line in lines)
    told = json.loads(hearth("history", old, "--json").out)["versions"]
    assert [version["docid"] for version in told] == [old, new]
    assert hearth("list", "--include", "superseded").out.count(f"superseded by #{new}") == 1


def test_a_commitment_is_listed_until_it_is_kept(hearth: Run, vault: Path) -> None:
    docid = remember(hearth, "I will water the ferns.", "--type", "commitment")
    assert hearth("commitments").out == f"no day  I will water the ferns.  #{docid}\n"
    assert hearth("commitments", "--due", "3").err == "nothing is due\n"
    assert hearth("commitments", "--done", docid).out.startswith("fulfilled ")
    assert hearth("commitments").err == "no open commitments\n"
    assert hearth("commitments", "--all").out.startswith("fulfilled  ")
    assert hearth("commitments", "--done", docid, "--all").code == 2


def test_a_consolidation_does_what_its_dry_run_said_and_its_run_is_undone(hearth: Run, vault: Path) -> None:
    remember(hearth, "The importer fails when the network is slow.", "--type", "problem")
    remember(hearth, "When the network is slow, the importer fails.", "--type", "moment")
    assert hearth("consolidate", "--dry-run").err == "nothing to consolidate\n"
    remember(hearth, "When the network is slow, the importer fails.", "--type", "problem", "--title", "Importer")
    planned = hearth("consolidate", "--dry-run")
    if planned.out:  # noticing may have joined them already
        done = hearth("consolidate")
        assert done.out == planned.out
        assert hearth("consolidate", "--report").out.startswith("run consolidation-")
        run = done.err.strip().rsplit(" ", 1)[-1]
        assert hearth("undo", "--run", run).out.startswith("undone ")
    assert hearth("consolidate", "--report", "--dry-run").code == 2
