"""Notes: what a document is about, and what came later and is like it adds; the same in a rebuilt index."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import NotFound
from hearth.pages.document_notes import DocumentNote, tell_note

OLD = (
    "The job queue runs on Redis. When Redis restarts, the job queue loses jobs, and the lease of a job is not renewed."
)
NEW = "The lease of the job queue: a heartbeat renews the lease of each job in Redis, and a restart loses no jobs now."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    for number, word in enumerate(("quern", "bastion", "larder", "mortar", "gutter", "trellis", "anvil", "kiln")):
        made.write(
            f"other{number}.md", f"---\ndate: 2026-01-0{number + 1}\n---\nThe {word} stands beside the old {word}."
        )
    made.write("old.md", f"---\ndate: 2026-02-01\ntags: [queue]\n---\n{OLD}")
    return made


def note(home: Home, name: str = "old.md") -> DocumentNote:
    home.vault.index.sync()
    home.vault.index.embed()
    home.vault.graph.build()
    return tell_note(home.vault, name)


def test_a_document_has_keywords_tags_and_the_sentence_that_says_most(home: Home) -> None:
    found = note(home)
    assert "Redis" in found.keywords and 3 <= len(found.keywords) <= 7
    assert found.tags == ("queue",) and found.versions == ()
    assert found.context.startswith("note, 2026-02-01: ") and "Redis" in found.context
    with pytest.raises(NotFound):
        tell_note(home.vault, "nowhere.md")


def test_what_comes_later_and_is_like_it_adds_words_that_it_holds_too(home: Home) -> None:
    before = note(home)
    home.write("new.md", f"---\ndate: 2026-02-10\n---\n{NEW}")
    found = note(home)
    assert found.keywords == before.keywords
    [version] = found.versions
    assert (version.version, version.date, version.title) == (1, "2026-02-10", "new")
    assert 1 <= len(version.added) <= 2 and all(word.lower() in OLD.lower() for word in version.added)
    assert not set(version.added) & set(found.keywords)
    assert note(home, "new.md").versions == ()
    home.rebuilt()
    assert note(home).to_dict() == found.to_dict()
    home.vault.state.forget("new.md")
    assert tell_note(home.vault, "old.md").versions == ()


def test_only_one_newcomer_a_day_adds_to_it(home: Home) -> None:
    for number in range(3):
        home.write(f"new{number}.md", f"---\ndate: 2026-02-10\n---\n{NEW} Number {number}.")
    assert len(note(home).versions) <= 1


def test_tags_that_two_like_it_have_are_its_own_too(home: Home) -> None:
    for number in range(2):
        home.write(f"new{number}.md", f"---\ndate: 2026-02-1{number}\ntags: [redis, n{number}]\n---\n{NEW}")
    assert note(home).tags == ("queue", "redis")
