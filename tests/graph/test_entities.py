"""An entity is told from the passages that hold its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.core.errors import UsageError
from hearth.graph.entities import EntityView, describe
from hearth.vault.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    notes = tmp_path / "notes"
    notes.mkdir()
    texts = {
        "2026-01-10.md": "Today Ines Aldana agreed to glaze the tiles with Rurik.",
        "2026-02-11.md": "The kiln broke. Ines called Rurik, who repaired it with wire.",
        "2026-03-12.md": "Rurik wrote to Tove Lindgren of Harbour Pottery Studio.",
        "trains.md": "The night train leaves at nine.",
        "guests.md": "We invited Tove Marklund and the neighbours.",
        "spelled.md": "We ordered clay from Kiln-Works and later from Kiln Works again.",
    }
    for name, text in texts.items():
        (notes / name).write_text(f"{text}\n", encoding="utf-8")
    with open_folder(notes, tmp_path / "work", {}) as opened:
        opened.index.sync()
        yield opened


def companions(view: EntityView) -> list[str]:
    return [one.name for one in view.company]


def test_a_first_name_is_the_one_person_who_has_it(vault: Vault) -> None:
    view = describe(vault, "ines", 10)
    assert (view.name, view.type, view.aliases) == ("Ines Aldana", "person", ("Ines", "ines"))
    assert [(m.path, m.line) for m in view.mentions] == [("2026-02-11.md", 1), ("2026-01-10.md", 1)]
    assert companions(view) == ["Rurik"]
    assert view.company[0].lift > 1


def test_a_name_of_several_is_asked_back_and_never_joined(vault: Vault) -> None:
    view = describe(vault, "Tove", 10)
    assert (view.name, sorted(view.candidates)) == (None, ["Tove Lindgren", "Tove Marklund"])
    assert describe(vault, "Tove Lindgren", 10).name == "Tove Lindgren"


def test_mentions_are_cut_to_the_limit_and_counted(vault: Vault) -> None:
    view = describe(vault, "Rurik", 2)
    assert ([m.path for m in view.mentions], view.total) == (["2026-03-12.md", "2026-02-11.md"], 3)
    assert set(view.to_dict()["mentions"][0]) == {"docid", "collection", "path", "line", "date", "snippet"}


@pytest.mark.parametrize("name", ["Zebedee Nobody", 'a" OR "b', "path:x", "-x", "名"])
def test_what_nothing_goes_by_is_said_whatever_it_holds(vault: Vault, name: str) -> None:
    view = describe(vault, name, 10)
    assert (view.mentions, view.company) == ((), ())


@pytest.mark.parametrize("name", ["", " ", '"', "🙂", "--"])
def test_what_is_no_name_is_refused(vault: Vault, name: str) -> None:
    with pytest.raises(UsageError, match="is not a name"):
        describe(vault, name, 10)


def test_a_long_line_is_cut_around_the_name(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "notes" / "long.md").write_text(
        "word " * 200 + "Odalys Prentiss wrote. " + "word " * 90, encoding="utf-8"
    )
    vault.index.sync()
    [mention] = describe(vault, "Odalys Prentiss", 10).mentions
    assert "Odalys Prentiss" in mention.words
    assert len(mention.words) <= 120


def write(vault: Vault, name: str, text: str) -> None:
    """Sections so long that each is a passage of its own."""
    more = "\n\nThe river rose and the boats stayed where they were all day." * 40
    path = Path(vault.collections[0].root) / name
    path.write_text("\n\n".join(f"# Part\n\n{part}{more}" for part in text.split("|")) + "\n", encoding="utf-8")
    vault.index.sync()


def words(vault: Vault, name: str) -> set[str]:
    return {one.words for one in describe(vault, name, 20).mentions}


def test_a_part_of_a_name_is_the_full_one_of_its_document_wherever_others_have_it(vault: Vault) -> None:
    write(vault, "shed.md", "Maria Torres opened the shed.|Maria sold four pots.")
    write(vault, "fair.md", "We met Maria Blanco at the fair.")
    assert words(vault, "Maria Torres") == {"Maria Torres opened the shed.", "Maria sold four pots."}
    assert words(vault, "Maria Blanco") == {"We met Maria Blanco at the fair."}
    write(vault, "shed.md", "Maria Torres opened the shed.|Maria sold four pots.|We met Maria Blanco again.")
    assert words(vault, "Maria Torres") == {"Maria Torres opened the shed."}
    assert sorted(describe(vault, "Maria", 5).candidates) == ["Maria Blanco", "Maria Torres"]


def test_else_a_part_is_the_only_full_name_of_its_project(vault: Vault) -> None:
    head = "---\nproject: {}\n---\n{}\n"
    texts = {
        "a.md": head.format("kiln", "Maria Torres opened the shed."),
        "b.md": head.format("kiln", "Then Maria sold four pots."),
        "c.md": head.format("fair", "We met Maria Blanco again."),
        "d.md": head.format("fair", "Then Maria left early."),
        "e.md": "Nobody knows what Maria wanted.\n",
    }
    folder = Path(vault.collections[0].root)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    vault.index.sync()
    assert words(vault, "Maria Torres") == {"Maria Torres opened the shed.", "Then Maria sold four pots."}
    assert words(vault, "Maria Blanco") == {"We met Maria Blanco again.", "Then Maria left early."}
    (folder / "c.md").write_text(head.format("kiln", "We met Maria Blanco again."), encoding="utf-8")
    vault.index.sync()
    assert words(vault, "Maria Torres") == {"Maria Torres opened the shed."}


def test_company_is_that_of_the_500_newest_mentions(vault: Vault) -> None:
    folder = Path(vault.collections[0].root)
    (folder / "2020-01-01.md").write_text("Wiebke Harms met Odalys Prentiss.\n", encoding="utf-8")
    for number in range(500):
        day = f"202{1 + number // 250}-{1 + number // 25 % 10:02}-{1 + number % 25:02}"
        (folder / f"{day}.md").write_text(f"Wiebke Harms met Karis Tornau on day {number}.\n", encoding="utf-8")
    vault.index.sync()
    view = describe(vault, "Wiebke Harms", 5)
    assert (companions(view), view.company[0].together) == (["Karis Tornau"], 500)
    (folder / "2030-01-01.md").write_text("Wiebke Harms met Odalys Prentiss.\n", encoding="utf-8")
    vault.index.sync()
    assert sorted(companions(describe(vault, "Wiebke Harms", 5))) == ["Karis Tornau", "Odalys Prentiss"]
