"""What the status of a decision does: filters, labels, order, history."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.house import House

from hearth.ports import Filter


@pytest.fixture
def house(tmp_path: Path) -> House:
    built = House(tmp_path, tmp_path / "notes")
    built.configure()
    built.write(
        "adr/0003-gas.md", "# Gas for the oven\n\nDate: 24/03/2020\nStatus: superseded by 0007\n\nThe oven burns gas.\n"
    )
    built.write(
        "adr/0007-wood.md", "# Wood for the oven\n\nDate: 04/05/2021\nStatus: accepted\n\nThe oven burns wood.\n"
    )
    built.write(
        "adr/0008-coal.md", "# Coal for the oven\n\nDate: 2021-06-01\nStatus: rejected\n\nThe oven burns coal.\n"
    )
    return built


def test_the_successor_stands_above_what_it_took_the_place_of(house: House) -> None:
    hits = house.vault.recall("what does the oven burn, gas?", recipe="keyword").hits
    paths = [hit.path for hit in hits]
    assert paths.index("adr/0007-wood.md") < paths.index("adr/0003-gas.md")
    old = next(hit for hit in hits if hit.path == "adr/0003-gas.md")
    assert old.to_dict()["status"] == "superseded"
    assert [one.text for one in old.validity.later] == ["Wood for the oven"]
    asked = house.vault.recall("why did we reject coal for the oven?", recipe="keyword").hits
    assert (asked[0].path, asked[0].validity.standing) == ("adr/0008-coal.md", "status: rejected")


def test_statuses_filter(house: House) -> None:
    vault = house.vault
    assert [d.document.path for d in vault.documents(Filter(statuses=("rejected",)))] == ["adr/0008-coal.md"]
    hits = vault.recall("oven status:accepted", recipe="keyword", syntax=True).hits
    assert [hit.path for hit in hits] == ["adr/0007-wood.md"]


@pytest.mark.parametrize("asked", ["adr/0003-gas.md", "adr/0007-wood.md"])
def test_history_leads_both_ways(house: House, asked: str) -> None:
    found = house.vault.truth.chain(f"notes/{asked}")
    assert [one.stored.document.path for one in found.versions] == ["adr/0003-gas.md", "adr/0007-wood.md"]


def test_a_successor_that_comes_later_is_found(house: House) -> None:
    house.write("adr/0009-straw.md", "# Straw for the oven\n\nStatus: superseded by 10\n\nStraw.\n")
    vault = house.vault
    vault.index.sync()
    assert len(vault.truth.chain("notes/adr/0009-straw.md").versions) == 1
    house.write("adr/0010-steam.md", "# Steam for the oven\n\nStatus: accepted\n\nSteam.\n")
    vault.index.sync()
    assert len(vault.truth.chain("notes/adr/0009-straw.md").versions) == 2


def test_other_notes_settle_what_stands_first_in_a_date(house: House) -> None:
    vault = house.vault

    def day(path: str) -> str | None:
        return next(d.document.to_dict()["authored_at"] for d in vault.documents(Filter(paths=(path,))))

    vault.index.sync()
    settled = day("0007")
    house.write("adr/0003-gas.md", "# Gas for the oven\n\nStatus: superseded by 0007\n\nThe oven burns gas.\n")
    vault.index.sync()
    assert (settled, day("0007")) == (1_620_129_600_000, None)


def test_a_stub_is_in_the_language_of_its_collection(house: House) -> None:
    vault = house.vault

    def language(path: str) -> str:
        return next(d.document.language for d in vault.documents(Filter(paths=(path,))))

    house.write("stub.md", "# Einkauf\n\nMehl, Hefe\n")
    house.write("links.md", "# Links\n\nhttps://example.com/os/as/no/de/la\n")
    vault.index.sync()
    assert (language("stub.md"), language("links.md")) == ("en", "en")
    german = "Der Ofen ist kalt, und wir haben kein Holz, weil es noch nicht da ist und auch nicht kommt.\n"
    for number in range(40):
        house.write(f"tage/{number}.md", f"# Tag {number}\n\n{german}")
    vault.index.sync()
    assert (language("stub.md"), language("links.md"), language("tage/7.md")) == ("de", "de", "de")
    for number in range(40):
        (house.notes / f"tage/{number}.md").unlink()
    vault.index.sync(force=True)
    assert language("stub.md") == "en"
