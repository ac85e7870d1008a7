"""The recipe ``intent``: what hangs together with the best answers comes along, and says how."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.document import docid
from hearth.core.graph import TIME, DocumentRelation
from hearth.core.query import Query, Recall
from hearth.graph.graph import NameReader
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller

WHY = "why do orders carry a key?"


@pytest.fixture
def shop(box: Any) -> Any:
    """A decision, the incident behind it, which shares no word with a question about it, and much else."""
    box.write("key.md", "# Orders carry a key\n\nEvery order carries a key since spring.\n")
    box.write("basement.md", "# Potatoes\n\nTwo households came home with four kilos each.\n")
    box.write("later.md", "# Keys of orders\n\nA key of an order has sixteen letters.\n")
    for number in range(5):
        box.write(f"other/{number}.md", f"# Other {number}\n\nOf shelf {number} nothing is to be told.\n")
    box.sync()
    return box


def ask(box: Any, recipe: str = "intent", text: str = WHY, **given: Any) -> Recall:
    return Recaller(box.store, None, RankingSettings())(Query(text, at=box.now, recipe=recipe, **given))


def relate(box: Any, source: str, kind: str, target: str) -> None:
    box.journalled("relate", source, type=kind, target=docid("notes", target), origin="person")


def test_without_relations_the_answer_is_that_of_hybrid_search(shop: Any) -> None:
    plain, walked = ask(shop, "hybrid"), ask(shop)
    assert walked.hits == plain.hits
    assert (walked.confident, walked.confidence, walked.reason) == (plain.confident, plain.confidence, plain.reason)


def test_a_why_finds_the_cause_that_no_word_of_the_question_names(shop: Any) -> None:
    relate(shop, "basement.md", "causal", "key.md")
    assert "basement.md" not in [hit.path for hit in ask(shop, "hybrid").hits]
    found = ask(shop, explain=True)
    cause = next(hit for hit in found.hits if hit.path == "basement.md")
    assert [step.words for step in cause.chain] == ["notes/basement.md led to notes/key.md"]
    assert cause.snippet.startswith("Two households") or "Two households" in cause.text
    assert cause.explain is not None
    assert cause.explain.moves[-1].stage == "walk"
    assert found.trace["class"] == "why"
    assert cause.to_dict()["chain"][0]["type"] == "causal"


def test_what_comes_in_never_passes_what_it_was_reached_from_and_changes_no_judgement(shop: Any) -> None:
    relate(shop, "basement.md", "causal", "key.md")
    plain, walked = ask(shop, "hybrid"), ask(shop)
    paths = [hit.path for hit in walked.hits]
    assert paths.index("basement.md") > paths.index("key.md")
    assert walked.hits[0].path == plain.hits[0].path
    assert (walked.confident, walked.confidence) == (plain.confident, plain.confidence)


@pytest.mark.parametrize(
    ("text", "first"),
    [("what led to orders that carry a key?", "basement.md"), ("what came of orders that carry a key?", "other/1.md")],
)
def test_what_led_to_the_best_answer_stands_right_behind_it_or_what_came_of_it(
    shop: Any, text: str, first: str
) -> None:
    relate(shop, "basement.md", "causal", "key.md")
    relate(shop, "key.md", "causal", "other/1.md")
    found = [hit.path for hit in ask(shop, text=text).hits]
    assert found[:2] == ["key.md", first]


def test_a_hit_gains_a_fiftieth_at_most(shop: Any) -> None:
    relate(shop, "later.md", "supporting", "key.md")
    before = {hit.path: hit.score for hit in ask(shop, "hybrid").hits}
    after = {hit.path: hit.score for hit in ask(shop).hits}
    assert after["later.md"] > before["later.md"]
    assert all(before[path] <= score <= before[path] + 0.02 * (1 - before[path]) for path, score in after.items())


def test_only_the_first_passage_of_a_document_gains_and_what_the_words_found_tells_no_way(shop: Any) -> None:
    text = "\n\n".join(f"## Key {part}\n\n" + f"An order carries a key of part {part}. " * 40 for part in range(3))
    shop.write("parts.md", f"# Parts\n\n{text}\n")
    shop.sync()
    relate(shop, "parts.md", "supporting", "key.md")
    before = {(hit.path, hit.start_line): hit.score for hit in ask(shop, "hybrid").hits}
    found = ask(shop, explain=True).hits
    gained = [hit for hit in found if hit.path == "parts.md" and hit.score > before[hit.path, hit.start_line]]
    assert sum(hit.path == "parts.md" for hit in found) > 1
    assert len(gained) == 1
    assert gained[0].explain is not None
    assert gained[0].explain.moves[-1].why == "notes/parts.md supports notes/key.md"
    assert not any(hit.chain for hit in found)


def test_what_shares_a_rare_name_with_an_answer_comes_in_and_says_so(shop: Any) -> None:
    shop.write("key.md", "# Orders carry a key\n\nEvery order carries a key since Ines Aldana asked for it.\n")
    shop.write("basement.md", "# Potatoes\n\nTwo households came home with four kilos each from Ines Aldana.\n")
    shop.sync()
    NameReader(shop.store).run()
    found = ask(shop).hits
    assert (found[-1].path, [step.type for step in found[-1].chain]) == ("basement.md", ["entity"])
    hits = [hit.path for hit in ask(shop, "hybrid").hits]
    assert [hit.path for hit in ask(shop, limit=len(hits)).hits] == hits


@pytest.mark.parametrize("veil", ["forget", "archive"])
def test_what_a_search_may_not_show_is_not_walked(shop: Any, veil: str) -> None:
    relate(shop, "basement.md", "causal", "key.md")
    shop.journalled(veil, "basement.md")
    assert "basement.md" not in [hit.path for hit in ask(shop).hits]


def test_only_half_of_an_answer_comes_in_and_a_filter_holds_for_it(shop: Any) -> None:
    for number in range(5):
        relate(shop, f"other/{number}.md", "causal", "key.md")
    found = [hit.path for hit in ask(shop, limit=4).hits]
    assert sum(path.startswith("other/") for path in found) == 2
    assert not any(hit.chain and hit.path.startswith("other/") for hit in ask(shop, paths=("key",)).hits)
    assert all(hit.score >= 0.9 for hit in ask(shop, min_score=0.9).hits)


def test_what_is_merely_near_moves_no_hit_and_what_is_stated_does(shop: Any) -> None:
    names = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew")
    for tree in names:
        shop.write(f"carried/{tree}.md", f"# Of {tree}\n\nOrders for {tree} carry a key, cut from {tree}.\n")
    shop.sync()
    plain = ask(shop, "hybrid", limit=20).hits
    best, near = plain[0].path, plain[10].path
    joined = DocumentRelation(docid("notes", best), "temporal", docid("notes", near), origin=TIME)
    with shop.store.write() as batch:
        batch.set_relations(docid("notes", best), {TIME: [joined]})
    walked = ask(shop, limit=20).hits
    assert next(hit.chain for hit in walked if hit.path == near)
    assert [hit.path for hit in walked[: len(plain)]] == [hit.path for hit in plain]
    relate(shop, near, "supporting", best)
    assert near in [hit.path for hit in ask(shop, limit=20).hits[:10]]
