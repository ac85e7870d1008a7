"""Two sessions by real hooks and a real daemon: what the first said, the second is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.models.llm.chat import ChatServer

SAID = "Let us moor the zeppelin at the old lighthouse, since the harbour wants a fee."
ANSWER = "The lighthouse it is: its mast holds twelve tonnes."


def written(transcript: Path, session: str) -> Path:
    person = {"type": "user", "uuid": "u1", "promptId": "p1", "timestamp": "2026-03-05T12:00:00.000Z"}
    agent = {"type": "assistant", "uuid": "a1", "timestamp": "2026-03-05T12:01:00.000Z"}
    said = {**person, "sessionId": session, "message": {"role": "user", "content": SAID}}
    blocks = [{"type": "text", "text": ANSWER}]
    answered = {**agent, "message": {"id": "m1", "role": "assistant", "model": "x", "content": blocks}}
    transcript.write_text(json.dumps(said) + "\n" + json.dumps(answered) + "\n", encoding="utf-8")
    return transcript


def end(home: Any, session: str, transcript: Path) -> None:
    event = {"session_id": session, "transcript_path": str(transcript), "cwd": str(home.folder), "prompt_id": "p1"}
    for hook, name in (("feedback-loop", "Stop"), ("session-end", "SessionEnd")):
        home.stub(hook, stdin=json.dumps({**event, "hook_event_name": name, "reason": "exit"}).encode())


def found(home: Any) -> list[str]:
    done = home.hearth("query", "where is the zeppelin moored, at the lighthouse?", "--type", "conversation", "--json")
    return [row["snippet"] for row in json.loads(done.out)["results"]]


def test_what_a_session_said_is_found_by_another_process_without_a_command(indexed_home: Any, until: Any) -> None:
    indexed_home.daemon()
    transcript = written(indexed_home.folder / "first.jsonl", "first")

    def told() -> list[str]:
        end(indexed_home, "first", transcript)  # a busy machine may drop an event; twice is as good as once
        return found(indexed_home)

    until(told)
    assert any("lighthouse" in snippet for snippet in found(indexed_home))

    def status() -> Any:
        return json.loads(indexed_home.hearth("capture", "status", "--json").out)

    until(lambda: not status()["waiting"])  # it is found before all that it tells is kept
    assert status()["mode"] == "smart"


def test_the_daemon_lets_a_language_model_read_what_was_said(indexed_home: Any, until: Any) -> None:
    told = {
        "category": "decision",
        "text": "The zeppelin is moored at the old lighthouse, since the harbour wants a fee.",
        "turn": 1,
        "quote": "moor the zeppelin at the old lighthouse",
        "certainty": "explicit",
    }
    server = ChatServer(always=json.dumps({"memories": [told]}))
    indexed_home.environ |= {"HEARTH_LLM_PROVIDER": "openai", "HEARTH_LLM_URL": server.url}
    try:
        indexed_home.daemon()
        transcript = written(indexed_home.folder / "first.jsonl", "first")

        def noted() -> list[Path]:
            end(indexed_home, "first", transcript)
            return list((indexed_home.folder / "data").rglob("agent/decisions/*.md"))

        until(noted)
        [file] = noted()
        assert "openai:127.0.0.1" in file.read_text(encoding="utf-8")
    finally:
        server.stop()


def test_where_no_daemon_may_run_the_next_command_captures(indexed_home: Any) -> None:
    indexed_home.environ["HEARTH_DAEMON_MODE"] = "never"
    transcript = written(indexed_home.folder / "first.jsonl", "first")
    with indexed_home.vault() as vault:
        vault.sessions.turn_ended("first", str(transcript), transcript.stat().st_size, "p1")
        vault.sessions.ended("first")
    assert any("lighthouse" in snippet for snippet in found(indexed_home))
    shown = json.loads(indexed_home.hearth("capture", "show", "--json").out)["pieces"]
    assert [one["content_type"] for piece in shown for one in piece["documents"]] == ["conversation"]
    undone = indexed_home.hearth("capture", "undo", "first")
    assert undone.code == 0 and undone.out.startswith("forgotten ")
    assert found(indexed_home) == []


def test_what_another_process_wrote_down_is_captured_by_the_daemon(indexed_home: Any, until: Any) -> None:
    indexed_home.daemon()
    for session in ("first", "second"):  # the second comes while nothing is looked for
        with indexed_home.vault() as vault:
            vault.capture(session, [("user", f"Moor the {session} zeppelin."), ("assistant", "Done.")], end=True)
        until(lambda: indexed_home.hearth("capture", "status").err == "nothing waits\n")
        assert indexed_home.hearth("capture", "show", session).out.startswith(f"{session}  ")


def test_turns_that_wait_are_named_with_what_captures_them(indexed_home: Any) -> None:
    empty = indexed_home.hearth("capture", "show")
    assert (empty.code, "hearth setup" in empty.err) == (0, True)
    with indexed_home.vault() as vault:
        vault.capture("chat-7", [("user", "Moor the zeppelin."), ("assistant", "Done.")])
    shown = indexed_home.hearth("capture", "show")
    assert "1 turn of 1 session waits: hearth capture run --all" in shown.err and "setup" not in shown.err
    assert "waits for 20" in indexed_home.hearth("capture", "status").out
    with indexed_home.vault() as vault:
        vault.sessions.ended("chat-7")
    assert "is due: hearth capture run" in indexed_home.hearth("capture", "status").out
