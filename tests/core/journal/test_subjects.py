"""The spellings under which state is filed: those that indexes on disk hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core import subjects

WORDS = st.text(st.sampled_from("abcXYZ019._-"), min_size=1)


def test_subjects_are_spelled_as_they_are_on_disk() -> None:
    assert subjects.name_session("s1") == "session:s1"
    assert subjects.name_machine("m1") == "machine:m1"
    assert subjects.name_scope("session", "s1") == subjects.name_session("s1")
    assert subjects.name_scope("project", "host/p") == "project:host/p"
    assert subjects.name_surfacing("t1") == "surfaced:t1"
    assert subjects.name_surfacing("t1", "k1") == "surfaced:t1:k1"
    assert subjects.name_surfacings("t1") == "surfaced:t1:"
    assert subjects.name_surfacings(None) == "surfaced:"
    assert subjects.name_reference("t1", "d1") == "t1:d1"
    assert subjects.name_watermark("captured", "s1") == "captured:s1"
    assert subjects.name_relation("usage", "d1") == "relation:usage:d1"
    assert subjects.name_companion("d1") == "coactive:d1"


def test_a_subject_whose_name_is_left_empty_is_the_whole_vault() -> None:
    assert subjects.VAULT == subjects.name_scope("vault", None) == subjects.name_scope("vault", "") == "vault:"


@given(WORDS, WORDS)
def test_what_was_named_is_read_back(one: str, other: str) -> None:
    assert subjects.read_session(subjects.name_session(f"{one}:{other}")) == f"{one}:{other}"
    assert subjects.read_surfacing(subjects.name_surfacing(one)) == one
    assert subjects.read_surfacing(subjects.name_surfacing(one, other)) == one
    assert subjects.read_reference(subjects.name_reference(one, other)) == (one, other)
    assert subjects.read_relation(subjects.name_relation(one, f"{other}:x")) == (one, f"{other}:x")
    assert subjects.read_companion(subjects.name_companion(one)) == one


@pytest.mark.parametrize("other", ["", "d1", "machine:s1", "project:session:s1", "turn:t1", "relation:a:b"])
def test_another_subject_or_field_is_none_of_them(other: str) -> None:
    assert subjects.read_session(other) is None
    assert subjects.read_surfacing(other) is None
    assert subjects.read_companion(other) is None


def test_only_a_docid_is_a_document() -> None:
    assert subjects.is_document("d1")
    assert not any(map(subjects.is_document, (subjects.name_session("s1"), subjects.VAULT, subjects.name_machine("m"))))
