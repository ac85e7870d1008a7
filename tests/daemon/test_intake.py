"""Events that got no answer: left by a real hook, recorded once by whoever may."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from hearth import hook
from hearth.app.pool import VaultPool
from hearth.daemon import intake, spool
from hearth.daemon.intake import EventIntake, PooledVaults

DIES = """
import os
from hearth.daemon.stub import client as stub_client
def work(*given):
    given[-1]("auto")
    {body}
stub_client.BUDGETS.update({budgets!r})
stub_client.main([{name!r}, "--no-start"], work)
"""
EVENTS = {"feedback-loop": "Stop", "session-end": "SessionEnd", "precompact-extract": "PreCompact"}


def transcript(home: Any) -> Path:
    file: Path = home.folder / "s1.jsonl"
    person = {"type": "user", "uuid": "u1", "promptId": "p1", "timestamp": "2026-03-05T12:00:00.000Z"}
    said = {**person, "sessionId": "s1", "message": {"role": "user", "content": "Moor the zeppelin at the lighthouse."}}
    agent = {"type": "assistant", "uuid": "a1", "timestamp": "2026-03-05T12:01:00.000Z"}
    blocks = [{"type": "text", "text": "Its mast holds twelve tonnes."}]
    answered = {**agent, "message": {"id": "m1", "role": "assistant", "model": "x", "content": blocks}}
    file.write_text(json.dumps(said) + "\n" + json.dumps(answered) + "\n", encoding="utf-8")
    return file


def event(home: Any, name: str) -> bytes:
    given = {"session_id": "s1", "transcript_path": str(transcript(home)), "cwd": str(home.folder), "prompt_id": "p1"}
    return json.dumps({**given, "hook_event_name": EVENTS[name], "reason": "exit"}).encode()


def lose(home: Any, name: str, body: str = "os._exit(1)", budgets: dict[str, int] | None = None) -> None:
    done = home.script(DIES.format(body=body, name=name, budgets=budgets or {}), stdin=event(home, name))
    assert (done.code, done.out, done.err) == (0, "", "")


def captured(home: Any) -> bool:
    return "zeppelin" in home.hearth("query", "where is the zeppelin moored?", "--type", "conversation").out


@pytest.mark.parametrize("name", sorted(EVENTS))
@pytest.mark.parametrize("body", ["os._exit(1)", "return '', lambda: os._exit(1)", "return '', lambda: False"])
def test_an_event_whose_child_fails_is_left(indexed_home: Any, name: str, body: str) -> None:
    lose(indexed_home, name, body)
    [file] = spool.waiting(indexed_home.address)
    found = json.loads(Path(spool.folder(indexed_home.address), file).read_bytes())
    assert (found["name"], found["input"]["session_id"]) == (name, "s1")


def test_what_is_recorded_and_prompts_are_not_left(indexed_home: Any) -> None:
    # However busy the machine is, the child gets to its end.
    lose(indexed_home, "session-end", "return '', lambda: None", {"session-end": 60})
    indexed_home.script(
        DIES.format(body="os._exit(1)", name="context-surfacing", budgets={}), stdin=indexed_home.prompt()
    )
    assert spool.waiting(indexed_home.address) == []


def test_an_event_for_a_daemon_that_does_not_answer_in_time_is_left_and_taken_in_when_it_can(
    indexed_home: Any, until: Any
) -> None:
    daemon = indexed_home.daemon()
    daemon.send_signal(signal.SIGSTOP)
    lose(indexed_home, "session-end")
    assert len(spool.waiting(indexed_home.address)) == 1
    daemon.send_signal(signal.SIGCONT)
    until(lambda: captured(indexed_home))
    assert spool.waiting(indexed_home.address) == []


def test_a_daemon_takes_in_at_its_start_what_was_left(indexed_home: Any, until: Any) -> None:
    lose(indexed_home, "session-end")
    indexed_home.daemon()
    until(lambda: captured(indexed_home))
    until(lambda: spool.waiting(indexed_home.address) == [])


def test_where_no_daemon_may_run_the_next_command_takes_it_in(indexed_home: Any) -> None:
    lose(indexed_home, "session-end")
    indexed_home.environ["HEARTH_DAEMON_MODE"] = "never"
    assert captured(indexed_home)
    assert spool.waiting(indexed_home.address) == []


def test_where_no_daemon_may_run_the_next_hook_takes_it_in(indexed_home: Any, until: Any) -> None:
    indexed_home.configure("daemon: {mode: never}\n")
    lose(indexed_home, "session-end")
    indexed_home.stub(stdin=indexed_home.prompt())
    until(lambda: spool.waiting(indexed_home.address) == [])
    with indexed_home.vault() as vault:
        assert vault.sessions.get("s1").session.ended is not None


def test_an_event_that_is_taken_in_twice_is_recorded_once(indexed_home: Any) -> None:
    for _ in range(2):
        lose(indexed_home, "feedback-loop")
        lose(indexed_home, "session-end")
        intake.take_in(indexed_home.environ)
    journal = "".join(file.read_text() for file in (indexed_home.folder / "data").rglob("journal/*.jsonl"))
    kinds = [json.loads(line).get("kind", json.loads(line).get("k")) for line in journal.splitlines()]
    assert kinds.count("turn") == 1 and journal.count('"ending"') == 1


def test_a_late_event_reads_no_further_than_the_session_was(indexed_home: Any) -> None:
    lose(indexed_home, "feedback-loop")
    file = indexed_home.folder / "s1.jsonl"
    reached = file.stat().st_size
    with file.open("a", encoding="utf-8") as more:
        more.write(file.read_text(encoding="utf-8").replace("u1", "u2"))
    intake.take_in(indexed_home.environ)
    with indexed_home.vault() as vault:
        assert vault.sessions.watermark("s1", str(file)) == reached
        vault.sessions.turn_ended("s1", str(file), file.stat().st_size, "p2")
    spool.keep(indexed_home.address, "feedback-loop", "claude-code", event(indexed_home, "feedback-loop").decode(), {})
    intake.take_in(indexed_home.environ)
    with indexed_home.vault() as vault:
        assert vault.sessions.watermark("s1", str(file)) > reached  # it never goes back


def test_what_can_not_be_read_is_dropped_with_a_line_and_the_others_are_recorded(indexed_home: Any) -> None:
    lose(indexed_home, "session-end")
    folder = Path(spool.folder(indexed_home.address))
    (folder / f"00000000000000000000-1.{indexed_home.address.key}").write_text("half of i")
    intake.take_in(indexed_home.environ)
    assert spool.waiting(indexed_home.address) == []
    assert "can't be read and is lost" in indexed_home.log()
    with indexed_home.vault() as vault:
        assert vault.sessions.get("s1").session.ended is not None


def test_an_event_that_can_not_be_recorded_now_stays(indexed_home: Any) -> None:
    lose(indexed_home, "session-end")
    pool = VaultPool(environ=indexed_home.environ)
    left = EventIntake(PooledVaults(pool), indexed_home.address)
    indexed_home.configure("search: {mmr: [\n")
    with pytest.raises(Exception, match=r"config\.yaml"):
        intake.take_in(indexed_home.environ)
    assert len(spool.waiting(indexed_home.address)) == 1
    indexed_home.configure()
    pool.close()  # a process that ends opens nothing
    assert not left.take_in()
    assert len(spool.waiting(indexed_home.address)) == 1
    intake.take_in(indexed_home.environ)
    assert spool.waiting(indexed_home.address) == []


def test_an_event_without_time_is_not_done(indexed_home: Any) -> None:
    pool = VaultPool(environ=indexed_home.environ)
    raw = event(indexed_home, "session-end").decode()
    found = hook.answer("session-end", "claude-code", raw, {}, 0.0, PooledVaults(pool))
    found.end()
    pool.close()
    assert (found.done, found.output) == (False, "")


def test_the_hook_after_a_compaction_saves_itself_what_the_one_before_it_could_not(indexed_home: Any) -> None:
    lose(indexed_home, "precompact-extract")
    assert len(spool.waiting(indexed_home.address)) == 1
    body = indexed_home.script(PATIENT, stdin=after_compaction(indexed_home)).out
    assert "zeppelin" in body
    assert spool.waiting(indexed_home.address) == []


PATIENT = """
from hearth.daemon.stub import client as stub_client
stub_client.BUDGETS["postcompact-inject"] = 600.0
stub_client.main(["postcompact-inject", "--no-start"])
"""
KILLED = """
import os, signal
from hearth.daemon.stub import client as stub_client
def work(*given):
    given[-1]("auto")
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(1)
stub_client.BUDGETS["precompact-extract"] = 600.0
stub_client.main(["precompact-extract", "--no-start"], work)
"""


def after_compaction(home: Any) -> bytes:
    given = {"session_id": "s1", "cwd": str(home.folder), "hook_event_name": "SessionStart", "source": "compact"}
    return json.dumps(given).encode()


def test_a_hook_that_its_host_kills_before_a_compaction_has_left_the_event_already(indexed_home: Any) -> None:
    done = indexed_home.script(KILLED, stdin=event(indexed_home, "precompact-extract"))
    assert done.code == -signal.SIGKILL
    assert len(spool.waiting(indexed_home.address)) == 1
    assert "zeppelin" in indexed_home.script(PATIENT, stdin=after_compaction(indexed_home)).out


def test_a_daemon_saves_what_waits_before_it_answers_after_the_compaction(indexed_home: Any) -> None:
    daemon = indexed_home.daemon()
    daemon.send_signal(signal.SIGSTOP)
    lose(indexed_home, "precompact-extract", budgets={"precompact-extract": 1})
    daemon.send_signal(signal.SIGCONT)
    assert "zeppelin" in indexed_home.script(PATIENT, stdin=after_compaction(indexed_home)).out


def test_what_waits_of_other_sessions_keeps_no_answer_waiting(indexed_home: Any) -> None:
    lose(indexed_home, "precompact-extract")
    lose(indexed_home, "session-end")
    other = json.dumps({**json.loads(after_compaction(indexed_home)), "session_id": "s2"}).encode()
    assert "zeppelin" not in indexed_home.script(PATIENT, stdin=other).out
    assert len(spool.waiting(indexed_home.address)) == 2


def test_what_is_saved_in_time_leaves_nothing_behind(indexed_home: Any) -> None:
    indexed_home.script(
        PATIENT.replace("postcompact-inject", "precompact-extract"), stdin=event(indexed_home, "precompact-extract")
    )
    assert spool.waiting(indexed_home.address) == []
    assert "zeppelin" in indexed_home.script(PATIENT, stdin=after_compaction(indexed_home)).out
