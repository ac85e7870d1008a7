"""What people say of names holds everywhere, is undone, and merges."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.graph import naming
from hearth.graph.entities import EntityView, describe
from hearth.vault.changes import Remarks

WHO = Remarks(actor="human")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    for name, text in {
        "one.md": "Robert Ott wrote to the harbour. Later Robert Ott called.",
        "two.md": "We asked Bobby Ott about the clay.",
        "three.md": "Tove Lindgren glazed the tiles.",
        "four.md": "Tove Lindgren drives the night train.",
    }.items():
        (found.notes / name).write_text(f"{text}\n", encoding="utf-8")
    found.vault.index.sync()
    return found


def paths(view: EntityView) -> list[str]:
    return sorted(one.path for one in view.mentions)


def ask(home: Home, name: str) -> EntityView:
    return describe(home.vault, name, 10)


def test_the_name_that_others_were_merged_into_is_the_one_shown(home: Home) -> None:
    (home.notes / "five.md").write_text("Tom Ashworth does the statistics.\n", encoding="utf-8")
    home.vault.index.sync()
    for name in ("Ashworth", "Tom"):
        naming.merge(home.vault, name, "Tom Ashworth", WHO)
    for name in ("Tom Ashworth", "Ashworth", "Tom"):
        assert (ask(home, name).name, "Ashworth" in ask(home, name).aliases) == ("Tom Ashworth", True)


def test_merged_names_are_one_in_every_answer_and_after_the_index_is_gone_until_undone(home: Home) -> None:
    done = naming.merge(home.vault, "Bobby Ott", "Robert Ott", WHO)
    for _ in range(2):
        for name in ("Bobby Ott", "Robert Ott"):
            view = ask(home, name)
            assert (view.name, paths(view)) == ("Robert Ott", ["one.md", "two.md"])
            assert "Bobby Ott" in view.aliases
        home.rebuilt()
    assert naming.merge(home.vault, "Bobby Ott", "Robert Ott", WHO).action == "unchanged"
    assert home.vault.state.undo(done.events[-1], actor="human").action == "undone"
    assert paths(ask(home, "Robert Ott")) == ["one.md"]
    assert paths(ask(home, "Bobby Ott")) == ["two.md"]


def test_the_last_change_is_undone_without_its_name(home: Home) -> None:
    naming.alias(home.vault, "the potter", "Robert Ott", WHO)
    assert ask(home, "the potter").name == "Robert Ott"
    assert home.vault.state.undo(actor="human").note == "of the potter"
    assert ask(home, "the potter").name is None


def test_an_alias_of_an_alias_is_followed_and_a_turn_makes_no_circle(home: Home) -> None:
    naming.alias(home.vault, "the potter", "Bobby Ott", WHO)
    naming.alias(home.vault, "Bobby Ott", "Robert Ott", WHO)
    assert ask(home, "the potter").name == "Robert Ott"
    turned = naming.alias(home.vault, "Robert Ott", "Bobby Ott", WHO)
    assert {ask(home, name).name for name in ("the potter", "Bobby Ott", "Robert Ott")} == {"Bobby Ott"}
    home.vault.state.undo(turned.events[-1], actor="human")
    assert {ask(home, name).name for name in ("the potter", "Bobby Ott", "Robert Ott")} == {"Robert Ott"}


def test_a_namesake_has_the_mentions_of_its_documents_alone(home: Home) -> None:
    naming.split(home.vault, "Tove Lindgren", WHO, of="Tove the driver", references=["four.md"])
    assert paths(ask(home, "Tove Lindgren")) == ["three.md"]
    assert paths(ask(home, "Tove the driver")) == ["four.md"]
    (home.notes / "four.md").rename(home.notes / "trains.md")
    home.vault.index.sync()
    assert paths(ask(home, "Tove the driver")) == ["trains.md"]
    home.vault.state.undo(actor="human")
    assert paths(ask(home, "Tove Lindgren")) == ["three.md", "trains.md"]


def test_a_name_that_stands_alone_is_no_part_of_another(home: Home) -> None:
    assert ask(home, "Tove").name == "Tove Lindgren"
    naming.split(home.vault, "Tove", WHO)
    assert ask(home, "Tove").name == "Tove"


def test_two_machines_that_merge_at_once_agree(tmp_path: Path, home: Home) -> None:
    other = Home(tmp_path / "other", share=home)
    naming.merge(home.vault, "Bobby Ott", "Robert Ott", WHO)
    naming.alias(home.vault, "the potter", "Bobby Ott", WHO)
    other.vault.index.sync()
    naming.split(other.vault, "Tove Lindgren", WHO, of="Tove the driver", references=["four.md"])
    home.vault.index.sync()
    for name in ("Bobby Ott", "the potter", "Tove Lindgren", "Tove the driver"):
        assert ask(home, name) == ask(other, name)
    assert ask(other, "the potter").name == "Robert Ott"
    assert paths(ask(home, "Tove the driver")) == ["four.md"]


@pytest.mark.parametrize("name", ["", "🙂", "x" * 101])
def test_what_is_no_name_is_refused(home: Home, name: str) -> None:
    with pytest.raises(UsageError, match="not a valid name"):
        naming.alias(home.vault, name, "Robert Ott", WHO)


def test_what_can_not_be_meant_is_refused_and_nothing_is_journaled(home: Home) -> None:
    with pytest.raises(UsageError, match="already"):
        naming.alias(home.vault, "robert-ott", "Robert Ott", WHO)
    with pytest.raises(NotFound, match="Zebedee"):
        naming.merge(home.vault, "Zebedee", "Robert Ott", WHO)
    with pytest.raises(UsageError, match="documents in which"):
        naming.split(home.vault, "Tove Lindgren", WHO, of="Somebody")
    with pytest.raises(UsageError, match="a name of their own"):
        naming.split(home.vault, "Tove Lindgren", WHO, references=["four.md"])
    with pytest.raises(Conflict, match="secret"):
        naming.alias(home.vault, "ghp_" + "a8Fk2Lq9" * 4 + "Zx3v", "Robert Ott", WHO)
    assert list(home.vault.state.history.log.newest(own=True)) == []
