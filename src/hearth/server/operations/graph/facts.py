"""Facts: what is known of a name, since when and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.engine.graph import facts
from hearth.engine.graph.aliases import MAX_NAME_CHARS
from hearth.model.fact import PREDICATES
from hearth.server.moments import DATE, instant
from hearth.server.operations.arguments import Arguments, OneOf, text, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import FLAG, INSTANT, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.engine.graph.facts import FactsView


class FactsOf(Arguments):
    name: Annotated[str, text("Of whom or what: a person, service, tool, place.", MAX_NAME_CHARS)]
    predicate: Annotated[Annotated[str, OneOf(*PREDICATES)] | None, text("Only such facts.", 20)] = None
    direction: Annotated[
        Annotated[str, OneOf(*facts.DIRECTIONS)], text("outgoing: the name is the subject; incoming: the object.", 10)
    ] = "both"
    as_of: Annotated[str | None, text(f"Only what held then: {DATE}.", 40, format="date-time")] = None
    limit: Annotated[int, whole("At most so many facts (default 50).", 1, 100)] = 50


def _find(call: Request, given: FactsOf) -> FactsView:
    end = instant(given.as_of, "as_of", call.vault.zone, end=True)
    return facts.find_facts(
        call.vault,
        given.name,
        predicate=given.predicate,
        direction=given.direction,
        as_of=None if end is None else end - 1,
        limit=given.limit,
    )


_FACT = obj(
    {
        "subject": TEXT,
        "predicate": TEXT,
        "object": TEXT,
        "confidence": NUMBER,
        "quote": TEXT,
        "docid": TEXT,
        "collection": TEXT,
        "path": TEXT,
        "line": WHOLE,
    },
    {"valid_from": maybe(INSTANT), "valid_to": maybe(INSTANT)},
)

FACTS = Operation(
    "facts",
    "What is known of it",
    "List the facts of a name: who uses, owns, replaced or depends on what, since and until when, and who says so.",
    FactsOf,
    obj(
        {
            "asked": TEXT,
            "facts": listed(_FACT, "What holds first, the newest of it first."),
            "total": WHOLE,
            "known": WHOLE | {"description": "With those of other times, and those that were not asked for."},
            "left_out": WHOLE
            | {"description": f"Beyond {facts.MOST_OF_ONE} facts of one document, the newest of which count."},
            "candidates": TEXTS
            | {"description": "Where nothing is known: much like it, or in the same passages, of what something is."},
            "alike": TEXTS | {"description": "Names much like one that no passage holds."},
            "truncated": FLAG | {"description": "More passages of notes hold it than were read."},
        }
    ),
    _find,
)
