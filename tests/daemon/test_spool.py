"""What a hook leaves behind: private, small, bounded, and without what was said."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from hearth.context.hook_context import MARKING
from hearth.daemon import spool
from hearth.daemon.stub import client as stub_client

RAW = {
    "session_id": "s1",
    "transcriptPath": "/nowhere/s1.jsonl",
    "prompt_id": "p1",
    "hook_event_name": "Stop",
    "last_assistant_message": "the password is hunter2",
    "background_tasks": [{"command": "secret"}],
    "prompt": "what was asked",
}


def keep(home: Any, raw: str | None = None, **environ: str) -> None:
    spool.keep(home.address, "feedback-loop", "claude-code", json.dumps(RAW) if raw is None else raw, environ)


def files(home: Any) -> list[Path]:
    return [Path(spool.folder(home.address), name) for name in spool.waiting(home.address)]


def test_what_is_left_behind_is_what_is_to_be_recorded() -> None:
    assert stub_client.RECORDED == MARKING


def test_an_event_is_left_as_a_private_file_without_what_was_said(home: Any) -> None:
    keep(home, PWD="/w", CODEX_HOME="/c", CLAUDE_API_KEY="sk-1", HEARTH_API_TOKEN="t")
    [file] = files(home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    found = json.loads(file.read_bytes())
    assert (found["name"], found["host"]) == ("feedback-loop", "claude-code")
    assert found["environ"] == {"PWD": "/w", "CODEX_HOME": "/c"}
    kept = {name: RAW[name] for name in ("session_id", "transcriptPath", "prompt_id", "hook_event_name")}
    assert found["input"] == {**kept, "background_tasks": True}
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_that_others_could_read_is_closed(home: Any) -> None:
    folder = Path(spool.folder(home.address))
    folder.mkdir(parents=True, mode=0o755)
    keep(home)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and len(files(home)) == 1


def test_how_far_the_transcript_was_then_is_kept(home: Any) -> None:
    transcript = home.folder / "s1.jsonl"
    transcript.write_text("12345\n", encoding="utf-8")
    keep(home, json.dumps({"session_id": "s1", "transcript_path": str(transcript)}))
    assert json.loads(files(home)[0].read_bytes())["environ"] == {spool.REACHED: "6"}


def test_what_is_no_event_is_not_left(home: Any) -> None:
    for raw in ("", "[]", "nonsense", "[" * 100_000):
        keep(home, raw)
    assert files(home) == []


def test_the_oldest_give_way_with_a_line_in_the_log(home: Any) -> None:
    folder = Path(spool.folder(home.address))
    folder.mkdir(parents=True, mode=0o700)
    old = [f"{number:020d}-1.{home.address.key}" for number in range(spool.MOST)]
    for name in old:
        (folder / name).touch()
    keep(home)
    left = spool.waiting(home.address)
    assert len(left) == spool.MOST and old[0] not in left and left[:-1] == old[1:]
    assert "the oldest is dropped" in home.log()


def test_what_can_not_be_kept_is_logged(home: Any) -> None:
    keep(home, json.dumps(dict.fromkeys(("session_id", "cwd", "reason", "turn_id", "trigger"), "x" * 4_000)))
    Path(spool.folder(home.address)).write_text("in the way")
    keep(home)
    assert files(home) == []
    assert "over the limit" in home.log() and "not a folder of yours" in home.log()


def test_events_of_other_folders_are_left_alone(home: Any) -> None:
    keep(home)
    home.environ["HEARTH_DATA_DIR"] = str(home.folder / "other")
    assert spool.waiting(home.address) == []
