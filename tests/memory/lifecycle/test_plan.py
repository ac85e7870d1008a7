"""What is due and what is spared: the plan of a sweep, without a vault."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import INTERNAL, DocumentState, FileState
from hearth.core.instants import DAY_MS
from hearth.core.memory import CONTENT_TYPES
from hearth.memory.archive import Op, Policy, plan
from hearth.ports import StoredDocument
from hearth.testing import document
from hearth.vault.validity import ends_at

NOW = 2_000 * DAY_MS
POLICY = Policy(collections=("open",))
NEVER: Any = lambda docid: None  # noqa: E731


def stored(number: int = 1, *, age: float = 100, collection: str = INTERNAL, **given: Any) -> StoredDocument:
    """A document of the type ``problem`` that was written so many days ago; fields of its state go there."""
    names = set(DocumentState.__slots__) - {"confidence"}
    state = DocumentState(**{key: value for key, value in given.items() if key in names})
    rest = {key: value for key, value in given.items() if key not in names}
    fields = {"content_type": "problem", "modified_at": NOW - int(age * DAY_MS)} | rest
    file = FileState(0, 1, number, b"a.md")
    return StoredDocument(number, document(collection, f"{number}.md", **fields), file, state)


def actions(*documents: StoredDocument, policy: Policy = POLICY, since: Any = NEVER) -> list[str]:
    return [op.action for op in plan(documents, policy, NOW, since)]


def test_what_lay_unused_for_longer_than_the_limit_is_archived_and_the_plan_says_why() -> None:
    [op] = plan([stored(age=100)], POLICY, NOW, NEVER)
    assert (op.action, op.why) == ("archive", "unused and unchanged for 100 days, over the limit of 90 for problem")
    assert actions(stored(age=90)) == []
    assert actions(stored(age=90.1)) == ["archive"]


@pytest.mark.parametrize(
    "spared",
    [
        {"pinned": True},
        {"snoozed_until": NOW + 1},
        {"forgotten": True},
        {"superseded_by": "x"},
        {"invalidated_at": 1},
        {"last_accessed_at": NOW - 80 * DAY_MS},
        {"authored_at": NOW - 80 * DAY_MS},
        {"content_type": "decision"},
        {"collection": "notes"},
        {"title": ""},
    ],
    ids=lambda given: next(iter(given)),
)
def test_each_reason_to_spare_a_document_spares_it(spared: dict[str, Any]) -> None:
    assert actions(stored(**spared)) == []


def test_a_vanished_document_is_left_alone() -> None:
    assert actions(replace(stored(), vanished=True)) == []


def test_a_snooze_that_is_over_spares_nothing() -> None:
    assert actions(stored(snoozed_until=NOW - 1)) == ["archive"]


def test_a_collection_that_opted_in_is_swept_and_an_exempt_one_is_not() -> None:
    assert actions(stored(collection="open")) == ["archive"]
    assert actions(stored(collection="open"), policy=replace(POLICY, exempt=("open",))) == []
    assert actions(stored(), policy=replace(POLICY, exempt=(INTERNAL,))) == []


def test_a_type_has_its_own_limit_and_types_that_never_age_only_that() -> None:
    own = replace(POLICY, overrides={"problem": None, "decision": 30})
    assert actions(stored(age=1_000), policy=own) == []
    assert actions(stored(age=31, content_type="decision"), policy=own) == ["archive"]
    never = {name for name, kind in CONTENT_TYPES.items() if POLICY.limit(name) is None}
    assert never == {name for name, kind in CONTENT_TYPES.items() if kind.half_life_days is None}


def test_what_was_restored_has_the_whole_limit_before_it_again() -> None:
    assert actions(stored(age=500), since=lambda docid: NOW - 80 * DAY_MS) == []
    assert actions(stored(age=500), since=lambda docid: NOW - 91 * DAY_MS) == ["archive"]


def guess(state: DocumentState | None = None, restored_at: int | None = None, **given: Any) -> StoredDocument:
    """As the journal's fold has it: with when it ends."""
    facts = {"machine": "m", "expires_at": "1975-06-20T00:00:00Z"} | given.pop("facts", {})
    found = stored(**({"confidence": 0.3, "facts": facts, "age": 1} | given))
    state = state or found.state
    return replace(found, state=replace(state, ends_at=ends_at(found.document, state, restored_at)))


