"""``hearth log``, ``budget`` and ``focus``: what a person at a terminal sees of what hooks recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hearth as package
from hearth.core.session import Shown, Sighting, Surfacing

Run = Callable[..., Any]


@pytest.fixture
def used(vault: Path) -> dict[str, str]:
    """A session in which two notes were shown and one was used; docids by path."""
    with package.open_vault() as opened:
        docs = {stored.document.path: stored.document.docid for stored in opened.documents()}
        opened.sessions.seen(Sighting("abcd-1", "claude-code", "host/project"))
        shown = tuple(Shown(docs[path], 1, 3) for path in ("runbooks/restore.md", "daily/2026-03-05.md"))
        opened.usage.surfaced(Surfacing("abcd-1", "t1", shown, 240, "context-surfacing", opened.usage.digest("how?")))
        opened.usage.feedback("abcd-1", "t1", f"As runbooks/restore.md says, #{docs['runbooks/restore.md']}.")
        opened.sessions.turn_ended("abcd-1", "/t.jsonl", 10, "t1", ["/w/a.py"])
        opened.sessions.ended("abcd-1", "clear")
    return docs


def test_the_log_lists_sessions_and_shows_one(hearth: Run, used: dict[str, str]) -> None:
    [line] = hearth("log").out.splitlines()
    cells = line.split("\t")
    assert (cells[0], cells[3:7]) == ("abcd-1", ["claude-code", "host/project", "1 turn", "1 of 2 used"])
    done = hearth("log", "abcd")
    assert done.code == 0
    assert "1 turn: 1 of 2 fragments used, 240 tokens shown" in done.out
    assert "  * my-notes/runbooks/restore.md:1-3\n" in done.out
    assert "    my-notes/daily/2026-03-05.md:1-3\n" in done.out
    assert "  changed /w/a.py\n" in done.out
    assert "(clear)" in done.out


def test_the_log_names_the_files_that_a_session_changed_and_counts_its_turns_once(hearth: Run, vault: Path) -> None:
    with package.open_vault() as opened:
        opened.sessions.seen(Sighting("busy", "claude-code"))
        for turn in range(6):
            opened.sessions.turn_ended("busy", "/t.jsonl", 10 + turn, f"t{turn}", [f"/w/{turn}.py", "/w/again.py"])
            opened.sessions.turn_ended("busy", "/t.jsonl", 10 + turn, f"t{turn}", [f"/w/{turn}.py"])
    assert "\t6 turns\t" in hearth("log").out
    named = r"\t7 files changed \((?:/w/\w+\.py, ){2}/w/\w+\.py and 4 more\)\t"
    assert re.search(named, hearth("log").out)
    [row] = json.loads(hearth("log", "--json").out)["sessions"]
    assert (row["turns"], row["files"]) == (6, 7)
    assert sorted(row["changed"]) == sorted(f"/w/{name}.py" for name in (*range(6), "again"))


def test_the_most_used_come_first_and_what_nobody_used_is_left_out(hearth: Run, used: dict[str, str]) -> None:
    with package.open_vault() as opened:
        for turn in ("t2", "t3"):
            shown = (Shown(used["daily/2026-03-05.md"], 1, 3),)
            opened.usage.surfaced(Surfacing("abcd-1", turn, shown, 9, "context-surfacing"))
            opened.usage.feedback("abcd-1", turn, "See daily/2026-03-05.md.")
    found = json.loads(hearth("usage", "top", "--json").out)["documents"]
    assert [(row["path"], row["used"], row["shown"]) for row in found] == [
        ("daily/2026-03-05.md", 2, 3),
        ("runbooks/restore.md", 1, 1),
    ]
    assert all(row["last_accessed_at"] for row in found)
    told = hearth("usage", "top", "--limit", "1").out.splitlines()
    assert "daily/2026-03-05.md" in told[0] and told[1].startswith(
        "    used in 2 answers, shown in 3 turns, found by 0 "
    )
    assert hearth("usage", "top", "--sources", "memory").out == "No document was used yet.\n"


def test_a_command_made_from_an_operation_waits_for_an_index_of_another_version(
    hearth: Run, used: dict[str, str]
) -> None:
    assert hearth("config", "set", "commitments.decay_days", "30").code == 0
    done = hearth("usage", "top")
    assert (done.code, done.out.count("runbooks/restore.md")) == (0, 1)


def test_the_log_as_json_has_every_field(hearth: Run, used: dict[str, str]) -> None:
    [row] = json.loads(hearth("log", "--json").out)["sessions"]
    assert (row["host"], row["surfaced"], row["referenced"], row["ending"]) == ("claude-code", 2, 1, "clear")
    one = json.loads(hearth("log", "abcd-1", "--json").out)
    assert [(d["place"], d["referenced"]) for d in one["turns"][0]["shown"]].count(
        ("my-notes/runbooks/restore.md", True)
    ) == 1
    assert (one["turns_total"], one["turns_without_details"], one["files"]) == (1, 0, ["/w/a.py"])


def test_an_unknown_session_is_not_found(hearth: Run, used: dict[str, str]) -> None:
    done = hearth("log", "nothing")
    assert (done.code, done.out) == (3, "")
    assert "hearth log lists them" in done.err


def test_the_log_of_this_folder_leaves_other_projects_out(
    hearth: Run, used: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert hearth("log", "--here").out == ""
    with package.open_vault() as opened:
        opened.sessions.seen(Sighting("here", cwd=str(work)))
        opened.usage.surfaced(Surfacing("here", "turn", (Shown("0" * 16, 1, 2),), 10))
    assert [line.split("\t")[0] for line in hearth("log", "--here").out.splitlines()] == ["here"]


def test_everything_is_the_same_without_the_index(hearth: Run, used: dict[str, str], tmp_path: Path) -> None:
    commands = (
        ("log", "--json"),
        ("log", "abcd-1", "--json"),
        ("budget", "--json"),
        ("focus", "show", "--everywhere", "--json"),
    )
    hearth("focus", "set", "billing", "--everywhere")
    before = [hearth(*command).out for command in commands]
    for file in (tmp_path / "cache").rglob("index.sqlite*"):
        file.unlink()
    assert [hearth(*command).out for command in commands] == before


def test_the_budget_tells_what_was_shown_and_used(hearth: Run, used: dict[str, str]) -> None:
    done = hearth("budget")
    assert done.out.startswith(
        "last 7 days: 240 tokens in 1 turn of 1 session\nused: 1 of 2 fragments (50%), 240 tokens"
    )
    assert "context-surfacing\t240 tokens\t1 turn\t50% used" in done.out
    assert f"1 turn\tmy-notes/daily/2026-03-05.md\t#{used['daily/2026-03-05.md']}" in done.out
    found = json.loads(hearth("budget", "--days", "90", "--json").out)
    assert (found["days"], found["total"]["tokens_per_reference"], len(found["unused"])) == (90, 240.0, 1)
    assert hearth("budget", "--days", "91").code == 2


def test_without_sessions_the_commands_say_so(hearth: Run, vault: Path) -> None:
    assert hearth("log").err.startswith("no sessions yet")
    assert hearth("budget").err == "nothing was shown in the last 7 days\n"
    assert hearth("focus", "show").err.startswith("no focus is set")


def test_a_focus_is_for_the_project_of_the_folder(
    hearth: Run, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    done = hearth("focus", "set", "billing", "and", "refunds", "--hours", "2")
    assert done.out.startswith(f"billing and refunds  (project {work}, until 20")
    monkeypatch.chdir(tmp_path)
    assert hearth("focus", "show").out == ""
    hearth("focus", "set", "everything", "--everywhere")
    hearth("focus", "set", "this one", "--session", "s")
    monkeypatch.chdir(work)
    assert json.loads(hearth("focus", "show", "--json").out)["focus"]["topic"] == "billing and refunds"
    assert json.loads(hearth("focus", "show", "--session", "s", "--json").out)["focus"]["scope"] == "session"
    done = hearth("focus", "clear")
    assert (done.out, done.err) == ("ended: billing and refunds\n", "still active, for all sessions: everything\n")
    assert hearth("focus", "clear").out == "no focus was set here\n"
    assert hearth("focus", "set", "x", "--everywhere", "--session", "s").code == 2


def test_a_focus_in_the_home_folder_is_for_all_sessions(
    hearth: Run, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / "home")
    assert json.loads(hearth("focus", "set", "billing", "--json").out)["focus"]["scope"] == "vault"


def test_the_timeline_tells_the_session(hearth: Run, used: dict[str, str], vault: Path) -> None:
    (vault / "said.md").write_text("---\nsession: abcd-1\n---\n\n# Said\n\nIn that session.\n", encoding="utf-8")
    hearth("update")
    assert "Said  (session abcd-1)" in hearth("timeline", "said.md").out
    rows = json.loads(hearth("timeline", "said.md", "--json").out)["documents"]
    assert next(row["session"] for row in rows if row["path"] == "said.md") == "abcd-1"


def test_nothing_that_a_host_tells_drives_the_terminal(hearth: Run, vault: Path) -> None:
    evil = "\x1b[2J\x07\u202e"
    with package.open_vault() as opened:
        key = opened.sessions.seen(Sighting(f"s{evil}", f"host{evil}", f"project{evil}"))
        opened.sessions.turn_ended(f"s{evil}", "/t", 1, f"t{evil}", [f"/w/{evil}.py"])
        opened.sessions.ended(f"s{evil}", evil)
    for command in (("log",), ("log", key), ("log", "--json"), ("log", key, "--json")):
        out = hearth(*command).out
        assert out and not any(char in out for char in evil[0] + evil[-2:])
