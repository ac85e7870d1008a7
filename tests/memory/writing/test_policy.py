from __future__ import annotations

from dataclasses import replace

import pytest

from hearth.core.memory import CONTENT_TYPES, MAX_TEXT_BYTES, Known, Memory, Merge, Origin
from hearth.guard.secrets import redaction as secrets
from hearth.memory import files
from hearth.memory.policy import DUPLICATE_MS, RECENT_MS, Repeat, Rewrite, SupersedeStep, Write, plan

NOW = 1_772_712_000_000
OURS, THEIRS = "a" * 10, "b" * 10
WRITTEN = [name for name, kind in CONTENT_TYPES.items() if kind.merge not in (Merge.NEVER, Merge.APPEND)]


def memory(text: str, content_type: str = "note", **given: object) -> Memory:
    made = Memory("n" * 16, text, content_type, text[:20], OURS, NOW)
    return replace(made, **given)  # type: ignore[arg-type]


def known(text: str, content_type: str = "note", *, name: str = "k", ago: int = DUPLICATE_MS, **given: object) -> Known:
    one = memory(text, content_type, id=name * 16, authored_at=NOW - ago, **given)
    found = files.read(f"{name}.md", files.rendered(one), secrets.redact)
    assert found is not None
    return found


@pytest.mark.parametrize("content_type", [name for name in WRITTEN if name not in ("entity", "relationship")])
def test_the_same_text_within_thirty_minutes_is_a_repetition_whatever_the_type(content_type: str) -> None:
    before = known("The same  TEXT", content_type, ago=DUPLICATE_MS - 1)
    assert plan(memory("the same text", content_type), [before]) == [Repeat(before)]


@pytest.mark.parametrize("content_type", WRITTEN)
def test_nothing_alike_means_a_new_file_whatever_the_type(content_type: str) -> None:
    new = memory("Bake the bread longer", content_type)
    assert plan(new, [known("Cache keys hold the tenant", content_type)]) == [Write(new)]


@pytest.mark.parametrize("content_type", ["note", "problem", "milestone", "commitment", "moment", "handoff", "summary"])
def test_after_thirty_minutes_the_same_text_is_new_where_the_type_always_is(content_type: str) -> None:
    new = memory("The same text", content_type)
    assert plan(new, [known("The same text", content_type)]) == [Write(new)]


@pytest.mark.parametrize("content_type", ["decision", "deduction", "observation", "fact", "bead"])
def test_a_near_identical_decision_is_skipped_at_any_age_and_one_that_differs_is_new(content_type: str) -> None:
    old = known("We chose PostgreSQL over MongoDB", content_type, ago=10 * 365 * 86_400_000)
    assert plan(memory("we chose PostgreSQL over MongoDB.", content_type), [old]) == [Repeat(old)]
    new = memory("We chose MongoDB over PostgreSQL", content_type)
    assert plan(new, [old]) == [Write(new)]


@pytest.mark.parametrize("content_type", ["preference", "principle", "skill", "correction"])
def test_the_same_subject_is_rewritten_and_another_is_not(content_type: str) -> None:
    old = known("vim", content_type, subject="Editor", tags=("a",), session="s1")
    new = memory("emacs", content_type, subject="editor", tags=("b",))
    [op] = plan(new, [known("dark", content_type, subject="theme", name="t"), old])
    assert isinstance(op, Rewrite)
    assert (op.known, op.action) == (old, "revised")
    kept = (op.memory.id, op.memory.text, op.memory.tags, op.memory.session)
    assert kept == (old.memory.id, "emacs", ("a", "b"), "s1")


def test_a_subject_left_empty_is_that_of_the_memory_which_is_rewritten() -> None:
    old = known("vim", "preference", subject="Editor")
    [op] = plan(memory("# Editor\n\nemacs", "preference"), [old])
    assert isinstance(op, Rewrite) and op.memory.subject == "Editor"


def test_the_newest_of_several_with_one_subject_is_rewritten() -> None:
    older, newer = (
        known(t, "preference", subject="editor", name=t[0], ago=a) for t, a in (("vi", 2 * DUPLICATE_MS), ("ed", 1))
    )
    [op] = plan(memory("emacs", "preference", subject="editor"), [older, newer])
    assert isinstance(op, Rewrite) and op.known == newer


def test_a_preference_said_again_later_is_a_repetition() -> None:
    old = known("vim", "preference", subject="editor")
    assert plan(memory("Vim", "preference", subject="editor"), [old]) == [Repeat(old)]


def test_a_summary_is_one_per_subject_only_where_a_subject_is_named() -> None:
    old = known("All went well in March", "summary", subject="2026-03")
    [op] = plan(memory("Much was built", "summary", subject="2026-03"), [old])
    assert isinstance(op, Rewrite)
    unnamed = memory("All went well in March and later", "summary")
    assert plan(unnamed, [old]) == [Write(unnamed)]


