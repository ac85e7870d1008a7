from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hearth.core.errors import Unavailable, UsageError
from hearth.core.memory import MAX_FILE_BYTES
from hearth.disk.memories import DiskMemories
from hearth.memory import memories

Machine = Any


def test_notes_stand_in_todays_file_under_their_time(desk: Machine) -> None:
    writer = desk.writer()
    writer.note("Baked bread.\n\n- rye\n- wheat\n")
    writer.note("Within the same minute")
    desk.later(minutes=95)
    done = writer.note("Walked the dog")
    assert (done.action, done.path, done.title) == ("appended", "daily/2026-03-05.md", "2026-03-05")
    assert desk.text(done.path) == (
        "---\ncontent_type: daily\ntrust: agent\nmachine: aaaaaaaaaa\n---\n\n# 2026-03-05\n\n"
        "## 12:00\n\nBaked bread.\n\n- rye\n- wheat\n\nWithin the same minute\n\n"
        "## 13:35\n\nWalked the dog\n"
    )
    assert desk.found("who walked the dog?") == [done.path]
    stored = desk.stored(done.docid).document
    assert (stored.content_type, stored.title, stored.authored_at) == ("daily", "2026-03-05", 1_772_712_000_000)


@pytest.mark.parametrize(
    ("zone", "path", "time"),
    [
        ("Pacific/Auckland", "daily/2026-03-06.md", "## 01:00"),
        ("America/Los_Angeles", "daily/2026-03-05.md", "## 04:00"),
    ],
)
def test_the_day_is_the_local_one(desk: Machine, zone: str, path: str, time: str) -> None:
    desk.zone = zone
    assert desk.writer().note("x").path == path
    assert time in desk.text(path)


def test_what_a_person_adds_to_the_day_stays(desk: Machine) -> None:
    path = desk.writer().note("one").path
    file = desk.root / path
    file.write_text(file.read_text("utf-8").replace("# 2026-03-05", "# A good day") + "\nmine\n", encoding="utf-8")
    desk.later(minutes=1)
    desk.writer().note("two")
    assert desk.body(path) == "# A good day\n\n## 12:00\n\none\n\nmine\n\n## 12:01\n\ntwo"


class Busy(DiskMemories):
    """A folder in which somebody saves the file before each replacement, so many times."""

    times = 0

    def replace(self, path: str, data: bytes, expected: str) -> bool:
        if self.times:
            self.times -= 1
            place = Path(self.root, path)
            place.write_text(place.read_text("utf-8") + f"edit {self.times}\n", encoding="utf-8")
        return super().replace(path, data, expected)


def test_edits_while_a_note_is_added_stay_and_so_does_the_note(desk: Machine) -> None:
    path = desk.writer().note("one").path
    memories = Busy(desk.root)
    memories.times = 3
    desk.writer(memories).note("two")
    assert [line for line in desk.body(path).splitlines() if line][2:] == ["one", "edit 2", "edit 1", "edit 0", "two"]


def test_a_file_that_never_rests_is_an_error_and_not_overwritten(desk: Machine) -> None:
    path = desk.writer().note("one").path
    memories = Busy(desk.root)
    memories.times = 100
    with pytest.raises(Unavailable, match="keeps changing"):
        desk.writer(memories).note("two")
    assert "two" not in desk.text(path)


def test_a_day_too_large_to_be_read_is_refused(desk: Machine) -> None:
    path = desk.writer().note("one").path
    with (desk.root / path).open("a", encoding="utf-8") as file:
        file.write("x" * (MAX_FILE_BYTES - 1_000))
    with pytest.raises(UsageError, match="5 MB"):
        desk.writer().note("word " * 400)


def test_a_memory_of_type_daily_is_a_note(desk: Machine) -> None:
    assert desk.remember("x", "daily").path == "daily/2026-03-05.md"


def test_a_diary_is_read_back_newest_first_with_its_text_and_by_whom(desk: Machine) -> None:
    writer = desk.writer()
    written = []
    for agent, topic, text in [
        ("claude", None, "First."),
        ("codex", "tests", "Second."),
        ("claude", "tests", "Third."),
    ]:
        written.append(memories.write(writer, text, topic, agent))
        desk.later(minutes=1)
    assert written[0].path == f"agent/diary/2026-03-05-1200-general-{written[0].docid}.md"
    assert [entry.text for entry in memories.read(writer)] == ["Third.", "Second.", "First."]
    assert [entry.text for entry in memories.read(writer, agent="claude")] == ["Third.", "First."]
    assert [entry.text for entry in memories.read(writer, topic="tests")] == ["Third.", "Second."]
    [last] = memories.read(writer, 1)
    assert (last.docid, last.agent, last.topic) == (written[2].docid, "claude", "tests")


def test_a_diary_entry_is_kept_once_for_each_agent_and_apart_from_notes(desk: Machine) -> None:
    writer = desk.writer()
    first = memories.write(writer, "A thought", agent="claude")
    assert memories.write(writer, "a thought", agent="claude").action == "duplicate"
    assert memories.write(writer, "A thought", agent="codex").action == "written"
    note = desk.remember("A thought")
    assert note.action == "written"
    assert len(memories.read(writer)) == 2
    assert first.docid in {entry.docid for entry in memories.read(writer)}


def test_an_odd_topic_never_leaves_the_diary(desk: Machine) -> None:
    done = memories.write(desk.writer(), "x", "../../../etc/passwd", "a/b")
    assert done.path == f"agent/diary/2026-03-05-1200-etc-passwd-{done.docid}.md"


@pytest.mark.parametrize("last", [0, 101])
def test_a_diary_is_read_in_bounded_parts(desk: Machine, last: int) -> None:
    with pytest.raises(UsageError, match="1 to 100"):
        memories.read(desk.writer(), last)
