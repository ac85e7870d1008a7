"""Turns that a person took back by rewinding a session or editing a prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.transcript import Kind, Position, Watermark
from hearth.disk import transcripts
from hearth.disk.transcripts import DiskTranscripts

DISK = DiskTranscripts()


class Session:
    """A transcript of Claude Code in the making; ``leaf`` is the line that the next one follows."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.leaf: str | None = None
        self.prompts = 0

    def add(self, kind: str, uid: str, parent: str | None, **more: Any) -> None:
        self.rows.append({"type": kind, "uuid": uid, "parentUuid": parent, **more})
        if not more.get("isSidechain"):
            self.leaf = uid

    def ask(self, text: str, **more: Any) -> str:
        """Gives the line before it, to which a rewind leads."""
        before, self.prompts = self.leaf, self.prompts + 1
        fields = {"promptId": f"p{self.prompts}", "message": {"role": "user", "content": text}} | more
        self.add("user", f"u-{self.prompts}", before, **fields)
        return before or ""

    def answer(self, text: str) -> None:
        message = {"role": "assistant", "id": f"m-{text}", "content": [{"type": "text", "text": text}]}
        self.add("assistant", f"a-{self.prompts}-{len(self.rows)}", self.leaf, message=message)

    def say(self, text: str) -> str:
        before = self.ask(text)
        self.answer(f"Answer to {text}")
        return before

    def data(self) -> bytes:
        return b"".join(json.dumps(row).encode() + b"\n" for row in self.rows)


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def prompts(path: Path, session: Session) -> list[str]:
    path.write_bytes(session.data())
    return [entry.text for entry in DISK.read(str(path)).entries if entry.kind is Kind.USER]


def said(path: Path, session: Session) -> list[str]:
    path.write_bytes(session.data())
    return [entry.text for entry in DISK.read(str(path)).entries if entry.text]


def test_a_turn_that_was_rewound_is_gone_with_its_answer(path: Path, session: Session) -> None:
    session.say("One.")
    before = session.say("Two.")
    session.say("Three.")
    session.leaf = before
    session.say("Four.")
    assert said(path, session) == ["One.", "Answer to One.", "Four.", "Answer to Four."]


def test_turns_keep_their_numbers_when_others_are_taken_back(path: Path, session: Session) -> None:
    session.say("One.")
    session.leaf = session.say("Two.")
    session.say("Three.")
    path.write_bytes(session.data())
    reading = DISK.read(str(path))
    assert [entry.turn for entry in reading.entries] == [1, 1, 3, 3]
    assert {entry.turn for entry in reading.dropped} == {2}


def test_an_edited_prompt_replaces_the_one_before_even_under_one_id(path: Path, session: Session) -> None:
    session.say("One.")
    session.leaf = session.ask("Tow.", promptId="same")
    session.ask("Two.", promptId="same")
    assert prompts(path, session) == ["One.", "Two."]


def test_a_stopped_prompt_stays_unless_another_takes_its_place(path: Path, session: Session) -> None:
    session.say("One.")
    before = session.ask("Two.")
    session.add("user", "stop", session.leaf, message={"content": "[Request interrupted by user]"})
    session.say("Three.")
    assert prompts(path, session) == ["One.", "Two.", "Three."]
    session.leaf = before
    session.say("Four.")
    assert prompts(path, session) == ["One.", "Four."]


def test_a_first_prompt_that_was_stopped_and_typed_again_is_replaced(path: Path, session: Session) -> None:
    session.ask("Oen.")
    session.add("user", "stop", session.leaf, message={"content": "[Request interrupted by user]"})
    session.leaf = None
    session.say("One.")
    assert prompts(path, session) == ["One."]


def test_a_first_prompt_is_replaced_by_another_of_its_number(path: Path, session: Session) -> None:
    session.ask("Oen.", turnPosition={"promptIndex": 0, "turnIndex": 0})
    session.answer("What?")
    session.leaf = None
    session.ask("One.", turnPosition={"promptIndex": 0, "turnIndex": 0})
    assert prompts(path, session) == ["One."]


