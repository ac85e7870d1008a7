"""Entities and facts: who or what a name means, what is known of it, since when and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.core.errors import UsageError
from hearth.core.graph import ENTITY_TYPES, PREDICATES
from hearth.graph import entities, facts, naming
from hearth.graph.entities import list_entities
from hearth.graph.names import MAX_NAME_CHARS
from hearth.memory.state.changes import Remarks
from hearth.operations import state
from hearth.operations.arguments import Arguments, OneOf, Place, text, texts, whole
from hearth.operations.operation import Operation, Request
from hearth.operations.rows import DATE, instant
from hearth.operations.shapes import FLAG, INSTANT, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.graph.entities import EntityListing, EntityView
    from hearth.graph.facts import FactsView
    from hearth.graph.naming import NamesChanged

_ACTIONS = ("merge", "alias", "split")


class EntityName(Arguments):
    name: Annotated[
        str | None,
        text("The name of a person, organization, project, place or tool; without it, who there is.", MAX_NAME_CHARS),
    ] = None
    type: Annotated[
        Annotated[str, OneOf(*ENTITY_TYPES)] | None, text("Without a name: only entities of this type.", 20)
    ] = None
    query: Annotated[str | None, text("Without a name: only those whose names hold it.", MAX_NAME_CHARS)] = None
    limit: Annotated[int, whole("At most so many mentions, or entities (default 10).", 1, 100)] = 10


class NameSaid(state.Reasoned):
    action: Annotated[
        Annotated[str, OneOf(*_ACTIONS)],
        text(
            "merge: name, which is known, is of from now on. alias: of also goes by name. split: name means itself "
            "alone; with references, in those documents it is a namesake, of.",
            10,
        ),
    ]
    name: Annotated[str, text("The name.", MAX_NAME_CHARS)]
    of: Annotated[str | None, text("Whom or what it means.", MAX_NAME_CHARS)] = None
    references: Annotated[
        tuple[Place, ...], texts("For split: the documents of the namesake.", naming.MOST_DOCUMENTS)
    ] = ()


def _say(call: Request, given: NameSaid) -> NamesChanged:
    remarks = Remarks(given.reason, call.actor)
    if given.action == "split":
        return naming.split(call.vault, given.name, remarks, of=given.of, references=given.references)
    if given.of is None:
        raise UsageError(f"{given.action} needs of: whom or what the name means")
    act = naming.merge if given.action == "merge" else naming.alias
    return act(call.vault, given.name, given.of, remarks)


def _describe(call: Request, given: EntityName) -> EntityView | EntityListing:
    if given.name is None:
        return list_entities(call.vault, given.type, given.query or "", given.limit)
    if given.type is not None or given.query is not None:
        raise UsageError("type and query choose among all entities; leave the name out")
    return entities.describe(call.vault, given.name, given.limit)


_MENTION = obj(
    {"docid": TEXT, "collection": TEXT, "path": TEXT, "line": WHOLE, "snippet": TEXT}, {"date": maybe(INSTANT)}
)
_FACT = obj(
    {"date": TEXT, "text": TEXT, "source": TEXT, "docid": TEXT, "path": TEXT, "line": WHOLE}, {"until": maybe(TEXT)}
)
_SUMMED = obj({"section": TEXT, "text": TEXT, "sources": TEXTS, "own": FLAG}, {"date": TEXT})
_LISTED = obj({"id": TEXT, "name": TEXT, "type": TEXT, "aliases": TEXTS, "documents": WHOLE})
_COMPANION = obj({"name": TEXT, "type": TEXT, "together": WHOLE, "lift": NUMBER})

ENTITIES = Operation(
    "entities",
    "Who or what is it",
    "Show an entity: its other names, mentions and related entities; without a name, list the entities.",
    EntityName,
    obj(
        {},
        {
            "asked": TEXT,
            "aliases": TEXTS,
            "mentions": listed(_MENTION, "Newest first."),
            "total": WHOLE | {"description": "Lines that hold the name, of the 100 best passages."},
            "company": listed(_COMPANION, "Names in the same passages, by how much more often than anywhere."),
            "facts": listed(_FACT, "What its own files say of it, by date."),
            "synthesis": listed(_SUMMED, "What these sum up, each sentence with its sources (docids)."),
            "candidates": TEXTS | {"description": "Whom a name may mean that several go by."},
            "alike": TEXTS | {"description": "Names much like one that no passage holds."},
            "id": maybe(TEXT),
            "name": maybe(TEXT),
            "type": maybe(TEXT),
            "entities": listed(_LISTED, "Those in most documents first."),
            "unread": WHOLE | {"description": "Documents still to be read for names; ask again."},
        },
    ),
    _describe,
)
NAMES = Operation(
    "names",
    "Say whom a name means",
    "Say that two names mean the same, or one several: merge, alias or split entities. Undone by its event.",
    NameSaid,
    obj({"action": TEXT, "name": TEXT, "of": TEXT, "documents": TEXTS, "events": TEXTS}),
    _say,
    writes=True,
)


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


_STATED_FACT = obj(
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
            "facts": listed(_STATED_FACT, "What holds first, the newest of it first."),
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
