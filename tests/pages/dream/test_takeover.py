"""Recalls that ClawCode or OpenClaw counted are taken over once, and nothing in such a file can do harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.truth.home import Home

from hearth.pages.dream.pages import _recalls as recalls

DAY = "memory/2026-02-20.md"
TEXT = "# Friday\n\n- The kiln is fired on Tuesdays.\n- The glaze holds lead.\n"
FLAT = {"path": DAY, "startLine": 3, "endLine": 3, "snippet": "- The kiln is fired on Tuesdays.", "recallCount": 3,
        "totalScore": 1.8, "maxScore": 0.7, "firstRecalledAt": "2026-02-21T08:00:00Z", "recallDays": ["2026-02-21",
        "2026-02-25"], "conceptTags": ["kiln"]}  # fmt: skip
NESTED = FLAT | {"key": f"memory:{DAY}:3:3:0123456789ab", "source": "memory", "dailyCount": 1, "groundedCount": 0,
                 "queryHashes": ["aa", "bb"], "claimHash": "0123456789ab"}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    found.write(DAY, TEXT)
    return found


def count(home: Home, told: Any) -> None:
    home.write("memory/.dreams/short-term-recall.json", told if isinstance(told, str) else json.dumps(told))


def signals(home: Home) -> list[tuple[str, str, str, float]]:
    stored = next(one for one in home.vault.documents() if one.document.path.endswith(".md"))
    found = home.vault.dream.explain(f"#{stored.document.docid}")
    return [(one.score.fragment.text, s.kind, s.day, s.value) for one in found for s in one.score.fragment.signals]


def test_a_second_run_that_day_takes_nothing_over(home: Home) -> None:
    home.vault.dream.dream()
    count(home, {"x": FLAT})
    before = home.events()
    assert "already processed" in (home.vault.dream.dream().problem or "")
    assert home.events() == before and signals(home) == []
    home.clock.advance(days=1)
    home.vault.dream.dream()
    assert len(signals(home)) == 2


@pytest.mark.parametrize(
    "told",
    [
        {f"memory:{DAY}:3:3": FLAT},
        {"version": 1, "updatedAt": "2026-02-26", "entries": {f"memory:{DAY}:3:3": FLAT}},
        {"version": 1, "entries": {NESTED["key"]: NESTED}},
    ],
)
def test_each_recall_day_counts_as_found_once(home: Home, told: dict[str, Any]) -> None:
    count(home, told)
    home.vault.dream.dream(apply=False)
    assert signals(home) == []
    for _ in range(2):
        home.vault.dream.dream()
        kiln = "The kiln is fired on Tuesdays."
        assert signals(home) == [(kiln, "found", day, pytest.approx(0.6)) for day in FLAT["recallDays"]]
        home.clock.advance(days=1)
        count(home, {"x": FLAT | {"recallDays": ["2026-02-27"]}})


def test_lines_that_moved_are_known_by_their_words(home: Home) -> None:
    home.write(DAY, "# Friday\n\nA line more.\n\n- The glaze holds lead.\n- The kiln is fired on Tuesdays.\n")
    count(home, {"x": FLAT})
    home.vault.dream.dream()
    assert {text for text, *_ in signals(home)} == {"The kiln is fired on Tuesdays."}


@pytest.mark.parametrize(
    "told", ["", "[]", "{", '{"entries": []}', "[" * 100_000, '{"a": {"path": "../../etc/passwd"}}', '{"a": 1}']
)
def test_a_file_that_says_nothing_keeps_no_night_from_its_work(home: Home, told: str) -> None:
    count(home, told)
    assert home.vault.dream.dream().applied
    assert signals(home) == []


def test_a_file_of_another_place_is_not_named_by_a_path(home: Home) -> None:
    count(home, {"x": FLAT | {"path": f"../{DAY}"}, "y": FLAT | {"path": "/" + DAY}})
    home.vault.dream.dream()
    assert signals(home) == []


NAMES = st.sampled_from([*FLAT, "entries", "k"])
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(FLAT)
JSON = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=9))


@settings(max_examples=200)
@given(JSON)
def test_any_json_is_read(told: Any) -> None:
    for one in recalls(told):
        assert 0 <= one.value <= 1


def test_nothing_is_taken_over_where_nothing_is_to_be_recorded(home: Home) -> None:
    count(home, {"x": FLAT})
    home.configure("dream:\n  record: false\n")
    home.vault.dream.dream()
    assert home.vault.dream.status().signals == 0
