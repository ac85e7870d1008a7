"""The factors: the values that their formulas give, their bounds, and which way each moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import DocumentState, FileState
from hearth.core.instants import DAY_MS
from hearth.core.memory import CONTENT_TYPES
from hearth.ports import StoredDocument
from hearth.recall.ranking import prior as f
from hearth.recall.ranking.prior import Ageing, Factors, factors
from hearth.testing import START_MS, document

UNIT = st.floats(0, 1)
DAYS = st.floats(0, 20_000)
COUNT = st.integers(0, 1_000_000)
NEVER = [name for name, kind in CONTENT_TYPES.items() if kind.half_life_days is None]
AGEING = [name for name, kind in CONTENT_TYPES.items() if kind.half_life_days is not None]


def stored(content_type: str = "note", state: DocumentState | None = None, **given: Any) -> StoredDocument:
    path = given.pop("path", "a.md")
    made = replace(document("notes", path, "amber"), content_type=content_type, **{"authored_at": START_MS, **given})
    return StoredDocument(1, made, FileState(0, 0, 0, b""), state or DocumentState())


def after(days: float, *, decay: bool = True, **half_lives: float | None) -> Ageing:
    return Ageing(START_MS + int(days * DAY_MS), half_lives, decay)


# -- formulas -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (f.recency(0, 60), 1.0),
        (f.recency(60, 60), 0.5),
        (f.recency(180, 60), 0.125),
        (f.recency(-5, 60), 1.0),
        (f.recency(10_000, None), 1.0),
        (f.reinforce(60, 0, 0), 60.0),
        (f.reinforce(60, 1, 0), 72.4767),  # 60 + 18 ln 2
        (f.reinforce(60, 1, 45), 67.2984),  # 60 + 18 ln 1.5
        (f.reinforce(60, 9, 90), 60.0),
        (f.reinforce(60, 10_000, 0), 180.0),
        (f.attention(0), 1.0),
        (f.attention(7), 0.95),
        (f.attention(28), 0.8145),
        (f.attention(365), 0.5),
        (f.confidence(0.5, 1, 0, 1, 1), 0.5),
        (f.confidence(0.5, 0.5, 0, 0.8, 0.5), 0.1),
        (f.confidence(0.5, 1, 7, 1, 1), 0.65),
        (f.confidence(0.85, 1, 31, 1, 1), 1.0),
        (f.confidence(0.85, 1, 31, 1, 0.4), 0.4),
        (f.confidence(0.5, 1, 10_000, 1, 1), 0.75),
        (f.used(0), 0.0),
        (f.used(3), 0.4),
        (f.used(31), 1.0),
        (f.quality_multiplier(0), 0.7),
        (f.quality_multiplier(0.5), 1.0),
        (f.quality_multiplier(1), 1.3),
        (f.length(0), 1.0),
        (f.length(500), 1.0),
        (f.length(1_000), 0.6667),
        (f.length(2_000), 0.5),
        (f.length(10**9), 0.3),
        (f.frequency(0, 0), 1.0),
        (f.frequency(1, 0), 1.0330),  # 1 + 0.03 ln 3
        (f.frequency(0, 2), 1.0330),
        (f.frequency(100, 0), 1.1),
        (f.coactivation(0), 1.0),
        (f.coactivation(1), 1.1),
        (f.coactivation(2), 1.15),
        (f.coactivation(50), 1.15),
    ],
)
def test_the_formulas_give_what_they_say(value: float, expected: float) -> None:
    assert value == pytest.approx(expected, abs=1e-4)


@given(DAYS, DAYS, st.floats(0.1, 36_500))
def test_nothing_grows_more_recent_or_attended_with_time(one: float, other: float, half_life: float) -> None:
    sooner, later = sorted((one, other))
    assert 0 <= f.recency(later, half_life) <= f.recency(sooner, half_life) <= 1
    assert 0.5 <= f.attention(later) <= f.attention(sooner) <= 1


@given(st.floats(0.1, 36_500), COUNT, COUNT, DAYS, DAYS)
def test_use_lengthens_a_half_life_up_to_three_times(
    half_life: float, one: int, other: int, first: float, second: float
) -> None:
    few, many = sorted((one, other))
    soon, late = sorted((first, second))
    longer = f.reinforce(half_life, many, soon)
    assert half_life <= f.reinforce(half_life, few, late) <= longer <= 3 * half_life


@given(COUNT, COUNT)
def test_size_lowers_and_repetition_and_company_raise_within_their_bounds(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert 0.3 <= f.length(high) <= f.length(low) <= 1
    assert 1 <= f.frequency(low, 0) <= f.frequency(high, 0) <= 1.1
    assert 1 <= f.frequency(0, low) <= f.frequency(0, high) <= f.frequency(high, high) <= 1.1
    assert 1 <= f.coactivation(low) <= f.coactivation(high) <= 1.15
    assert 0 <= f.used(low) <= f.used(high) <= 1


# -- dates ----------------------------------------------------------------------------------------------------------


def test_a_daily_file_is_as_old_as_its_name_says() -> None:
    named = stored("daily", path="daily/2023-11-10.md", authored_at=START_MS, modified_at=START_MS)
    other_machine = stored("daily", path="daily/2023-11-10.mx7.md", authored_at=START_MS)
    noon = 1_699_617_600_000  # 2023-11-10 12:00 UTC
    assert f.written_at(named.document) == f.written_at(other_machine.document) == noon
    assert factors(named, Ageing(noon + 30 * DAY_MS)).recency == pytest.approx(0.5)


@pytest.mark.parametrize("path", ["daily/today.md", "daily/2023-13-45.md", "daily/2023-11-101.md", "2023-11-10/x.md"])
def test_a_daily_file_without_a_date_in_its_name_has_its_authors_date(path: str) -> None:
    assert f.written_at(stored("daily", path=path).document) == START_MS


def test_other_files_keep_their_authors_date_whatever_their_name() -> None:
    assert f.written_at(stored("note", path="2020-01-01.md").document) == START_MS
    undated = stored("note", path="2020-01-01.md", authored_at=None, modified_at=7)
    assert f.written_at(undated.document) is None


@pytest.mark.parametrize(
    ("given", "ages"),
    [
        ({"path": "MEMORY.md"}, False),
        ({"path": "agents/MEMORY.md"}, False),
        ({"path": "agents/memory.md"}, True),
        ({"path": "agents/OLD-MEMORY.md"}, True),
        ({"origin": "import", "authored_at": None}, False),
        ({"origin": "import"}, True),
    ],
)
def test_the_memory_file_and_undated_imports_never_age(given: dict[str, Any], ages: bool) -> None:
    known = factors(stored("note", **given), after(600))
    assert (known.recency < 1) is ages
    assert (known.confidence < 0.5) is ages


def test_what_nothing_dates_is_neither_new_nor_old() -> None:
    for days in (0, 600):
        undated = factors(stored("note", authored_at=None), after(days))
        assert undated.recency == 0.5
        assert undated.confidence == factors(stored("note"), after(0)).confidence
    assert factors(stored("hub", authored_at=None), after(600)).recency == 1


# -- of a document --------------------------------------------------------------------------------------------------

STATES = st.builds(
    DocumentState,
    pinned=st.booleans(),
    access_count=COUNT,
    last_accessed_at=st.none() | st.integers(0, 2**45),
    duplicate_count=COUNT,
    revision_count=COUNT,
)


@given(st.sampled_from(sorted(CONTENT_TYPES)), STATES, UNIT, UNIT, st.integers(0, 2**45), st.booleans(), COUNT)
def test_factors_stay_within_their_bounds(
    kind: str, state: DocumentState, quality: float, confidence: float, at: int, decay: bool, together: int
) -> None:
    known = factors(stored(kind, state, quality=quality, confidence=confidence), Ageing(at, {}, decay), together)
    for value in (known.recency, known.confidence, known.quality, known.used):
        assert 0 <= value <= 1
    assert 0.3 <= known.length <= 1
    assert 1 <= known.frequency <= 1.1
    assert 1 <= known.coactivation <= 1.15
    assert known.confidence <= confidence


@given(st.sampled_from(NEVER), DAYS)
def test_types_that_never_age_keep_recency_and_confidence(kind: str, days: float) -> None:
    known = factors(stored(kind), after(days))
    assert known.recency == 1
    assert known.confidence == CONTENT_TYPES[kind].baseline


@pytest.mark.parametrize("kind", AGEING)
def test_the_other_types_halve_once_a_half_life(kind: str) -> None:
    row = CONTENT_TYPES[kind]
    assert row.half_life_days is not None
    known = factors(stored(kind), after(row.half_life_days))
    faded = f.attention(row.half_life_days) if row.attention_decay else 1.0
    assert known.recency == pytest.approx(0.5)
    assert known.confidence == pytest.approx(row.baseline / 2 * faded)


@given(st.sampled_from(sorted(CONTENT_TYPES)), DAYS)
def test_without_decay_nothing_ages(kind: str, days: float) -> None:
    assert factors(stored(kind), after(days, decay=False)) == factors(stored(kind), after(0))


def test_a_half_life_that_is_given_goes_over_the_registry() -> None:
    assert factors(stored("note"), after(10, note=10.0)).recency == pytest.approx(0.5)
    assert factors(stored("note"), after(10, note=None)).recency == 1
    assert factors(stored("decision"), after(10, decision=10.0)).recency == pytest.approx(0.5)
    assert factors(stored("unheard-of"), after(60)).recency == pytest.approx(0.5)


@given(st.sampled_from(sorted(CONTENT_TYPES)), st.integers(0, 4_000), st.integers(0, 4_000), st.integers(1, 1_000))
def test_an_access_never_lowers_a_factor(kind: str, age: int, idle: int, accesses: int) -> None:
    seen = DocumentState(access_count=accesses, last_accessed_at=START_MS + (age - idle) * DAY_MS)
    before, used = (factors(stored(kind, state), after(age)) for state in (DocumentState(), seen))
    assert used.recency >= before.recency
    assert used.confidence >= before.confidence
    assert used.used > before.used


def test_what_is_written_in_the_future_counts_as_new() -> None:
    assert factors(stored("note"), after(-50)) == factors(stored("note"), after(0))


def test_each_factor_reads_its_own_part_of_a_document() -> None:
    plain = factors(stored(size=400), after(0))
    assert plain == Factors(1.0, 0.5, 0.5, 0.0, 1.0, 1.0, 1.0, pinned=False)
    state = DocumentState(pinned=True, revision_count=1, duplicate_count=2)
    known = factors(stored("decision", state, size=1_000, quality=0.9, confidence=0.5), after(0), 1)
    assert (known.recency, known.confidence, known.quality, known.pinned) == (1.0, 0.425, 0.9, True)
    assert (known.length, known.frequency) == (f.length(1_000), f.frequency(1, 2))
    assert known.coactivation == pytest.approx(1.1)
