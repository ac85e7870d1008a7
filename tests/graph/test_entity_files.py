"""What is known of an entity stands in a file of its name, which only grows; those of all machines are one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.graph import naming
from hearth.graph.entities import describe, list_entities
from hearth.graph.facts import find_facts
from hearth.vault.changes import Remarks


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def learn(home: Home, fact: str, name: str = "Ines Aldana", kind: str = "person") -> str:
    return home.remember(fact, "entity", subject=name, tags=(kind,))


def files(home: Home) -> dict[str, str]:
    folder = Path(home.vault.memories.writer.memories.root) / "user" / "entities"
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def known(home: Home, name: str = "Ines Aldana") -> list[str]:
    return [fact.text for fact in describe(home.vault, name, 5).facts]


def test_facts_of_one_entity_gather_in_the_file_of_its_name_and_none_goes(home: Home) -> None:
    learn(home, "Glazes tiles.")
    [before] = files(home).values()
    learn(home, "Lives in Crestmoor.")
    learn(home, "glazes  tiles.")
    assert list(files(home)) == ["person-ines-aldana.md"]
    [after] = files(home).values()
    assert after.startswith(before.rstrip("\n"))
    assert known(home) == ["Glazes tiles.", "Lives in Crestmoor."]
    assert describe(home.vault, "Ines Aldana", 5).type == "person"
    home.rebuilt()
    assert known(home, "ines-aldana") == ["Glazes tiles.", "Lives in Crestmoor."]


def test_names_that_make_one_slug_or_none_get_files_of_their_own(home: Home) -> None:
    for name in ("C++", "C plus plus", "../../etc/passwd", "🚀", "\u202eמשה כהן\u202c"):
        learn(home, f"Is called {len(name)} things.", name, "tool")
    assert list(files(home)) == [
        "tool-c-plus-plus-2.md", "tool-c-plus-plus.md", "tool-etc-passwd.md", "tool-rocket.md", "tool-משה-כהן.md",
    ]  # fmt: skip
    assert known(home, "C++") == ["Is called 3 things."]


def test_two_machines_that_learn_of_one_entity_write_two_files_and_read_one(tmp_path: Path, home: Home) -> None:
    learn(home, "Glazes tiles.")
    other = Home(tmp_path / "other", share=home)
    learn(other, "Lives in Crestmoor.")
    learn(other, "Glazes tiles.")
    home.vault.index.sync()
    learn(home, "Sings on Sundays.")
    other.vault.index.sync()
    machine = other.vault.memories.writer.machine
    assert set(files(home)) == {f"person-ines-aldana.{machine}.md", "person-ines-aldana.md"}
    assert set(known(home)) == {"Glazes tiles.", "Lives in Crestmoor.", "Sings on Sundays."}
    assert known(home) == known(other)


@pytest.mark.parametrize(
    "conflict",
    [" (Ana's conflicted copy 2026-05-01).md", ".sync-conflict-20260501-120000-ABCDEFG.md", " 2.md", "-LAPTOP-9QX.md"],
)
def test_what_a_conflict_copy_adds_is_known_once_and_goes_on_being_known(home: Home, conflict: str) -> None:
    learn(home, "Glazes tiles.")
    path = Path(home.vault.memories.writer.memories.root) / "user" / "entities" / "person-ines-aldana.md"
    ended = path.read_text("utf-8").replace("(agent)", "(agent, until 2026-05-01)")
    copy = path.with_name(path.stem + conflict)
    copy.write_text(f"{ended}- 2026-05-02 Lives in Crestmoor.\n", "utf-8")
    learn(home, "Sings on Sundays.")
    home.vault.index.sync()
    assert sorted(known(home)) == ["Glazes tiles.", "Lives in Crestmoor.", "Sings on Sundays."]
    [glazes] = [one for one in describe(home.vault, "Ines Aldana", 5).facts if one.text == "Glazes tiles."]
    assert glazes.until == "2026-05-01"
    home.rebuilt()
    assert len(known(home)) == 3
    learn(home, "Left for Getaria.")
    assert "Getaria" in path.read_text("utf-8") and "Getaria" not in copy.read_text("utf-8")
    assert len(files(home)) == 2


def test_a_conflict_copy_that_adds_nothing_is_left_out(home: Home) -> None:
    learn(home, "Glazes tiles.")
    path = Path(home.vault.memories.writer.memories.root) / "user" / "entities" / "person-ines-aldana.md"
    path.with_name("person-ines-aldana (conflicted copy).md").write_text(path.read_text("utf-8"), "utf-8")
    learn(home, "Sings on Sundays.")
    home.vault.index.sync()
    assert known(home) == ["Glazes tiles.", "Sings on Sundays."]
    assert sum("entities" in one.document.path for one in home.vault.documents()) == 1


def test_the_facts_of_merged_names_are_told_of_both(home: Home) -> None:
    learn(home, "Glazes tiles.")
    learn(home, "Wrote to the harbour.", "I. the Glazer")
    naming.alias(home.vault, "I. the Glazer", "Ines Aldana", Remarks(actor="human"))
    assert set(known(home)) == set(known(home, "I. the Glazer")) == {"Glazes tiles.", "Wrote to the harbour."}
    home.vault.state.undo(actor="human")
    assert known(home) == ["Glazes tiles."]


def test_a_persons_lines_and_the_end_of_a_fact_are_read(home: Home) -> None:
    learn(home, "Glazes tiles.")
    [name] = files(home)
    path = Path(home.vault.memories.writer.memories.root) / "user" / "entities" / name
    text = path.read_text(encoding="utf-8")
    ended = text.replace("(agent)", "(agent, until 2026-05-01)") + "- 2026-06-01 Moved to the\n  north.\n"
    path.write_text(ended, encoding="utf-8")
    home.vault.index.sync()
    facts = describe(home.vault, "Ines Aldana", 5).facts
    assert [(one.text, one.until) for one in facts] == [("Glazes tiles.", "2026-05-01"), ("Moved to the north.", None)]
    learn(home, "Sings.")
    assert "until 2026-05-01" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", ["", " ^3eztx4vwtcq31jhn"])
def test_a_line_may_cite_the_document_that_says_so(home: Home, mark: str) -> None:
    learn(home, "Glazes tiles.")
    path = Path(home.vault.memories.writer.memories.root) / "user" / "entities" / "person-ines-aldana.md"
    cited = f"- 2026-03-04 Uses Emacs. (explicit · #c2ze16qrt6j78f82, until 2026-05-01){mark}\n"
    path.write_text(path.read_text("utf-8") + cited, "utf-8")
    home.vault.index.sync()
    [fact] = [one for one in describe(home.vault, "Ines Aldana", 5).facts if "Emacs" in one.text]
    assert (fact.text, fact.source, fact.until) == ("Uses Emacs.", "explicit · #c2ze16qrt6j78f82", "2026-05-01")
    [stated] = find_facts(home.vault, "Emacs").facts
    assert stated.words == "Ines Aldana uses Emacs, from 2026-03-04 to 2026-05-02"


def test_what_is_forgotten_is_known_no_more(home: Home) -> None:
    docid = learn(home, "Glazes tiles.")
    home.vault.state.forget(f"#{docid}", actor="human")
    assert known(home) == []


def test_whoever_a_file_is_about_is_listed_found_by_a_part_of_the_name_and_merged(home: Home) -> None:
    learn(home, "Glazes tiles.")
    (home.notes / "one.md").write_text("Then Ana Gómez wrote to the harbour.\n", encoding="utf-8")
    home.vault.index.sync()
    for _ in range(2):
        assert describe(home.vault, "Ines", 5).name == "Ines Aldana"
        listed = {one.id: one.documents for one in list_entities(home.vault).entities}
        assert listed == {"person-ana-gómez": 1, "person-ines-aldana": 1}
        home.rebuilt()
    who = Remarks(actor="human")
    assert naming.merge(home.vault, "Ana Gómez", "Ines Aldana", who).action == "merged"
    assert {one.id: one.documents for one in list_entities(home.vault).entities} == {"person-ines-aldana": 2}
    home.vault.state.undo(actor="human")
    assert naming.split(home.vault, "Ines Aldana", who).action == "split"
    assert naming.alias(home.vault, "Nesi", "Ines Aldana", who).action == "aliased"
    assert known(home, "Nesi") == ["Glazes tiles."]


def test_a_file_without_tags_is_about_what_its_name_says_and_one_from_elsewhere_about_nobody(home: Home) -> None:
    learn(home, "Glazes tiles.")
    path = Path(home.vault.memories.writer.memories.root) / "user" / "entities" / "person-ines-aldana.md"
    path.write_text(path.read_text("utf-8").replace("tags: [person]\n", ""), "utf-8")
    home.vault.index.sync()
    assert [one.id for one in list_entities(home.vault).entities] == ["person-ines-aldana"]
    path.write_text(path.read_text("utf-8").replace("trust: agent", "trust: external"), "utf-8")
    home.vault.index.sync()
    assert list_entities(home.vault).entities == ()


def test_an_entity_has_one_id_in_its_file_in_the_list_and_when_it_is_asked_for(home: Home) -> None:
    for name in ("C plus plus", "C++"):
        learn(home, f"Is called {len(name)} things.", name, "tool")
    home.vault.index.sync()
    listed = {one.entity.name: one.id for one in list_entities(home.vault).entities}
    assert listed == {"C plus plus": "tool-c-plus-plus", "C++": "tool-c-plus-plus-2"}
    assert {name: describe(home.vault, name, 5).id for name in listed} == listed
    assert {f"{one}.md" for one in listed.values() if one.startswith("tool")} == set(files(home))
