"""Memories that people edit, move, copy and delete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hearth.core.journal import Draft
from hearth.core.memory import NewMemory
from hearth.disk.memories import DiskMemories
from hearth.testing import temporary_store

Machine = Any


class Edited(DiskMemories):
    """A folder in which somebody does something right before the engine replaces a file."""

    def __init__(self, root: Path, act: Callable[[Path], None]) -> None:
        super().__init__(root)
        self.act = act

    def replace(self, path: str, data: bytes, expected: str) -> bool:
        act, self.act = self.act, lambda place: None
        act(Path(self.root, path))
        return super().replace(path, data, expected)


def test_an_edit_during_an_update_stays_and_the_update_becomes_the_revision(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    human = desk.text(first.path).replace("Uses vim", "I use helix, really")
    memories = Edited(desk.root, lambda place: place.write_text(human, encoding="utf-8") and None)
    done = desk.writer(memories).remember(NewMemory("Uses emacs", "preference", subject="editor"))
    assert done.action == "set aside"
    assert desk.text(first.path) == human
    assert desk.text(done.revision).endswith("\n\nUses emacs\n")
    assert desk.found("helix") == [first.path]
    assert desk.found("emacs") == []


def test_a_file_removed_during_an_update_is_written_anew(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    done = desk.writer(Edited(desk.root, Path.unlink)).remember(NewMemory("Uses emacs", "preference", subject="editor"))
    assert done.action == "written"
    assert done.docid != first.docid
    assert desk.files() == [done.path]
    assert desk.found("emacs") == [done.path]


def test_an_earlier_edit_is_what_an_update_keeps_as_the_former_text(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor", tags=("a",))
    file = desk.root / first.path
    text = file.read_text("utf-8").replace("Uses vim", "Uses neovim").replace("tags: [a]", "tags: [a, mine]")
    file.write_text(text.replace("scope: user", "scope: user\nmood: calm  # my own"), encoding="utf-8")
    done = desk.remember("Uses emacs", "preference", subject="editor", tags=("b",))
    assert (done.action, desk.body(done.path)) == ("revised", "Uses emacs")
    assert desk.fields(done.path)["tags"] == ("a", "mine", "b")
    assert "mood: calm  # my own\n" in desk.text(done.path)
    assert "Uses neovim" in desk.revisions()[0]


def test_a_moved_memory_keeps_its_docid_and_state_and_is_still_the_one_that_is_updated(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    desk.sync()
    desk.syncer().history.record([Draft("pin", first.docid)])
    place = desk.root / "user/my things/Editor of choice.md"
    place.parent.mkdir(parents=True)
    (desk.root / first.path).rename(place)
    done = desk.remember("Uses emacs", "preference", subject="editor")
    assert (done.action, done.docid, done.path) == ("revised", first.docid, "user/my things/Editor of choice.md")
    assert desk.documents() == [done.path]
    assert desk.state(first.docid).pinned


def test_a_move_counts_as_one_and_survives_an_edit_at_once(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    desk.sync()
    desk.later(days=1)
    (desk.root / first.path).rename(desk.root / "moved.md")
    (desk.root / "moved.md").write_text(desk.text("moved.md").replace("vim", "helix"), encoding="utf-8")
    report = desk.sync()
    assert (report.moved, report.retired) == (1, 0)
    assert desk.stored(first.docid).document.path == "moved.md"
    assert desk.found("helix") == ["moved.md"]


def test_a_deleted_memory_is_gone_and_may_be_written_again(desk: Machine) -> None:
    first = desk.remember("Likes tea", "fact")
    desk.remember("Something else", "fact")
    desk.sync()
    (desk.root / first.path).unlink()
    again = desk.remember("Likes tea", "fact")
    assert again.action == "written" and again.docid != first.docid
    assert desk.found("tea") == [again.path]


def test_a_copy_is_a_document_of_its_own_and_the_original_keeps_the_docid(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    desk.sync()
    copy = first.path.replace(".md", " copy.md")
    (desk.root / copy).write_text(desk.text(first.path), encoding="utf-8")
    desk.later(days=1)
    for _ in range(3):
        desk.sync()
        assert desk.stored(first.docid).document.path == first.path
        assert sorted(desk.documents()) == sorted([copy, first.path])
    done = desk.remember("Uses emacs", "preference", subject="editor")
    assert (done.docid, desk.body(copy)) == (first.docid, "Uses vim")


def test_a_rebuild_gives_original_and_copy_the_same_names_again(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    (desk.root / "Copy of it.md").write_text(desk.text(first.path), encoding="utf-8")
    desk.sync()
    before = {path: desk_docid(desk, path) for path in desk.documents()}
    desk.store.close()
    desk.store = temporary_store()
    desk.sync()
    desk.sync()
    assert {path: desk_docid(desk, path) for path in desk.documents()} == before
    assert before[first.path] == first.docid


def test_a_memory_moved_onto_another_takes_its_place(desk: Machine) -> None:
    one, other = desk.remember("The first thought"), desk.remember("Another idea")
    desk.sync()
    desk.later(days=1)
    (desk.root / one.path).replace(desk.root / other.path)
    desk.sync()
    desk.later(days=1)
    desk.sync()
    assert desk.documents() == [other.path]
    assert desk.stored(one.docid).document.path == other.path


def test_a_memory_without_readable_frontmatter_is_left_to_its_owner(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    (desk.root / first.path).write_text("Just my own words about vim\n", encoding="utf-8")
    done = desk.remember("Uses emacs", "preference", subject="editor")
    assert done.action == "written"
    assert desk.text(first.path) == "Just my own words about vim\n"


def test_a_persons_own_file_is_never_rewritten_or_superseded(desk: Machine) -> None:
    own = desk.root / "user/preferences/editor.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\ncontent_type: preference\nsubject: editor\n---\n\nvim!\n", encoding="utf-8")
    desk.sync()
    done = desk.remember("Uses emacs", "preference", subject="editor")
    assert (done.action, done.supersedes) == ("written", ())
    assert own.read_text("utf-8").endswith("vim!\n")


def desk_docid(desk: Machine, path: str) -> str:
    from hearth.ports import Filter

    with desk.store.read() as reader:
        found = list(reader.each_document(Filter(include_hidden=True)))
    return next(item.document.docid for item in found if item.document.path == path)
