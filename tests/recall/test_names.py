"""What a document is called: found first by it, and searched in it."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import Ambiguous, NotFound
from hearth.core.query import Query
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller
from hearth.vault.changes import find

AT = 1_700_000_000_000


def paths(box: Any, text: str, **given: Any) -> list[str]:
    found = Recaller(box.store, None, RankingSettings())(Query(text, at=AT, recipe="keyword", **given))
    return [hit.path for hit in found.hits]


def named(box: Any, reference: str) -> str:
    with box.store.read() as reader:
        return str(find(reference, reader, {}).stored.document.path)


@pytest.fixture
def people(box: Any) -> Any:
    box.write("people/María Fernández.md", "Moved to Oporto in spring.\n")
    box.write("log.md", "maria fernandez " * 30 + "\n\n## Maria Fernandez\n\nmaria fernandez\n")
    box.write("infra/kubernetes-upgrade.md", "First the nodes, then the rest.\n")
    box.write("a/Shared.md", "One text.\n")
    box.write("b/Shared.md", "Another text.\n")
    box.write("hosts/box.md", "---\naliases: [Hetzner, How to/Rent a server, the]\n---\nIt runs in Falkenstein.\n")
    box.sync()
    return box


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("María Fernández", "people/María Fernández.md"),
        ("maria   FERNANDEZ", "people/María Fernández.md"),
        ("people/María Fernández.md", "people/María Fernández.md"),
        ("kubernetes upgrade", "infra/kubernetes-upgrade.md"),
        ("infra/kubernetes-upgrade.md", "infra/kubernetes-upgrade.md"),
        ("kubernetes_upgrade.md", "infra/kubernetes-upgrade.md"),
        ("hetzner", "hosts/box.md"),
        ("rent a server", "hosts/box.md"),
        ("the", "hosts/box.md"),
    ],
)
def test_a_question_that_is_a_name_has_that_document_first(people: Any, text: str, path: str) -> None:
    assert paths(people, text)[0] == path


def test_the_folder_of_a_document_is_searched(people: Any) -> None:
    assert "infra/kubernetes-upgrade.md" in paths(people, "what do we have on infra")


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("Maria Fernandez", "people/María Fernández.md"),
        ("[[María Fernández]]", "people/María Fernández.md"),
        ("[[María Fernández#Spring|her]]", "people/María Fernández.md"),
        ("hetzner", "hosts/box.md"),
        ("Hetzner:3", "hosts/box.md"),
    ],
)
def test_a_document_is_referred_to_by_title_alias_and_wikilink(people: Any, reference: str, path: str) -> None:
    assert named(people, reference) == path


def test_of_several_documents_of_a_name_all_are_listed(people: Any) -> None:
    with pytest.raises(
        Ambiguous, match=r"notes/a/Shared.md, .*notes/b/Shared.md|notes/b/Shared.md, .*notes/a/Shared.md"
    ):
        named(people, "[[Shared]]")


def test_a_part_of_a_name_is_no_reference_but_suggests_what_has_it(people: Any) -> None:
    with pytest.raises(NotFound, match=r"did you mean notes/people/María Fernández.md"):
        named(people, "Fernández")


def test_a_name_may_end_like_a_line(box: Any) -> None:
    box.write("m.md", "---\ntitle: Standup 10:30\n---\nBrief.\n")
    box.sync()
    assert named(box, "Standup 10:30") == "m.md"


def test_many_notes_of_one_name_cost_no_more_than_a_few(box: Any) -> None:
    for number in range(60):
        box.write(f"{number}/Note.md", f"Text number {number}.\n")
    box.sync()
    found = paths(box, "note", limit=50)
    assert 10 <= len(found) <= 50
    assert all(path.endswith("/Note.md") for path in found)


def test_a_name_of_one_character_and_one_of_three_hundred_are_found(box: Any) -> None:
    long = "ab " * 99 + "end"
    box.write("x.md", "Of a letter.\n")
    box.write("long.md", f"---\ntitle: {long}\n---\nOf many.\n")
    box.write("other.md", "x " * 50 + long + "\n")
    box.sync()
    assert paths(box, "X")[0] == "x.md"
    assert paths(box, long)[0] == "long.md"


@pytest.mark.parametrize(
    "name",
    ["日本語のメモ", "Заметки о саде", "ملاحظات", "หมายเหตุ", "Σημειώσεις", "노트", "हिन्दी टिप्पणी", "Größe & Maß", "C#"],
)
def test_names_in_many_scripts_are_found(box: Any, name: str) -> None:
    box.write(f"{name}.md", "Nothing of it here.\n")
    box.write("C.md", "Another language.\n")
    box.sync()
    assert paths(box, name)[0] == f"{name}.md"
    assert named(box, f"[[{name}]]") == f"{name}.md"


def test_a_vault_of_one_note_is_found_by_its_name(box: Any) -> None:
    box.write("only.md", "Alone.\n")
    box.sync()
    assert paths(box, "only") == ["only.md"]


def test_a_tag_in_the_text_counts_and_one_of_several_levels_matches_those_above(box: Any) -> None:
    box.write("in.md", "Seen in spring #trip/portugal with friends.\n")
    box.write("out.md", "Seen in spring `#trip` and issue #12, see #tripod.\n")
    box.sync()
    with box.store.read() as reader:
        from hearth.ports import Filter

        for tag in ("trip", "#Trip", "trip/portugal"):
            assert [d.document.path for d in list(reader.each_document(Filter(tags=(tag,))))] == ["in.md"]


def test_what_left_the_vault_is_called_nothing(people: Any) -> None:
    (people.root / "hosts/box.md").unlink()
    people.sync()
    with pytest.raises(NotFound):
        named(people, "hetzner")
