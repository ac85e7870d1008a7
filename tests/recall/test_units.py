"""What is packed first: turns by what they say, echoes below what they repeat."""

from __future__ import annotations

import pytest

from hearth.core.document import INTERNAL, DocumentState, FileState
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.hits import split_units
from hearth.recall.ranking.candidate import Candidate
from hearth.testing import document

SAID = "we use NATS instead of RabbitMQ for the order queue, because replays are cheaper."
OTHER = "orders wait in Kafka since the move, which nobody has written down anywhere yet."


def fragment(score: float, collection: str, text: str, row: int, first: int = 1) -> Candidate:
    kind = "conversation" if collection == INTERNAL else "note"
    made = document(collection, f"{row}.md", text, content_type=kind)
    last = first + text.count("\n")
    part = StoredFragment(
        row * 100 + first, row, 0, "turn" if kind == "conversation" else "text", first, last, 0, len(text), (), "", text
    )
    return Candidate(part, StoredDocument(row, made, FileState(0, 0, 0, b""), DocumentState()), score, score)


def talk(answer: str) -> str:
    asked = "## User\n\nis RabbitMQ still in use for orders?\n\n"
    return f"{asked}## Assistant\n\nNo longer, {answer}\n\n## User\n\nand why?\n"


def rows(*candidates: Candidate) -> list[int]:
    return [part.document.id for part in split_units(candidates, lambda texts: [0.5 for _ in texts])]


def test_turns_gain_from_those_beside_them() -> None:
    said = fragment(0.77, INTERNAL, talk(OTHER), 2)
    assert rows(fragment(0.89, "notes", f"Decision: {SAID}", 1), said)[0] == 2


@pytest.mark.parametrize("score", [0.89, 0.77])
def test_what_repeats_a_passage_before_it_stays_below(score: float) -> None:
    echo = fragment(0.77, INTERNAL, talk(SAID), 2)
    assert rows(fragment(score, "notes", f"Decision: {SAID}", 1), echo) == [1, 2, 2, 2]


def test_so_do_the_other_turns_of_what_was_said_then() -> None:
    echo, beside = fragment(0.77, INTERNAL, talk(SAID), 2), fragment(0.7, INTERNAL, talk(OTHER), 2, first=13)
    assert rows(fragment(0.89, "notes", f"Decision: {SAID}", 1), echo, beside)[0] == 1


def test_what_stood_before_the_passage_stays_before_it() -> None:
    best, echo = fragment(0.95, INTERNAL, talk(OTHER), 2), fragment(0.77, INTERNAL, talk(SAID), 2, first=13)
    assert rows(best, fragment(0.89, "notes", f"Decision: {SAID}", 1), echo)[0] == 2


def test_it_stands_directly_below_what_it_repeats() -> None:
    echo, other = fragment(0.77, INTERNAL, talk(SAID), 2), fragment(0.5, "notes", "Queues are of wood.", 3)
    assert rows(fragment(0.89, "notes", f"Decision: {SAID}", 1), echo, other) == [1, 2, 2, 2, 3]
