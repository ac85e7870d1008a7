"""The commands that change what is remembered: what they print, where, and how they end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def files(result: Any) -> list[str]:
    assert result.code == 0, result.err
    return [line.split(",")[2].rpartition(":")[0] for line in result.out.splitlines()]


def last(hearth: Run) -> dict[str, Any]:
    events: list[dict[str, Any]] = json.loads(hearth("journal", "show", "--json").out)["events"]
    return events[-1]


def test_a_change_says_what_it_did_and_how_to_take_it_back(hearth: Run, vault: Path) -> None:
    done = hearth("pin", "restore.md", "--reason", "needed at night")
    event = last(hearth)
    assert (done.code, done.out) == (0, f"pinned my-notes/runbooks/restore.md #{event['doc']}\n")
    assert done.err == f"to undo: hearth undo {event['id']}\n"
    assert event["data"]["reason"] == "needed at night"


def test_what_was_said_of_a_name_is_undone_by_the_name(hearth: Run, vault: Path) -> None:
    assert hearth("entities", "alias", "PostgreSQL", "the elephant").code == 0
    assert hearth("undo").out == "undone what was said of the elephant\n"


def test_json_tells_the_state_and_the_event(hearth: Run, vault: Path) -> None:
    done = json.loads(hearth("forget", "restore.md", "--json").out)
    assert (done["action"], done["path"], done["events"]) == ("forgotten", "runbooks/restore.md", [last(hearth)["id"]])
    assert done["state"]["forgotten"] is True
    again = json.loads(hearth("forget", "restore.md", "--json").out)
    assert (again["action"], again["events"]) == ("unchanged", [])


def test_forget_restore_and_undo_show_in_the_next_search(hearth: Run, vault: Path) -> None:
    place = "my-notes/runbooks/restore.md"
    assert place in files(hearth("search", "restic dump", "--files"))
    hearth("forget", "restore.md")
    assert files(hearth("search", "restic dump", "--files")) == []
    hearth("restore", "restore.md")
    assert place in files(hearth("search", "restic dump", "--files"))
    hearth("undo")
    assert files(hearth("search", "restic dump", "--files")) == []


@pytest.mark.parametrize("command", ["search", "query", "vsearch"])
def test_superseded_documents_are_found_where_asked_for(hearth: Run, vault: Path, command: str) -> None:
    hearth("supersede", "restore.md", "--by", "0001-postgres.md")
    place = "my-notes/runbooks/restore.md"
    assert place not in files(hearth(command, "restore the backup", "--files"))
    assert place in files(hearth(command, "restore the backup", "--files", "--include", "superseded,archived"))


def test_what_is_found_though_hidden_says_so(hearth: Run, vault: Path) -> None:
    hearth("invalidate", "restore.md")
    asked = ("search", "restic dump", "--include", "invalidated")
    assert re.search(r"  invalidated, true to \d{4}-\d\d-\d\d\n", hearth(*asked).out)
    assert json.loads(hearth(*asked, "--json").out)["results"][0]["hidden"] == ["invalidated"]
    assert "hidden" not in json.loads(hearth("search", "joins", "--json").out)["results"][0]


def test_an_unknown_state_to_include_is_named(hearth: Run, vault: Path) -> None:
    done = hearth("search", "bread", "--include", "forgotten")
    assert (done.code, done.out) == (2, "")
    assert "forgotten" in done.err and "superseded" in done.err


@pytest.mark.parametrize("name", ["invalidate", "unpin", "unsnooze"])
def test_the_other_commands_end_well(hearth: Run, vault: Path, name: str) -> None:
    hearth("pin", "restore.md")
    hearth("snooze", "restore.md", "--days", "3")
    done = hearth(name, "restore.md")
    assert (done.code, "unchanged" in done.out) == (0, False)


def test_a_snooze_ends_on_a_day_or_after_days(hearth: Run, vault: Path) -> None:
    until = json.loads(hearth("snooze", "restore.md", "--until", "2999-01-01", "--json").out)["state"]["snoozed_until"]
    assert until == 32_472_144_000_000
    days = json.loads(hearth("snooze", "restore.md", "--days", "2", "--json").out)["state"]["snoozed_until"]
    assert days < until
    for options in ([], ["--days", "1", "--until", "2999-01-01"], ["--until", "2001-01-01"], ["--until", "soon"]):
        assert hearth("snooze", "restore.md", *options).code == 2


def test_an_unclear_description_lists_candidates_and_exits_with_4(hearth: Run, vault: Path) -> None:
    (vault / "runbooks/again.md").write_text("# Restore from backup\n\nFetch the dump with restic, slowly.\n", "utf-8")
    hearth("update")
    done = hearth("forget", "restore", "the", "dump", "with", "restic")
    assert (done.code, done.out) == (4, "")
    assert "runbooks/restore.md" in done.err and "runbooks/again.md" in done.err
    assert json.loads(hearth("journal", "show", "--json").out)["events"] == []


def test_errors_end_with_the_exit_code_of_their_kind(hearth: Run, vault: Path) -> None:
    assert hearth("pin", "nowhere.md").code == 3
    assert hearth("undo").code == 3
    assert hearth("pin", "restore.md", "--reason", "x" * 201).code == 2
    hearth("forget", "restore.md")
    assert hearth("pin", "restore.md").code == 4


def test_a_purge_needs_yes_and_tells_what_may_still_hold_the_text(hearth: Run, tmp_path: Path) -> None:
    written = json.loads(hearth("remember", "The safe opens with zeppelin", "--json").out)
    asked = hearth("purge", written["docid"])
    assert (asked.code, asked.out, Path(written["file"]).exists()) == (2, "", True)
    assert "--yes" in asked.err
    done = hearth("purge", written["docid"], "--yes")
    assert done.out == f"purged _hearth/{written['path']} #{written['docid']}\nerased {written['file']}\n"
    assert "may still hold it: git history" in done.err
    left = [p for p in tmp_path.rglob("*") if p.is_file() and b"zeppelin" in p.read_bytes().lower()]
    assert left == []


def test_a_purge_of_a_persons_note_keeps_the_file(hearth: Run, vault: Path) -> None:
    done = json.loads(hearth("purge", "restore.md", "--yes", "--json").out)
    assert (done["action"], done["scope"], done["erased"], done["pending"]) == ("purged", "index", [], None)
    assert (vault / "runbooks/restore.md").exists()
    assert files(hearth("search", "restic dump", "--files")) == []


def test_elsewhere_than_on_a_terminal_a_program_did_it(hearth: Run, spawn: Run, vault: Path) -> None:
    assert spawn("pin", "restore.md").code == 0
    assert last(hearth)["data"]["actor"] == "program"
    hearth("forget", "restore.md", "--actor", "claude")
    assert last(hearth)["data"]["actor"] == "claude"
    assert hearth("undo", "--actor", "claude").code == 0
    assert last(hearth)["kind"] == "unforget"


def test_documents_are_related_and_unrelated_by_name(hearth: Run, vault: Path) -> None:
    done = hearth("relate", "restore.md", "causal", "0001-postgres.md", "--reason", "it was lost")
    event = last(hearth)
    assert (done.code, done.out) == (0, f"related my-notes/runbooks/restore.md #{event['doc']}\n")
    assert (event["data"]["type"], event["data"]["reason"]) == ("causal", "it was lost")
    gone = json.loads(hearth("unrelate", "restore.md", "causal", "0001-postgres.md", "--json").out)
    assert gone["action"] == "unrelated"
    assert gone["state"] == {"type": "causal", "target": event["data"]["target"]}
    assert hearth("relate", "restore.md", "loves", "0001-postgres.md").code == 2


def test_relations_are_derived_and_what_waits_is_told(hearth: Run, vault: Path) -> None:
    waiting = json.loads(hearth("status", "--json").out)
    assert waiting["missing_relations"] == waiting["documents"] > 0
    assert "the daemon derives them in the background" in hearth("status").out
    done = json.loads(hearth("graph", "build", "--json").out)
    assert (done["documents"], done["missing"]) == (waiting["documents"], 0)
    assert "temporal" in done["added"]
    assert json.loads(hearth("status", "--json").out)["missing_relations"] == 0
    assert hearth("graph", "build").out == "0 documents related\n"


def test_what_is_forgotten_is_listed_with_when_why_and_how_to_bring_it_back(hearth: Run, vault: Path) -> None:
    assert "nothing is forgotten" in hearth("forget", "--list").err
    assert hearth("forget").code == 2
    first = json.loads(hearth("forget", "restore.md", "--reason", "the host is gone", "--json").out)["docid"]
    second = json.loads(hearth("forget", "0001-postgres.md", "--json").out)["docid"]
    listed = hearth("forget", "--list")
    newest, oldest = listed.out.splitlines()
    assert second in newest and first in oldest and "the host is gone" in oldest
    assert f"hearth restore {second}" in listed.err
    rows = json.loads(hearth("forget", "--list", "--json").out)
    assert (rows["total"], [row["docid"] for row in rows["documents"]]) == (2, [second, first])
    assert hearth("restore", first).code == 0
    hearth("purge", second, "--yes")
    assert "nothing is forgotten" in hearth("forget", "--list").err


def test_the_journal_is_shown_a_line_an_event_and_whole_as_json(hearth: Run, vault: Path) -> None:
    assert hearth("query", "--json", "restic").code == 0
    pinned = json.loads(hearth("pin", "restore.md", "--reason", "needed at night", "--json").out)
    shown = hearth("journal", "show").out.splitlines()
    assert len(shown) == 2 and max(map(len, shown)) < 250
    at, kind, path, said, event = shown[0].split("\t")
    assert (kind, path, event) == ("pin", "runbooks/restore.md", pinned["events"][-1])
    assert said == "by program; “needed at night”" and at.endswith("Z")
    assert "recalled" in shown[1] and "docs (1)" in shown[1]
    newest = hearth("journal", "show", "-n", "1")
    assert newest.out.splitlines() == shown[:1] and "--limit" in newest.err
    whole = json.loads(hearth("journal", "show", "--json").out)["events"]
    assert [row["kind"] for row in whole] == ["recalled", "pin"]
    assert whole[0]["data"]["scores"] and whole[1]["data"]["was"] is False
