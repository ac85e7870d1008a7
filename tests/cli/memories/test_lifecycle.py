"""hearth lifecycle: what it prints, how it ends, and that each of its settings acts."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def aged(hearth: Run, vault: Path) -> Run:
    """Remembers something as of 200 days ago; gives its docid."""

    def remember(text: str, *options: str, days: int = 200) -> str:
        done = json.loads(hearth("remember", text, "--json", *(options or ("--type", "problem"))).out)
        file, at = Path(done["file"]), time.time() - days * 86_400
        then = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        text = re.sub(r"(?<=authored_at: )\S+", then, file.read_text(encoding="utf-8"))
        file.write_text(text, encoding="utf-8")
        os.utime(file, (at, at))
        hearth("update")
        docid: str = done["docid"]
        return docid

    return remember


def due(hearth: Run) -> list[str]:
    result = hearth("lifecycle", "sweep", "--dry-run", "--json")
    assert result.code == 0, result.err
    return [op["docid"] for op in json.loads(result.out)["documents"]]


def counts(hearth: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(hearth("lifecycle", "status", "--json").out)
    return found


def test_a_sweep_goes_from_plan_to_archive_and_back(hearth: Run, aged: Run) -> None:
    docid = aged("the valve leaks at night")
    plan = hearth("lifecycle", "sweep")
    assert plan.code == 0
    assert f"#{docid}: unused and unchanged for 200 days, over the limit of 90 for problem" in plan.out
    assert plan.out.startswith("would archive _hearth/agent/problems/the-valve-leaks-at-night-")
    assert plan.err == "nothing was changed; to apply: hearth lifecycle sweep --apply\n"
    done = hearth("lifecycle", "sweep", "--apply")
    assert done.out.startswith("archived _hearth/")
    back = re.fullmatch(r"to restore them: hearth (undo --run \S+)\n", done.err)
    assert back is not None
    assert hearth("search", "valve leaks", "--files").out == ""
    found = hearth("lifecycle", "search", "valve leaks", "--files")
    assert found.out.startswith(docid)
    restored = hearth(*back[1].split())
    assert restored.code == 0 and restored.out.startswith("undone 1 change of run ")
    assert hearth("search", "valve leaks", "--files").out.startswith(docid)


def test_undo_takes_the_last_archive_back(hearth: Run, aged: Run) -> None:
    docid = aged("the valve leaks at night")
    hearth("lifecycle", "sweep", "--apply", "--reason", "spring cleaning")
    event = json.loads(hearth("journal", "show", "--json").out)["events"][-1]
    assert (event["kind"], event["doc"], event["data"]["reason"]) == ("archive", docid, "spring cleaning")
    assert hearth("undo").out.startswith("undone ")
    assert counts(hearth)["archived"] == 0


def test_the_status_is_for_people_and_programs(hearth: Run, aged: Run) -> None:
    aged("the valve leaks at night")
    rows = dict(line.split("\t") for line in hearth("lifecycle", "status").out.splitlines() if "\t" in line)
    assert (rows["documents"], rows["due"], rows["never accessed"]) == ("4", "1", "4")
    assert (rows["archive after"], rows["collections"]) == ("90 days", "_hearth")
    assert counts(hearth)["due"] == 1
    assert counts(hearth)["recommendations"] == []


def test_stale_notes_are_named(hearth: Run, vault: Path) -> None:
    (vault / "old.md").write_text("---\nreview_by: 2020-01-02\n---\n# Old\n\nText.\n", encoding="utf-8")
    hearth("update")
    assert "  my-notes/old.md #" in hearth("lifecycle", "status").out
    [note] = counts(hearth)["stale_notes"]
    assert note["path"] == "old.md"


def test_restore_by_query_previews_limits_and_says_what_is_left(hearth: Run, aged: Run) -> None:
    for number in range(3):
        aged(f"the valve number {number} leaks at night near gate {number}")
    hearth("lifecycle", "sweep", "--apply")
    preview = hearth("lifecycle", "restore", "--query", "valve leaks", "--limit", "2", "--dry-run")
    assert len(preview.out.splitlines()) == 2 and "1 more match" in preview.err
    assert counts(hearth)["archived"] == 3
    hearth("lifecycle", "restore", "--query", "valve leaks", "--limit", "2")
    assert counts(hearth)["archived"] == 1
    done = json.loads(hearth("lifecycle", "restore", "--all", "--json").out)
    assert (done["restored"], done["left"], done["dry_run"]) == (1, 0, False)
    nothing = hearth("lifecycle", "restore", "--all")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "nothing in the archive matches\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("restore",), 2),
        (("restore", "--all", "--collection", "my-notes"), 2),
        (("restore", "--collection", "nowhere"), 3),
        (("restore", "--since", "soon"), 2),
        (("search", "x", "--collection", "nowhere"), 3),
        (("sweep", "--actor", "No Body"), 2),
    ],
)
def test_wrong_use_changes_nothing_and_ends_with_its_code(
    hearth: Run, vault: Path, arguments: tuple[str, ...], code: int
) -> None:
    assert hearth("lifecycle", *arguments).code == code


# -- settings ---------------------------------------------------------------------------------------------------------


def test_archive_after_days_is_the_limit(hearth: Run, aged: Run) -> None:
    docid = aged("the valve leaks at night")
    assert due(hearth) == [docid]
    assert hearth("config", "set", "lifecycle.archive_after_days", "300").code == 0
    assert due(hearth) == []


def test_type_overrides_set_the_limit_of_a_type(hearth: Run, aged: Run) -> None:
    problem, decision = aged("the valve leaks at night"), aged("we take the blue pump", "--type", "decision")
    assert due(hearth) == [problem]
    assert hearth("config", "set", "lifecycle.type_overrides", '{"problem": null, "decision": 100}').code == 0
    assert due(hearth) == [decision]


def test_exempt_collections_are_left_alone_and_unknown_ones_named(hearth: Run, aged: Run) -> None:
    aged("the valve leaks at night")
    assert hearth("config", "set", "lifecycle.exempt_collections", '["_hearth", "gone"]').code == 0
    assert due(hearth) == []
    status = hearth("lifecycle", "status")
    assert "collection 'gone', which this vault does not have" in status.err and "'_hearth'" not in status.err


def test_a_collection_opts_in_with_lifecycle(hearth: Run, vault: Path) -> None:
    at = time.time() - 200 * 86_400
    file = vault / "plain.md"
    file.write_text("# Plain\n\nNothing of note.\n", encoding="utf-8")
    os.utime(file, (at, at))
    hearth("update")
    assert due(hearth) == []
    assert hearth("config", "set", "collections.my-notes.lifecycle", "true").code == 0
    [docid] = due(hearth)
    hearth("lifecycle", "sweep", "--apply")
    assert hearth("search", "nothing of note", "--files").out == ""
    assert hearth("restore", docid).code == 0
    assert file.exists()


def test_without_dry_run_a_plain_sweep_archives_and_never_purges(hearth: Run, aged: Run) -> None:
    aged("the valve leaks at night")
    hearth("lifecycle", "sweep")
    assert counts(hearth)["archived"] == 0
    assert hearth("config", "set", "lifecycle.dry_run", "false").code == 0
    hearth("lifecycle", "sweep", "--dry-run")
    assert counts(hearth)["archived"] == 0
    assert json.loads(hearth("lifecycle", "sweep", "--json").out)["archived"] == 1
    assert counts(hearth)["archived"] == 1


def test_purge_after_days_is_part_of_the_policy(hearth: Run, vault: Path) -> None:
    """What it erases, and when, stands in the tests of the engine, where the clock can be moved."""
    assert counts(hearth)["policy"]["purge_after_days"] is None
    assert hearth("config", "set", "lifecycle.purge_after_days", "30").code == 0
    assert counts(hearth)["policy"]["purge_after_days"] == 30