def test_a_handoff_is_rewritten_while_its_session_lives_and_no_other_sessions() -> None:
    old = known("Half done", "handoff", session="s1")
    [op] = plan(memory("All done", "handoff", session="s1"), [old])
    assert isinstance(op, Rewrite) and op.memory.text == "All done"
    for other in (memory("All done", "handoff", session="s2"), memory("All done", "handoff")):
        assert plan(other, [old, known("x", "handoff", name="x")]) == [Write(other)]


def test_a_similar_antipattern_of_the_last_days_takes_the_new_one_in() -> None:
    old = known("Don't mock the payment database in unit tests", "antipattern", ago=RECENT_MS)
    new = memory("Never mock a payment database in slow unit tests at night", "antipattern")
    [op] = plan(memory("Mock no payment database in unit tests nightly", "antipattern"), [old])
    assert isinstance(op, Rewrite) and op.action == "merged"
    assert op.memory.text == "Mock no payment database in unit tests nightly"  # says all that the old one did
    [op] = plan(replace(new, text="Payment database mocks in tests hid bugs"), [old])
    assert isinstance(op, Write)
    text = "A payment database mock in tests hid two bugs"
    [op] = plan(memory(text, "antipattern", subject="mocks"), [known(old.memory.text, "antipattern", subject="Mocks")])
    assert isinstance(op, Rewrite)
    assert op.memory.text == f"{old.memory.text}\n\n{text}"
    assert op.memory.title == old.memory.title


def test_an_antipattern_is_merged_with_nothing_older_or_unlike_or_too_long() -> None:
    text = "Don't mock the payment database in unit tests"
    new = memory(f"{text} ever", "antipattern")
    assert plan(new, [known(text, "antipattern", ago=RECENT_MS + 1)]) == [Write(new)]
    assert plan(new, [known("Don't mock the clock", "antipattern")]) == [Write(new)]
    long = memory("y " * (MAX_TEXT_BYTES // 2 - 10), "antipattern", subject="mocks")
    assert plan(long, [known(text, "antipattern", subject="mocks")]) == [Write(long)]


def test_memories_of_other_types_and_projects_are_never_touched() -> None:
    others = [known("vim", "preference", subject="editor", project="p"), known("vim", "fact", subject="editor")]
    new = memory("vim", "preference", subject="editor")
    assert plan(new, others) == [Write(new)]


def test_another_machines_memory_is_superseded_instead_of_rewritten() -> None:
    old = known("vim", "preference", subject="editor", machine=THEIRS)
    new = memory("emacs", "preference", subject="editor")
    assert plan(new, [old]) == [Write(replace(new, supersedes=(old.memory.id,))), SupersedeStep(old.memory.id, new.id)]


def test_another_machines_memory_may_still_be_repeated() -> None:
    old = known("We chose PostgreSQL", "decision", machine=THEIRS)
    assert plan(memory("we chose PostgreSQL", "decision"), [old]) == [Repeat(old)]


def test_what_is_superseded_by_name_gives_way_and_nothing_is_merged() -> None:
    old = known("vim", "preference", subject="editor")
    new = memory("emacs", "preference", subject="editor", supersedes=(old.memory.id, "z" * 16))
    assert plan(new, [old]) == [Write(new), SupersedeStep(old.memory.id, new.id), SupersedeStep("z" * 16, new.id)]


def test_a_repetition_that_supersedes_lets_the_first_one_do_so_but_never_itself() -> None:
    old = known("emacs", ago=1)
    new = memory("emacs", supersedes=(old.memory.id, "z" * 16))
    assert plan(new, [old]) == [Repeat(old), SupersedeStep("z" * 16, old.memory.id)]


def test_a_guess_expires_after_thirty_days() -> None:
    [op] = plan(memory("maybe", confidence=0.39), [])
    assert isinstance(op, Write) and op.memory.expires_at == NOW + 30 * 86_400_000
    [op] = plan(memory("maybe", confidence=0.40), [])
    assert isinstance(op, Write) and op.memory.expires_at is None


@pytest.mark.parametrize("content_type", ["fact", "note", "preference"])
def test_a_guess_that_is_confirmed_expires_no_more(content_type: str) -> None:
    guess = known("It rains", content_type, ago=1, confidence=0.3, expires_at=NOW)
    [op] = plan(memory("it rains", content_type, confidence=0.8), [guess])
    assert isinstance(op, Rewrite)
    assert (op.memory.confidence, op.memory.expires_at) == (0.8, None)
    assert plan(memory("it rains", content_type, confidence=0.2), [guess]) == [Repeat(guess)]


@pytest.mark.parametrize(("first", "then"), [(False, True), (True, False), (True, True)])
def test_what_is_merged_is_the_users_words_where_both_were(first: bool, then: bool) -> None:
    old, new = (Origin("session s1, turn 1", "Mock", "explicit", by_user=one) for one in (first, then))
    there = known("Don't mock the payment database in tests", "antipattern", subject="mocks", origin=old)
    [op] = plan(memory("The tests hid a migration bug", "antipattern", subject="mocks", origin=new), [there])
    assert isinstance(op, Rewrite) and op.memory.origin is not None and there.memory.text in op.memory.text
    assert op.memory.origin.by_user is (first and then)
