"""Promises: open, kept, lapsed."""

from __future__ import annotations

import pytest
from tests.truth.home import Home

from hearth.core import instants
from hearth.core.instants import DAY_MS
from hearth.truth.commitments import judge

PROMISE = "I will send the invoice to Marta"


def promised(home: Home, days: int | None = 5, text: str = PROMISE, **given: object) -> str:
    due = None if days is None else home.clock() + days * DAY_MS
    return home.remember(text, "commitment", due_at=due, owner="agent", **given)


def states(home: Home) -> dict[str, str]:
    return {one.docid: one.state for one in home.vault.truth.commitments(closed=True)}


def test_commitments_come_in_the_order_of_their_days_and_lapse(home: Home) -> None:
    late, soon = promised(home, 20, "I will write the report"), promised(home)
    undated = promised(home, None, "I will call")
    found = home.vault.truth.commitments()
    assert [one.docid for one in found] == [soon, late, undated]
    assert (found[0].owner, found[0].due_at, found[0].said) == ("agent", home.clock() + 5 * DAY_MS, PROMISE)
    assert home.vault.truth.commitments(3) == []
    home.clock.advance(days=3)
    assert [one.docid for one in home.vault.truth.commitments(3)] == [soon]
    home.clock.advance(days=17)
    assert [one.docid for one in home.vault.truth.commitments()] == [late, undated]
    assert soon not in home.found("invoice Marta")
    assert states(home) == {soon: "expired", late: "open", undated: "open"}
    home.clock.advance(days=71)
    assert home.vault.truth.commitments() == []


def test_how_long_a_promise_without_a_day_stands_is_a_setting_that_holds_for_earlier_ones_too(home: Home) -> None:
    undated, dated = promised(home, None, "I will call"), promised(home, 30)
    home.clock.advance(days=11)
    for days, open_ones in ((10, [dated]), (None, [dated, undated]), (90, [dated, undated])):
        home.configure(f"commitments: {{decay_days: {'null' if days is None else days}}}\n")
        assert [one.docid for one in home.vault.truth.commitments()] == open_ones, days
    home.configure("commitments: {decay_days: null}\n")
    home.clock.advance(days=400)
    assert [one.docid for one in home.vault.truth.commitments()] == [undated]


def test_the_day_is_read_from_what_was_promised(home: Home) -> None:
    promised(home, None, f"{PROMISE} tomorrow")
    (found,) = home.vault.truth.commitments()
    assert found.due_at is not None and 0 < found.due_at - home.clock() <= 2 * DAY_MS


def is_overdue(home: Home) -> bool:
    (found,) = home.vault.truth.commitments(0)
    return found.overdue


@pytest.mark.parametrize(("zone", "late"), [("Pacific/Auckland", True), ("America/Los_Angeles", False)])
def test_the_day_is_over_when_it_is_where_the_person_is(home: Home, zone: str, late: bool) -> None:
    home.close()
    home.environ["TZ"] = zone
    promised(home, None, f"{PROMISE} by 2026-03-02")
    home.clock.advance(days=1 if late else 1 + 19 / 24)  # noon UTC is the 3rd there, 07:00 the 2nd
    assert is_overdue(home) is late
    assert [one.kind for one in home.vault.knowledge.questions.show()] == (["commitment"] if late else [])


def test_due_is_the_whole_day_for_what_comes_soon_and_for_what_is_overdue(home: Home) -> None:
    promised(home, None, f"{PROMISE} by 2026-03-04")  # noon stands for the day
    home.clock.advance(days=-11 / 24)
    assert len(home.vault.truth.commitments(3)) == 1
    home.clock.advance(days=3 + 22 / 24)
    assert instants.show(home.clock()) == "2026-03-04T23:00:00Z" and not is_overdue(home)
    survey = home.vault.knowledge.curator().curate
    assert "overdue" not in [one.kind for one in survey().actions]
    home.clock.advance(days=1 / 24)
    assert is_overdue(home) and "overdue" in [one.kind for one in survey().actions]


