"""The prior and composite scoring: how far metadata may move a score, which way, and that they say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import DocumentState, FileState, docid
from hearth.core.instants import DAY_MS
from hearth.core.memory import CONTENT_TYPES
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.ranking.candidate import Candidate, Stage, order
from hearth.recall.ranking.prior import (
    BEST,
    PARTNERS,
    UNDATED,
    Ageing,
    Companions,
    Factors,
    apply_composite,
    apply_prior,
    composite,
    factors,
    newness,
    prior,
    settle,
    shares,
    together,
)
from hearth.recall.ranking.weights import CUT, PRIOR
from hearth.testing import START_MS, document

SHARE = st.floats(0, 1)
NOW = Ageing(START_MS)
STAGES = pytest.mark.parametrize("apply", [apply_prior, apply_composite])


def nobody(document: StoredDocument) -> Mapping[str, int]:
    """``Companions`` of a vault without usage."""
    del document
    return {}


def candidate(score: float, path: str = "a.md", *, days: float | None = 0, **given: Any) -> Candidate:
    """``days`` old; ``None`` for an undated import."""
    state = given.pop("state", DocumentState())
    row = int.from_bytes(path.encode()[:6], "big")
    dated = {"authored_at": None if days is None else START_MS - int(days * DAY_MS)}
    made = replace(document("notes", path, path), **{"origin": "import" if days is None else "file", **dated, **given})
    part = StoredFragment(row, row, 0, "section", 1, 1, 0, 5, (), "", path)
    return Candidate(part, StoredDocument(row, made, FileState(0, 0, 0, b""), state), score, score)


def paths(found: list[Candidate]) -> list[str]:
    return [c.document.document.path for c in found]


def used_with(pairs: Mapping[str, Mapping[str, int]]) -> Companions:
    """Paths of documents -> the paths that they were used together with, how often."""
    return lambda stored: {docid("notes", path): n for path, n in pairs.get(stored.document.path, {}).items()}


STATES = st.builds(
    DocumentState,
    pinned=st.booleans(),
    access_count=st.integers(0, 500),
    revision_count=st.integers(0, 50),
    duplicate_count=st.integers(0, 50),
)
POOLS = st.lists(
    st.builds(
        candidate,
        SHARE,
        st.sampled_from([f"{letter}.md" for letter in "abcdefgh"]),
        days=st.none() | st.floats(0, 3_000),
        state=STATES,
        quality=SHARE,
        confidence=SHARE,
        size=st.integers(0, 100_000),
        content_type=st.sampled_from(sorted(CONTENT_TYPES)),
    ),
    max_size=8,
    unique_by=lambda c: c.document.id,
).map(order)


# -- prior ----------------------------------------------------------------------------------------------------------


@given(POOLS)
def test_metadata_moves_a_score_only_within_its_band(pool: list[Candidate]) -> None:
    for one in pool:
        [moved] = apply_prior(NOW, nobody, recent=False)([one])
        assert abs(moved.score - one.score) <= PRIOR.band / 2 + 1e-9
        assert moved.fused == one.score
        assert bool(moved.moves) == (moved.score != one.score)
    before = {c.fragment.id: c.score for c in pool}
    for moved in apply_prior(NOW, nobody, recent=False)(pool):
        assert 0 <= moved.score <= 1
        assert abs(moved.score - before[moved.fragment.id]) <= PRIOR.band


@given(POOLS)
def test_a_clearly_better_answer_stays_first(pool: list[Candidate]) -> None:
    found = apply_prior(NOW, nobody, recent=False)(pool)
    for better, worse in pairwise(found):
        assert better.fused >= worse.fused * (1 - PRIOR.band)


@given(POOLS)
def test_a_pin_alone_gives_the_full_prior(pool: list[Candidate]) -> None:
    for one in pool:
        value = prior(factors(one.document, NOW, together=9))
        assert value == 1 if one.document.state.pinned else 0 <= value < 1


def test_the_weights_sum_to_less_than_one() -> None:
    named = ("recency", "confidence", "quality", "access", "length", "frequency", "coactivation", "importance")
    assert sum(getattr(PRIOR, name) for name in named) < 1


def test_of_two_that_answer_alike_the_more_important_comes_first_and_a_better_answer_before_both() -> None:
    dull, grave = (candidate(0.6, f"{name}.md", trust="agent", facts={"importance": name}) for name in ("0.2", "0.95"))
    better = candidate(0.65, "better.md", trust="agent", facts={"importance": "0.1"})
    assert paths(apply_prior(NOW, nobody, recent=False)([dull, grave, better])) == ["better.md", "0.95.md", "0.2.md"]


@pytest.mark.parametrize("given", ["high", "nan", "1e9", "-1", ""])
def test_an_importance_that_is_no_share_moves_nothing(given: str) -> None:
    plain = candidate(0.6, "plain.md", trust="agent")
    odd = candidate(0.6, "plain.md", trust="agent", facts={"importance": given})
    assert prior(factors(odd.document, NOW)) == prior(factors(plain.document, NOW))


@pytest.mark.parametrize("trust", ["human", "team", "external"])
def test_a_note_does_not_raise_itself_by_calling_itself_important(trust: str) -> None:
    plain = candidate(0.6, "plain.md", trust=trust)
    proud = candidate(0.6, "plain.md", trust=trust, facts={"importance": "1"})
    assert prior(factors(proud.document, NOW)) == prior(factors(plain.document, NOW))


def test_a_pinned_document_leads_its_relevance_band_and_no_further() -> None:
    pinned = candidate(0.6, "old.md", days=2_000, confidence=0.1, state=DocumentState(pinned=True))
    best = {"content_type": "decision", "quality": 1.0, "state": DocumentState(access_count=99)}
    level, ahead = candidate(0.6, "level.md", **best), candidate(0.62, "ahead.md", **best)
    assert paths(apply_prior(NOW, nobody, recent=False)([ahead, level, pinned])) == ["ahead.md", "old.md", "level.md"]


BETTER: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"days": 1}, {"days": 90}),
    ({"confidence": 1.0}, {"confidence": 0.3}),
    ({"content_type": "decision"}, {"content_type": "progress"}),
    ({"quality": 0.9}, {"quality": 0.2}),
    ({"size": 400}, {"size": 40_000}),
    ({"state": DocumentState(access_count=5)}, {}),
    ({"state": DocumentState(revision_count=3)}, {}),
    ({"state": DocumentState(duplicate_count=3)}, {}),
    ({"state": DocumentState(pinned=True)}, {"content_type": "decision"}),
]


@pytest.mark.parametrize("recent", [False, True])
@pytest.mark.parametrize(("more", "less"), BETTER)
@STAGES
def test_of_two_equal_answers_the_better_document_comes_first(
    apply: Any, more: dict[str, Any], less: dict[str, Any], recent: bool
) -> None:
    pool = [candidate(0.5, "a.md", **less), candidate(0.5, "b.md", **more)]
    assert paths(apply(NOW, nobody, recent=recent)(pool)) == ["b.md", "a.md"]


@given(POOLS)
def test_the_shares_add_up_to_the_prior(pool: list[Candidate]) -> None:
    for one in pool:
        known = factors(one.document, NOW)
        assert known.pinned or prior(known) == pytest.approx(0.5 + sum(shares(known).values()))


def test_a_document_without_a_history_says_nothing_of_use_length_repetition_or_company() -> None:
    [moved] = apply_prior(NOW, nobody, recent=False)([candidate(0.5, days=600, size=100)])
    assert moved.moves[0].stage == "prior"
    assert moved.moves[0].why == "prior 0.23: recency -0.17, confidence -0.10"


def test_what_moved_a_score_is_named_strongest_first() -> None:
    known = candidate(0.5, state=DocumentState(access_count=3, revision_count=2), size=20_000, quality=0.9)
    [moved] = apply_prior(NOW, nobody, recent=False)([known])
    told = ("recency +0.17", "quality +0.05", "confidence +0.02", "use +0.02", "length -0.01", "repetition +0.01")
    assert moved.moves[0].why == f"prior 0.76: {', '.join(told)}"
    [pinned] = apply_prior(NOW, nobody, recent=False)([candidate(0.5, state=DocumentState(pinned=True))])
    assert pinned.moves[0].why == "prior 1.00: pinned"


# -- recency that was asked for -------------------------------------------------------------------------------------


@STAGES
def test_the_newer_wins_where_recency_is_asked_for(apply: Any) -> None:
    old = candidate(0.6, "a.md", days=300)
    new = candidate(0.5, "b.md", days=1)
    assert paths(apply(NOW, nobody, recent=True)([old, new])) == ["b.md", "a.md"]


@STAGES
def test_the_latest_decision_is_found_though_decisions_never_age(apply: Any) -> None:
    old = candidate(0.51, "a.md", days=900, content_type="decision")
    new = candidate(0.5, "b.md", days=800, content_type="decision")
    assert paths(apply(NOW, nobody, recent=True)([old, new])) == ["b.md", "a.md"]
    assert paths(apply(replace(NOW, decay=False), nobody, recent=True)([old, new])) == ["b.md", "a.md"]


def test_a_new_note_on_something_else_does_not_win_by_its_date() -> None:
    old, new = candidate(0.6, "a.md", days=400), candidate(0.59, "b.md", days=330)
    other = candidate(0.4, "c.md", days=0)
    assert paths(apply_prior(NOW, nobody, recent=True)([old, new, other])) == ["b.md", "a.md", "c.md"]


def test_strong_answers_are_still_told_apart_by_date() -> None:
    pool = [candidate(0.99, "a.md", days=9), candidate(0.98, "b.md", days=6), candidate(0.97, "c.md", days=3)]
    found = apply_prior(NOW, nobody, recent=True)(pool)
    assert paths(found) == ["c.md", "b.md", "a.md"]
    assert found[0].score == 1 > found[1].score > found[2].score


@given(POOLS, st.integers(-100, 100))
def test_newness_lies_in_the_unit_range_and_follows_the_dates(pool: list[Candidate], days: int) -> None:
    found = newness(pool, START_MS + days * DAY_MS)
    assert set(found) == {c.document.id for c in pool}
    assert all(0 <= value <= 1 for value in found.values())
    near = [c for c in pool if c.score >= PRIOR.recency_near * max(c.score for c in pool)]
    dated = sorted((c for c in near if c.document.document.authored_at), key=lambda c: c.document.document.dated_at)
    ranked = [found[c.document.id] for c in dated if c.document.document.path != "MEMORY.md"]
    assert ranked == sorted(ranked)


def test_what_has_no_date_is_neither_new_nor_old() -> None:
    pool = [candidate(0.5, "a.md", days=400), candidate(0.5, "b.md", days=None), candidate(0.5, "c.md", days=300)]
    assert newness(pool, START_MS)[pool[1].document.id] == UNDATED
    assert newness(pool, START_MS)[pool[2].document.id] == 1
    assert newness(pool[1:2], START_MS) == {pool[1].document.id: UNDATED}
    assert newness([], START_MS) == {}


# -- composite ------------------------------------------------------------------------------------------------------

PLAIN = Factors(1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 1.0, pinned=False)


@pytest.mark.parametrize(
    ("relevance", "changes", "recent", "expected"),
    [
        (0.8, {}, False, 0.9),  # 0.5 * 0.8 + 0.25 + 0.25
        (0.8, {"recency": 0.5, "confidence": 0.4}, False, 0.625),
        (0.8, {"recency": 0.5, "confidence": 0.4}, True, 0.51),  # 0.1 * 0.8 + 0.7 * 0.5 + 0.2 * 0.4
        (0.8, {"quality": 1.0}, False, 1.17),
        (0.8, {"quality": 0.0}, False, 0.63),
        (0.8, {"length": 0.5}, False, 0.45),
        (0.8, {"frequency": 1.1}, False, 0.99),
        (0.8, {"coactivation": 1.15}, False, 1.035),
        (0.0, {"recency": 0.0, "confidence": 0.0, "pinned": True}, False, 0.3),
        (0.8, {"length": 0.5, "pinned": True}, False, 0.75),
    ],
)
def test_composite_scoring_is_the_original_formula(
    relevance: float, changes: dict[str, Any], recent: bool, expected: float
) -> None:
    assert composite(relevance, PLAIN._replace(**changes), recent=recent) == pytest.approx(expected)


@given(POOLS, st.booleans())
def test_composite_scores_stay_in_range_and_keep_the_order_of_the_formula(pool: list[Candidate], recent: bool) -> None:
    found = apply_composite(NOW, nobody, recent=recent)(pool)
    least = CUT.ratio * max((c.score for c in pool), default=0.0)
    assert len(found) == sum(c.score >= least and c.score > 0 for c in pool)
    assert all(0 <= c.score <= 1 for c in found)
    if not recent:
        exact = [composite(c.fused, factors(c.document, NOW), recent=False) for c in found]
        assert all(one >= other - 1e-9 for one, other in pairwise(exact))


def test_metadata_makes_no_answer_of_what_is_about_something_else() -> None:
    about = candidate(0.4, "about.md", days=2_000, confidence=0.1)
    pinned = candidate(0.09, "pinned.md", state=DocumentState(pinned=True), quality=1.0)
    nothing = candidate(0.0, "nothing.md", quality=1.0)
    for recent in (False, True):
        found = apply_composite(NOW, nobody, recent=recent)([about, pinned, nothing])
        assert [c.document.document.path for c in found] == ["about.md"]
    assert apply_composite(NOW, nobody, recent=False)([nothing]) == []


def test_composite_scoring_names_its_parts() -> None:
    one = candidate(0.5, days=60, state=DocumentState(pinned=True, revision_count=40), quality=1.0, size=1_000)
    [moved] = apply_composite(NOW, nobody, recent=False)([one])
    assert moved.moves[0].why == (
        "composite: recency 0.50, confidence 0.16, quality x1.30, length x0.67, repetition x1.10, pinned +0.3"
    )
    [asked] = apply_composite(NOW, nobody, recent=True)([candidate(0.5, content_type="decision")])
    assert asked.moves[0].why == "composite, recency asked for: recency 1.00, confidence 0.85"


def test_scores_above_one_keep_their_order() -> None:
    pool = [candidate(0.5, path) for path in ("a.md", "b.md", "c.md")]
    found = settle("prior", [(c, score, "") for c, score in zip(pool, (1.1, 1.4, 0.7), strict=True)])
    assert paths(found) == ["b.md", "a.md", "c.md"]
    assert [c.score for c in found] == pytest.approx([1.0, 1.1 / 1.4, 0.5])
    assert settle("prior", []) == []


# -- company --------------------------------------------------------------------------------------------------------


@STAGES
def test_what_was_used_with_the_best_hit_rises_among_its_equals(apply: Any) -> None:
    best, plain, partner = candidate(0.9, "best.md"), candidate(0.5, "a.md"), candidate(0.5, "z.md")
    stage: Stage = apply(NOW, used_with({"best.md": {"z.md": 2}}), recent=False)
    found = stage([best, plain, partner])
    assert paths(found) == ["best.md", "z.md", "a.md"]
    assert "company" in found[1].moves[-1].why
    assert "company" not in found[0].moves[-1].why + found[2].moves[-1].why


def test_only_the_best_few_are_asked_for_their_company_once_each() -> None:
    pool = [candidate(1 - n / 100, f"{n}.md") for n in range(10)]
    asked: list[str] = []

    def companions(stored: StoredDocument) -> Mapping[str, int]:
        asked.append(stored.document.path)
        return {}

    again = [replace(c, fragment=replace(c.fragment, id=c.fragment.id + 1, seq=1)) for c in pool]
    assert together([one for pair in zip(pool, again, strict=True) for one in pair], companions) == {}
    assert asked == ["0.md", "1.md", "2.md"]
    assert len(asked) == BEST


def test_company_counts_the_most_occasions_with_one_of_the_best() -> None:
    pool = [candidate(1 - n / 100, f"{n}.md") for n in range(9)]
    docids = [c.document.document.docid for c in pool]
    found = together(pool, used_with({"0.md": {"4.md": 2, "1.md": 3}, "1.md": {"4.md": 5}, "4.md": {"5.md": 9}}))
    assert found == {docids[4]: 5, docids[1]: 3}
    elsewhere = together(pool[:2], used_with({"0.md": {"0.md": 7, "8.md": 4}}))
    assert elsewhere == {}


def test_a_document_brings_its_five_closest_partners_and_no_more() -> None:
    pool = [candidate(1 - n / 100, f"{n}.md") for n in range(9)]
    found = together(pool, used_with({"0.md": {f"{n}.md": n for n in range(1, 9)}}))
    assert found == {c.document.document.docid: n for n, c in list(enumerate(pool))[-PARTNERS:]}
