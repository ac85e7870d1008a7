"""Chains of a session: what speaks for a cause, how far it reaches, and how sure it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.extract.causes.pairs import CUED, INFERRED, SOLVED, TYPES, SessionStatement, find_pairs

FAILED = "test_lid failed and passes again after changes in jar.py."


def told(*rows: tuple[str, int, str], idf: float = 0.9) -> list[tuple[str, str, float]]:
    found = find_pairs([SessionStatement(text, kind, turn, text) for kind, turn, text in rows], lambda name: idf)
    return [(one.cause, one.effect, one.weight) for one in found]


def test_a_problem_leads_to_what_mended_it() -> None:
    mended = f"Tests pass again: pytest - {FAILED}"
    assert told(("problem", 3, FAILED), ("observation", 3, mended)) == [(FAILED, mended, SOLVED)]
    assert told(("problem", 2, FAILED), ("observation", 3, mended)) == []
    assert told(("problem", 3, FAILED), ("observation", 3, "Committed: two lids.")) == []


def test_a_problem_leads_to_a_decision_and_that_to_a_milestone_that_name_the_same() -> None:
    problem, decision = "Redis lost jobs at night.", "The user chose Postgres to avoid losing jobs in Redis."
    milestone = "Committed: Move the queue to Postgres."
    rows = (("milestone", 9, milestone), ("decision", 4, decision), ("problem", 2, problem))
    assert told(*rows) == [(problem, decision, CUED), (decision, milestone, INFERRED)]
    assert told(*rows, idf=0.2) == []


def test_what_is_far_away_or_names_something_else_leads_nowhere() -> None:
    assert told(("problem", 1, "Redis lost jobs."), ("decision", 22, "The user chose Redis 7.")) == []
    assert told(("problem", 1, "Redis lost jobs."), ("decision", 2, "The user chose Postgres.")) == []
    assert told(("decision", 1, "The user chose 15."), ("milestone", 2, "Committed: 15 more.")) == []
    assert told(("decision", 2, "The user chose Redis."), ("problem", 3, "Redis lost jobs.")) == []


def test_of_several_the_nearest_is_the_cause() -> None:
    near, far = "The user chose Redis 7.", "The user chose Redis 6."
    done = "Committed: Run Redis."
    assert told(("decision", 1, far), ("decision", 3, near), ("milestone", 4, done)) == [(near, done, INFERRED)]


@given(
    st.lists(
        st.tuples(st.sampled_from(TYPES), st.integers(0, 50), st.sampled_from(["Redis failed.", "Redis 7", "Quern."])),
        max_size=8,
        unique_by=lambda row: row[0] + str(row[1]),
    )
)
def test_a_cause_never_comes_after_its_effect_whatever_the_order(rows: list[tuple[str, int, str]]) -> None:
    known = [SessionStatement(f"{kind}{turn}", kind, turn, text) for kind, turn, text in rows]
    turns = {one.docid: one.turn for one in known}
    found = find_pairs(known, lambda name: 1.0)
    assert found == find_pairs(reversed(known), lambda name: 1.0)
    assert all(0 <= turns[one.effect] - turns[one.cause] <= 20 and one.cause != one.effect for one in found)