def test_results_of_parallel_tools_are_no_branch(path: Path, session: Session) -> None:
    session.ask("One.")
    for name in ("x", "y"):
        call = {"type": "tool_use", "id": f"t{name}", "name": "Read", "input": {}}
        session.add("assistant", f"call-{name}", session.leaf, message={"id": "m", "content": [call]})
    for name in ("y", "x"):
        result = {"type": "tool_result", "tool_use_id": f"t{name}", "content": f"result {name}"}
        session.add("user", f"result-{name}", f"call-{name}", message={"content": [result]})
    queued = {"type": "queued_command", "prompt": "And this."}
    session.add("attachment", "queued", "result-y", attachment=queued)
    session.leaf = "result-x"
    session.answer("Both read.")
    session.say("Two.")
    assert prompts(path, session) == ["One.", "And this.", "Two."]
    assert "result y" in said(path, session)


def test_an_answer_beside_an_error_of_the_server_is_no_branch(path: Path, session: Session) -> None:
    session.ask("One.")
    session.add("system", "error", session.leaf, subtype="api_error")
    session.leaf = "u-1"
    session.answer("Late.")
    session.leaf = "error"
    session.say("Two.")
    assert said(path, session) == ["One.", "Late.", "Two.", "Answer to Two."]


def test_lines_without_a_parent_are_no_branch(path: Path, session: Session) -> None:
    session.say("One.")
    session.leaf = None
    session.say("Two.")
    session.leaf = "not in the file"
    session.say("Three.")
    for row in session.rows[4:]:
        row.pop("parentUuid")
    session.leaf = None
    session.say("Four.")
    assert prompts(path, session) == ["One.", "Two.", "Three.", "Four."]


def test_a_compaction_is_no_branch(path: Path, session: Session) -> None:
    session.say("One.")
    last = session.leaf
    session.add("system", "b", None, subtype="compact_boundary", logicalParentUuid=last, content="compacted")
    session.add("user", "s", "b", isCompactSummary=True, message={"content": "This session is being continued"})
    before = session.say("Two.")
    assert prompts(path, session) == ["One.", "Two."]
    session.leaf = before
    session.say("Three.")
    assert prompts(path, session) == ["One.", "Three."]
    session.leaf = None
    session.say("Four.")
    assert prompts(path, session) == ["One.", "Three.", "Four."]


def test_what_was_compacted_after_a_rewind_goes_with_it(path: Path, session: Session) -> None:
    session.say("One.")
    before = session.say("Two.")
    session.add("system", "b", None, subtype="compact_boundary", logicalParentUuid=session.leaf)
    session.say("Three.")
    session.leaf = before
    session.say("Four.")
    assert prompts(path, session) == ["One.", "Four."]


def test_subagents_are_no_branch(path: Path, session: Session) -> None:
    session.say("One.")
    session.add("user", "side", None, isSidechain=True, message={"content": "Search."})
    session.add("assistant", "side2", "side", isSidechain=True, message={"content": "Found."})
    session.say("Two.")
    assert prompts(path, session) == ["One.", "Two."]


def test_a_rewind_past_a_subagent_that_the_session_goes_on_from_is_seen(path: Path, session: Session) -> None:
    session.say("One.")
    before = session.say("Two.")
    session.add("assistant", "side", session.leaf, isSidechain=True, message={"content": "Found."})
    session.leaf = "side"
    session.answer("The subagent is done.")
    session.say("Three.")
    session.leaf = before
    session.say("Four.")
    assert prompts(path, session) == ["One.", "Four."]


def test_a_line_that_comes_late_to_a_branch_that_was_left_changes_nothing(path: Path, session: Session) -> None:
    session.say("One.")
    before = session.say("Two.")
    left = session.leaf
    session.leaf = before
    session.say("Three.")
    session.add("system", "late", left, subtype="turn_duration")
    assert prompts(path, session) == ["One.", "Three."]


