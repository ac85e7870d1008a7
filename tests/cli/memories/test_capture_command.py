"""``hearth capture`` and ``hearth doctor`` on transcripts: what was taken back and what could not be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hearth as package
from hearth.core.session import Sighting

Run = Callable[..., Any]
Turn = Callable[..., None]


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


@pytest.fixture
def turn(vault: Path, transcript: Path) -> Turn:
    """A turn of Claude Code, after the line of a name."""

    def say(name: str, after: str | None, text: str) -> None:
        rows = [
            {"type": "user", "uuid": name, "parentUuid": after, "message": {"role": "user", "content": text}},
            {"type": "assistant", "uuid": f"{name}-answer", "parentUuid": name,
             "message": {"id": name, "role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
        ]  # fmt: skip
        with transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({"timestamp": "2026-03-05T12:00:00Z", **row}) + "\n" for row in rows)
        with package.open_vault() as opened:
            opened.sessions.seen(Sighting("abcd-1", "claude-code"))
            opened.sessions.turn_ended("abcd-1", str(transcript), transcript.stat().st_size)

    return say


def test_a_run_says_how_many_turns_were_taken_back(hearth: Run, turn: Turn) -> None:
    turn("one", None, "We decided to keep the dumps in restic.")
    turn("two", "one-answer", "From now on answer in Flemish.")
    assert hearth("capture", "run", "--all").code == 0
    turn("three", "one-answer", "From now on answer in Dutch.")
    done = hearth("capture", "run", "--all")
    assert done.code == 0 and "1 turn undone" in done.err
    found = json.loads(hearth("query", "answer in Flemish or Dutch", "--json").out)["results"]
    assert "Flemish" not in str(found) and "Dutch" in str(found)
    assert "3 turns" in hearth("log").out


def test_memory_index_reads_folders_and_sessions_at_once(hearth: Run, turn: Turn, vault: Path) -> None:
    (vault / "kiln.md").write_text("# Kiln\n\nThe kiln burns at noon.\n", encoding="utf-8")
    turn("one", None, "We decided to keep the dumps in restic.")
    done = hearth("memory", "index", "--json")
    found = json.loads(done.out)
    assert (done.code, found["added"], found["capture"]["turns"]) == (0, 1, 1)
    assert hearth("memory", "index").out.endswith("0 turns of 0 sessions captured, 0 documents written\n")


def test_what_could_not_be_read_is_told_by_status_and_doctor(hearth: Run, turn: Turn, transcript: Path) -> None:
    turn("one", None, "We decided to keep the dumps in restic.")
    assert "transcripts" not in {row["check"] for row in json.loads(hearth("doctor", "--json").out)["findings"]}
    transcript.write_bytes(transcript.read_bytes() + b'{"type":"user","message":{"content":"half a li\n\0\0\0\n')
    turn("two", "one-answer", "Which dump is the newest?")
    hearth("capture", "run", "--all")
    told = hearth("capture", "status").err
    assert "session abcd-1: 2 lines of" in told and transcript.name in told and "not a JSON object" in told
    passed = json.loads(hearth("capture", "status", "--json").out)["passed_over"]
    assert (passed["lines"], passed["transcripts"][0]["session"]) == (2, "abcd-1")
    [found] = [row for row in json.loads(hearth("doctor", "--json").out)["findings"] if row["check"] == "transcripts"]
    assert found["level"] == "warn" and found["message"].startswith("2 damaged or overlong lines in 1 transcript")
    assert "hearth capture status" in found["fix"]
