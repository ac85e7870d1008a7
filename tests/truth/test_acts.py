from __future__ import annotations

import pytest

from hearth.core.document import Document
from hearth.core.judgement import Judgement, Relation
from hearth.truth.acts import PER_DAY, Leeway, Party, plan


def party(name: str, at: int = 0, tier: str = "explicit", confidence: float = 1.0) -> Party:
    document = Document(name, "_hearth", f"{name}.md", name, "fact", at, at, "b", "r", 1)
    return Party(document, at, tier, confidence)


def judged(relation: Relation, confidence: float, current: str = "newer") -> Judgement:
    return Judgement(relation, confidence, current)  # type: ignore[arg-type]


UPDATE = judged(Relation.UPDATE, 0.95)


@pytest.mark.parametrize(
    ("judgement", "kind"),
    [
        (UPDATE, "supersede"),
        (judged(Relation.CONTRADICTION, 0.9), "supersede"),
        (judged(Relation.CONTRADICTION, 0.95, "both"), "ask"),
        (judged(Relation.UPDATE, 0.7), "ask"),
        (judged(Relation.UPDATE, 0.49), None),
        (judged(Relation.SAME, 0.95, "both"), "same"),
        (judged(Relation.SAME, 0.85, "both"), None),
        (judged(Relation.REFINES, 0.85, "both"), "refines"),
        (judged(Relation.UNRELATED, 0.9, "both"), None),
    ],
)
def test_what_follows_from_a_judgement(judgement: Judgement, kind: str | None) -> None:
    acts = plan([(party("old"), party("new", 1), judgement)], Leeway())
    assert [act.kind for act in acts] == ([] if kind is None else [kind])


@pytest.mark.parametrize(
    ("relation", "before", "after"),
    [
        (Relation.UPDATE, 1.0, 0.85),
        (Relation.UPDATE, 0.4, 0.3),
        (Relation.UPDATE, 0.3, None),
        (Relation.CONTRADICTION, 1.0, 0.75),
        (Relation.CONTRADICTION, 0.3, 0.2),
        (Relation.CONTRADICTION, 0.15, None),
    ],
)
def test_a_doubt_lowers_confidence_to_a_floor(relation: Relation, before: float, after: float | None) -> None:
    [act] = plan([(party("old", confidence=before), party("new", 1), judged(relation, 0.6))], Leeway())
    assert act.confidence == after


def test_less_explicit_never_replaces_more_explicit_and_equal_does() -> None:
    tiers = ("explicit", "implied", "inferred", "speculative")
    for older in tiers:
        for newer in tiers:
            [act] = plan([(party("old", 0, older), party("new", 1, newer), UPDATE)], Leeway())
            assert (act.kind == "supersede") == (tiers.index(newer) <= tiers.index(older))
            assert act.confidence is None


def test_what_gave_way_takes_no_further_part() -> None:
    new, one, other = party("new", 5), party("one", 1), party("other", 9)
    acts = plan([(new, other, UPDATE), (one, new, UPDATE)], Leeway())
    assert [(act.older.document.docid, act.newer.document.docid) for act in acts] == [("new", "other")]


def test_over_the_limit_a_person_is_asked() -> None:
    pairs = [(party(f"old{n}"), party("new", 1), UPDATE) for n in range(3)]
    assert [act.kind for act in plan(pairs, Leeway(2, PER_DAY))] == ["supersede", "supersede", "ask"]
    assert [act.kind for act in plan(pairs, Leeway(10, 0))] == ["ask"] * 3
