"""Syncing real folders: what changes, what stays, what one bad file can't do."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearth.core.document import FileState, docid
from hearth.core.errors import Unavailable
from hearth.disk.collections import DiskFiles
from hearth.guard.secrets import redaction as secrets
from hearth.ports import EVERYTHING, Collection, StoredFragment
from hearth.vault.indexing.analysis import Analyzer


def fragments(box: Any, path: str) -> list[StoredFragment]:
    with box.store.read() as reader:
        return list(reader.fragments_of(box.stored(path).id))


def reasons(report: Any) -> dict[str, str]:
    return {item.path: item.reason for item in report.skipped}


# -- what changes -----------------------------------------------------------------------------------------------------


def test_new_changed_and_deleted_files_are_followed(box: Any) -> None:
    box.write("a.md", "# One\n\nAmber.\n")
    box.write("b.md", "Basalt.\n")
    first = box.sync()
    assert (first.added, first.changed, first.retired, first.unchanged) == (2, 0, 0, 0)
    assert first.fragments == 2
    box.write("a.md", "# One\n\nCedar, not the other.\n")
    (box.root / "b.md").unlink()
    second = box.sync()
    assert (second.added, second.changed, second.retired, second.unchanged) == (0, 1, 1, 0)
    assert box.texts("a.md") == ["# One\n\nCedar, not the other.\n"]
    assert box.paths() == ["a.md"]
    with box.store.read() as reader:
        assert reader.terms(["amber", "basalt"]) == {}


def test_an_unchanged_file_is_not_read_again(box: Any) -> None:
    class Counting(DiskFiles):
        reads = 0

        def read(self, collection: Collection, file: FileState) -> bytes:
            Counting.reads += 1
            return super().read(collection, file)

    box.write("a.md", "Amber.\n")
    box.sync(files=Counting())
    report = box.sync(files=Counting())
    assert (Counting.reads, report.unchanged, report.touched) == (1, 1, False)


def test_of_a_note_that_grew_by_a_line_only_the_last_passage_is_written_again(box: Any) -> None:
    days = "".join(f"## Day {n}\n\n{f'amber{n} basalt ' * 60}\n\n" for n in range(9))
    box.write("log.md", days)
    box.sync()
    parts = fragments(box, "log.md")
    box.write("log.md", f"{days}Cedar at last.\n")
    box.sync()
    grown = fragments(box, "log.md")
    assert grown[:-1] == parts[:-1]
    assert grown[-1].text.endswith("Cedar at last.\n")


def test_a_note_with_another_title_has_all_of_it_counted_again(box: Any) -> None:
    box.write("log.md", "---\ntitle: Amber\n---\n\nA day.\n")
    box.sync()
    box.write("log.md", "---\ntitle: Cedar\n---\n\nA day.\n")
    box.sync()
    with box.store.read() as reader:
        rows = reader.terms(["amber", "cedar"])
        assert "amber" not in rows
        assert rows["cedar"].df == len(box.texts("log.md"))


def test_a_touched_file_keeps_its_document(box: Any) -> None:
    path = box.write("a.md", "Amber.\n")
    box.sync()
    before = box.stored("a.md")
    os.utime(path, ns=(5, 5))
    report = box.sync()
    after = box.stored("a.md")
    assert (report.changed, report.unchanged) == (0, 1)
    assert after.file.mtime_ns == 5
    assert after.document == replace(before.document, modified_at=0)
    assert after.id == before.id


def test_a_change_that_keeps_size_and_time_is_found_while_the_file_is_fresh(box: Any) -> None:
    path = box.write("a.md", "Amber.\n")
    box.sync()
    os.utime(path, ns=(box.now * 1_000_000, box.now * 1_000_000))
    box.now -= 3_600_000
    box.sync()
    path.write_bytes(b"Cedar.\n")
    os.utime(path, ns=(box.now * 1_000_000, box.now * 1_000_000))
    box.now -= 3_600_000
    assert box.sync().changed == 1


def test_a_document_keeps_its_row_and_docid_when_it_changes(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    row = box.stored("a.md").id
    box.write("a.md", "Basalt and more.\n")
    box.sync()
    assert box.stored("a.md").id == row


def test_a_removed_collection_takes_its_documents_along(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    box.collections = []
    assert box.sync().retired == 1
    assert box.paths() == []
    with box.store.read() as reader:
        assert reader.collections() == {}


def test_links_between_notes_are_kept(box: Any) -> None:
    box.write("a.md", "See [[b]] and [again](deep/c.md).\n")
    box.write("b.md", "B.\n")
    box.write("deep/c.md", "C, back to [b](../b.md).\n")
    box.sync()
    with box.store.read() as reader:
        expected = sorted([docid("notes", "a.md"), docid("notes", "deep/c.md")])
        assert reader.links(docid("notes", "b.md"), incoming=True) == expected


def test_a_file_found_by_an_odd_name_is_one_document(box: Any) -> None:
    Path(os.fsdecode(os.fsencode(box.root) + b"/caf\xe9-x_y.md")).write_bytes(b"Amber.\n")
    box.write("a\nb.md", "Basalt.\n")
    assert box.sync().added == 2
    assert box.sync().unchanged == 2
    box.journalled("pin", "caf\udce9-x_y.md")
    assert box.state("caf\udce9-x_y.md").pinned
    Path(os.fsdecode(os.fsencode(box.root) + b"/caf\xe9-x_y.md")).rename(box.root / "plain.md")
    assert box.sync().moved == 1
    assert box.state("plain.md").pinned


# -- what moves -------------------------------------------------------------------------------------------------------


def test_state_follows_a_renamed_file(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.write("b.md", "Basalt.\n")
    box.sync()
    box.journalled("pin", "a.md")
    box.journalled("referenced", "a.md", session="s", turn="t")
    (box.root / "a.md").rename(box.root / "deep.md")
    report = box.sync()
    assert (report.moved, report.retired, report.added) == (1, 0, 1)
    assert box.state("deep.md").pinned
    assert box.state("deep.md").access_count == 1
    assert not box.state("b.md").pinned
    (box.root / "deep.md").rename(box.root / "deeper.md")
    box.sync()
    assert box.state("deeper.md").pinned


def test_only_documents_with_state_leave_a_trace_when_they_move(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    (box.root / "a.md").rename(box.root / "b.md")
    box.sync()
    assert box.journal.read_after({}).events == []


def test_state_follows_a_file_renamed_while_there_was_no_index(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    box.journalled("pin", "a.md")
    (box.root / "a.md").rename(box.root / "b.md")
    box.new_store()
    box.sync()
    assert box.state("b.md").pinned


def test_what_another_machine_says_under_the_former_name_reaches_the_document(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    box.journalled("pin", "a.md")
    (box.root / "a.md").rename(box.root / "b.md")
    box.sync()
    box.journalled("archive", "a.md")
    assert box.state("b.md").archived
    box.new_store()
    box.sync()
    assert box.state("b.md").archived


def test_a_copy_does_not_take_the_state_of_its_original(box: Any) -> None:
    box.write("b.md", "Amber.\n")
    box.sync()
    box.journalled("forget", "b.md")
    box.write("a.md", "Amber.\n")
    box.sync()
    assert not box.state("a.md").forgotten
    box.new_store()
    box.sync()
    assert not box.state("a.md").forgotten
    assert box.state("b.md").forgotten


def test_a_copy_in_an_earlier_collection_does_not_take_the_state_when_the_index_is_rebuilt(box: Any) -> None:
    (box.home / "first").mkdir()
    (box.home / "first/copy.md").write_text("Amber.\n", encoding="utf-8")
    box.write("original.md", "Amber.\n")
    box.collections = [Collection("first", str(box.home / "first")), *box.collections]
    box.sync()
    box.journalled("forget", "original.md")
    box.new_store()
    box.sync()
    assert not box.state("copy.md", "first").forgotten
    assert box.state("original.md").forgotten


def test_events_of_unknown_documents_apply_when_they_appear(box: Any) -> None:
    box.sync()
    box.journalled("pin", "later.md")
    box.write("later.md", "Amber.\n")
    box.sync()
    assert box.state("later.md").pinned


def test_forgotten_and_archived_documents_stay_so_across_scans_and_edits(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.write("b.md", "Basalt.\n")
    box.sync()
    box.journalled("forget", "a.md")
    box.journalled("archive", "b.md")
    box.write("a.md", "Amber, edited.\n")
    box.sync()
    assert box.paths(EVERYTHING) == []
    box.journalled("unforget", "a.md")
    assert box.paths(EVERYTHING) == ["a.md"]


# -- what vanishes ----------------------------------------------------------------------------------------------------


def many(box: Any, count: int) -> None:
    for number in range(count):
        box.write(f"{number:02}.md", f"Note {number}.\n")
    box.sync()


def test_losing_most_of_many_files_retires_none(box: Any) -> None:
    many(box, 30)
    for number in range(20):
        (box.root / f"{number:02}.md").unlink()
    report = box.sync()
    assert report.held == {"notes": "20 of 30 files are gone"}
    assert report.retired == 0
    assert len(box.paths()) == 10, "vanished documents must not answer"
    with box.store.read() as reader:
        state = reader.collections()["notes"]
        assert (state.held, state.vanished, state.documents) == ("20 of 30 files are gone", 20, 30)
    many(box, 30)
    assert len(box.paths()) == 30, "files that are back answer again"
    with box.store.read() as reader:
        assert reader.collections()["notes"].held is None


def test_vanished_files_are_retired_by_force(box: Any) -> None:
    many(box, 30)
    for number in range(25):
        (box.root / f"{number:02}.md").unlink()
    box.sync()
    assert box.sync(force=True).retired == 25
    with box.store.read() as reader:
        assert reader.statistics().documents == 5


@pytest.mark.parametrize(("there", "gone"), [(30, 15), (40, 19), (19, 18)])
def test_losing_half_or_fewer_than_twenty_retires_them(box: Any, there: int, gone: int) -> None:
    many(box, there)
    for number in range(gone):
        (box.root / f"{number:02}.md").unlink()
    report = box.sync()
    assert (report.retired, report.held) == (gone, {})


def test_moving_everything_is_no_loss(box: Any) -> None:
    many(box, 30)
    (box.root / "sub").mkdir()
    for number in range(30):
        (box.root / f"{number:02}.md").rename(box.root / f"sub/{number:02}.md")
    report = box.sync()
    assert (report.moved, report.retired, report.held) == (30, 0, {})


def test_a_missing_root_retires_nothing_even_by_force(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    box.root.rename(box.home / "elsewhere")
    for force in (False, True):
        report = box.sync(force=force)
        assert report.retired == 0
        assert "No such file" in report.held["notes"]
        assert box.paths() == []
    (box.home / "elsewhere").rename(box.root)
    box.sync()
    assert box.paths() == ["a.md"]


def test_an_empty_root_retires_nothing_unless_forced(box: Any) -> None:
    path = box.write("a.md", "Amber.\n")
    box.sync()
    path.unlink()
    assert box.sync().held == {"notes": "the folder is empty"}
    assert box.sync(force=True).retired == 1
    assert box.sync().held == {}


@pytest.mark.parametrize("there", [30, 25], ids=["most", "all"])
@pytest.mark.parametrize("how", ["exclude", "obsidian", "inner", "binary"])
def test_what_is_left_out_of_a_collection_has_not_vanished(box: Any, how: str, there: int) -> None:
    for number in range(25):
        box.write(f"old/{number:02}.md", f"Note {number}.\n")
    many(box, there - 25)
    [notes] = box.collections
    if how == "exclude":
        box.collections = [replace(notes, exclude=("old/",))]
    elif how == "obsidian":
        box.write(".obsidian/app.json", '{"userIgnoreFilters": ["old/"]}')
    elif how == "inner":
        old = str(box.root / "old")
        box.collections = [replace(notes, inner_roots=(old,)), Collection("old", old)]
    else:
        for number in range(25):
            box.write(f"old/{number:02}.md", b"\0\1")
    report = box.sync()
    assert (report.held, report.retired) == ({}, 25)


# -- bad files --------------------------------------------------------------------------------------------------------


BOMB = "---\na: &a [x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)},*{chr(97 + i)}]\n" for i in range(9)
)
BAD = {
    "binary.md": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)),
    "nul.md": b"text\0text",
    "invalid.md": b"# Caf\xe9\n\n\xff\xfe[[\xe2\x82]] mixed-\xffid and words\n",
    "late-nul.md": b"word " * 2_000 + b"\0 end\n",
    "utf16.md": "\ufeff# Grüße\n\nvon hier 🙂\n".encode("utf-16-le"),
    "utf16be.md": b"\xfe\xff" + "# Amber\n".encode("utf-16-be") + b"\0",
    "broken.md": b"---\ntitle: [unclosed\n---\nBody stays.\n",
    "bomb.md": BOMB.encode() + b"---\nBody stays.\n",
    "huge.md": b"---\n" + b"".join(b"key%d: %s\n" % (i, b"v" * 200) for i in range(2_000)) + b"---\nBody stays.\n",
    "deep.md": b"---\na: " + b"[" * 500 + b"]" * 500 + b"\n---\nBody stays.\n",
    "empty.md": b"",
    "blank.md": b"\n\n  \n",
    "bytes.md": b"---\ntitle: \xff\xfe-x\ntags: [a\xff, b]\n---\n# H\xff-\xfe.y\n",
    "crlf.md": b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n\r\n# One\r\n\r\nAmber\r\n",
    "long.md": b"x" * 300_000,
    "surrogate.md": b"\xed\xa0\x80 half\n",
}


def test_one_bad_file_never_stops_the_scan(box: Any) -> None:
    for name, data in BAD.items():
        box.write(name, data)
    box.write("zz-last.md", "Amber.\n")
    report = box.sync()
    assert reasons(report) == {"binary.md": "binary, not text", "nul.md": "binary, not text"}
    assert set(box.paths()) == {*BAD, "zz-last.md"} - {"binary.md", "nul.md"}
    with box.store.read() as reader:
        assert {item.path for item in reader.skipped()} == {"binary.md", "nul.md"}
        problems = {d.document.path: d.problem for d in list(reader.each_document(EVERYTHING)) if d.problem}
    odd = {name for name, problem in problems.items() if "UTF-8" in problem}
    assert odd == {"bytes.md", "surrogate.md", "invalid.md"}
    problems = {name: problem for name, problem in problems.items() if name not in odd}
    assert problems.keys() == {"broken.md", "bomb.md", "huge.md", "deep.md"}
    assert all(problem.startswith("frontmatter: not read: ") for problem in problems.values())
    for name in problems:
        assert "Body stays." in "".join(box.texts(name))
    assert box.texts("utf16.md") == ["# Grüße\n\nvon hier 🙂\n"]
    assert box.stored("utf16.md").document.title == "Grüße"
    again = box.sync()
    assert not again.touched
    assert len(again.skipped) == 2


def test_a_note_that_becomes_binary_is_searched_no_more(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.write("b.md", "Basalt.\n")
    box.sync()
    box.write("a.md", b"\0\0\0")
    assert reasons(box.sync()) == {"a.md": "binary, not text"}
    assert box.paths() == ["b.md"]
    box.write("a.md", "Amber again.\n")
    box.sync()
    assert box.texts("a.md") == ["Amber again.\n"]


def test_a_file_that_can_not_be_read_just_now_keeps_what_the_index_had(box: Any) -> None:
    class Refusing(DiskFiles):
        def read(self, collection: Collection, file: FileState) -> bytes:
            raise PermissionError(13, "Permission denied")

    box.write("a.md", "Amber.\n")
    box.sync()
    box.write("a.md", "Amber and more.\n")
    assert list(reasons(box.sync(files=Refusing()))) == ["a.md"]
    assert box.texts("a.md") == ["Amber.\n"]


# -- settings ---------------------------------------------------------------------------------------------------------


def test_a_changed_trust_acts_on_every_document_at_the_next_scan(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.write("b.md", "---\ntrust: external\n---\nBasalt.\n")
    box.sync()
    box.collections = [replace(box.collections[0], trust="agent")]
    assert box.sync().changed == 2
    assert [box.stored(path).document.trust for path in ("a.md", "b.md")] == ["agent", "external"]
    assert box.sync().changed == 0
    box.collections = [replace(box.collections[0], trust="human")]
    box.sync()
    assert box.stored("a.md").document.trust == "human"


# -- links ------------------------------------------------------------------------------------------------------------


def links_to(box: Any, path: str) -> list[str]:
    with box.store.read() as reader:
        return reader.links(docid("notes", path), incoming=True)


def test_a_link_follows_its_target_wherever_it_is(box: Any) -> None:
    source = docid("notes", "a.md")
    box.write("a.md", "See [[Larder]] and [more](deep/more.md).\n")
    box.sync()
    box.write("larder.md", "Shelves.\n")
    box.write("deep/more.md", "More.\n")
    box.sync()
    assert (links_to(box, "larder.md"), links_to(box, "deep/more.md")) == ([source], [source])
    (box.root / "larder.md").rename(box.root / "deep/Larder.md")
    box.sync()
    assert (links_to(box, "larder.md"), links_to(box, "deep/Larder.md")) == ([], [source])
    box.write("larder.md", "A second one, so that the name is clear no more but for the path.\n")
    box.write("x/larder.md", "A third one.\n")
    box.sync()
    assert [links_to(box, path) for path in ("larder.md", "x/larder.md", "deep/Larder.md")] == [[source], [], []]
    box.collections = [replace(box.collections[0], exclude=("/larder.md", "/x"))]
    box.sync()
    assert links_to(box, "deep/Larder.md") == [source]


def test_what_a_removed_collection_superseded_is_back(box: Any) -> None:
    other = box.home / "other"
    other.mkdir()
    box.write("old.md", "Amber.\n")
    (other / "new.md").write_text("---\nsupersedes: notes/old.md\n---\nCedar.\n")
    notes = box.collections[0]
    box.collections = [notes, Collection("other", str(other))]
    box.sync()
    assert box.state("old.md").superseded_by == docid("other", "new.md")
    box.collections = [notes]
    box.sync()
    assert not box.state("old.md").hidden


def test_a_file_being_written_is_read_by_the_next_scan(box: Any) -> None:
    class Growing(DiskFiles):
        def read(self, collection: Collection, file: FileState) -> bytes:
            raise Unavailable("a.md is being written; the next scan reads it again")

    box.write("a.md", "Amber.\n")
    report = box.sync(files=Growing())
    assert "being written" in reasons(report)["a.md"]
    assert box.sync().added == 1
    with box.store.read() as reader:
        assert reader.skipped() == []


def test_a_file_that_goes_between_listing_and_reading_is_skipped(box: Any) -> None:
    class Losing(DiskFiles):
        def read(self, collection: Collection, file: FileState) -> bytes:
            if file.disk_path == b"a.md":
                Path(collection.root, "a.md").unlink()
            return super().read(collection, file)

    box.write("a.md", "Amber.\n")
    box.write("b.md", "Basalt.\n")
    report = box.sync(files=Losing())
    assert reasons(report) == {"a.md": "can't be read: No such file or directory"}
    assert box.paths() == ["b.md"]


# -- places and secrets -----------------------------------------------------------------------------------------------

PROSE = (
    "# Überschrift 🙂\n\nDer erste Absatz, 重跑gen-itgc后.\n\n## Zwei\n\n"
    + "Ein Satz mit Wörtern und 🎉. " * 200
    + "\n"
)
ENCODED = {
    "plain.md": PROSE.encode(),
    "crlf.md": PROSE.replace("\n", "\r\n").encode(),
    "bom.md": b"\xef\xbb\xbf" + PROSE.encode(),
    "front.md": ("---\ntitle: Ä\n---\n" + PROSE).encode(),
    "utf16.md": b"\xff\xfe" + PROSE.encode("utf-16-le"),
    "utf16be.md": b"\xfe\xff" + PROSE.encode("utf-16-be"),
    "turns.md": "".join(f"**{'AB'[i % 2]}**: Grüße {i} 🙂, {'wort ' * 40}\n\n" for i in range(30)).encode(),
}


@pytest.mark.parametrize("name", ENCODED)
def test_the_bytes_of_a_fragment_are_its_text(box: Any, name: str) -> None:
    data = ENCODED[name]
    box.write(name, data)
    box.sync()
    encoding = {"utf16.md": "utf-16-le", "utf16be.md": "utf-16-be"}.get(name, "utf-8")
    with box.store.read() as reader:
        parts = reader.fragments_of(reader.document(docid("notes", name)).id)
    assert len(parts) > 1
    for part in parts:
        assert data[part.start_byte : part.end_byte].decode(encoding) == part.text
        lines = data[: part.start_byte].decode(encoding, "ignore").count("\n")
        assert part.start_line == lines + 1
        assert part.end_line == lines + part.text.rstrip("\n").count("\n") + 1 or part.text.endswith("\n\n")


def test_the_bytes_of_a_fragment_are_right_after_bytes_that_are_no_text(box: Any) -> None:
    data = b"caf\xe9 " * 2_000 + b"\0\0\xe2\x82 and then\n\n# Heading\n\n" + "Grüße hinter dem Unsinn. ".encode() * 60
    box.write("a.md", data)
    box.sync()
    with box.store.read() as reader:
        parts = reader.fragments_of(reader.document(docid("notes", "a.md")).id)
    assert len(parts) > 2
    for part in parts:
        text = data[part.start_byte : part.end_byte].decode("utf-8", "surrogateescape")
        assert len(text) == len(part.text)
        assert all(left == right or right == "\ufffd" for left, right in zip(text, part.text, strict=True))


def test_places_refer_to_the_original_file_where_secrets_were_taken_out(box: Any) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = f"# Täglich\n\ntoken: {secret}\n\n## Danach\n\n" + "Äpfel und Birnen, süß. " * 30 + "\n"
    analyzer = Analyzer(secrets.redact, words=20, overlap=0)
    box.write("a.md", text)
    box.sync(analyzer=analyzer)
    with box.store.read() as reader:
        parts = reader.fragments_of(reader.document(docid("notes", "a.md")).id)
    assert secret not in "".join(part.text for part in parts)
    assert len(parts) > 1
    last = parts[-1]
    assert text.encode()[last.start_byte : last.end_byte].decode() == last.text
    assert (last.start_line, last.end_line) == (7, 7)


def test_secrets_are_in_no_byte_of_the_index(box: Any) -> None:
    found = ["ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "AKIA" + "Q7ZJ4XK2M5PN6RTV", "kX9" + "vPq27LmWz4Tn8RbY3"]
    box.write(
        "a.md",
        f"---\ntitle: the key {found[1]}\ntags: [{found[0]}]\nnote: password={found[2]}\n---\n"
        f"# Token {found[0]}\n\npassword = '{found[2]}'\n\nuser **A**: {found[1]}\n",
    )
    box.sync()
    box.journalled("pin", "a.md")
    files = list(box.home.glob("index-0.sqlite*"))
    assert len(files) == 3
    stored = b"".join(file.read_bytes() for file in files).lower()
    assert b"redacted" in stored
    for secret in found:
        assert secret.lower().encode() not in stored


# -- two at once ------------------------------------------------------------------------------------------------------


def test_two_scans_at_once_end_as_one_would(box: Any) -> None:
    for number in range(120):
        box.write(f"{number}.md", f"Note {number} about amber.\n")
    errors: list[Exception] = []

    def run() -> None:
        try:
            box.syncer().run(box.collections)
        except Unavailable as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with box.store.read() as reader:
        assert reader.statistics().documents == 120
        assert reader.terms(["amber"])["amber"].df == 120
    assert box.sync().unchanged == 120