def test_a_guess_past_its_date_is_archived_whatever_its_type() -> None:
    [op] = plan([guess(content_type="decision")], POLICY, NOW, NEVER)
    assert (op.action, op.why) == ("archive", "a guess that expired on 1975-06-20")


@pytest.mark.parametrize(
    "spared",
    [
        {"confidence": 0.4},
        {"facts": {"expires_at": ""}},
        {"facts": {"expires_at": "soon"}},
        {"facts": {"expires_at": "1975-06-25"}},
        {"pinned": True},
        {"collection": "notes"},
    ],
)
def test_a_guess_that_was_confirmed_or_has_time_left_stays(spared: dict[str, Any]) -> None:
    assert actions(guess(**spared)) == []


def test_a_confidence_in_the_journal_goes_over_that_of_the_file() -> None:
    assert actions(guess(DocumentState(confidence=0.7))) == []
    assert actions(guess(DocumentState(confidence=0.1), confidence=0.9)) == ["archive"]


def test_restoring_an_expired_guess_confirms_it() -> None:
    assert actions(guess(restored_at=NOW - DAY_MS)) == []


def test_old_archives_are_purged_only_where_that_is_set() -> None:
    old = stored(archived=True)
    since = lambda docid: NOW - 31 * DAY_MS  # noqa: E731
    assert actions(old, since=since) == []
    purging = replace(POLICY, purge_after_days=30)
    assert actions(old, policy=purging, since=since) == ["purge"]
    assert actions(old, policy=replace(POLICY, purge_after_days=31), since=since) == []
    assert actions(old, policy=purging) == []  # nobody knows since when
    for spared in (stored(archived=True, pinned=True), stored(archived=True, forgotten=True)):
        assert actions(spared, policy=purging, since=since) == []


states = st.fixed_dictionaries(
    {},
    optional={
        "age": st.floats(0, 400),
        "content_type": st.sampled_from(["problem", "note", "decision", "handoff"]),
        "collection": st.sampled_from([INTERNAL, "open", "notes"]),
        "pinned": st.booleans(),
        "archived": st.booleans(),
        "forgotten": st.booleans(),
        "snoozed_until": st.sampled_from([None, NOW - 1, NOW + 1]),
        "last_accessed_at": st.sampled_from([None, NOW - DAY_MS, NOW - 300 * DAY_MS]),
        "confidence": st.sampled_from([0.2, 1.0]),
        "ends_at": st.sampled_from([None, NOW - DAY_MS, NOW + DAY_MS]),
    },
)
libraries = st.lists(states, max_size=12).map(lambda all_: [stored(n, **given) for n, given in enumerate(all_)])


def carried_out(documents: list[StoredDocument], ops: list[Op]) -> list[StoredDocument]:
    archived = {op.docid for op in ops if op.action == "archive"}
    return [
        replace(one, state=replace(one.state, archived=True)) if one.document.docid in archived else one
        for one in documents
    ]


@given(libraries)
def test_sweeping_twice_is_sweeping_once(documents: list[StoredDocument]) -> None:
    assert plan(carried_out(documents, plan(documents, POLICY, NOW, NEVER)), POLICY, NOW, NEVER) == []


@given(libraries, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(documents: list[StoredDocument], random: Any) -> None:
    shuffled = list(documents)
    random.shuffle(shuffled)
    ops, others = plan(documents, POLICY, NOW, NEVER), plan(shuffled, POLICY, NOW, NEVER)
    assert {op.docid: op for op in ops} == {op.docid: op for op in others}


@given(libraries, st.integers(1, 200))
def test_what_is_due_stays_due_as_time_goes_by(documents: list[StoredDocument], days: int) -> None:
    """Snoozes end, limits pass; nothing becomes younger."""
    now = {op.docid for op in plan(documents, POLICY, NOW, NEVER)}
    later = {op.docid for op in plan(documents, POLICY, NOW + days * DAY_MS, NEVER)}
    assert now <= later
