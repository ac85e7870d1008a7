from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.memory.usage.conftest import DAY, DOCS

from hearth.core.errors import Ambiguous, NotFound, UsageError
from hearth.core.journal import Draft
from hearth.core.session import Sighting
from hearth.memory import session_log


def rows(room: Any, limit: int = 20, project: str | None = None) -> Any:
    with room.store.read() as reader:
        return session_log.sessions(reader, limit, project)


def detail(room: Any, name: str = "s") -> Any:
    with room.store.read() as reader:
        return session_log.detail(reader, session_log.find(reader, name), room.now)


def test_a_session_exists_from_first_sight_and_is_filled_in(room: Any) -> None:
    room.show("t", "bread.md")
    [row] = rows(room)
    assert (row.id, row.began, row.host, row.project, row.machine) == ("s", room.now, None, None, "aaaaaaaaaa")
    room.now += 5
    room.sessions.seen(Sighting("s", "codex", cwd="/w"))
    room.sessions.seen(Sighting("s", "claude-code", "another"))
    [row] = rows(room)
    assert (row.began, row.host, row.project) == (room.now - 5, "codex", "project of /w")


@pytest.mark.parametrize("call", ["seen", "turn_ended", "ended", "handed_off", "surfaced"])
def test_any_call_makes_the_session_known(room: Any, call: str) -> None:
    calls = {
        "seen": lambda: room.sessions.seen(Sighting("new")),
        "turn_ended": lambda: room.sessions.turn_ended("new", "/t", 0),
        "ended": lambda: room.sessions.ended("new"),
        "handed_off": lambda: room.sessions.handed_off("new", DOCS["bread.md"]),
        "surfaced": lambda: room.show("t", "bread.md", session="new"),
    }
    calls[call]()
    assert [row.id for row in rows(room)] == ["new"]
    before = room.events()
    calls[call]()
    assert room.events() == before


def test_a_session_seen_again_with_a_new_index_keeps_its_beginning(room: Any) -> None:
    room.sessions.seen(Sighting("s", "codex"))
    began = room.now
    room.now += DAY
    room.rebuilt(replay=False)
    assert rows(room) == []
    room.sessions.seen(Sighting("s", "codex"))
    assert [row.began for row in rows(room)] == [began]


def test_turns_files_and_watermark_are_kept(room: Any) -> None:
    room.sessions.turn_ended("s", "/t.jsonl", 100, "t1", ["/w/a.py", "/w/b.py"])
    room.now += 10
    room.sessions.turn_ended("s", "/t.jsonl", 250, "t2", ["/w/b.py", "/w/ü.py"])
    [row] = rows(room)
    assert (row.turns, row.files, row.transcript, row.watermark, row.last) == (2, 3, "/t.jsonl", 250, room.now)
    found = detail(room)
    assert found.files == ("/w/a.py", "/w/b.py", "/w/ü.py")
    assert [turn.id for turn in found.turns] == ["t1", "t2"]


def test_names_with_odd_spaces_are_names(room: Any) -> None:
    room.sessions.turn_ended("s", "/a\u202fb\u00a0c.jsonl", 100, "t1", ["/w/5\u202fPM.png"])
    assert detail(room).files == ("/w/5\u202fPM.png",)


def test_files_that_can_not_be_kept_are_counted(room: Any) -> None:
    odd = ["x" * 513, "a\nb", "\ud800", ""]
    room.sessions.turn_ended("s", "/t", 1, "t", [*odd, *(f"/{'ä' * 200}{n}" for n in range(400)), "/w/a.py"])
    with room.store.read() as reader:
        kept = len(reader.keys("session:s", "files"))
        left_out = reader.registers("session:s", "turn")["turn"]["files_left_out"]
    assert 0 < kept < 401
    assert kept + left_out == 405


@pytest.mark.parametrize(
    ("transcript", "watermark"), [("", 1), ("x" * 1025, 1), ("/t\n", 1), ("/t", -1), ("/t", 2**53)]
)
def test_a_watermark_that_means_nothing_is_refused(room: Any, transcript: str, watermark: int) -> None:
    with pytest.raises(UsageError):
        room.sessions.turn_ended("s", transcript, watermark)


