"""The stages of ranking, by what they promise rather than by their constants."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.document import DocumentState, FileState, TermCounts
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.ranking.candidate import Candidate, fuse, order
from hearth.recall.ranking.diversify import apply_diversity, collapse
from hearth.recall.ranking.gate import cut_at, cut_weak
from hearth.recall.ranking.packing import FRAGMENT_OVERHEAD, pack
from hearth.recall.ranking.snippet import snippet
from hearth.recall.ranking.weights import Weighted, count_occurrences, idf, relevance
from hearth.testing import document
from hearth.text.lines import estimate_tokens
from hearth.text.terms import pack as pack_terms

SHARE = st.floats(0, 1)


def candidate(score: float, path: str = "a.md", text: str = "amber", line: int = 1, **given: Any) -> Candidate:
    state = given.pop("state", DocumentState())
    row = sum(path.encode())
    stored = StoredDocument(row, document("notes", path, text, **given), FileState(0, 0, 0, b""), state)
    last = line + text.rstrip("\n").count("\n")
    part = StoredFragment(row * 1_000 + line, row, line, "section", line, last, 0, len(text), (), "", text)
    return Candidate(part, stored, score, score)


CANDIDATES = st.lists(
    st.builds(candidate, SHARE, st.sampled_from(("a.md", "b.md", "c.md")), st.sampled_from(("amber", "basalt cedar"))),
    max_size=12,
)


def relevant(counts: TermCounts | None, *, length: int = 100, weight: float = 2.0) -> Any:
    packed = pack_terms([] if counts is None else [(7, counts)])
    occurrences = count_occurrences(packed, frozenset({7}))
    return relevance(occurrences, length / 100, [Weighted((7,), weight)], weight + 1.0)


def test_relevance_grows_with_occurrences_and_shrinks_with_length() -> None:
    scores = [relevant(TermCounts(count)).score for count in (1, 2, 5, 50)]
    assert scores == sorted(scores)
    assert relevant(None).score == 0
    assert relevant(TermCounts(1), length=20).score > relevant(TermCounts(1), length=900).score
    assert relevant(TermCounts(1, heading=1)).score > relevant(TermCounts(1)).score


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.integers(1, 5_000), st.floats(0.01, 20))
def test_relevance_lies_within_zero_and_one(body: int, heading: int, meta: int, length: int, weight: float) -> None:
    found = relevant(TermCounts(body, heading, meta), length=length, weight=weight)
    assert 0 <= found.score <= 1
    assert 0 <= found.share <= 1
    assert 0 <= found.coverage <= 1


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_rarer_terms_weigh_more_and_none_weighs_less_than_nothing(low: int, high: int) -> None:
    low, high = sorted((low, high))
    assert idf(low, 1_000) >= idf(high, 1_000) > 0


@given(st.dictionaries(st.sampled_from("abc"), SHARE), st.dictionaries(st.sampled_from("abc"), st.floats(0.01, 1)))
def test_fusion_stays_between_its_lanes(scores: dict[str, float], weights: dict[str, float]) -> None:
    values = [scores.get(lane, 0.0) for lane in weights]
    fused = fuse(values, list(weights.values()))
    values = values or [0.0]
    assert min(values) - 1e-9 <= fused <= max(values) + 1e-9


@given(CANDIDATES)
def test_the_cut_keeps_the_best_and_the_order(pool: list[Candidate]) -> None:
    kept = cut_weak(order(pool))
    assert kept == order(kept)
    assert bool(kept) == bool(pool)
    assert not kept or kept[0].score == max(c.score for c in pool)


@pytest.mark.parametrize(
    ("best", "other", "is_kept"),
    [(0.8, 0.2, True), (0.8, 0.19, False), (0.3, 0.1, True), (0.3, 0.09, False), (0.05, 0.05, False)],
)
def test_what_scores_a_quarter_of_the_best_and_a_tenth_is_kept_beside_it(
    best: float, other: float, *, is_kept: bool
) -> None:
    pool = [candidate(best, "a.md"), candidate(other, "b.md")]
    assert cut_weak(pool) == pool[: 1 + is_kept]


def test_a_question_without_weight_says_nothing_of_any_text() -> None:
    found = relevance({7: 1.0}, 1.0, [Weighted((7,), 0.0)], 0.0)
    assert (found.raw, found.share, found.coverage) == (0.0, 0.0, 0.0)


@given(CANDIDATES, SHARE)
def test_a_least_score_that_is_given_decides_alone(pool: list[Candidate], least: float) -> None:
    assert cut_at(pool, least) == [c for c in pool if c.score >= least]


@given(CANDIDATES)
def test_equal_texts_collapse_to_the_best(pool: list[Candidate]) -> None:
    kept = collapse(pool)
    texts = [c.fragment.text for c in kept]
    assert len(texts) == len(set(texts)) == len({c.fragment.text for c in pool})
    for c in kept:
        same = [other for other in pool if other.fragment.text == c.fragment.text]
        assert c.score == max(other.score for other in same)


OWN = "The kitchen inventory moves to the new table in June and the old table stays as a copy until then"


@pytest.mark.parametrize("copy", [OWN, OWN.upper(), OWN + " says Marta", OWN.replace("June", "July")])
@pytest.mark.parametrize("trust", ["agent", "external"])
@pytest.mark.parametrize("scores", [(0.8, 0.9), (0.9, 0.8), (0.9, 0.9)])
def test_of_near_copies_the_one_of_more_trust_is_shown_in_the_better_place(
    copy: str, trust: str, scores: tuple[float, float]
) -> None:
    other = candidate(0.85, "o.md", "basalt cedar delta")
    for own, clip in (("a.md", "b.md"), ("b.md", "a.md")):
        kept = collapse([candidate(scores[0], own, OWN), candidate(scores[1], clip, copy, trust=trust), other])
        assert [c.document.document.path for c in kept] == [own, "o.md"]
        assert kept[0].score == max(scores)
        assert len(kept[0].also_in) == 1


def test_an_agents_text_stands_for_its_copy_from_a_page_and_different_texts_both_stay() -> None:
    pool = [candidate(0.9, "a.md", OWN, trust="external"), candidate(0.7, "b.md", OWN, trust="agent"),
            candidate(0.8, "c.md", "basalt " + OWN[:40], trust="external")]  # fmt: skip
    assert [c.document.document.path for c in collapse(pool)] == ["b.md", "c.md"]


@pytest.mark.parametrize(("words", "kept"), [(7, 2), (8, 1)])
def test_a_text_of_a_few_words_gives_way_to_its_equals_alone(words: int, kept: int) -> None:
    text = " ".join(f"word{number}" for number in range(words))
    copy, own = candidate(0.9, "a.md", text, trust="external"), candidate(0.8, "b.md", f"{text} more")
    assert len(collapse([copy, own])) == kept


COPIES = st.lists(
    st.builds(
        candidate, SHARE, st.sampled_from("abcdef"), st.sampled_from((OWN, OWN + " x", OWN + " y", "amber", "amber x")),
        trust=st.sampled_from(("human", "agent", "external")),
    ),
    max_size=10,
)  # fmt: skip


@given(COPIES)
def test_no_text_stands_beside_a_near_copy_of_more_trust(pool: list[Candidate]) -> None:
    kept = collapse(pool)
    trusts = {c.document.document.trust for c in kept if c.fragment.text.startswith(OWN)}
    assert len(trusts) <= 1
    assert [c.score for c in kept] == sorted((c.score for c in kept), reverse=True)
    assert not pool or kept[0].score == max(c.score for c in pool)


@given(CANDIDATES, st.integers(1, 5))
def test_diversity_reorders_and_changes_no_score(pool: list[Candidate], limit: int) -> None:
    kept = apply_diversity(0.7, limit)(pool)
    assert sorted(c.score for c in kept) == sorted(c.score for c in collapse(pool))
    assert not kept or kept[0].score == max(c.score for c in pool)


def test_diversity_prefers_another_thing_to_the_same_thing_said_again() -> None:
    pool = [candidate(0.9, "a.md", "amber basalt cedar"), candidate(0.89, "b.md", "amber basalt cedar delta"),
            candidate(0.8, "c.md", "ember fjord")]  # fmt: skip
    assert [c.document.document.path for c in apply_diversity(0.5, 3)(pool)] == ["a.md", "c.md", "b.md"]


def test_likeness_weighs_more_within_a_document_than_between_two() -> None:
    text, again = "amber basalt cedar delta", "amber basalt cedar ember"
    book = [
        replace(c, document=replace(c.document, document=replace(c.document.document, size=9_000)))
        for c in (candidate(0.9, "a.md", text), candidate(0.8, "a.md", again, line=9))
    ]
    spread = apply_diversity(0.8, 3)([*book, candidate(0.78, "b.md", "amber basalt cedar fjord")])
    assert [c.document.document.path for c in spread] == ["a.md", "b.md", "a.md"]


@pytest.mark.parametrize(
    ("size", "kind", "second"),
    [(60, "section", "b.md"), (60_000, "section", "a.md"), (60, "turn", "a.md")],
    ids=["half of a note", "a page of a book", "a turn of a conversation"],
)
def test_the_other_half_of_a_note_gives_way_to_another_note_as_good(size: int, kind: str, second: str) -> None:
    first = candidate(0.9, "a.md", "amber basalt cedar delta ember")
    rest = candidate(0.8, "a.md", "fjord garnet heath islet jasper", line=9)
    own = [
        replace(c, fragment=replace(c.fragment, kind=kind),
                document=replace(c.document, document=replace(c.document.document, size=size)))
        for c in (first, rest)
    ]  # fmt: skip
    spread = apply_diversity(0.8, 3)([*own, candidate(0.75, "b.md", "kelp lava marl nacre onyx")])
    assert [c.document.document.path for c in spread][1] == second


def test_ties_are_broken_by_place_alone() -> None:
    pool = [candidate(0.5, path, text, line) for path in "abc" for line, text in ((1, "x"), (9, "y"))]
    shuffled = random.Random(3).sample(pool, len(pool))
    assert order(shuffled) == order(pool)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 30), st.integers(1, 12)), max_size=15),
    st.integers(0, 400),
)
def test_a_pack_keeps_its_budget_and_holds_no_line_twice(windows: list[tuple[str, int, int]], budget: int) -> None:
    pool = [
        candidate(1 - n / 100, path, "\n".join(f"line {i} of {path}" for i in range(start, start + count)), start)
        for n, (path, start, count) in enumerate(windows)
    ]
    packed, spent = pack(pool, budget)
    assert spent <= budget
    assert sum(estimate_tokens(c.fragment.text) for c in packed) <= budget
    lines = [(c.document.id, line) for c in packed for line in c.fragment.text.split("\n")]
    assert len(lines) == len(set(lines))
    for c in packed:
        assert c.fragment.end_line - c.fragment.start_line == c.fragment.text.count("\n")
        assert c.fragment.text.startswith(f"line {c.fragment.start_line} ")


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n\r\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e"), max_size=90),
        min_size=1,
        max_size=30,
    )
)
def test_a_snippet_is_cut_from_the_lines_it_names(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = snippet(text, 10, {"amber": 1.0}, "en")
    assert 10 <= found.start <= found.end < 10 + len(lines)
    named = "\n".join(line.rstrip() for line in lines[found.start - 10 : found.end - 9])
    assert found.text == named or found.text.strip("…") in named


def test_a_snippet_shows_the_line_that_answers() -> None:
    text = "\n".join(f"line {n}" for n in range(40)) + "\nthe amber room\n" + "\n".join("rest" for _ in range(40))
    found = snippet(text, 1, {"amber": 3.0}, "en")
    assert "amber" in found.text
    assert found.start <= 41 <= found.end


@pytest.mark.parametrize("length", [20, 900])
def test_a_snippet_goes_on_below_the_heading_that_matches(length: int) -> None:
    answer = "Ask the warden for the key. " + "It hangs behind the door. " * (length // 26)
    text = f"# The amber room\n\n## How to get into the amber room\n\n{answer}\n\nrest"
    found = snippet(text, 5, {"amber": 3.0, "room": 1.0}, "en")
    assert "Ask the warden" in found.text
    assert len(found.text) <= 400
    assert found.start <= 7 and found.end >= 9


def test_a_snippet_of_a_heading_alone_is_that_heading() -> None:
    assert snippet("# The amber room", 1, {"amber": 1.0}, "en").text == "# The amber room"


def test_windows_of_one_long_line_say_what_they_share_once() -> None:
    parts = ["We looked at both. That made MongoDB", "That made MongoDB the cheaper one.", "It never mattered."]
    pool = []
    for part, start, score in zip(parts, (0, 19, 400), (0.9, 0.8, 0.7), strict=True):
        found = candidate(score, "a.md", part)
        pool.append(replace(found, fragment=replace(found.fragment, start_byte=start)))
    [found] = pack(pool, 1_000)[0]
    assert found.fragment.text == "We looked at both. That made MongoDB the cheaper one. … It never mattered."


def test_a_pack_of_few_passages_spends_what_is_left_on_what_stands_beside_them() -> None:
    first, beside = ("\n".join(f"amber {n}" for n in range(start, start + 10)) for start in (1, 11))
    other = "\n".join(f"basalt {n}" for n in range(1, 11))
    pool = [candidate(0.9, "a.md", first), candidate(0.8, "b.md", other), candidate(0.7, "a.md", beside, 11)]
    budget = estimate_tokens(f"{first}\n{beside}") + 2 * FRAGMENT_OVERHEAD
    assert [c.document.document.path for c in pack(pool, budget)[0]] == ["a.md", "b.md"]
    ((found,), spent) = pack(pool, budget, 1)
    assert (found.fragment.start_line, found.fragment.end_line) == (1, 20)
    assert spent <= budget


@given(CANDIDATES, st.integers(1, 4), st.integers(0, 2_000))
def test_a_pack_has_no_more_passages_than_its_limit(pool: list[Candidate], limit: int, budget: int) -> None:
    whole, few = pack(pool, budget)[0], pack(pool, budget, limit)[0]
    assert len(few) <= limit
    assert len(few) == min(limit, len(whole)) or len(whole) < len(few)
