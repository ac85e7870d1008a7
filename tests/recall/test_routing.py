"""Routes of 262 questions in English and Spanish, labelled before the rules were written.

``train`` lines were looked at while tuning, ``held`` ones not; ``later`` were written after the rules, in other words.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.recall.routing import MODES, asks_newest, route

LINES = (Path(__file__).parent / "routes.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in LINES]


def accuracy(part: str, mode: str | None = None) -> float:
    chosen = [(label, text) for kind, label, _, text in ROWS if kind == part and mode in (None, label)]
    return sum(route(text).mode == label for label, text in chosen) / len(chosen)


def test_every_mode_is_asked_for_in_both_languages() -> None:
    counts = Counter((label, language) for _, label, language, _ in ROWS)
    assert set(counts) == {(mode, language) for mode in MODES for language in ("en", "es")}
    assert min(counts.values()) >= 16


@pytest.mark.parametrize("part", ["train", "held"])
def test_questions_as_people_usually_ask_them_find_their_route(part: str) -> None:
    assert accuracy(part) >= 0.95
    assert min(accuracy(part, mode) for mode in MODES) >= 0.9


def test_other_wordings_find_it_mostly_and_else_the_route_that_is_never_wrong() -> None:
    assert accuracy("later") >= 0.7
    claimed = [(label, route(text).mode) for kind, label, _, text in ROWS if kind == "later"]
    assert sum(mode not in (label, "hybrid") for label, mode in claimed) <= len(claimed) * 0.05


def test_the_wording_that_decided_is_told() -> None:
    assert route("What happened LAST week?").why.lower() == "last week"
    assert route("which database did we choose").why == ""


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "?" * 20_000, "a" * 5_000 + " related to"])
def test_odd_text_has_a_route_too(text: str) -> None:
    assert route(text).mode == "hybrid"


@given(st.text(max_size=300))
def test_any_text_has_a_route(text: str) -> None:
    assert route(text).mode in MODES


def test_nothing_that_answers_questions_is_loaded_for_it() -> None:
    import subprocess

    code = "import sys, hearth.recall.routing as r; r.route('how does it work'); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_only_some_timelines_are_about_what_is_newest() -> None:
    for text in (
        "what's new?",
        "catch me up",
        "the latest",
        "what did we do lately",
        "last session",
        "¿qué novedades hay?",
    ):
        assert asks_newest(text), text
    for text in ("when did we choose PostgreSQL?", "history of the parser", "¿cuándo elegimos PostgreSQL?", "boats"):
        assert not asks_newest(text), text
