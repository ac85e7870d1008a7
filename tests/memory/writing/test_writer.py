from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hearth.core.document import CROCKFORD, is_docid
from hearth.core.errors import Ambiguous, NotFound, Unavailable, UsageError
from hearth.core.memory import CONTENT_TYPES, Merge, NewMemory
from hearth.disk.memories import DiskMemories
from hearth.testing import temporary_store

KEY = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"
Machine = Any


def test_a_memory_is_a_readable_file_and_found_before_the_call_returns(desk: Machine) -> None:
    done = desk.remember(
        "We chose PostgreSQL over MongoDB.\n\nJoins matter more.",
        "decision",
        tags=("db", "a: b"),
        project="hearth",
        session="s1",
        created_by="claude",
        confidence=0.9,
    )
    assert done.action == "written"
    assert done.path == f"agent/decisions/we-chose-postgresql-over-mongodb-{done.docid}.md"
    assert is_docid(done.docid)
    assert desk.text(done.path) == (
        "---\n"
        "title: We chose PostgreSQL over MongoDB\n"
        "content_type: decision\n"
        'tags: [db, "a: b"]\n'
        "project: hearth\n"
        "session: s1\n"
        "scope: project\n"
        "confidence: 0.9\n"
        "authored_at: 2026-03-05T12:00:00Z\n"
        "trust: agent\n"
        "created_by: claude\n"
        "machine: aaaaaaaaaa\n"
        f"id: {done.docid if not done.docid[0].isdigit() else json.dumps(done.docid)}\n"
        "---\n\n"
        "We chose PostgreSQL over MongoDB.\n\nJoins matter more.\n"
    )
    assert desk.found("why postgresql?") == [done.path]
    assert desk.embedded == [done.docid]
    stored = desk.stored(done.docid).document
    assert (stored.content_type, stored.origin, stored.trust, stored.authored_at) == (
        "decision", "engine", "agent", desk.now,
    )  # fmt: skip


def test_a_question_may_leave_memories_out(desk: Machine) -> None:
    done = desk.remember("We chose PostgreSQL over MongoDB.", "decision")
    assert desk.found("why postgresql?") == [done.path]
    assert desk.found("why postgresql?", sources=("notes",)) == []


@pytest.mark.parametrize("kind", [kind for kind in CONTENT_TYPES.values() if kind.folder], ids=lambda kind: kind.name)
def test_every_type_lands_in_its_folder(desk: Machine, kind: Any) -> None:
    done = desk.remember("Something worth keeping", kind.name)
    assert done.path.startswith(f"{kind.folder}/")
    assert desk.stored(done.docid).document.content_type == kind.name
    assert done.action == ("appended" if kind.merge is Merge.APPEND else "written")


def test_the_same_text_again_writes_nothing_and_is_counted(desk: Machine) -> None:
    first = desk.remember("Deploys go out on Tuesdays")
    before = desk.text(first.path)
    desk.later(minutes=29)
    again = desk.remember("  deploys go OUT on tuesdays\n")
    assert (again.action, again.docid, again.path) == ("duplicate", first.docid, first.path)
    assert desk.text(first.path) == before
    assert desk.files() == [first.path]
    assert desk.state(first.docid).duplicate_count == 1
    desk.remember("Deploys go out on Tuesdays")
    assert desk.state(first.docid).duplicate_count == 2


def test_a_text_without_words_is_recognised_too(desk: Machine) -> None:
    first = desk.remember("🎉")
    assert desk.remember("🎉").docid == first.docid
    assert first.path == f"agent/notes/note-{first.docid}.md"


def test_a_repetition_is_found_among_many_that_share_its_words(desk: Machine) -> None:
    first = desk.remember("ok")
    for number in range(30):
        desk.remember(f"ok then, number {number} of these")
    assert desk.remember("ok").docid == first.docid


def test_a_rewritten_preference_keeps_its_former_text_as_a_revision_that_is_never_indexed(desk: Machine) -> None:
    first = desk.remember("Uses the vim editor", "preference", subject="editor")
    desk.later(days=1)
    done = desk.remember("Uses the emacs editor", "preference", subject="Editor")
    assert (done.action, done.docid, done.path) == ("revised", first.docid, first.path)
    assert desk.body(done.path) == "Uses the emacs editor"
    assert desk.fields(done.path)["authored_at"] == "2026-03-06T12:00:00Z"
    [revision] = desk.revisions()
    assert revision.endswith("\n\nUses the vim editor\n")
    assert done.revision.startswith(f".revisions/{first.docid}/")
    assert desk.state(first.docid).revision_count == 1
    assert desk.found("emacs") == [done.path]
    assert desk.found("vim") == []
    desk.sync()
    assert desk.documents() == [done.path]


