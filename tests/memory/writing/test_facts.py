from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.memory import Memory, Origin
from hearth.memory.policy import added, begun, mark_of, marks_from, says, without

DAY = datetime(2026, 3, 4, tzinfo=UTC)


def fact(text: str, name: str = "a", **given: Any) -> Memory:
    made = Memory(id=name * 16, text=text, content_type="entity", title=text[:40], machine="m", authored_at=0, **given)
    return begun(made, DAY)


def test_a_fact_names_its_day_its_source_and_itself() -> None:
    source = "session s1, turn 3, rules 2"
    made = fact("Works at Bosch.", subject="Ana", origin=Origin(source, "quote", "explicit"))
    assert made.text == f"- 2026-03-04 Works at Bosch. (explicit · {source}) ^" + mark_of("a" * 16, source)
    assert (made.title, made.subject, made.origin) == ("Ana", "Ana", None)
    assert fact("Ana: works at Bosch").subject == "Ana"


def test_a_fact_cites_the_document_that_holds_it_and_is_known_by_its_turn() -> None:
    source = "session s1, turn 3, rules 2"
    cited = fact("Works at Bosch.", origin=Origin(source, "quote", "explicit", cited="c2ze16qrt6j78f82")).text
    old = f"- 2026-03-04 Sings. (explicit · {source}) ^0123456789abcdef"
    assert cited == f"- 2026-03-04 Works at Bosch. (explicit · #c2ze16qrt6j78f82) ^{mark_of('a' * 16, source)}"
    text = "\n".join(
        (cited, old, fact("Bakes.", "b").text, fact("Rows.", "c", origin=Origin("session s1, turn 33, rules 2")).text)
    )
    assert marks_from(text, "session s1, turn 3, ") == {mark_of("a" * 16, source), "0123456789abcdef"}


@given(st.lists(st.text(min_size=1, max_size=60).filter(lambda text: text.strip()), min_size=1, max_size=6))
def test_facts_stay_as_they_were_when_others_come_and_go(texts: list[str]) -> None:
    marks = "abcdefghj"
    facts = [fact(" ".join(text.split()) or "x", marks[at]) for at, text in enumerate(texts)]
    whole = facts[0]
    for one in facts[1:]:
        grown = added(whole, one)
        assert grown is not None and grown.text.startswith(whole.text)
        whole = grown
    assert all(says(whole.text, one.text) for one in facts)
    assert without(whole.text, {mark_of(one.id) for one in facts[1:]}) == facts[0].text
    assert without(whole.text, {mark_of(one.id) for one in facts}) == ""


def test_what_a_person_wrote_beside_the_facts_stays() -> None:
    text = "Met in Graz.\n" + fact("Works at Bosch.\nSince May.").text + "\nSings.\n"
    assert without(text, {mark_of("a" * 16)}) == "Met in Graz.\nSings."
    assert without(text, {mark_of("b" * 16)}) == text.strip()
