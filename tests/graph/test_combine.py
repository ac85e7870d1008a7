"""What several relations between the same two documents come to."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import TYPES, UNRELATED, DocumentRelation, EvidencePlace
from hearth.graph.relations import combine

DOCIDS = st.sampled_from(["a", "b", "c"])
RELATIONS = st.builds(
    DocumentRelation,
    source=DOCIDS,
    type=st.sampled_from([*TYPES, "unheard-of"]),
    target=DOCIDS,
    weight=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    at=st.sampled_from([None, 1, 2]),
    until=st.sampled_from([None, 3, 4]),
    origin=st.sampled_from(["links", "vectors", "person", "judge", UNRELATED]),
    evidence=st.sampled_from([(), (EvidencePlace("a", 1, 2),), (EvidencePlace("b", 3, 4), EvidencePlace("c"))]),
)


def one(*relations: DocumentRelation) -> DocumentRelation:
    [found] = combine(relations)
    return found


def edge(kind: str, weight: float, **given: Any) -> DocumentRelation:
    return DocumentRelation("a", kind, "b", weight, **given)


def test_the_greatest_or_the_newest_stands_as_the_type_says() -> None:
    old, new = {"at": 1, "origin": "one"}, {"at": 2, "origin": "other"}
    assert one(edge("references", 0.8, **old), edge("references", 0.5, **new)).weight == 0.8
    assert one(edge("semantic", 0.8, **old), edge("semantic", 0.5, **new)).weight == 0.5


def test_each_place_is_evidence_once() -> None:
    here, there = (EvidencePlace("c", 1, 2),), (EvidencePlace("c", 7, 8),)
    said = [edge("causal", 0.5, evidence=here), edge("causal", 0.6, evidence=here), edge("causal", 0.5, evidence=there)]
    found = one(*said)
    assert abs(found.weight - (1 - 0.4 * 0.5)) < 1e-9
    assert found.evidence == here + there


def test_what_is_stated_goes_before_what_is_derived() -> None:
    found = one(edge("causal", 0.9, evidence=(EvidencePlace("c"),)), edge("causal", 0.4, origin="person"))
    assert (found.weight, found.origin, found.evidence) == (0.4, "person", ())


def test_a_symmetric_relation_is_one_whichever_end_comes_first() -> None:
    other = DocumentRelation("b", "contradicts", "a", 0.7)
    assert one(edge("contradicts", 0.6), other).key == ("contradicts", "a", "b")
    assert combine([edge("contradicts", 0.6), DocumentRelation("b", "contradicts", "a", origin=UNRELATED)]) == []
    assert len(combine([edge("causal", 0.6), DocumentRelation("b", "causal", "a", origin=UNRELATED)])) == 1


def test_types_that_are_unknown_and_documents_related_to_themselves_are_left_out() -> None:
    assert combine([edge("unheard-of", 1.0), DocumentRelation("a", "causal", "a")]) == []


@given(st.lists(RELATIONS, max_size=12))
def test_order_and_repetition_change_nothing(relations: list[DocumentRelation]) -> None:
    found = combine(relations)
    assert combine(relations[::-1]) == found
    assert combine([*relations, *relations]) == found
    assert combine(found) == found
    assert all(0 <= each.weight <= 1 and each.source != each.target for each in found)
    assert len({each.key for each in found}) == len(found)