def test_a_merged_antipattern_is_found_by_both_texts(desk: Machine) -> None:
    desk.remember("Don't mock the payment database in tests", "antipattern", subject="mocks")
    done = desk.remember("The tests hid a migration bug", "antipattern", subject="mocks")
    assert done.action == "merged"
    assert desk.found("migration bug") == desk.found("payment database") == [done.path]
    assert len(desk.revisions()) == 1


def test_a_handoff_is_rewritten_by_its_session_alone(desk: Machine) -> None:
    first = desk.remember("Half of the import is done", "handoff", session="s-1")
    desk.later(minutes=5)
    done = desk.remember("The import is done", "handoff", session="s-1")
    other = desk.remember("Started on the export", "handoff", session="s-2")
    assert (done.action, done.docid, other.action) == ("revised", first.docid, "written")
    assert desk.files() == sorted([first.path, other.path])


def test_a_superseded_document_leaves_search_and_says_by_what(desk: Machine) -> None:
    (desk.notes / "jwt.md").write_text("# Sessions\n\nSigned tokens for sessions.\n", encoding="utf-8")
    desk.sync()
    assert desk.found("sessions") == ["jwt.md"]
    done = desk.remember("Server-side sessions replace signed tokens", "decision", supersedes=("notes/jwt.md",))
    [old] = done.supersedes
    assert desk.fields(done.path)["supersedes"] == old
    assert desk.state(old).superseded_by == done.docid
    assert desk.found("sessions") == [done.path]
    [event] = desk.events("supersede")
    assert (event.path, event.data) == ("jwt.md", {"by": done.docid})


def test_what_is_superseded_must_be_there_before_anything_is_written(desk: Machine) -> None:
    for name in ("a/x.md", "b/x.md"):
        (desk.notes / name).parent.mkdir()
        (desk.notes / name).write_text("x", encoding="utf-8")
    desk.sync()
    with pytest.raises(NotFound):
        desk.remember("new", supersedes=("nowhere.md",))
    with pytest.raises(Ambiguous):
        desk.remember("new", supersedes=("x.md",))
    assert desk.files() == []


def test_a_forgotten_memory_is_written_anew(desk: Machine) -> None:
    from hearth.core.journal import Draft

    first = desk.remember("Likes tea", "preference", subject="drink")
    desk.syncer().history.record([Draft("forget", first.docid)])
    again = desk.remember("Likes tea", "preference", subject="drink")
    assert again.action == "written"
    assert again.docid != first.docid
    assert desk.found("tea") == [again.path]


def test_secrets_are_nowhere_on_disk(desk: Machine) -> None:
    desk.remember(f"The deploy token is {KEY} until May", title=f"On {KEY}", subject="deploy", tags=("x",))
    desk.remember(f"Deploys use {KEY}", "preference", subject=f"deploy {KEY}")
    done = desk.remember(f"Deploys still use {KEY}", "preference", subject=f"deploy {KEY}")
    desk.writer().note(f"rotated {KEY}")
    assert (done.action, done.redacted) == ("revised", 2)
    if isinstance(desk.store, object):
        held = [file.read_bytes() for file in desk.home.rglob("*") if file.is_file()]
        assert held and not any(KEY.encode() in data for data in held)


def test_a_secret_that_a_person_put_into_a_memory_is_not_copied_into_its_revision(desk: Machine) -> None:
    first = desk.remember("Deploys by hand", "preference", subject="deploy")
    file = desk.root / first.path
    file.write_text(file.read_text("utf-8") + f"\ntoken: {KEY}\n", encoding="utf-8")
    desk.remember("Deploys by script", "preference", subject="deploy")
    [revision] = desk.revisions()
    assert KEY not in revision and "Deploys by hand" in revision


def test_nothing_is_left_behind_by_a_wish_that_is_refused(desk: Machine) -> None:
    for wish in (NewMemory(""), NewMemory(KEY), NewMemory("x", "hub"), NewMemory("x", confidence=2)):
        with pytest.raises(UsageError):
            desk.writer().remember(wish)
    assert desk.files() == [] and desk.embedded == []


