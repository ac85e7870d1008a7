from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.extraction import (
    MAX_MEMORIES,
    Category,
    Evidence,
    ExtractedEntity,
    ExtractedMemory,
    Extraction,
    Importance,
    Source,
    Statement,
    Tier,
    admitted,
)
from hearth.core.transcript import Kind, TranscriptEntry, Turn

TURN = Turn(
    3, prompts=(TranscriptEntry(Kind.USER, "We keep  jars\nin the attic."),), replies=("Jars go to the cellar.",)
)


def memory(quote: str, *, turn: int = 3, source: Source = Source.PERSON, confidence: float = 0.97) -> ExtractedMemory:
    return ExtractedMemory(Category.FACT, f"says {quote}", confidence, Evidence(turn, quote, source))


def kept(*memories: ExtractedMemory) -> Extraction:
    return admitted(Extraction(memories=memories), [TURN])


def test_a_quote_is_found_whatever_its_case_and_white_space() -> None:
    assert len(kept(memory("we KEEP jars in\n the attic")).memories) == 1


def test_an_item_whose_quote_nobody_said_is_dropped_and_told() -> None:
    wrong = [memory("in the cellar"), memory("attic", turn=4), memory(" ")]
    found = kept(*wrong)
    assert found.memories == ()
    assert len(found.dropped) == 3 and "does not occur" in found.dropped[0].reason


def test_the_words_of_the_assistant_are_no_words_of_the_person_and_at_most_implied() -> None:
    assert kept(memory("Jars go to the cellar")).memories == ()
    (found,) = kept(memory("Jars go to the cellar", source=Source.ASSISTANT)).memories
    assert found.tier is Tier.IMPLIED


def test_beyond_a_limit_the_surest_and_weightiest_stay_in_their_order() -> None:
    many = [memory("attic", confidence=0.5 + at / 100) for at in range(MAX_MEMORIES + 5)]
    found = kept(*many)
    assert found.memories == tuple(many[5:])
    assert [item.reason for item in found.dropped] == [f"over {MAX_MEMORIES} in one batch"] * 5


def test_what_is_trivial_is_left_out_and_other_kinds_have_limits_of_their_own() -> None:
    trivial = ExtractedMemory(Category.FACT, "ok", 0.97, Evidence(3, "attic"), importance=Importance(0.1))
    entities = tuple(ExtractedEntity(f"jar {at}", "concept", (), Evidence(3, "jars")) for at in range(9))
    profile = tuple(Statement(f"likes jar {at}", Evidence(3, "jars")) for at in range(9))
    found = admitted(Extraction((trivial,), entities=entities, profile=profile), [TURN])
    assert (len(found.memories), len(found.entities), len(found.profile)) == (0, 6, 4)


@given(st.floats(0, 1))
def test_a_tier_is_the_highest_whose_least_confidence_is_reached(confidence: float) -> None:
    tier = Tier.of(confidence)
    assert confidence >= tier.least
    assert all(confidence < other.least for other in Tier if other.least > tier.least)
