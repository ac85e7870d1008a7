"""memory_search: the answer of a query in the shape that other systems' clients know."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import UsageError

QUESTION = "when does the pear tree want pruning"


def test_the_answer_is_that_of_a_query_in_the_known_shape(house: Any) -> None:
    found = house.vault.compat.search(QUESTION).to_dict()
    [hit, *_] = house.vault.recall(QUESTION, limit=6).hits
    result = found["results"][0]
    assert result == {
        "docid": hit.docid,
        "path": "work/trees.md",
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "score": round(1 - (1 - hit.score) * 0.65 / 0.9, 4),
        "snippet": f"{hit.text.rstrip()}\n\nSource: work/trees.md#L{hit.start_line}-L{hit.end_line}",
        "source": "memory",
        "citation": f"work/trees.md#L{hit.start_line}-L{hit.end_line}",
    }
    assert {key: found[key] for key in ("provider", "model", "mode", "citations", "reason")} == {
        "provider": "hearth",
        "model": "static",
        "mode": "hybrid",
        "citations": "auto",
        "reason": None,
    }


def test_every_hit_is_recorded_with_its_score_however_many_there_are(house: Any) -> None:
    for n in range(60):
        house.write(f"many/{n}.md", f"# Kiln {n}\n\nThe kiln number {n} burns at noon.\n")
    found = house.vault.compat.search("which kiln burns at noon", 100, 0.0).results
    named = {result.docid for result in found}
    assert len(named) >= 60
    assert all(house.vault.usage.statistics(docid).recalled == 1 for docid in named)
    house.vault.compat.search("which kiln burns at noon", 100, 0.0)
    assert all(house.vault.usage.statistics(docid).recalled == 1 for docid in named), "once a day for one question"


def test_the_better_passage_has_the_better_score(house: Any) -> None:
    results = house.vault.compat.search("rye bread starter", 10, 0.0).results
    assert results[0].path == "work/bread.md" and results[0].score > 0.5
    assert max(result.score for result in results[1:]) < 0.35


def test_without_a_least_score_what_is_weak_beside_the_best_is_left_out(house: Any) -> None:
    every = house.vault.compat.search("rye bread starter", min_score=0.0).results
    shown = house.vault.compat.search("rye bread starter").results
    assert 0 < len(shown) < len(every)
    assert shown == house.vault.compat.search("rye bread starter", min_score=0.35).results
    assert all(result.score >= 0.35 for result in shown)


def test_max_results_and_min_score_hold(house: Any) -> None:
    assert len(house.vault.compat.search("tree bread boats limits", 2, 0.0).results) == 2
    assert house.vault.compat.search(QUESTION, min_score=1.0).results == ()
    assert all(r.score >= 0.3 for r in house.vault.compat.search(QUESTION, min_score=0.3).results)
    for wrong in (0, 101):
        with pytest.raises(UsageError, match="limit"):
            house.vault.compat.search(QUESTION, wrong)


def test_an_empty_question_is_refused_and_an_unanswerable_one_says_why(house: Any) -> None:
    with pytest.raises(UsageError, match="query is required"):
        house.vault.compat.search("  ")
    assert house.vault.compat.search("zygomorphic quasars").reason


@pytest.mark.parametrize(
    ("setting", "direct", "cited"),
    [("auto", True, True), ("auto", False, False), ("on", False, True), ("off", True, False)],
)
def test_citations_are_shown_as_the_setting_says(house: Any, setting: str, direct: bool, cited: bool) -> None:
    house.configure(f"search: {{citations: '{setting}'}}\n")
    found = house.vault.compat.search(QUESTION, direct=direct).to_dict()
    result = found["results"][0]
    assert found["citations"] == setting
    assert ("citation" in result, "Source: " in result["snippet"]) == (cited, cited)
    assert result["path"] == "work/trees.md"
    digest = house.context(QUESTION, direct=direct)["digest"]
    assert ("work/trees.md#L" in digest) == cited


def test_a_call_overrides_the_setting(house: Any) -> None:
    house.configure("search: {citations: 'off'}\n")
    assert house.vault.compat.search(QUESTION, citations="on").results[0].citation
    with pytest.raises(UsageError, match="auto, on, off"):
        house.vault.compat.search(QUESTION, citations="perhaps")


def test_a_long_passage_is_shown_by_its_telling_part(house: Any) -> None:
    text = " ".join(f"Sentence {n} speaks of other matters altogether." for n in range(40))
    house.write("long.md", f"# Long\n\n{text} The wolverine sleeps in the boiler room. {text}\n")
    house.vault.index.sync()
    result = house.vault.compat.search("wolverine boiler room", citations="off").results[0]
    assert "wolverine" in result.snippet and len(result.snippet) <= 700


def test_a_search_is_recorded_as_a_recall_once_a_day_and_a_context_is_not(house: Any) -> None:
    docid = house.vault.compat.search(QUESTION, 1).results[0].docid
    house.vault.compat.search(QUESTION, 1)
    house.context("When does the pear tree want pruning, and the quince?")
    assert house.vault.usage.statistics(docid).recalled == 1


def test_an_answer_is_given_where_the_journal_can_not_be_written(house: Any) -> None:
    house.vault.compat.search(QUESTION)
    for file in (house.data / "default/journal").iterdir():
        file.unlink()
        file.mkdir()
    assert house.vault.compat.search(f"{QUESTION} And the quince?").results
