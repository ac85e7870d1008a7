"""Names are joined where they surely name the same, and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import NamedEntity
from hearth.language.name_matching import KnownNames, follow, identify, key_of, less_form, slug_of

BENCH = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "bench"


def known(*names: str, **said: str) -> KnownNames:
    """Persons' names begin with "p:", others are organizations."""
    kinds = [
        NamedEntity(name.removeprefix("p:"), "person" if name.startswith("p:") else "organization") for name in names
    ]
    return KnownNames(kinds, said)


@pytest.mark.parametrize(
    ("names", "asked", "means", "by"),
    [
        (("p:Ines Aldana",), "ines", "Ines Aldana", "part"),
        (("p:Ines Aldana",), "I. Aldana", "Ines Aldana", "part"),
        (("p:Ines Aldana", "p:Dr. Aldana"), "Dr. Aldana", "Ines Aldana", "part"),
        (("p:Dr. Ines Aldana", "p:Ines Aldana"), "Dr. Ines Aldana", "Ines Aldana", "title"),
        (("p:Jean-Luc Moreau",), "jean luc MOREAU", "Jean-Luc Moreau", ""),
        (("Nordlicht", "Nordlicht GmbH & Co. KG"), "Nordlicht GmbH & Co. KG", "Nordlicht", "legal form"),
        (("Nordlicht GmbH",), "Nordlicht", "Nordlicht GmbH", "legal form"),
        (("World Health Organization",), "W.H.O.", "World Health Organization", "acronym"),
        (("Bundesamt für Sicherheit in der Informationstechnik",), "BSI", None, "acronym"),
    ],
)
def test_a_name_means_the_one_that_it_fits(names: tuple[str, ...], asked: str, means: str | None, by: str) -> None:
    found = known(*names).resolve(asked)
    assert (found.name, found.by) == (means or names[0], by)


@pytest.mark.parametrize(
    ("names", "asked", "candidates"),
    [
        (("p:Tove Lindgren", "p:Tove Marklund"), "Tove", ("Tove Lindgren", "Tove Marklund")),
        (("Acme Inc.", "Acme GmbH"), "Acme", ()),
        (("Deutsche Bahn AG", "Deutsche Bank"), "DB", ()),
        (("Clay Makers Union", "Crestmoor Music United"), "CMU", ("Clay Makers Union", "Crestmoor Music United")),
        (("p:John Whitlock Jr.",), "John Whitlock", ()),
        (("p:Ines Aldana",), "Ines Aldanna", ()),
        (("p:Samuel Ott",), "Sam", ()),
        (("World Health Organization",), "who", ()),
    ],
)
def test_what_may_mean_several_or_nothing_is_joined_to_none(
    names: tuple[str, ...], asked: str, candidates: tuple[str, ...]
) -> None:
    found = known(*names).resolve(asked)
    assert (found.name, found.candidates) == (None, candidates)


def test_what_people_said_holds_before_all_rules() -> None:
    assert known("p:Ines Aldana", "p:Ines Holm", ines="Ines Holm").resolve("Ines").name == "Ines Holm"
    assert known("p:Ines Aldana", ines="Ines").resolve("Ines").name == "Ines"
    assert known("p:Robert Ott", bob="Robert Ott", bobby="Bob").resolve("BOBBY").name == "Robert Ott"


def test_names_that_mean_each_other_mean_one_of_them_whichever_is_asked() -> None:
    aliases = {"a": "B", "b": "C", "c": "A", "d": "B"}
    assert {follow(aliases, key) for key in aliases} == {"A"}


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("R&D", "r-and-d"),
        ("Ines Aldana", "ines-aldana"),
        ("../../etc/passwd", "etc-passwd"),
        ("山田 太郎", "山田-太郎"),
        ("🚀", "rocket"),
        ("\u202eמשה כהן\u202c", "משה-כהן"),
        ("\u202e", "right-to-left-override"),
        ("", "unnamed"),
    ],
)
def test_a_slug_keeps_every_script_and_is_never_a_path(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@given(st.text())
def test_any_text_has_a_slug_that_names_a_file(name: str) -> None:
    slug = slug_of(name)
    assert slug
    assert not set(slug) & set("/\\.:\0\n")
    assert len(slug) <= 60
    assert len(slug.encode("utf-8", "replace")) <= 150


@given(st.lists(st.text(min_size=1), max_size=12))
def test_different_names_get_different_identities(names: list[str]) -> None:
    found = identify(NamedEntity(name) for name in names)
    assert len(set(found.values())) == len(found)


def test_an_identity_that_is_taken_gets_a_number() -> None:
    names = [NamedEntity("C++", "tool"), NamedEntity("C plus, plus", "tool"), NamedEntity("c ++", "tool")]
    assert list(identify(names).values()) == ["tool-c-plus-plus", "tool-c-plus-plus-2"]


@given(st.text(alphabet="abcÄßİ -–_’'é", max_size=20))
def test_a_key_of_a_key_is_the_key(name: str) -> None:
    assert key_of(key_of(name)) == key_of(name)


def test_a_legal_form_is_taken_off_as_it_is_written() -> None:
    assert [less_form(one) for one in ("Acme, Inc.", "Acme", "Inc.", "Oslo Glass AS")] == ["Acme", "", "", "Oslo Glass"]


def test_no_pair_of_the_measure_is_joined_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    before = set(sys.modules)
    from graph.joins import joins, read_pairs

    pairs = list(read_pairs())
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("graph", "machine"):
            monkeypatch.delitem(sys.modules, name)
    assert [names for same, names in pairs if not same and joins(names)] == []
    wanted = [joins(names) for same, names in pairs if same]
    assert len(pairs) == 200
    assert sum(wanted) >= 0.8 * len(wanted)
