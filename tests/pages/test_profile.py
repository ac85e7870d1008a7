"""The profile: every statement with its source, a person's words before ours, and nothing of what was forgotten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import Conflict, Unavailable
from hearth.pages.profile import ABOUT, FOCUS, PATH
from hearth.pages.statements import PageReport
from hearth.pages.summaries import DECISIONS

TEA = "The user prefers green tea."
JAZZ = "The user prefers jazz over rock."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def file(home: Home) -> Path:
    return Path(home.vault.profile.writer.memories.root) / PATH


def said(home: Home, section: str = ABOUT) -> list[str]:
    return [one.text for one in home.vault.profile.show().bullets if one.section == section]


def rebuilt(home: Home) -> PageReport:
    return home.vault.profile.rebuild()


def test_every_statement_names_a_document_and_a_second_run_changes_no_byte(home: Home) -> None:
    tea = home.remember(TEA, "preference")
    home.remember("The staging database listens on port 6543.", "fact")
    assert home.vault.profile.show().docid is None
    page = rebuilt(home)
    assert [(one.text, one.sources) for one in page.bullets] == [(TEA, (tea,))]
    before = file(home).read_bytes()
    assert not rebuilt(home).changed
    assert file(home).read_bytes() == before
    home.rebuilt()
    assert not rebuilt(home).changed
    assert home.found("green tea")


def test_who_reads_the_page_reads_what_was_remembered_in_this_moment_and_nothing_is_built_twice(home: Home) -> None:
    profile = home.vault.profile
    profile.catch_up()
    home.remember(TEA, "preference")
    assert not profile.due()
    assert profile.show().docid is None
    assert [one.text for one in profile.read().bullets] == [TEA]
    stamp = file(home).stat().st_mtime_ns
    home.remember(JAZZ, "preference")
    assert [one.text for one in profile.read().bullets] == [TEA, JAZZ]
    assert file(home).stat().st_mtime_ns != stamp
    after = profile.read()
    assert not after.changed
    assert not profile.read().changed


def test_a_page_that_cannot_be_brought_up_to_date_is_read_as_it_stands(home: Home) -> None:
    home.remember(TEA, "preference")
    rebuilt(home)
    file(home).write_text(file(home).read_text() + "\n<<<<<<< ours\n")
    home.remember(JAZZ, "preference")
    assert [one.text for one in home.vault.profile.read().bullets] == [TEA]


def test_no_page_feeds_on_the_page_itself(home: Home) -> None:
    home.remember(TEA, "preference")
    rebuilt(home)
    home.remember(JAZZ, "preference")
    page = rebuilt(home)
    assert page.docid is not None
    assert all(page.docid not in one.sources for one in page.bullets)
    assert said(home) == [TEA, JAZZ]


def test_a_deleted_bullet_never_returns_also_from_another_memory_and_after_the_index_is_gone(home: Home) -> None:
    home.remember(TEA, "preference")
    home.remember(JAZZ, "preference")
    rebuilt(home)
    lines = file(home).read_text().split("\n")
    file(home).write_text("\n".join(line for line in lines if TEA not in line))
    assert rebuilt(home).dismissed == 1
    assert said(home) == [JAZZ]
    home.remember(TEA, "principle")
    rebuilt(home)
    home.rebuilt()
    rebuilt(home)
    assert said(home) == [JAZZ]
    file(home).unlink()
    rebuilt(home)
    assert said(home) == [JAZZ]


def test_what_a_person_wrote_stays_when_its_source_goes(home: Home) -> None:
    tea = home.remember(TEA, "preference")
    rebuilt(home)
    file(home).write_text(file(home).read_text().replace("green tea", "white tea") + "\nI live in Rome.\n")
    rebuilt(home)
    home.vault.state.forget(tea)
    assert said(home) == ["The user prefers white tea."]
    assert "I live in Rome." in file(home).read_text()


@pytest.mark.parametrize("how", ["forget", "purge", "invalidate"])
def test_what_is_out_of_sight_leaves_the_page_at_once(home: Home, how: str) -> None:
    tea = home.remember(TEA, "preference")
    home.remember(JAZZ, "preference")
    rebuilt(home)
    if how == "purge":
        home.vault.state.purge(tea, yes=True)
    else:
        getattr(home.vault.state, how)(tea)
    assert TEA not in file(home).read_text()
    assert not any("green tea" in hit.text for hit in home.vault.recall("green tea").hits)


def test_a_statement_stays_as_long_as_one_of_its_sources(home: Home) -> None:
    first = home.remember(TEA, "preference")
    second = home.remember(TEA, "principle")
    rebuilt(home)
    home.vault.state.forget(first)
    assert [one.sources for one in home.vault.profile.show().bullets] == [(second,)]
    home.vault.state.forget(second)
    assert said(home) == []


def test_what_the_person_is_at_ages(home: Home) -> None:
    home.remember("The importer reads archives.", "milestone")
    home.vault.memories.remember("Next: the exporter.", "handoff", session="s1")
    rebuilt(home)
    assert said(home, FOCUS) == ["Next: the exporter.", "The importer reads archives."]
    home.clock.advance(days=15)
    rebuilt(home)
    assert said(home, FOCUS) == []


def test_the_state_before_a_compaction_does_not_say_again_what_the_hand_off_says(home: Home) -> None:
    home.vault.memories.remember("Next: the exporter.", "handoff", session="s1")
    state = Path(home.vault.memories.writer.memories.root) / "agent/precompact/s1.md"
    state.parent.mkdir(parents=True)
    machine = home.vault.profile.writer.machine
    head = f"content_type: progress\nauthored_at: 2026-03-01T11:00:00Z\nmachine: {machine}\nid: 0123456789abcdef"
    state.write_text(f"---\n{head}\n---\n\n## Request\n\nNext: the exporter of jars.\n")
    home.vault.index.sync()
    rebuilt(home)
    assert said(home, FOCUS) == ["Next: the exporter."]
    for text in ("We chose oak.", "We chose ash.", "We chose Redis."):
        home.remember(text)
    assert {one.section for page in home.vault.knowledge.summaries.rebuild() for one in page.bullets} == {DECISIONS}


def test_a_hand_off_of_a_session_says_what_was_asked_and_what_comes_next(home: Home) -> None:
    body = """## Request

