"""What may be brought up without being asked for."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import INTERNAL, UNTOUCHED, FileState
from hearth.core.query import Conversation
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.gate import CLEARLY, select_eligible
from hearth.testing import document

AT = 1_000_000


def candidate(name: str, *, score: float) -> Candidate:
    stored = StoredDocument(1, document("notes", f"{name}.md", name), FileState(0, 0, 0, b""), UNTOUCHED)
    return Candidate(StoredFragment(1, 1, 0, "section", 3, 6, 0, 9, (), "", name), stored, score, score)


def _conversation(name: str, *, score: float) -> Candidate:
    plain = candidate(name, score=score)
    said = replace(plain.document.document, collection=INTERNAL, content_type="conversation")
    return replace(plain, document=replace(plain.document, document=said))


def test_a_snoozed_document_stays_out_until_its_day() -> None:
    snoozed = _with_state(candidate("a", score=0.9), snoozed_until=AT + 1)
    woken = _with_state(candidate("b", score=0.8), snoozed_until=AT)
    assert select_eligible([snoozed, woken], AT, Conversation()) == [woken]


def test_memories_of_another_project_stay_out_unless_wanted() -> None:
    here = _with_facts(candidate("a", score=0.9), scope="project", project="one")
    there = _with_facts(candidate("b", score=0.8), scope="project", project="two")
    mine = _with_facts(candidate("c", score=0.7), scope="user", project="two")
    nowhere = _with_facts(candidate("d", score=0.6), scope="project")
    pool = [here, there, mine, nowhere]
    assert select_eligible(pool, AT, Conversation(project="one")) == [here, mine, nowhere]
    assert select_eligible(pool, AT, Conversation(project="one", other_projects=True)) == pool


def test_what_was_said_in_another_project_stays_out_unless_wanted() -> None:
    here = _with_facts(_conversation("a", score=0.9), project="one")
    there = _with_facts(_conversation("b", score=0.8), project="two")
    anywhere = _conversation("c", score=0.7)
    note = _with_facts(candidate("d", score=0.6), project="two")  # a person's note that names a project
    pool = [here, there, anywhere, note]
    assert select_eligible(pool, AT, Conversation(project="one")) == [here, anywhere, note]
    assert select_eligible(pool, AT, Conversation(project="one", other_projects=True)) == pool


def test_a_project_may_be_named_by_the_end_of_its_key() -> None:
    mine = _with_facts(candidate("a", score=0.9), scope="project", project="acme/tide")
    other = _with_facts(candidate("b", score=0.8), scope="project", project="ide")
    assert select_eligible([mine, other], AT, Conversation(project="git.example.org/acme/tide")) == [mine]
    # A repository without an origin is named by its folder, too.
    assert select_eligible([mine, other], AT, Conversation(project="/home/ana/acme/tide/.git")) == [mine]


def test_what_was_shown_comes_again_only_as_the_clear_best() -> None:
    old, new = candidate("a", score=0.8), candidate("b", score=0.7)
    seen = Conversation(shown=((old.document.document.docid, 1, 10_000),))
    assert select_eligible([old, new], AT, seen) == [new]
    best = replace(old, score=0.7 * CLEARLY)
    assert select_eligible([best, new], AT, seen) == [best, new]


def test_nothing_new_means_nothing_at_all() -> None:
    old = candidate("a", score=0.99)
    assert select_eligible([old], AT, Conversation(shown=((old.document.document.docid, 1, 10_000),))) == []


def test_other_lines_of_a_document_that_was_shown_are_new() -> None:
    part = candidate("a", score=0.8)
    first, last = part.fragment.start_line, part.fragment.end_line
    docid = part.document.document.docid
    assert select_eligible([part], AT, Conversation(shown=((docid, last + 1, last + 9),))) == [part]
    assert select_eligible([part], AT, Conversation(shown=((docid, first, last),))) == []


@given(st.lists(st.floats(0, 1), max_size=8), st.lists(st.integers(0, 7), max_size=4))
def test_the_order_is_kept(scores: list[float], shown: list[int]) -> None:
    pool = [candidate(f"d{at}", score=score) for at, score in enumerate(sorted(scores, reverse=True))]
    seen = tuple((pool[at].document.document.docid, 1, 99) for at in shown if at < len(pool))
    kept = select_eligible(pool, AT, Conversation(shown=seen))
    assert kept == [c for c in pool if c in kept]


def _with_state(item: Candidate, **state: int) -> Candidate:
    return replace(item, document=replace(item.document, state=replace(UNTOUCHED, **state)))


def _with_facts(item: Candidate, **facts: str) -> Candidate:
    return replace(item, document=replace(item.document, document=replace(item.document.document, facts=facts)))
