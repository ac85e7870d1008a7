"""``hearth mine``: conversations of other programs, from a command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
TALK = "User: Where are the quinces?\n\nAssistant: In the larder.\n\nUser: And the figs?\n\nAssistant: In the attic.\n"
LASTING = TALK.replace("And the figs?", "From now on always label the jars in blue.")


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    return file


def test_a_conversation_is_found_after_it_was_taken_in_and_gone_after_the_run_was_undone(
    hearth: Run, talk: Path
) -> None:
    told = hearth("mine", str(talk))
    assert told.out.startswith("taken in: 1 conversation\n")
    run = told.out.rpartition("--run ")[2].strip()
    assert json.loads(hearth("query", "where are the quinces", "--json").out)["results"] != []
    assert hearth("undo", "--run", run).code == 0
    assert json.loads(hearth("query", "where are the quinces", "--json").out)["results"] == []


def test_a_memory_of_a_conversation_that_was_taken_in_leads_to_its_thread_and_back(hearth: Run, talk: Path) -> None:
    talk.write_text(LASTING, encoding="utf-8")
    assert hearth("mine", str(talk), "--memories").code == 0
    [memory] = json.loads(hearth("list", "--type", "principle", "--json").out)["documents"]
    assert "redacted" not in hearth("get", memory["docid"]).out
    found = json.loads(hearth("thread", memory["docid"], "--json").out)
    assert [one["docid"] for one in found["memories"]] == [memory["docid"]]
    thread = found["thread"]
    assert json.loads(hearth("threads", "--session", thread["session"], "--json").out)["threads"] == [thread]
    assert json.loads(hearth("thread", f"{thread['docid']}:{thread['start_line']}", "--json").out) == found
    assert f"#{memory['docid']}" in hearth("thread", thread["docid"]).out
    assert hearth("thread", "nothing").code == 3


def test_a_dry_run_says_what_would_be_taken_in(hearth: Run, talk: Path) -> None:
    assert hearth("mine", str(talk), "--dry-run").out.startswith("would take in: 1 conversation\n")
    told = json.loads(hearth("mine", str(talk), "--dry-run", "--json").out)
    assert (told["taken"], told["run"], told["dry_run"]) == (1, None, True)
    assert json.loads(hearth("query", "where are the quinces", "--json").out)["results"] == []


def test_without_a_path_it_lists_where_programs_keep_theirs(
    hearth: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home" / ".codex" / "sessions").mkdir(parents=True)
    assert "Codex: " in hearth("mine").out
    [found] = json.loads(hearth("mine", "--json").out)["hosts"]
    assert found == {"host": "Codex", "path": str(tmp_path / "home" / ".codex" / "sessions")}


def test_what_can_not_be_meant_is_an_error(hearth: Run, talk: Path) -> None:
    for arguments in ([str(talk) + "x"], [str(talk), "--format", "word"], [str(talk), "--since", "soon"]):
        told = hearth("mine", *arguments)
        assert told.code != 0 and told.err.count("\n") == 1


def test_a_chat_that_only_import_reads_is_named_with_that_command(hearth: Run, tmp_path: Path) -> None:
    chat = tmp_path / "_chat.txt"
    chat.write_text("[24.11.26, 18:03:12] Ana: the boat\n[24.11.26, 18:04:12] Ben: which one?\n" * 3, encoding="utf-8")
    told = hearth("mine", str(chat))
    assert "skipped: not a conversation 1" in told.out
    assert told.err.count(str(chat)) == 1
    assert "hearth import" in told.err


def test_a_damaged_archive_is_named_once_with_the_reason(hearth: Run, tmp_path: Path) -> None:
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04 cut off")
    told = hearth("mine", str(tmp_path / "half.zip"))
    assert told.err == f"hearth: warning: {tmp_path / 'half.zip'}: damaged archive: File is not a zip file\n"


def test_conversations_that_ended_before_a_day_are_left_out(hearth: Run, tmp_path: Path) -> None:
    said = {"uuid": "m", "sender": "human", "text": "Quinces?", "created_at": "2025-03-01T10:00:00Z"}
    (tmp_path / "one.json").write_text(json.dumps([{"uuid": "c", "name": "x", "chat_messages": [said]}]), "utf-8")
    since = lambda day: json.loads(hearth("mine", str(tmp_path / "one.json"), "--since", day, "--json").out)  # noqa: E731
    assert since("2025-03-02")["skipped"] == {"older than --since": 1}
    assert since("2025-03-01")["taken"] == 1


def test_memories_are_made_only_where_that_is_asked_for(hearth: Run, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(LASTING, "utf-8")
    assert "distilled" not in json.loads(hearth("mine", str(tmp_path / "one.txt"), "--json").out)
    done = json.loads(hearth("mine", str(tmp_path / "one.txt"), "--memories", "--json").out)
    assert done["distilled"] == {"conversations": 1, "memories": 1, "left": 0, "problems": []}
    assert hearth("mine", str(tmp_path / "one.txt"), "--memories").out.endswith("0 memories from 0 conversations\n")


def test_the_first_line_of_a_conversation_leads_to_its_first_thread(hearth: Run, tmp_path: Path) -> None:
    said = [
        ("human", "Where do we keep the quinces over winter?", "2026-03-01T10:00:00Z"),
        ("assistant", "In the larder.", "2026-03-01T10:01:00Z"),
        ("human", "Please label the jars of figs in blue.", "2026-03-01T15:00:00Z"),
        ("assistant", "Done.", "2026-03-01T15:01:00Z"),
    ]
    rows = [{"sender": sender, "text": text, "created_at": at} for sender, text, at in said]
    file = tmp_path / "talk.json"
    file.write_text(
        json.dumps([{"uuid": "abc-1", "name": "Larder", "created_at": said[0][2], "chat_messages": rows}]),
        encoding="utf-8",
    )
    assert hearth("mine", str(file)).code == 0
    newest, oldest = json.loads(hearth("threads", "--json").out)["threads"]
    assert oldest["start_line"] < newest["start_line"]
    named = {
        place: json.loads(hearth("thread", f"{newest['docid']}{place}", "--json").out)["thread"]
        for place in ("", ":1", f":{newest['start_line']}")
    }
    assert named == {"": newest, ":1": oldest, f":{newest['start_line']}": newest}
