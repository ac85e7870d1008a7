from __future__ import annotations

from typing import Any

import pytest
from tests.memory.usage.conftest import DAY, DOCS

from hearth.core.document import UNTOUCHED, DocumentState
from hearth.core.journal import Event, Member, Register
from hearth.recall.ranking.prior import Ageing, factors
from hearth.vault.history import primitives, problem, state_of, telling


def event(kind: str, doc: str | None = None, **data: Any) -> Event:
    return Event("0" * 26, 7, 1001, "aaaaaaaaaa", kind, doc, data=data)


def folded(made: Event) -> dict[tuple[str, str], Any]:
    assert problem(made) is None
    return {(p.subject, p.field if isinstance(p, Register) else f"{p.name}={p.key}"): getattr(p, "value", None)
            for p in primitives(made)}  # fmt: skip


def test_a_surfacing_with_a_key_stands_beside_others_of_its_turn() -> None:
    found = folded(event("surfaced", session="s", turn="t", key="k", docs=["a"], tokens=3))
    assert found["session:s", "surfaced:t:k"] == {"docs": ["a"], "tokens": 3, "at": 1001}
    assert set(found) == {("session:s", "surfaced:t:k"), ("session:s", "surfaced=t"), ("a", 'surfaced=["s", "t"]')}


def test_a_reference_is_known_to_its_session() -> None:
    found = folded(event("referenced", "a", session="s", turn="t", docs=["b"]))
    sessions = {field for subject, field in found if subject == "session:s"}
    assert sessions == {"referenced=t:a", "referenced=t:b"}
    assert not any(subject == "session:s" for subject, _ in folded(event("referenced", "a", session="s")))


def test_files_of_turns_add_up_and_leave_the_watermark_small() -> None:
    found = folded(event("turn", session="s", transcript="/t", watermark=1, turn="t", files=["/a", "/b"]))
    assert {("session:s", "files=/a"), ("session:s", "files=/b")} <= set(found)
    assert "files" not in found["session:s", "turn"]
    for files in ("/a", [1], [""], ["x" * 2000]):
        assert problem(event("turn", session="s", transcript="/t", watermark=1, files=files))


@pytest.mark.parametrize(
    ("data", "subject"),
    [({"session": "s"}, "session:s"), ({"project": "host/p"}, "project:host/p"), ({}, "vault:")],
)
def test_a_focus_belongs_to_a_session_a_project_or_the_vault(data: dict[str, Any], subject: str) -> None:
    assert folded(event("focus", topic="x", until=9, **data)) == {
        (subject, "focus"): {"topic": "x", "until": 9, "at": 1001}
    }
    assert folded(event("focus", topic=None, **data))[subject, "focus"]["topic"] is None


@pytest.mark.parametrize(
    "data",
    [{}, {"topic": ""}, {"topic": 5}, {"topic": "x", "until": "soon"}, {"topic": "x", "session": "s", "project": "p"}],
)
def test_a_focus_that_fits_nothing_is_skipped(data: dict[str, Any]) -> None:
    assert problem(event("focus", **data))


def test_the_journals_confidence_reaches_the_ranking(room: Any) -> None:
    assert state_of({"confidence": 0.2}, {}) == DocumentState(confidence=0.2)
    assert state_of({"confidence": None}, {}) == UNTOUCHED
    from hearth.core.journal import Draft

    ageing = Ageing(room.now + DAY, {}, decay=True)
    known = []
    for value in (0.2, 0.9, None):
        room.sessions.history.record([Draft("confidence", DOCS["bread.md"], data={"value": value})])
        with room.store.read() as reader:
            stored = reader.document(DOCS["bread.md"])
        assert stored.state.confidence == value
        known.append(factors(stored, ageing).confidence)
    assert known[0] < known[1] < known[2]


def test_what_is_only_shown_changes_no_state() -> None:
    """Else each surfacing would count all former ones of its documents."""
    items = [
        *primitives(event("surfaced", "a", session="s", turn="t")),
        *primitives(event("coactive", "a", docs=["b"])),
    ]
    assert items and not any(telling(item) for item in items)
    assert all(telling(Member("a", name, "k", 1)) for name in ("referenced", "duplicate", "revised"))
    assert telling(Register("a", "moved_from", "b", (1, "m", "e")))
