"""What was true when: questions of a day, chains in both directions, and what each answer says of it."""

from __future__ import annotations

import pytest
from tests.truth.home import Home

from hearth.core.errors import NotFound
from hearth.core.instants import DAY_MS

MONGO = "We store the orders in MongoDB, because their shape changes often."
POSTGRES = "We store the orders in PostgreSQL from now on, because joins became slow."
SQLITE = "We store the orders in SQLite now, because one file is enough."


def decided(home: Home) -> tuple[str, str, int]:
    """Two decisions, thirty days apart, of which the second wins; with the day between them (ms UTC)."""
    old = home.remember(MONGO)
    home.clock.advance(days=30)
    new = home.remember(POSTGRES, supersedes=(f"#{old}",))
    home.clock.advance(days=5)
    return old, new, home.clock() - 20 * DAY_MS


def test_a_question_as_of_a_day_finds_what_was_true_then_and_nothing_later(home: Home) -> None:
    old, new, between = decided(home)
    asked = "where do we store the orders"
    assert home.found(asked) == [new]
    assert home.found(asked, as_of=between) == [old]
    assert home.found(asked, as_of=home.clock()) == [new]
    assert home.found(asked, as_of=home.clock() - 60 * DAY_MS) == []
    [hit] = home.vault.recall(asked, as_of=between).hits
    assert hit.validity.words.startswith(f"superseded by #{new}, true from 2026-03-01 to 2026-03-31")


def test_what_was_forgotten_is_in_no_past(home: Home) -> None:
    old, _, between = decided(home)
    home.vault.state.forget(f"#{old}")
    assert home.found("where do we store the orders", as_of=between) == []


def test_the_timeline_of_a_day_holds_what_was_true_then(home: Home) -> None:
    old, new, between = decided(home)
    third = home.remember("The billing team owns the exports.", "fact")
    now = [m.stored.document.docid for m in home.vault.timeline(f"#{third}")]
    then = [m.stored.document.docid for m in home.vault.timeline(f"#{third}", as_of=between)]
    assert now == [new, third]
    assert then == [old, third]


@pytest.mark.parametrize("question", ["what did we store the orders in before?", "¿dónde guardábamos orders antes?"])
def test_a_question_about_the_past_finds_the_old_one_with_its_dates(home: Home, question: str) -> None:
    old, new, _ = decided(home)
    hits = {hit.docid: hit for hit in home.vault.recall(question).hits}
    assert old in hits
    assert hits[old].validity.superseded_by == new
    assert hits[old].to_dict()["valid_to"] == home.state(old).valid_to
    assert old not in home.found(question, recipe="surface")


def test_a_chain_reads_the_same_from_each_end(home: Home) -> None:
    first, second, _ = decided(home)
    home.clock.advance(days=10)
    third = home.remember(SQLITE)
    home.vault.state.supersede(f"#{second}", f"#{third}", reason="one file is enough", actor="human")
    chains = [home.vault.truth.chain(f"#{docid}") for docid in (first, second, third)]
    for chain in chains:
        assert [version.stored.document.docid for version in chain.versions] == [first, second, third]
    assert [version.focus for version in chains[1].versions] == [False, True, False]
    assert chains[0].versions[1].why["reason"] == "one file is enough"
    assert chains[0].versions[0].said == MONGO
    assert chains[0].versions[2].validity.hidden == ()


def test_a_chain_without_links_is_the_document_alone(home: Home) -> None:
    only = home.remember("Releases go out on Thursdays.", "fact")
    assert [version.focus for version in home.vault.truth.chain(f"#{only}").versions] == [True]
    with pytest.raises(NotFound):
        home.vault.truth.chain("#0000000000000000")


def test_what_a_file_supersedes_is_told_by_its_chain(home: Home) -> None:
    home.write("old.md", "---\ndate: 2026-01-05\n---\n# Backups\n\nNightly to the NAS.\n")
    home.write("new.md", "---\ndate: 2026-02-05\nsupersedes: old.md\n---\n# Backups now\n\nHourly to the cloud.\n")
    home.vault.index.sync()
    [old, new] = home.vault.truth.chain("new.md").versions
    assert (old.stored.document.path, new.stored.document.path) == ("old.md", "new.md")
    assert old.validity.words == f"superseded by #{new.stored.document.docid}, true from 2026-01-05 to 2026-02-05"


def test_a_guess_is_hidden_from_its_day_on_without_a_sweep_and_pinning_keeps_it(home: Home) -> None:
    guess = home.remember("The outage may come from the DNS cache.", "fact", confidence=0.3)
    asked = "what may the outage come from"
    assert home.found(asked) == [guess]
    home.clock.advance(days=31)
    assert home.found(asked) == []
    assert home.vault.documents() == []
    [hit] = home.vault.recall(asked, include=("superseded",)).hits
    assert hit.hidden == ("expired",)
    home.vault.state.pin(f"#{guess}")
    assert home.found(asked) == [guess]


def test_what_changed_twice_on_a_day_is_told_with_its_time(home: Home) -> None:
    home.clock.advance(seconds=3_600)
    old = home.remember(MONGO)
    home.clock.advance(seconds=7_200)
    home.remember(POSTGRES, supersedes=(f"#{old}",))
    chain = home.vault.truth.chain(f"#{old}")
    first, second = (one.validity.valid_from for one in chain.versions)
    assert [chain.show(first), chain.show(second)] == ["2026-03-01T13:00:00Z", "2026-03-01T15:00:00Z"]


def test_changes_of_several_days_and_dates_without_a_time_are_told_by_the_day(home: Home) -> None:
    _, new, _ = decided(home)
    chain = home.vault.truth.chain(f"#{new}")
    assert {chain.show(one.validity.valid_from) for one in chain.versions} == {"2026-03-01", "2026-03-31"}
    noon = chain.versions[0].validity.valid_from
    assert chain.show(noon) == "2026-03-01" and chain.show(None) == "undated"


def test_what_changed_once_on_a_day_is_told_by_the_day(home: Home) -> None:
    home.clock.advance(seconds=3_600)
    chain = home.vault.truth.chain(f"#{home.remember(MONGO)}")
    [only] = (one.validity.valid_from for one in chain.versions)
    assert chain.show(only) == "2026-03-01"