def test_a_session_that_goes_on_is_open_again(room: Any) -> None:
    room.show("t1", "bread.md")
    room.now += 10
    room.sessions.ended("s", "clear\x1b[2J")
    [row] = rows(room)
    assert (row.ended, row.ending) == (room.now, "clear [2J")
    room.now += 10
    room.show("t2", "boats.md")
    assert [(row.ended, row.last) for row in rows(room)] == [(None, room.now)]
    room.sessions.ended("s")
    assert [(row.ended, row.ending) for row in rows(room)] == [(room.now, "other")]


def test_the_newest_come_first_and_a_project_can_be_asked_for(room: Any) -> None:
    for number in range(5):
        room.now += 1000
        room.sessions.seen(Sighting(f"s{number}", project=f"p{number % 2}"))
    assert [row.id for row in rows(room, 3)] == ["s4", "s3", "s2"]
    assert [row.id for row in rows(room, 9, "p1")] == ["s3", "s1"]


def test_the_hand_off_gives_the_summary_unless_it_is_forgotten(room: Any) -> None:
    room.sessions.handed_off("s", DOCS["bread.md"])
    assert [(row.summary, row.handoff) for row in rows(room)] == [("bread", DOCS["bread.md"])]
    room.sessions.history.record([Draft("forget", DOCS["bread.md"])])
    assert rows(room)[0].summary is None
    with pytest.raises(UsageError):
        room.sessions.handed_off("s", "not a docid")


def test_one_session_tells_what_was_shown_and_used(room: Any) -> None:
    room.show("t1", "bread.md", "boats.md", tokens=70)
    room.answer("t1", "boats.md")
    [turn] = detail(room).turns
    assert (turn.tokens, turn.hooks) == (70, ("context-surfacing",))
    shown = {document.place: (document.lines, document.referenced) for document in turn.shown}
    assert shown == {"notes/bread.md": (((1, 1),), False), "notes/boats.md": (((1, 1),), True)}
    room.sessions.history.record([Draft("forget", DOCS["boats.md"])])
    assert {document.place for document in detail(room).turns[0].shown} == {"notes/bread.md", None}


def test_a_session_is_found_by_the_beginning_of_its_name(room: Any) -> None:
    for name in ("abcd-1", "abcd-2", "x" * 500):
        room.sessions.seen(Sighting(name))
    assert detail(room, "abcd-1").session.id == "abcd-1"
    assert detail(room, "x" * 500).session.id.startswith("x")
    with pytest.raises(Ambiguous) as found:
        detail(room, "abcd")
    assert found.value.candidates == ("abcd-1", "abcd-2")
    for name in ("abc", "nothing", ""):
        with pytest.raises(NotFound):
            detail(room, name)


def test_the_span_of_a_session_reaches_to_the_last_that_was_heard(room: Any) -> None:
    start = room.now
    room.sessions.seen(Sighting("a"))
    room.now += 100
    room.sessions.seen(Sighting("b"))
    room.now += 100
    room.show("t", "bread.md", session="a")
    with room.store.read() as reader:
        known = session_log.spans(reader)
    assert [session_log.within(start + at, known) for at in (-1, 0, 99, 100, 101, 200, 201)] == [
        None, "a", "a", "b", "a", "a", None,
    ]  # fmt: skip


def test_the_timeline_names_the_session_of_each_document(house: Any) -> None:
    vault = house.vault
    vault.sessions.seen(Sighting("s", "codex"))
    now = datetime.now(UTC).isoformat()
    house.write("new.md", f"---\ncreated: {now}\n---\n# New\n\nWritten while the session was under way.\n")
    house.write("said.md", "---\nsession: other\nauthored_at: 2020-01-01\n---\n\nWritten long ago, as it says.\n")
    vault.index.sync()
    vault.sessions.turn_ended("s", "/t", 1, "t")
    found = {moment.stored.document.path: moment.session for moment in vault.timeline("new.md", before=9, after=9)}
    assert (found["new.md"], found["said.md"]) == ("s", "other")


def test_a_vault_knows_the_project_of_a_folder(house: Any, tmp_path: Path) -> None:
    folder = tmp_path / "house" / "work"
    folder.mkdir()
    house.vault.sessions.seen(Sighting("s", cwd=str(folder)))
    house.vault.sessions.seen(Sighting("h", cwd=str(house.home)))
    assert {row.id: row.project for row in house.vault.sessions.recent()} == {"s": str(folder), "h": None}
    assert house.vault.sessions.project_of(str(folder)) == str(folder)
