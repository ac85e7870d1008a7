"""Of two documents that may not both be true, the lower one stands right behind the higher one."""

from __future__ import annotations

from typing import Any

from hearth.core.query import Query
from hearth.memory.reviews import draft_review
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller


def find(box: Any, limit: int = 9) -> list[str]:
    query = Query("How many jars of plums are in the larder?", at=box.now, limit=limit, min_score=0.0)
    return [hit.path for hit in Recaller(box.store, None, RankingSettings())(query).hits]


def doubt(box: Any, newer: str, older: str) -> None:
    documents = [box.stored(path).document for path in (newer, older)]
    box.history.record([draft_review(documents[0], documents[1].docid, "contradiction")])


def shelved(box: Any) -> list[str]:
    box.write("first.md", "Forty jars of plums are in the larder.\n")
    box.write("second.md", "Plums: how many jars are left in the larder, nobody counted.\n")
    box.write("third.md", "The larder has jars of plums, of pears, of quinces and of much else on every board.\n")
    box.write("last.md", "No plums were put up this year at all, only apples, of which the cellar is full by now.\n")
    box.sync()
    return find(box)


def test_all_others_keep_their_order_and_none_is_lost_or_doubled(box: Any) -> None:
    before = shelved(box)
    assert len(before) == 4
    doubt(box, before[0], before[3])
    assert find(box) == [before[0], before[3], before[1], before[2]]


def test_the_higher_one_draws_the_lower_one_whichever_is_newer(box: Any) -> None:
    before = shelved(box)
    doubt(box, before[3], before[1])
    assert find(box) == [before[0], before[1], before[3], before[2]]


def test_neighbours_and_those_below_the_answers_that_are_wanted_stay_where_they_are(box: Any) -> None:
    before = shelved(box)
    doubt(box, before[0], before[1])
    assert find(box) == before
    doubt(box, before[2], before[3])
    assert find(box, limit=2) == before[:2]
