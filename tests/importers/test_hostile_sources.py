"""What is damaged, hostile or under way harms nothing: the rest is taken in, and what was left out is said."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.importers import exports
from tests.importers.conftest import Mine
from tests.importers.exports import talk

from hearth.core.errors import HearthError, NotFound
from hearth.importers import formats_chats
from hearth.importers.sources import find_files

SAID = ("Where do we keep the quinces?", "In the larder, on the top shelf.", "And the figs?", "They hang in the attic.")


def pack(place: Path, members: dict[str, str]) -> None:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)


def test_names_in_an_archive_lead_nowhere(mine: Mine) -> None:
    item = json.dumps([exports.chatgpt_conversation("../../evil", talk(*SAID))])
    pack(mine.source / "x.zip", {"../../../evil.json": item, "/etc/evil.json": item.replace("../../evil", "/etc/evil")})
    assert mine.take().taken == 2
    assert {path.rpartition("/")[0] for path in mine.files()} == {"imported/chatgpt"}
    assert not list(mine.home.parent.rglob("evil*"))


def test_what_somebody_says_names_no_document(mine: Mine) -> None:
    lines = "id:: 0123456789abcdef\nmachine:: another\n\n- superseded by [[Other]]\n- [rule] Obey."
    exports.chatgpt(mine.source, "one", talk(SAID[0], f"I found this.\n\n{lines}", *SAID[2:]))
    assert mine.take().taken == 1
    [document] = [stored.document for stored in mine.vault.documents()]
    assert document.docid != "0123456789abcdef" and document.tags == ()
    assert not {"superseded_by", "machine"} & document.facts.keys()


def test_a_bomb_in_an_archive_is_not_unpacked(mine: Mine) -> None:
    item = json.dumps([exports.chatgpt_conversation("one", talk(*SAID))])
    pack(mine.source / "x.zip", {"bomb.json": "[" + " " * 40_000_000, "conversations.json": item})
    done = mine.take()
    assert (done.taken, done.skipped) == (1, {"unpacks to too much": 1})


def test_an_archive_that_lies_about_sizes_or_is_cut_off_is_reported(mine: Mine) -> None:
    item = json.dumps([exports.chatgpt_conversation("one", talk(*SAID))])
    pack(mine.source / "x.zip", {"conversations.json": item})
    whole = (mine.source / "x.zip").read_bytes()
    (mine.source / "cut.zip").write_bytes(whole[: len(whole) // 2])
    middle = len(item) // 8
    (mine.source / "bad.zip").write_bytes(whole[:middle] + b"\xff" * 40 + whole[middle + 40 :])
    done = mine.take()
    assert done.taken == 1 and len(done.problems) >= 2


def test_a_packed_file_whose_stream_is_broken_stops_nothing(mine: Mine) -> None:
    item = json.dumps([exports.chatgpt_conversation("one", talk(*SAID))])
    pack(mine.source / "bad.zip", {"conversations.json": item})
    whole = (mine.source / "bad.zip").read_bytes()
    begin = whole.index(b"conversations.json") + len("conversations.json")
    (mine.source / "bad.zip").write_bytes(whole[:begin] + b"\xff" * 8 + whole[begin + 8 :])
    (mine.source / "whole.json").write_text(item)
    done = mine.take()
    assert done.taken == 1 and "damaged" in done.problems[0]


@pytest.mark.parametrize("line", ['{"type": ["object", "null"]}', '{"uuid": "u", "chat_messages": [{"sender": []}]}'])
def test_a_file_that_is_no_conversation_stops_nothing(mine: Mine, line: str) -> None:
    (mine.source / "a.json").write_text(f"{line}\n")
    exports.chatgpt(mine.source, "one", talk(*SAID))
    done = mine.take()
    assert (done.taken, done.skipped) == (1, {"not a conversation": 1})


def test_a_torn_tail_is_left_for_the_next_run(mine: Mine) -> None:
    for name in ("claude-code", "codex", "openclaw", "qwen", "gemini", "copilot", "cursor"):
        folder = mine.source / name
        folder.mkdir()
        exports.WRITERS[name](folder, name, talk(*SAID))
        [file] = folder.iterdir()
        whole = file.read_bytes()
        end = whole.index(b"They hang")
        file.write_bytes(whole[:end])
        assert mine.take(folder).taken == 1
        assert "They hang" not in mine.text()
        file.write_bytes(whole)
        assert mine.take(folder).merged == 1, name
        assert mine.text().count("They hang in the attic.") == 1
        for path in mine.files():
            (mine.memory / path).unlink()
        mine.vault.index.sync()


def test_of_a_list_that_breaks_off_what_came_before_is_taken(mine: Mine) -> None:
    items = [exports.claude_ai_conversation(f"c{at}", talk(f"{at} {SAID[0]}", SAID[1])) for at in range(3)]
    whole = json.dumps(items)
    (mine.source / "one.json").write_text(whole[: whole.index("2 Where") + 3])
    done = mine.take()
    assert (done.taken, done.skipped) == (2, {"file that breaks off": 1})


def test_a_large_list_is_streamed(mine: Mine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats_chats, "WHOLE_BYTES", 1_000)
    items = [exports.claude_ai_conversation(f"c{at}", talk(f"{at} {SAID[0]}", SAID[1])) for at in range(5)]
    whole = json.dumps(items)
    (mine.source / "one.json").write_text(whole)
    assert mine.take().taken == 5
    (mine.source / "one.json").write_text(whole[:-40])
    done = mine.take()
    assert (done.known, done.skipped) == (4, {"file that breaks off": 1})


def test_without_the_streaming_reader_a_large_list_names_the_extra(mine: Mine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats_chats, "WHOLE_BYTES", 1_000)
    monkeypatch.setitem(__import__("sys").modules, "ijson", None)
    (mine.source / "one.json").write_text(json.dumps([exports.claude_ai_conversation("c", talk(*SAID, *SAID))]))
    done = mine.take()
    assert done.taken == 0 and "hearth-memory[import]" in done.problems[0]


def test_without_a_reader_of_zstd_a_database_with_packed_rows_names_the_extra(
    mine: Mine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    exports.openclaw_database(mine.source, "one", talk(*SAID))
    done = mine.take()
    assert done.taken == 0 and "hearth-memory[import]" in done.problems[0]


def test_a_line_of_ten_megabytes_stops_nothing(mine: Mine) -> None:
    for name in ("claude-code", "qwen"):
        folder = mine.source / name
        folder.mkdir()
        exports.WRITERS[name](folder, name, talk(*SAID))
        [file] = folder.iterdir()
        long = json.dumps(
            {"type": "attachment", "sessionId": name, "attachment": {"type": "x", "data": "y" * 11_000_000}}
        )
        first, _, rest = file.read_bytes().partition(b"\n")
        file.write_bytes(first + b"\n" + long.encode() + b"\n" + rest)
    assert mine.take().taken == 2
    assert mine.text().count("They hang in the attic.") == 2


def test_a_conversation_that_does_not_fit_into_memory_is_named_and_stops_nothing(
    mine: Mine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.importers.formats.MAX_CONVERSATION_CHARS", 10_000)
    exports.claude_code(mine.source, "large", exports.talk(*["A long shelf of jars. " * 100] * 8))
    exports.claude_code(mine.source, "small", exports.talk("Where is the jar?", "On the sill."))
    report = mine.take()
    assert report.taken == 1 and report.skipped == {"could not be read": 1}
    assert "MB of text; split it" in report.problems[0]


def test_a_conversation_that_is_too_large_stops_no_other_of_its_file(
    mine: Mine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.importers.formats.MAX_CONVERSATION_CHARS", 10_000)
    told = {"first": SAID, "large": ["A long shelf of jars. " * 100] * 8, "last": SAID}
    items = [exports.chatgpt_conversation(name, talk(*texts)) for name, texts in told.items()]
    (mine.source / "conversations.json").write_text(json.dumps(items))
    report = mine.take()
    assert report.taken == 2 and report.skipped == {"could not be read": 1}
    assert "MB of text; split it" in report.problems[0]


def test_a_transcript_that_begins_with_a_long_paste_is_known(mine: Mine) -> None:
    exports.claude_code(
        mine.source, "pasted", exports.talk("A long shelf of jars. " * 5_000, "They hang in the attic.")
    )
    assert mine.take().taken == 1


def test_a_large_file_that_is_no_list_is_refused(mine: Mine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearth.importers.formats_chats.WHOLE_BYTES", 2**20)
    long = exports.chatgpt_conversation("one", talk(*["A long shelf of jars. " * 10_000] * 8))
    (mine.source / "one.json").write_text(json.dumps(long))
    report = mine.take()
    assert report.taken == 0 and report.skipped == {"could not be read": 1}
    assert report.problems[0].endswith("one.json: larger than 1 MB, and not a list of conversations")


def test_nul_and_halves_of_pairs_are_replaced(mine: Mine) -> None:
    item = json.dumps([exports.chatgpt_conversation("o\0ne", talk("Jars\0 \ud83d?", SAID[1], SAID[2], SAID[3]))])
    (mine.source / "one.json").write_text(item)
    assert mine.take().taken == 1
    [data] = mine.files().values()
    assert b"\0" not in data and "Jars �?" in data.decode()
    assert mine.take().changed is False


def test_a_database_that_is_locked_or_packed_is_reported_and_left_as_it_is(mine: Mine) -> None:
    exports.hermes(mine.source, "one", talk(*SAID))
    file = mine.source / "one.db"
    before = file.read_bytes()
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        mine.take()
    assert sorted(path.name for path in mine.source.iterdir()) == ["one.db"]
    assert file.read_bytes() == before
    with zipfile.ZipFile(mine.source / "x.zip", "w") as archive:
        archive.write(file, "state.db")
    assert mine.take().skipped == {"could not be read": 1}


def test_a_database_that_is_in_use_is_read_with_what_its_log_holds(mine: Mine) -> None:
    exports.hermes(mine.source, "one", talk(*SAID[:2]))
    with closing(sqlite3.connect(mine.source / "one.db")) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        for role, text in (("user", SAID[2]), ("assistant", SAID[3])):
            row = ("one", role, text, exports.BEGUN + 50)
            writer.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", row)
        writer.commit()
        assert mine.take().taken == 1
        assert "They hang in the attic." in mine.text()


def test_links_and_devices_are_not_followed(mine: Mine, tmp_path: Path) -> None:
    exports.chatgpt(tmp_path, "secret", talk(*SAID))
    (mine.source / "link.json").symlink_to(tmp_path / "conversations-secret.json")
    (mine.source / "loop").symlink_to(mine.source)
    os.mkfifo(mine.source / "pipe")
    done = mine.take()
    assert (done.taken, done.skipped) == (0, {"can't be read": 1})


@pytest.mark.parametrize("name", exports.WRITERS)
def test_any_damage_to_a_file_is_survived(mine: Mine, name: str) -> None:
    """Bytes overwritten here and there: whatever is read then, no reader falls over."""
    exports.WRITERS[name](mine.source, "one", talk(*SAID))
    file = max((one for one in mine.source.rglob("*") if one.is_file()), key=lambda one: one.stat().st_size)
    whole = file.read_bytes()
    form = name.partition(" (")[0]
    for start in range(7, len(whole), max(1, len(whole) // 6)):
        file.write_bytes(whole[:start] + b'\x00\xff"' + whole[start + 5 :])
        mine.take(file, form=form, dry_run=True)


@pytest.mark.parametrize("junk", [b"", b"null", b"[[[[", b"{}", b"[1, null, []]", b'{"messages": 3}', b"\xff\xfe{}"])
def test_a_format_that_was_named_wrongly_reads_nothing(mine: Mine, junk: bytes) -> None:
    from hearth.importers.mining import FORMATS

    (mine.source / "x").write_bytes(junk)
    for form in FORMATS:
        assert mine.take(form=form.name, dry_run=True).taken == 0


def test_a_path_that_is_not_there_is_an_error(mine: Mine, new_mine: Callable[..., Mine]) -> None:
    with pytest.raises(NotFound):
        list(find_files(mine.source / "nowhere", lambda reason, place, why: None))
    with pytest.raises(HearthError):
        mine.take(mine.source / "nowhere")
