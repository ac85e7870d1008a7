"""The recipe ``plan``: the order of things from conversations and notes, each part of a question, or plain search."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import UsageError
from hearth.core.query import Query, Recall
from hearth.recall import planner
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller


def turn(asked: str, answered: str) -> str:
    return f"## User\n\n{asked}\n\n## Assistant\n\n{answered}\n\n"


MARCH = "# Chat\n\n" + turn(
    "The dough for the pretzels is too dry.", "Add a spoon of water.\n\nBaker: is this a quote?"
)
MARCH += turn("Thanks! And the lye?", "Three per cent.") + turn("Now the pretzels burst in the oven.", "Cut them.")
MAY = "# Chat\n\n" + turn("The pretzels are fine now, I sell them on Saturdays.", "Well done.")
MAY += turn("How do I store pretzels over night?", "Frozen.") + turn("The paint of the shed peels.", "Sand it.")


@pytest.fixture
def bakery(box: Any) -> Any:
    box.write("2026-05-02-chat.md", MAY)
    box.write("2026-03-01-chat.md", MARCH)
    box.write("2026-04-01-prices.md", "# Prices\n\nA pretzel costs 90 cents since the flour went up.\n")
    box.write("flour.md", "# Flour\n\nThe mill delivers flour on Mondays.\n")
    box.sync()
    return box


def ask(box: Any, text: str, **given: Any) -> Recall:
    recaller = Recaller(box.store, None, RankingSettings())
    return planner.answer(Query(text, at=box.now, recipe="plan", **given), recaller)


def test_an_outline_has_what_the_person_said_by_time(bakery: Any) -> None:
    found = ask(bakery, "In what order did I work on the pretzels?")
    assert found.plan is not None
    assert (found.recipe, found.plan.kind) == ("plan", "outline")
    said = [(hit.path, hit.start_line, hit.snippet) for hit in found.hits]
    assert said[:3] == [
        ("2026-03-01-chat.md", 5, "The dough for the pretzels is too dry."),
        ("2026-03-01-chat.md", 15, "Thanks! And the lye?"),
        ("2026-03-01-chat.md", 23, "Now the pretzels burst in the oven."),
    ]
    assert [path for path, _, _ in said] == sorted(path for path, _, _ in said)
    assert any(words.startswith("A pretzel costs") for _, _, words in said)
    assert not any(wrong in words for _, _, words in said for wrong in ("Add a spoon", "quote", "Frozen"))


def test_what_fits_into_an_outline_is_the_best(bakery: Any) -> None:
    question = "In what order did I work on the pretzels?"
    small, large = (ask(bakery, question, budget_tokens=budget).hits for budget in (50, 400))
    assert 0 < len(small) < len(large)
    assert all("pretzel" in hit.snippet for hit in small)
    none = ask(bakery, question, budget_tokens=5)
    assert (none.hits, none.confident) == ((), False)
    assert "5 tokens" in str(none.reason)


def test_each_part_of_a_question_has_its_best_first(bakery: Any) -> None:
    found = ask(bakery, "When does the mill deliver? And why does the paint of the shed peel?", limit=2)
    assert found.plan is not None
    assert len(found.plan.clauses) == 2
    assert [hit.path for hit in found.hits] == ["flour.md", "2026-05-02-chat.md"]
    assert len(ask(bakery, found.query, budget_tokens=30).hits) == 1


def test_each_part_is_looked_up_as_its_words_ask_and_cut_by_itself(bakery: Any) -> None:
    bakery.write("limits.md", "# Limits\n\nThe oven stops at MAX_OVEN_DEGREES, which is 280.\n")
    for n in range(6):
        bakery.write(f"oven-{n}.md", f"# Oven {n}\n\nThe max of the degrees of oven {n} was not measured.\n")
    bakery.sync()
    question = "What is MAX_OVEN_DEGREES? And why does the paint of the shed peel?"
    found = ask(bakery, question, limit=20)
    assert found.plan is not None and found.plan.kind == "parts"
    assert dict(zip(found.plan.clauses, found.plan.types, strict=True)) == {
        "What is MAX_OVEN_DEGREES?": "keyword",
        "And why does the paint of the shed peel?": "graph",
    }
    assert [hit.path for hit in found.hits[:2]] == ["limits.md", "2026-05-02-chat.md"]
    alone = [ask(bakery, clause, limit=20) for clause in found.plan.clauses]
    assert len(found.hits) <= sum(len(one.hits) for one in alone)


def test_a_name_that_stands_nowhere_is_looked_for_by_meaning_too(bakery: Any) -> None:
    found = ask(bakery, "What is MILL_FLOUR? And when does a pretzel cost 90 cents?")
    assert found.plan is not None and found.plan.types[0] == "keyword"
    assert "flour.md" in [hit.path for hit in found.hits]


def test_the_plan_says_how_each_part_was_found_in_the_end(bakery: Any) -> None:
    found = ask(bakery, "What is XQZT_WVUK? And when does a pretzel cost 90 cents?")
    assert found.plan is not None and planner.find_type(found.plan.clauses[0]) == "keyword"
    assert found.plan.types[0] == "hybrid"  # its words stand nowhere, so it was looked for by meaning


def test_an_answer_in_parts_is_as_sure_as_its_weakest(bakery: Any) -> None:
    sure = ask(bakery, "When does the mill deliver flour? What does a pretzel cost?")
    torn = ask(bakery, "When does the mill deliver flour? Who won the regatta of 1904?")
    assert sure.confident
    assert not torn.confident
    assert "regatta" in str(torn.reason)


def test_everything_else_is_the_hybrid_answer(bakery: Any) -> None:
    text = "When does the mill deliver flour?"
    recaller = Recaller(bakery.store, None, RankingSettings())
    plain = recaller(Query(text, at=bakery.now))
    assert ask(bakery, text).hits == plain.hits
    assert ask(bakery, 'flour -mill and "on Mondays"? what?', syntax=True).plan.kind == "single"  # type: ignore[union-attr]


def test_filters_hold_in_every_kind_of_plan(bakery: Any) -> None:
    for text in ("In what order did I work on the pretzels?", "Compare pretzels with flour"):
        found = ask(bakery, text, paths=("2026-05",))
        assert {hit.path for hit in found.hits} == {"2026-05-02-chat.md"}


def test_an_empty_vault_and_odd_limits_are_answered_as_ever(box: Any) -> None:
    assert ask(box, "Summarize the garden").hits == ()
    with pytest.raises(UsageError, match="limit 0"):
        ask(box, "Where is the key? Who has it?", limit=0)


GARDEN = ("Dug the first bed of the garden.", "Sowed peas in the garden beds.", "The garden gave two kilos of peas.")
OTHERS = (
    "The user lives in Bilbao.", "Luis is allergic to walnuts.", "The rent went up to 950 euros.",
    "Deploys happen on Thursdays.", "The cat is called Nube.", "Bought running shoes, size 42.",
)  # fmt: skip


@pytest.fixture
def mixed(box: Any) -> Any:
    for number, text in enumerate((*GARDEN, *OTHERS)):
        box.write(f"2026-0{number + 1}-01.md", f"---\ntitle: Note {number}\n---\n# Note {number}\n\n{text}\n")
    box.sync()
    return box


def test_an_outline_leaves_out_what_is_about_something_else_however_much_room_there_is(mixed: Any) -> None:
    found = ask(mixed, "In what order did I work in the garden?", budget_tokens=2_000)
    assert [hit.snippet for hit in found.hits] == list(GARDEN)


def test_nothing_about_the_question_makes_no_outline(mixed: Any) -> None:
    found = ask(mixed, "How many times did I mention Kubernetes in total?")
    assert (found.hits, found.confident) == ((), False)
    assert found.reason