def test_lines_before_their_parents_and_circles_take_nothing_back(path: Path, session: Session) -> None:
    session.say("One.")
    session.add("attachment", "early", "later", attachment={"type": "environment"})
    session.add("attachment", "later", "a-1-1", attachment={"type": "environment"})
    session.leaf = "early"
    session.say("Two.")
    session.add("system", "x", "y")
    session.add("system", "y", "x")
    session.leaf = "y"
    session.say("Three.")
    assert prompts(path, session) == ["One.", "Two.", "Three."]


@pytest.mark.parametrize("chunk", [1, 50, 10**6])
def test_a_rewind_to_before_what_was_read_tells_the_turns_that_are_gone(
    path: Path, session: Session, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "_CHUNK", chunk)
    session.say("One.")
    before = session.say("Two.")
    session.say("Three.")
    path.write_bytes(session.data())
    mark = DISK.read(str(path)).watermark
    mark = Watermark.from_data(json.loads(json.dumps(mark.as_data())))
    session.leaf = before
    session.say("Four.")
    path.write_bytes(session.data())
    reading = DISK.read(str(path), mark)
    assert [entry.text for entry in reading.entries] == ["Four.", "Answer to Four."]
    assert [(one.turn, path.read_bytes()[one.offset :].split(b"\n")[0].count(b"T")) for one in reading.taken_back] == [
        (2, 1),
        (3, 1),
    ]
    session.say("Five.")
    path.write_bytes(session.data())
    assert DISK.read(str(path), reading.watermark).taken_back == ()


def test_who_returns_to_a_branch_that_was_left_takes_the_other_back(path: Path, session: Session) -> None:
    session.say("One.")
    session.leaf, left = session.say("Two."), session.leaf
    session.say("Three.")
    path.write_bytes(session.data())
    mark = DISK.read(str(path)).watermark
    session.leaf = left
    session.say("Four.")
    path.write_bytes(session.data())
    assert [one.turn for one in DISK.read(str(path), mark).taken_back] == [3]
    assert prompts(path, session) == ["One.", "Two.", "Four."]


def test_the_prompts_near_the_end_are_those_that_stand(path: Path, session: Session) -> None:
    session.say("One.")
    session.leaf = session.say("Two.")
    session.say("Three.")
    path.write_bytes(session.data())
    assert [entry.text for entry in DISK.tail(str(path))] == ["One.", "Three."]


def walk(steps: list[int]) -> Session:
    made = Session()
    before: list[str] = []
    for at, back in enumerate(steps):
        if before and back:
            del before[len(before) - min(back, len(before) - 1) :]
            made.leaf = before.pop() if len(before) > 1 else made.leaf
        before.append(made.say(f"Prompt {at}."))
    return made


@given(steps=st.lists(st.integers(0, 3), min_size=2, max_size=12), cut=st.integers(0, 10**6))
def test_in_parts_or_whole_the_same_turns_stand(tmp_path_factory: Any, steps: list[int], cut: int) -> None:
    path = tmp_path_factory.mktemp("chain") / "session.jsonl"
    data = walk(steps).data()
    path.write_bytes(data)
    whole = {entry.turn for entry in DISK.read(str(path)).entries}
    first = DISK.read(str(path), until=cut % (len(data) + 1))
    rest = DISK.read(str(path), first.watermark)
    gone = {one.turn for one in rest.taken_back}
    assert ({entry.turn for entry in first.entries} - gone) | {entry.turn for entry in rest.entries} == whole


def test_from_a_bare_byte_on_a_rewind_within_the_rest_is_seen(path: Path, session: Session) -> None:
    session.say("One.")
    start = len(session.data())
    session.leaf = session.say("Two.")
    session.say("Three.")
    path.write_bytes(session.data())
    entries = DISK.read(str(path), Watermark(Position(offset=start))).entries
    assert [entry.text for entry in entries if entry.kind is Kind.USER] == ["Three."]