Mend the importer of the larder.

## State

The parser reads archives now.

## Next

- Write the exporter.
- Tell the cook.
"""
    title = "Hand-off: Mend the importer of the larder."
    home.vault.memories.remember(body, "handoff", session="s1", title=title)
    rebuilt(home)
    assert said(home, FOCUS) == ["Mend the importer of the larder; next: Write the exporter."]
    greeted = body.replace("Mend", "Hi Ines! How's it going? mend").replace(
        "- Write the exporter.\n- Tell the cook.\n", ""
    )
    home.vault.memories.remember(greeted, "handoff", session="s1", title="Hand-off: Hi Ines! How's it…")
    rebuilt(home)
    assert said(home, FOCUS) == ["Mend the importer of the larder"]


def test_a_page_that_cannot_be_written_is_left_alone_and_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.remember(TEA, "preference")
    rebuilt(home)
    before = file(home).read_bytes()
    jazz = home.remember(JAZZ, "preference")

    def refuse(*given: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        patch.setattr(os, "rename", refuse)
        with pytest.raises(Unavailable, match=r"profile\.md"):
            rebuilt(home)
        assert said(home) == [TEA]
        assert home.vault.profile.due()
    assert file(home).read_bytes() == before
    home.vault.state.forget(jazz)
    rebuilt(home)
    assert said(home) == [TEA]


def test_an_emptied_file_is_built_anew_without_what_was_dismissed(home: Home) -> None:
    home.remember(TEA, "preference")
    home.remember(JAZZ, "preference")
    rebuilt(home)
    file(home).write_text("\n".join(line for line in file(home).read_text().split("\n") if TEA not in line))
    rebuilt(home)
    file(home).write_bytes(b"\n")
    rebuilt(home)
    assert said(home) == [JAZZ]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"# Me\n\nI like tea.\n", Unavailable),
        (b"\xff\xfe\x00", Unavailable),
    ],
)
def test_a_file_that_a_person_made_is_left_alone(home: Home, data: bytes, error: type[Exception]) -> None:
    home.remember(TEA, "preference")
    file(home).parent.mkdir(parents=True, exist_ok=True)
    file(home).write_bytes(data)
    with pytest.raises(error):
        rebuilt(home)
    assert file(home).read_bytes() == data


def test_an_unfinished_merge_is_left_alone_and_named(home: Home) -> None:
    home.remember(TEA, "preference")
    rebuilt(home)
    mixed = file(home).read_text() + "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n"
    file(home).write_text(mixed)
    with pytest.raises(Conflict, match="unfinished merge"):
        rebuilt(home)
    assert file(home).read_text() == mixed


def test_what_is_forgotten_while_the_page_cannot_be_written_is_not_shown(home: Home) -> None:
    tea = home.remember(TEA, "preference")
    rebuilt(home)
    file(home).write_text(file(home).read_text() + "<<<<<<< HEAD\n")
    home.vault.state.forget(tea)
    assert said(home) == []


def test_another_machine_reads_the_page_and_does_not_write_it(home: Home, tmp_path: Path) -> None:
    tea = home.remember(TEA, "preference")
    home.vault.memories.note("Made here.")
    rebuilt(home)
    other = Home(tmp_path / "other", home)
    assert said(other) == [TEA]
    assert not other.vault.profile.due()
    with pytest.raises(Unavailable, match="written by another machine"):
        other.vault.profile.rebuild()
    other.vault.state.forget(tea)
    assert said(other) == []


def test_it_is_due_once_the_journal_moved_and_not_again_until_it_does(home: Home) -> None:
    home.remember(TEA, "preference")
    profile = home.vault.profile
    assert profile.due()
    profile.catch_up()
    home.clock.advance(days=1)
    assert not profile.due()
    home.vault.state.pin("#" + home.remember(JAZZ, "preference"))
    assert profile.due()


LIVES = "The user lives in Bilbao."


def delete(home: Home, text: str) -> None:
    """As a person does it."""
    lines = file(home).read_text(encoding="utf-8").split("\n")
    file(home).write_text("\n".join(line for line in lines if text not in line), encoding="utf-8")
    assert rebuilt(home).dismissed == 1


@pytest.mark.parametrize("again", [
    "The user lives in Bilbao, near the river.", "The user lives in Bilbao now.", "The user lives in Bilbao, Spain.",
])  # fmt: skip
def test_what_was_deleted_does_not_return_in_other_words_or_with_more_beside_it(home: Home, again: str) -> None:
    home.remember(LIVES, "fact")
    rebuilt(home)
    delete(home, LIVES)
    home.remember(again, "fact")
    rebuilt(home)
    assert said(home) == []
    home.rebuilt()
    rebuilt(home)
    assert said(home) == []


@pytest.mark.parametrize("other", [
    "The user lives in Getxo.", "The user's daughter lives in Bilbao.", "The user does not live in Bilbao.",
    "The user lives by the sea.",
])  # fmt: skip
def test_what_says_something_else_than_what_was_deleted_comes_in(home: Home, other: str) -> None:
    home.remember(LIVES, "fact")
    rebuilt(home)
    delete(home, LIVES)
    home.remember(other, "fact")
    rebuilt(home)
    assert said(home) == [other]


def test_what_was_deleted_is_known_after_its_memory_was_replaced_and_by_its_hash_alone_after_a_purge(
    home: Home,
) -> None:
    old = home.remember(LIVES, "fact")
    rebuilt(home)
    delete(home, LIVES)
    more = home.remember("The user lives in Bilbao, near the river.", "fact", supersedes=(f"#{old}",))
    rebuilt(home)
    assert said(home) == []
    home.vault.state.purge(f"#{old}", yes=True)
    rebuilt(home)
    assert [one.sources for one in rebuilt(home).bullets] == [(more,)]
    kept = [path for path in home.data.rglob("*") if path.is_file() and b"Bilbao." in path.read_bytes()]
    assert kept == []
