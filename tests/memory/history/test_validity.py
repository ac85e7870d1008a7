"""Since when and until when documents are true."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from hearth.core.document import UNTOUCHED, Document, DocumentState
from hearth.core.instants import DAY_MS, show_exactly
from hearth.testing import record
from hearth.vault.validity import ends_at, valid_to

SAID = 1_700_000_000_000


def memory(content_type: str = "fact", confidence: float = 1.0, **facts: str) -> Document:
    found = record("_hearth", "x.md", "# X", "Text.").document
    told = MappingProxyType({"machine": "m", **facts})
    return replace(found, content_type=content_type, confidence=confidence, authored_at=SAID, facts=told)


GUESS = memory(confidence=0.3, expires_at=show_exactly(SAID + 30 * DAY_MS))


def test_a_guess_ends_unless_it_is_confirmed_or_restored() -> None:
    end = SAID + 30 * DAY_MS
    assert ends_at(GUESS, UNTOUCHED, None) == end
    assert ends_at(GUESS, DocumentState(confidence=0.7), None) is None
    assert ends_at(GUESS, UNTOUCHED, end + 1) is None
    assert ends_at(GUESS, UNTOUCHED, end - 1) == end


def test_what_a_person_wrote_ends_by_itself_never() -> None:
    theirs = replace(GUESS, collection="notes")
    assert ends_at(theirs, UNTOUCHED, None) is None
    assert ends_at(replace(theirs, content_type="commitment"), UNTOUCHED, None) is None


@pytest.mark.parametrize(("facts", "days"), [({"due_at": show_exactly(SAID + 5 * DAY_MS)}, 19), ({}, 90)])
def test_a_commitment_lapses_two_weeks_after_its_day_or_90_days_after_it_was_made(
    facts: dict[str, str], days: int
) -> None:
    promise = memory("commitment", **facts)
    assert ends_at(promise, UNTOUCHED, None) == SAID + days * DAY_MS
    assert ends_at(promise, DocumentState(fulfilled_at=SAID + DAY_MS), None) == SAID + DAY_MS


def test_what_is_replaced_was_true_until_the_newer_began_to_be() -> None:
    newer = replace(memory(), authored_at=SAID + 9 * DAY_MS)
    assert valid_to(memory(), UNTOUCHED, newer, SAID + 10 * DAY_MS) == SAID + 9 * DAY_MS
    stated = replace(newer, facts=MappingProxyType({"valid_from": show_exactly(SAID + 3 * DAY_MS)}))
    assert valid_to(memory(), UNTOUCHED, stated, None) == SAID + 3 * DAY_MS


def test_what_is_replaced_by_something_older_was_true_until_that_was_told() -> None:
    earlier = replace(memory(), authored_at=SAID - DAY_MS)
    assert valid_to(memory(), UNTOUCHED, earlier, SAID + DAY_MS) == SAID + DAY_MS
    assert valid_to(memory(), UNTOUCHED, earlier, SAID - 5 * DAY_MS) == SAID
    assert valid_to(memory(), UNTOUCHED, replace(earlier, authored_at=None), None) is None
