"""What a session left behind: only what the host recorded of a problem and its solution speaks for a cause."""

from __future__ import annotations

from hearth.language.causes import SOLVED, SessionStatement, find_pairs

FAILED = "test_lid failed and passes again after changes in jar.py."


def told(*rows: tuple[str, int, str]) -> list[tuple[str, str, float]]:
    found = find_pairs(SessionStatement(text, kind, turn, text) for kind, turn, text in rows)
    return [(one.cause, one.effect, one.weight) for one in found]


def test_a_problem_leads_to_what_mended_it() -> None:
    mended = f"Tests pass again: pytest - {FAILED}"
    assert told(("problem", 3, FAILED), ("observation", 3, mended)) == [(FAILED, mended, SOLVED)]
    assert told(("problem", 2, FAILED), ("observation", 3, mended)) == []
    assert told(("problem", 3, FAILED), ("observation", 3, "Committed: two lids.")) == []


def test_what_was_told_soon_after_of_the_same_name_is_no_effect() -> None:
    problem, decision = "Redis lost jobs at night.", "The user chose Postgres to avoid losing jobs in Redis."
    assert told(("problem", 2, problem), ("decision", 4, decision), ("milestone", 9, "Committed: Leave Redis.")) == []
