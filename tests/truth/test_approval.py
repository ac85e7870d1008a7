"""What was captured without the person's mark waits: asked for it is found, by itself it does nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.capture.distiller import is_pending, wishes
from hearth.core.errors import NotFound, UsageError
from hearth.core.extraction import Category, Evidence, ExtractedMemory, Extraction, Observation, OpenQuestion
from hearth.core.memory import NewMemory, Origin
from hearth.core.query import Conversation
from hearth.core.session import Sighting
from hearth.ports import Filter
from hearth.vault.validity import APPROVAL_MS

OLD, MOVED = "The API listens on port 8080.", "The API now listens on port 9090."
STORE = "The billing service stores its invoices in PostgreSQL."
TABS = "I prefer tabs over spaces in Makefiles."


def capture(home: Home, text: str, content_type: str = "decision", **given: object) -> str:
    """A captured memory that waits for approval; gives its docid."""
    wish = {"session": "s1", "created_by": "capture", "pending": True, **given}
    return home.vault.memories.keep(NewMemory(text, content_type, **wish)).docid  # type: ignore[arg-type]


def brought(home: Home, prompt: str) -> list[str]:
    """What a hook finds for a prompt."""
    return home.found(prompt, recipe="surface", conversation=Conversation(asks=True))


def about(home: Home) -> str:
    return "\n".join(one.text for one in home.vault.profile.rebuild().bullets)


@pytest.mark.parametrize(
    ("reason", "off", "inferred", "everything"),
    [
        ("record:choice", False, False, True),
        ("mark:lasting", False, False, True),
        ("mark:remember", False, False, False),
        ("sentence:form", False, True, True),
        ("model", False, True, True),
        ("", False, True, True),
    ],
)
def test_who_waits_is_told_by_what_found_it(reason: str, off: bool, inferred: bool, everything: bool) -> None:
    assert [is_pending(reason, approve) for approve in ("off", "inferred", "all")] == [off, inferred, everything]


def test_an_open_question_waits_for_nobody_and_a_guess_beside_a_record_does() -> None:
    evidence = Evidence(1, "quote")
    found = Extraction(
        memories=(
            ExtractedMemory(Category.DECISION, STORE, 0.99, evidence, reason="record:choice"),
            ExtractedMemory(Category.FACT, TABS, 0.6, evidence, reason="sentence:form"),
        ),
        questions=(OpenQuestion("Which shelf is the kettle on?", evidence),),
        path="rules",
    )
    assert [wish.pending for _, wish in wishes(found, "inferred")] == [False, True, False]


@pytest.mark.parametrize(("path", "pending"), [("rules", False), ("agent:claude", True)])
def test_what_rules_observe_of_commits_and_tests_is_recorded_and_what_a_model_observes_is_not(
    path: str, pending: bool
) -> None:
    seen = Observation("bugfix", "Fixed the lid", ("The lid closes.",), Evidence(1, "lid"))
    [(_, wish)] = wishes(Extraction(observations=(seen,), path=path), "inferred")
    assert wish.pending is pending


def test_what_waits_is_found_marked_and_never_brought(home: Home) -> None:
    docid = capture(home, STORE)
    for recipe in ("keyword", "hybrid", "intent"):
        [hit] = home.vault.recall("where are the invoices stored", recipe=recipe).hits
        assert (hit.docid, hit.hidden, hit.validity.label()) == (docid, ("pending",), "not yet approved")
    assert brought(home, "where are the invoices of the billing service stored?") == []
    assert not home.vault.documents(Filter(types=("decision",)))
    home.vault.truth.approvals.settle("accept", (docid,))
    [hit] = home.vault.recall("where are the invoices stored").hits
    assert hit.hidden == ()
    assert brought(home, "where are the invoices of the billing service stored?") == [docid]


def test_what_waits_is_on_no_profile_until_it_is_approved(home: Home) -> None:
    docid = capture(home, TABS, "preference")
    assert "tabs" not in about(home)
    home.vault.truth.approvals.settle("accept", (docid,))
    assert "tabs" in about(home)
    home.vault.state.undo(actor="program")
    assert home.state(docid).pending
    assert "tabs" not in about(home)


def test_what_waits_supersedes_nothing_until_it_is_approved(home: Home) -> None:
    old = home.vault.memories.keep(NewMemory(OLD, "fact")).docid
    home.clock.advance(seconds=60)
    new = capture(home, MOVED, "fact")
    home.vault.memories.follow.catch_up()
    assert home.state(old).superseded_by is None
    home.vault.truth.approvals.settle("accept", (new,))
    assert home.state(old).superseded_by == new


def test_a_marked_statement_changes_nothing_that_waits_but_says_it_in_its_place(home: Home) -> None:
    waiting = capture(home, TABS, "preference", session="s1")
    marked = home.vault.memories.keep(NewMemory(TABS, "preference", session="s2")).docid
    assert marked != waiting
    assert home.state(waiting).superseded_by == marked
    assert home.vault.truth.approvals.pending() == []
    again = capture(home, TABS, "preference", session="s3")
    assert again == marked
    assert not home.state(marked).pending


def test_what_a_model_finds_waits_and_what_a_host_recorded_does_not(home: Home, tmp_path: Path) -> None:
    found = Extraction(
        memories=(
            ExtractedMemory(Category.DECISION, OLD, 0.97, Evidence(1, "quote"), reason="record:choice"),
            ExtractedMemory(Category.PREFERENCE, TABS, 0.97, Evidence(1, "quote"), reason="model"),
        ),
        path="model",
        version="1",
    )
    transcript = tmp_path / "talk.jsonl"
    said = {"type": "user", "uuid": "u1", "promptId": "p1", "message": {"role": "user", "content": "Ports and tabs."}}
    transcript.write_text(json.dumps(said) + "\n")
    home.vault.sessions.seen(Sighting("s1", "claude-code"))
    home.vault.sessions.turn_ended("s1", str(transcript), transcript.stat().st_size, "t1")
    capture = home.vault.capture
    distiller = replace(capture.worker.distiller, extract=lambda turns, since: found)
    report = replace(capture, worker=replace(capture.worker, distiller=distiller)).run(everything=True)
    assert report.problems == ()
    assert [one.said for one in home.vault.truth.approvals.pending()] == [TABS]
    [sure] = home.vault.documents(Filter(types=("decision",)))
    assert not sure.state.pending


def test_one_is_asked_once_of_what_several_sessions_said(home: Home) -> None:
    first = capture(home, TABS, "preference", session="s1")
    assert capture(home, TABS, "preference", session="s2") == first
    assert [one.docid for one in home.vault.truth.approvals.pending()] == [first]


def test_a_fact_that_waits_is_kept_apart_from_the_subjects_file(home: Home) -> None:
    sure = home.vault.memories.keep(NewMemory("Mila runs the bakery.", "entity", subject="Mila")).docid
    waiting = capture(home, "Mila moved to Porto.", "entity", subject="Mila")
    assert waiting != sure
    assert "Porto" not in home.vault.get(sure).text
    more = home.vault.memories.keep(NewMemory("Mila sings.", "entity", subject="Mila")).docid
    assert more == sure
    assert "sings" not in home.vault.get(waiting).text


def test_a_session_or_everything_is_settled_and_taken_back_at_once(home: Home) -> None:
    one, two = capture(home, STORE, session="s1"), capture(home, TABS, "preference", session="s1")
    other = capture(home, "The oven is cleaned on Fridays.", "fact", session="s2")
    approvals = home.vault.truth.approvals
    rejected = approvals.settle("reject", session="s1")
    assert set(rejected.docids) == {one, two}
    assert [waiting.docid for waiting in approvals.pending()] == [other]
    assert one not in home.found("where are the invoices stored")
    assert rejected.run is not None
    home.vault.truth.undo_run(rejected.run)
    assert {waiting.docid for waiting in approvals.pending()} == {one, two, other}
    assert set(approvals.settle("accept", everything=True).docids) == {one, two, other}
    with pytest.raises(NotFound):
        approvals.settle("accept", everything=True)
    with pytest.raises(NotFound):
        approvals.settle("accept", (one,))


def test_it_has_to_be_said_what_is_accepted(home: Home) -> None:
    docid = capture(home, STORE)
    approvals = home.vault.truth.approvals
    assert approvals.find("1").docid == approvals.find(f"#{docid}").docid == docid
    for wrong in ({}, {"names": ("1",), "everything": True}):
        with pytest.raises(UsageError):
            approvals.settle("accept", **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        approvals.settle("perhaps", ("1",))
    with pytest.raises(NotFound):
        approvals.settle("accept", ("2",))


def test_what_nobody_answers_is_archived_after_thirty_days_and_can_be_restored(home: Home) -> None:
    docid = capture(home, STORE, said_at=home.clock() - 3 * APPROVAL_MS)
    home.clock.ms += APPROVAL_MS - 1
    assert home.found("where are the invoices stored") == [docid]
    home.clock.ms += 1
    assert home.found("where are the invoices stored") == []
    assert home.vault.truth.approvals.pending() == []
    assert home.found("where are the invoices stored", include=("expired",)) == [docid]
    home.vault.state.restore(docid)
    assert home.found("where are the invoices stored") == [docid]
    assert not home.state(docid).pending


def test_the_index_made_anew_says_the_same(home: Home) -> None:
    waiting = capture(home, STORE)
    accepted = capture(home, TABS, "preference")
    rejected = capture(home, "The oven is cleaned on Fridays.", "fact")
    home.vault.truth.approvals.settle("accept", (accepted,))
    home.vault.truth.approvals.settle("reject", (rejected,))
    before = home.states()
    home.rebuilt()
    assert home.states() == before
    assert [before[one].pending for one in (waiting, accepted, rejected)] == [True, False, True]
    assert [one.docid for one in home.vault.truth.approvals.pending()] == [waiting]


def test_another_machine_knows_what_was_approved(home: Home, neighbour: Home) -> None:
    docid = capture(home, STORE)
    neighbour.vault.index.sync()
    assert [one.docid for one in neighbour.vault.truth.approvals.pending()] == [docid]
    neighbour.vault.truth.approvals.settle("accept", (docid,))
    home.vault.index.sync()
    assert home.vault.truth.approvals.pending() == []
    assert not home.state(docid).pending


def test_what_was_rejected_is_not_captured_again(home: Home) -> None:
    docid = capture(home, STORE, session="s1")
    home.vault.truth.approvals.settle("reject", (docid,))
    origin = Origin("session s2, turn 1, rules 1")
    again = home.vault.memories.keep(NewMemory(STORE, "decision", session="s2", origin=origin, pending=True))
    assert (again.action, again.docid) == ("retired", docid)
