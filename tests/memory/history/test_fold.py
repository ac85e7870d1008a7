from __future__ import annotations

from typing import Any

import pytest

from hearth.core.document import UNTOUCHED, DocumentState
from hearth.core.journal import STATE_KINDS, USAGE_KINDS, Event, Folded, Member, Register
from hearth.vault.history import MAX_COUNT, primitives, problem, state_of
from hearth.vault.payload import KINDS, MAX_COACTIVE

MACHINE = "aaaaaaaaaa"


def event(kind: str, doc: str | None = "doc", hlc: int = 1, **data: Any) -> Event:
    return Event(f"{hlc:026d}", hlc, 1000 + hlc, MACHINE, kind, doc, data=data)


def registers_of(found: Event) -> dict[tuple[str, str], Any]:
    return {(item.subject, item.field): item.value for item in primitives(found) if isinstance(item, Register)}


def members_of(found: Event) -> set[tuple[str, str, str]]:
    return {(item.subject, item.name, item.key) for item in primitives(found) if isinstance(item, Member)}


def state_after(*events: Event) -> DocumentState:
    folded = Folded()
    for one in events:
        assert problem(one) is None
        folded.apply(primitives(one))
    return state_of(folded.registers("doc"), folded.members("doc"))


def test_every_kind_that_can_be_journaled_has_a_meaning() -> None:
    assert KINDS.keys() == STATE_KINDS | USAGE_KINDS


@pytest.mark.parametrize(
    ("done", "undone", "state"),
    [
        (("pin", {}), ("unpin", {}), DocumentState(pinned=True)),
        (("snooze", {"until": 5}), ("unsnooze", {}), DocumentState(snoozed_until=5)),
        (("forget", {"reason": "old"}), ("unforget", {}), DocumentState(forgotten=True)),
        (("tombstone", {"key": "ab"}), ("unforget", {}), DocumentState(forgotten=True)),
        (("archive", {}), ("restore", {}), DocumentState(archived=True)),
        (("supersede", {"by": "new"}), ("supersede", {"by": None}), DocumentState(superseded_by="new")),
        (("invalidate", {"at": 7}), ("invalidate", {"at": None}), DocumentState(invalidated_at=7)),
        (
            ("fulfill", {"at": 7, "by": "new"}),
            ("fulfill", {"at": None}),
            DocumentState(fulfilled_at=7, fulfilled_by="new"),
        ),
        (("invalidate", {}), ("invalidate", {"at": None}), DocumentState(invalidated_at=1001)),
    ],
)
def test_a_state_can_be_set_and_taken_back(
    done: tuple[str, dict[str, Any]], undone: tuple[str, dict[str, Any]], state: DocumentState
) -> None:
    first, second = event(done[0], hlc=1, **done[1]), event(undone[0], hlc=2, **undone[1])
    assert state_after(first) == state
    assert state_after(first, second) == state_after(second, first) == UNTOUCHED


def test_uses_count_once_per_session_and_turn() -> None:
    uses = [
        event("referenced", hlc=1, session="s", turn="1"),
        event("referenced", hlc=9, session="s", turn="1"),
        event("referenced", hlc=2, session="s", turn="2"),
        event("duplicate", hlc=3),
        event("duplicate", hlc=4),
        event("duplicate", hlc=5, key="k"),
        event("duplicate", hlc=6, key="k"),
        event("revised", hlc=7),
    ]
    assert state_after(*uses) == DocumentState(
        access_count=2, last_accessed_at=1009, duplicate_count=3, revision_count=1
    )


def test_counts_are_clamped() -> None:
    assert state_of({}, {"referenced": (MAX_COUNT + 5, 3)}).access_count == MAX_COUNT


def test_every_event_says_where_its_document_was() -> None:
    found = Event("0" * 26, 1, 2, MACHINE, "pin", "doc", "a/b.md", "ff")
    assert registers_of(found) == {("doc", "pinned"): True, ("doc", "path"): "a/b.md", ("doc", "body_hash"): "ff"}


def test_a_path_that_is_no_valid_text_leaves_the_body_hash() -> None:
    found = Event("0" * 26, 1, 2, MACHINE, "pin", "doc", "caf\udce9.md", "ff")
    assert registers_of(found) == {("doc", "pinned"): True, ("doc", "body_hash"): "ff"}


def test_removing_a_relation_is_a_value() -> None:
    made = event("relate", type="causes", target="other", weight=0.5, reason="r")
    gone = event("unrelate", hlc=2, type="causes", target="other")
    assert registers_of(made) == {("doc", "relation:causes:other"): {"weight": 0.5}}
    assert registers_of(gone) == {("doc", "relation:causes:other"): None}


