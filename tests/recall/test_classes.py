"""The class of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.recall.routing import classify


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Why did we drop MongoDB?", "why"),
        ("Why did the import fail on 3 March 2026?", "why"),
        ("What led to the refund?", "why"),
        ("¿Por qué cambiamos el precio?", "why"),
        ("Warum läuft der Import nachts?", "why"),
        ("Pourquoi la panne ?", "why"),
        ("为什么我们选择PostgreSQL?", "why"),
        ("When did we drop MongoDB?", "when"),
        ("What did we do last week?", "when"),
        ("Seit wann läuft der Server?", "when"),
        ("Who asked for dark mode?", "entity"),
        ("¿Quién lleva la contabilidad?", "entity"),
        ("Tell me about Marta", "entity"),
        ("Tell me about pricing", "what"),
        ("Who did we meet last week?", "entity"),
        ("port of the API", "what"),
        ("Où sont les photos ?", "what"),
        ("", "what"),
    ],
)
def test_the_wording_decides(text: str, asked: str) -> None:
    found = classify(text)
    assert found.asked == asked
    assert bool(found.why) == (asked != "what")


@given(st.text(max_size=300))
def test_any_text_has_a_class(text: str) -> None:
    assert classify(text).asked in {"why", "when", "entity", "what"}