def test_a_statement_that_names_what_was_promised_keeps_it_and_its_undoing_opens_it_again(home: Home) -> None:
    docid = promised(home)
    home.clock.advance(days=1)
    said = home.vault.memories.remember("The invoice was sent to Marta this morning.", "milestone").docid
    [one] = home.vault.truth.commitments(closed=True)
    assert (one.state, one.fulfilled_by, one.fulfilled_at) == ("fulfilled", said, home.clock())
    assert home.vault.truth.commitments() == []
    home.rebuilt()
    assert states(home) == {docid: "fulfilled"}
    home.vault.truth.undo_run(said)
    assert states(home) == {docid: "open"}


def test_a_statement_that_names_most_of_it_asks(home: Home) -> None:
    docid = promised(home, text="I will send the signed contract and the invoice to Marta")
    home.vault.memories.remember("The contract and the invoice were sent to Marta.", "milestone")
    assert states(home) == {docid: "open"}
    [case] = home.vault.truth.reviews()
    assert (case.entry.relation, case.entry.older) == ("fulfils", docid)
    home.vault.truth.decide("1", "keep-new")
    assert states(home) == {docid: "fulfilled"}


@pytest.mark.parametrize(
    ("promised", "statement", "verdict"),
    [
        ("The user needs to order the anemometer.", "I ordered the anemometer today btw", "kept"),
        ("The user said: “Tomorrow (2026-11-24) I need to buy new strings.”", "We've bought new strings", "kept"),
        ("The user needs to order the anemometer.", "I looked at the anemometer order again", "no"),
        ("The user needs to order the anemometer.", "I wanted to order the anemometer", "no"),
        ("The user needs to order the anemometer.", "I haven't ordered the anemometer", "no"),
        ("The user needs to order the anemometer.", "I ordered the pump", "no"),
    ],
)
def test_whoever_says_that_they_did_what_was_promised_kept_it(promised: str, statement: str, verdict: str) -> None:
    assert judge(promised, statement) == verdict


def test_what_is_not_done_keeps_no_promise() -> None:
    for said in (
        "The invoice was not sent to Marta.",
        "I will have sent the invoice to Marta by Friday.",
        "When the invoice is sent to Marta, we can close the year.",
        "Was the invoice sent to Marta?",
        "La factura todavía no está enviada a Marta: the invoice for Marta.",
        "The report was sent to Marta.",
        "The invoice was almost sent to Marta.",
    ):
        assert judge(PROMISE, said) == "no", said
    assert judge(PROMISE, "I sent the invoice to Marta.") == "kept"
    assert judge("Ich werde Marta die Rechnung schicken", "Die Rechnung ist an Marta geschickt.") == "kept"
    assert judge("call", "I called.") == "no"


def test_one_of_another_project_keeps_nothing(home: Home) -> None:
    docid = promised(home, project="github.com/acme/billing")
    home.remember("The invoice was sent to Marta.", "milestone", project="github.com/acme/garden")
    assert states(home) == {docid: "open"}


def test_a_person_says_that_it_was_kept(home: Home) -> None:
    docid = promised(home)
    assert home.vault.truth.fulfil(f"#{docid}").action == "fulfilled"
    assert home.vault.truth.fulfil(f"#{docid}").action == "unchanged"
    assert states(home) == {docid: "fulfilled"}
    home.vault.state.undo()
    assert states(home) == {docid: "open"}


def test_a_guess_that_another_session_says_again_is_one_no_more(home: Home) -> None:
    text = "The outage may come from the DNS cache."
    first = home.remember(text, "fact", confidence=0.3, session="one")
    home.clock.advance(days=3)
    home.remember(text, "fact", confidence=0.3, session="two")
    home.clock.advance(days=40)
    [hit] = home.vault.recall("what may the outage come from").hits
    assert hit.docid == first
    with home.vault.store.read() as reader:
        stored = reader.document(first)
    assert stored is not None
    assert stored.document.confidence == 0.70