def test_an_index_rebuilt_from_the_files_is_the_same(desk: Machine) -> None:
    first = desk.remember("Uses vim", "preference", subject="editor")
    desk.remember("Uses emacs", "preference", subject="editor")
    desk.remember("Uses emacs", "preference", subject="editor")
    old = desk.remember("Signed tokens for sessions", "decision")
    desk.remember("Server sessions", "decision", supersedes=(old.docid,))
    desk.writer().note("a line")
    before = {docid: (d.docid, d.path, desk.state(d.docid)) for docid, d in _documents(desk).items()}
    desk.store.close()
    desk.store = temporary_store()
    desk.sync()
    after = {docid: (d.docid, d.path, desk.state(d.docid)) for docid, d in _documents(desk).items()}
    assert before == after
    assert after[first.docid][2].revision_count == 1


def test_a_memory_that_cannot_be_indexed_now_is_safe_and_the_error_says_where(desk: Machine) -> None:
    class Broken:
        def __call__(self, docid: str) -> None:
            raise Unavailable("disk full")

    writer = desk.writer()
    object.__setattr__(writer, "embed", Broken())
    with pytest.raises(Unavailable, match=r"agent/notes/safe-.*is written, but not in the index.*disk full"):
        writer.remember(NewMemory("safe"))
    [path] = desk.files()
    assert desk.body(path) == "safe"


def test_a_link_in_a_memory_leads_to_the_memory_that_it_names(desk: Machine) -> None:
    first = desk.remember("The first thought")
    second = desk.remember(f"See [[{Path(first.path).stem}]] for more")
    with desk.store.read() as reader:
        assert reader.links(first.docid, incoming=True) == [second.docid]


def test_a_taken_name_is_left_alone_and_another_is_found(desk: Machine) -> None:
    ids = iter([b"\0" * 10, b"\0" * 10, b"\1" * 10])
    writer = desk.writer(DiskMemories(desk.root))
    object.__setattr__(writer, "random", lambda count: next(ids))
    first = writer.remember(NewMemory("One thought", title="Thought"))
    second = writer.remember(NewMemory("Another idea", title="Thought"))
    assert first.path != second.path
    assert desk.body(first.path) == "One thought"
    assert desk.body(second.path) == "Another idea"


def _documents(desk: Machine) -> dict[str, Any]:
    with desk.store.read() as reader:
        from hearth.ports import Filter

        return {d.document.docid: d.document for d in list(reader.each_document(Filter(include_hidden=True)))}


@pytest.mark.parametrize("kind", ["entity", "relationship"])
def test_facts_about_a_subject_are_added_to_its_file_and_none_is_replaced(desk: Machine, kind: str) -> None:
    first = desk.remember("Works at Bosch.", kind, subject="Ana")
    desk.later(minutes=90)
    second = desk.remember("Works at Siemens.", kind, subject="ana")
    again = desk.remember("works at bosch.", kind, subject="Ana")
    other = desk.remember("Works at Bosch.", kind, subject="Ben")
    assert [one.action for one in (first, second, again, other)] == ["written", "appended", "duplicate", "written"]
    assert first.docid == second.docid == again.docid != other.docid
    text = desk.text(first.path)
    assert text.index("Works at Bosch.") < text.index("Works at Siemens.") and text.count("\n- ") == 2
    assert first.title == "Ana" and not any(".revisions" in name for name in desk.files())
    assert desk.found("siemens") == [first.path]


def test_a_word_that_an_id_happens_to_spell_finds_nothing(desk: Machine) -> None:
    drawn = 0
    for char in "3sap7keq9v0h2m5t":
        drawn = 32 * drawn + CROCKFORD.index(char)
    writer = desk.writer()
    object.__setattr__(writer, "random", lambda count: drawn.to_bytes(count, "big"))
    ben = writer.remember(NewMemory("Works at Bosch.", "relationship", subject="Ben"))
    ana = desk.remember("Works at Siemens.", "relationship", subject="Ana")
    assert "3sap7keq9v0h2m5t" in ben.path
    assert desk.found("siemens") == [ana.path]
    assert ben.path not in desk.found("sap")
    assert desk.found("3sap7keq9v0h2m5t") == [ben.path]