@pytest.mark.parametrize(
    ("found", "registers"),
    [
        (event("confidence", value=0.5), {("doc", "confidence"): 0.5}),
        (event("confidence", value=None), {("doc", "confidence"): None}),
        (event("retag", tags=["a", "b"]), {("doc", "tags"): ["a", "b"]}),
        (event("moved", **{"from": "old"}), {("doc", "moved_from"): "old"}),
        (event("named", counter=2), {("doc", "counter"): 2}),
        (event("purge"), {("doc", "purged_at"): 1001}),
        (event("purge", scope="memory"), {("doc", "purged_at"): 1001, ("doc", "purged"): {"scope": "memory"}}),
        (event("purge", at=None), {("doc", "purged_at"): None, ("doc", "purged"): None}),
        (event("tombstone", key="k"), {("doc", "forgotten"): True, ("doc", "tombstone"): {"key": "k"}}),
        (
            event("session", None, session="s", host="codex", files=["a"]),
            {("session:s", "machine"): MACHINE, ("session:s", "host"): "codex", ("session:s", "files"): ["a"]},
        ),
    ],
)
def test_state_kinds_set_registers(found: Event, registers: dict[tuple[str, str], Any]) -> None:
    assert registers_of(found) == registers
    assert problem(found) is None


def test_watermarks_are_kept_by_session_and_by_machine() -> None:
    found = event("turn", None, session="s", turn="t1", transcript="/t.jsonl", watermark=99)
    value = {"turn": "t1", "transcript": "/t.jsonl", "watermark": 99, "at": 1001, "machine": MACHINE}
    assert registers_of(found) == {("session:s", "turn"): value, (f"machine:{MACHINE}", "turn:s"): value}
    assert members_of(found) == {("session:s", "turns", "t1")}
    done = event("captured", None, session="s", transcript="/t.jsonl", watermark=50)
    assert registers_of(done)[f"machine:{MACHINE}", "captured:s"]["watermark"] == 50
    assert members_of(done) == set()


def test_a_later_watermark_wins_even_when_it_is_smaller() -> None:
    folded = Folded()
    for hlc, watermark in ((2, 10), (1, 500)):
        folded.apply(primitives(event("turn", None, hlc, session="s", transcript="/t", watermark=watermark)))
    assert folded.registers("session:s")["turn"]["watermark"] == 10


def test_a_surfacing_is_kept_by_document_and_by_turn() -> None:
    found = event("surfaced", None, session="s", turn="t", docs=["b", "a"], tokens=120, prompt="h")
    assert members_of(found) == {("a", "surfaced", '["s", "t"]'), ("b", "surfaced", '["s", "t"]')}
    value = {"docs": ["a", "b"], "tokens": 120, "prompt": "h", "at": 1001}
    assert registers_of(found) == {("session:s", "surfaced:t"): value}


def test_recalls_keep_their_queries_and_days_apart() -> None:
    folded = Folded()
    for hlc, query, day in ((1, "q1", "2026-01-01"), (2, "q1", "2026-01-02"), (3, "q2", "2026-01-02")):
        folded.apply(primitives(event("recalled", hlc=hlc, query=query, day=day, score=0.5)))
    counts = {name: count for name, (count, _) in folded.members("doc").items()}
    assert counts == {"recalled": 3, "recalled_query": 2, "recalled_day": 2}


def test_coactive_documents_pair_both_ways() -> None:
    found = event("coactive", "a", session="s", turn="t", docs=["b", "c"])
    pairs = {(subject, name) for subject, name, _ in members_of(found)}
    assert pairs == {(one, f"coactive:{other}") for one in "abc" for other in "abc" if one != other}


@pytest.mark.parametrize(
    "malformed",
    [
        event("pin", None),
        event("pin", "session:s"),
        event("pin", "doc", reason="\ud800"),
        event("pin", "doc", extra=float("inf")),
        event("snooze"),
        event("snooze", until="tomorrow"),
        event("snooze", until=True),
        event("snooze", until=-1),
        event("confidence"),
        event("confidence", value=1.5),
        event("confidence", value=True),
        event("purge", scope="everything"),
        event("supersede"),
        event("supersede", by=3),
        event("invalidate", at="now"),
        event("relate", type="Causes:", target="x"),
        event("relate", type="causes", target=""),
        event("relate", type="causes", target="x" * 5000),
        event("retag", tags="a"),
        event("retag", tags=[1]),
        event("moved"),
        event("named", counter="x"),
        event("session", None),
        event("session", None, session="s", **{"Bad:Field": 1}),
        event("turn", None, session="s", watermark=1),
        event("captured", None, session="s", transcript="/t", watermark=None),
        event("referenced", None),
        event("referenced", session=5),
        event("referenced", session="s", turn=5),
        event("referenced", docs="doc"),
        event("referenced", docs=[["x"]]),
        event("recalled", query=["x"]),
        event("coactive", "doc"),
        event("coactive", None, docs=[f"d{n}" for n in range(MAX_COACTIVE + 1)]),
    ],
)
def test_a_malformed_payload_is_skipped_and_reported(malformed: Event) -> None:
    assert primitives(malformed) == ()
    assert malformed.kind in (problem(malformed) or "")


def test_an_unknown_kind_is_skipped_without_complaint() -> None:
    assert primitives(event("unheard-of", path=3)) == ()
    assert problem(event("unheard-of")) is None


def test_subjects_are_found_by_what_a_register_holds() -> None:
    folded = Folded()
    for doc, body_hash in (("b", "ff"), ("a", "ff"), ("c", "00")):
        folded.apply(primitives(Event("0" * 26, 1, 2, MACHINE, "pin", doc, body_hash=body_hash)))
    assert folded.subjects_with("body_hash", "ff") == ["a", "b"]
    assert folded.subjects_with("absent", None) == []
