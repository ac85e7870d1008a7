"""Who and what the notes name is listed, whatever they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import UsageError
from hearth.graph import naming
from hearth.graph.entities import EntityListing, describe, list_entities
from hearth.graph.relations import find_sharing
from hearth.language.entities import MOST_ENTITIES
from hearth.language.name_matching import key_of
from hearth.ports import Filter
from hearth.vault.changes import Remarks

WHO = Remarks(actor="human")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def note(home: Home, name: str, text: str) -> None:
    (home.notes / name).write_text(f"{text}\n", encoding="utf-8")
    home.vault.index.sync()


def told(listing: EntityListing) -> list[tuple[str, str, int]]:
    return [(one.id, one.entity.name, one.documents) for one in listing.entities]


def test_those_in_most_documents_come_first_and_their_names_are_one(home: Home) -> None:
    note(home, "one.md", "We met Ines Aldana of Harbour Pottery Studio Ltd in Crestmoor.")
    note(home, "two.md", "Then Ines wrote. Later Ines Aldana called Harbour Pottery Studio.")
    note(home, "three.md", "---\npeople: [Rurik Holm, 'Ines Aldana']\nproject: Kiln\n---\nSee [[Rurik Holm]].")
    listing = list_entities(home.vault)
    assert told(listing)[:2] == [
        ("person-ines-aldana", "Ines Aldana", 3),
        ("organization-harbour-pottery-studio", "Harbour Pottery Studio", 2),
    ]
    assert listing.entities[1].aliases == ("Harbour Pottery Studio Ltd",)
    assert ("project-kiln", "Kiln", 1) in told(listing)
    assert told(list_entities(home.vault, "person")) == [
        ("person-ines-aldana", "Ines Aldana", 3),
        ("person-rurik-holm", "Rurik Holm", 1),
    ]
    assert told(list_entities(home.vault, query="RURIK")) == [("person-rurik-holm", "Rurik Holm", 1)]
    naming.merge(home.vault, "Rurik Holm", "Ines Aldana", WHO)
    assert told(list_entities(home.vault, "person")) == [("person-ines-aldana", "Ines Aldana", 3)]
    with pytest.raises(UsageError, match="not a type"):
        list_entities(home.vault, "animal")


def test_what_is_forgotten_edited_or_gone_is_named_no_more_and_a_rebuild_lists_the_same(home: Home) -> None:
    for number in range(3):
        note(home, f"{number}.md", f"Ines Aldana glazed tile {number} with Rurik Holm.")
    before = list_entities(home.vault)
    home.rebuilt()
    assert list_entities(home.vault) == before
    assert [count for _, _, count in told(before)] == [3, 3]
    home.vault.state.forget("0.md", actor="human")
    note(home, "1.md", "Nobody glazed a tile.")
    (home.notes / "2.md").unlink()
    home.vault.index.sync()
    assert told(list_entities(home.vault)) == []


def test_one_file_of_ten_thousand_names_keeps_to_its_bound(home: Home) -> None:
    names = [
        f"Ab{chr(97 + i // 676 % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}o Cor{chr(97 + i % 26)}en"
        for i in range(10_000)
    ]
    note(home, "names.md", "\n\n".join(f"We met {name} again." for name in names))
    note(home, "other.md", f"We met {names[0]} and Ines Aldana.")
    assert home.vault.graph.names().run() == 2
    with home.vault.store.read() as reader:
        held = reader.list_spellings(1_000)
    assert len({key_of(one.name) for one in held}) <= MOST_ENTITIES + 2
    assert "Ines Aldana" in {one.name for one in held}


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "🚀",
        "C:\\Windows",
        "\u202eמשה\u202c",
        "'; DROP TABLE entities; --",
        "a" * 5_000,
        "[[x]]",
        "%s%n",
    ],
)
def test_a_hostile_name_is_read_listed_and_asked_for_without_harm(home: Home, name: str) -> None:
    note(home, "one.md", f"---\npeople:\n  - {name}\n---\nWe met [[{name}]] and Ines Aldana.")
    note(home, "two.md", f"Ines Aldana met {name}.")
    listing = list_entities(home.vault, limit=100)
    assert ("person-ines-aldana", "Ines Aldana", 2) in told(listing)
    assert all("/" not in one.id and "\\" not in one.id for one in listing.entities)
    for one in listing.entities:
        assert describe(home.vault, one.entity.name, 5).asked
    assert list_entities(home.vault, query=name[:50]).unread == 0


def test_names_are_read_in_pieces_and_what_is_left_is_counted(home: Home) -> None:
    for number in range(5):
        note(home, f"{number}.md", f"Ines Aldana glazed tile {number}.")
    assert home.vault.graph.names().run(2) == 2
    with home.vault.store.read() as reader:
        assert home.vault.graph.names().missing(reader) == 3
    assert home.vault.graph.names().run(0) == 0
    assert home.vault.graph.names().run() == 3


def test_an_index_that_cannot_be_written_lists_what_it_holds_and_counts_the_rest(home: Home) -> None:
    note(home, "one.md", "We met Ines Aldana.")
    assert len(list_entities(home.vault).entities) == 1
    note(home, "two.md", "Rurik Holm met Ines Aldana.")
    vars(home.vault.store)["read_only"] = True
    listing = list_entities(home.vault)
    assert told(listing) == [("person-ines-aldana", "Ines Aldana", 1)]
    assert listing.unread == 1


def test_tags_name_nothing_and_a_handle_is_whoever_it_stands_beside(home: Home) -> None:
    note(home, "one.md", "---\ntags: [kiln, '#glaze']\n---\nThe shelf is with Ines Aldana (@ines) now; @ines has it.")
    note(home, "two.md", "Told @folder of #kiln and 王老师.")
    found = told(list_entities(home.vault))
    assert {("person-ines-aldana", "Ines Aldana", 1), ("person-王", "王", 1)} == set(found)
    assert [name for _, name, _ in told(list_entities(home.vault, query="@folder"))] == ["@folder"]


def test_only_what_a_passage_tells_the_type_of_is_listed(home: Home) -> None:
    for number in range(2):
        said = "Redis lost counts. Invite Colin to the review. Netpbm cropped it. We know APIs and URLs of MoJ."
        note(home, f"{number}.md", f"{said} We installed Grafana. Public Key Cryptography helped. See README.md.")
    assert [(name, entity) for entity, name, _ in told(list_entities(home.vault))] == [("Grafana", "tool-grafana")]


def test_a_file_that_is_only_linked_is_no_entity_unless_it_is_called_as_one(home: Home) -> None:
    for number in range(2):
        note(
            home,
            f"{number}.md",
            "See [[2026-03-12-import-queue]], [[decisions/0003-a-choice|that]] and [[Rurik Holm]].",
        )
    assert [name for _, name, _ in told(list_entities(home.vault))] == ["Rurik Holm"]


def test_what_is_surely_a_tool_in_one_passage_is_one_in_the_document(home: Home) -> None:
    note(home, "one.md", "# A\n\nKestrel and Osprey failed.\n\n# B\n\nWe upgraded Kestrel to the newest one.")
    note(home, "two.md", "Then Kestrel recovered.")
    assert told(list_entities(home.vault, "tool")) == [("tool-kestrel", "Kestrel", 2)]


def test_an_alias_of_a_note_is_a_name_of_whom_it_is_about_in_lower_case_too_whichever_was_read_first(
    home: Home,
) -> None:
    note(home, "one.md", "Yesterday anita fired the kiln.")
    note(home, "two.md", "Then Anita left.")
    assert "person-ines-aldana" not in [one for one, _, _ in told(list_entities(home.vault))]
    note(home, "ines.md", "---\naliases: [Anita]\ntags: [person]\n---\nSings.")
    path = home.notes / "ines.md"
    path.rename(home.notes / "Ines Aldana.md")
    home.vault.index.sync()
    before = told(list_entities(home.vault))
    assert before == [("person-ines-aldana", "Ines Aldana", 3)]
    with home.vault.store.read() as reader:
        docid = next(one.document.docid for one in home.vault.documents() if one.document.path == "one.md")
        rows = reader.find_rows("docid", [docid], Filter())
        assert "inesaldana" in {one.key for names in reader.entities_in([*rows]).values() for one in names}
    home.rebuilt()
    assert told(list_entities(home.vault)) == before
    (home.notes / "Ines Aldana.md").unlink()
    home.vault.index.sync()
    assert "person-ines-aldana" not in [one for one, _, _ in told(list_entities(home.vault))]


def test_whom_a_note_declares_is_known_before_any_is_read(home: Home) -> None:
    note(home, "one.md", "Yesterday anita fired the kiln.")
    note(home, "Ines Aldana.md", "---\naliases: [Anita]\ntags: [person]\n---\nSings.")
    assert [home.vault.graph.names().run() for _ in range(2)] == [2, 0]
    assert told(list_entities(home.vault)) == [("person-ines-aldana", "Ines Aldana", 2)]


def test_a_name_that_is_declared_later_is_found_however_its_words_are_joined(home: Home) -> None:
    note(home, "one.md", "Then the river-kiln went cold.")
    note(home, "two.md", "Ask the river\nkiln people.")
    assert told(list_entities(home.vault)) == []
    note(home, "River Kiln.md", "---\naliases: [the kiln by the weir]\n---\nBurns wood.")
    before = told(list_entities(home.vault))
    assert [(name, count) for _, name, count in before] == [("River Kiln", 3)]
    home.rebuilt()
    assert told(list_entities(home.vault)) == before


def test_what_somebody_said_a_name_to_mean_counts_in_lower_case_until_it_is_undone(home: Home) -> None:
    note(home, "one.md", "Robert Ott wrote to the harbour.")
    note(home, "two.md", "We asked the potter about clay.")
    for number in range(6):
        note(home, f"{number}.md", f"Nobody glazed tile {number}.")
    assert told(list_entities(home.vault)) == [("person-robert-ott", "Robert Ott", 1)]
    naming.alias(home.vault, "The Potter", "Robert Ott", WHO)
    assert told(list_entities(home.vault)) == [("person-robert-ott", "Robert Ott", 2)]
    with home.vault.store.read() as reader:
        docid = next(one.document.docid for one in home.vault.documents() if one.document.path == "one.md")
        assert len(find_sharing(reader, [docid], Filter())) == 1
    home.vault.state.undo(actor="human")
    assert told(list_entities(home.vault)) == [("person-robert-ott", "Robert Ott", 1)]


def test_a_name_of_several_words_counts_in_lower_case_elsewhere_in_its_document(home: Home) -> None:
    filler = "\n\nThe river rose and the boats stayed where they were all day." * 40
    note(home, "one.md", f"# A\n\nWe met Ines Aldana.{filler}\n\n# B\n\nask ines aldana again{filler}")
    [one] = list_entities(home.vault).entities
    assert (one.id, one.documents) == ("person-ines-aldana", 1)
    with home.vault.store.read() as reader:
        assert len(reader.naming(["inesaldana"], Filter(), 9)) == 2


def test_an_alias_that_two_notes_declare_means_neither(home: Home) -> None:
    for name in ("Samuel Ott", "Samira Holm"):
        note(home, f"{name}.md", "---\naliases: [Sammo]\ntags: [person]\n---\nSings.")
    note(home, "one.md", "Then sammo left.")
    assert {(name, count) for _, name, count in told(list_entities(home.vault))} == {
        ("Samuel Ott", 1),
        ("Samira Holm", 1),
    }


def test_whoever_speaks_twice_in_a_document_is_a_person(home: Home) -> None:
    note(home, "one.md", "**Alice:** hello\n\nTom: hi\n\n**Alice:** good\n\nTom: yes")
    assert told(list_entities(home.vault)) == [("person-alice", "Alice", 1), ("person-tom", "Tom", 1)]


def test_what_code_is_called_comes_last_and_takes_no_room_from_others(home: Home) -> None:
    code = " ".join(f"retry_count_{number} and src/app/main{number}.py" for number in range(MOST_ENTITIES))
    for number in range(3):
        note(home, f"{number}.md", f"We set {code}.")
    note(home, "3.md", f"{code} Ines Aldana met Rurik Holm.")
    listed = told(list_entities(home.vault))
    assert [name for _, name, _ in listed[:2]] == ["Ines Aldana", "Rurik Holm"]
    assert len(listed) == 2
    assert told(list_entities(home.vault, query="main1.py")) == [("other-src-app-main1-py", "src/app/main1.py", 4)]
    assert describe(home.vault, "src/app/main1.py", 5).total == 4
