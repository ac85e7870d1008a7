"""Entities: who or what a name names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.engine.graph import entities, naming
from hearth.engine.graph.aliases import MAX_NAME_CHARS
from hearth.engine.graph.listing import list_entities
from hearth.engine.state.changes import Remarks
from hearth.errors import UsageError
from hearth.model.graph.entity import ENTITY_TYPES
from hearth.server.operations import state
from hearth.server.operations.arguments import Arguments, OneOf, Place, text, texts, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import FLAG, INSTANT, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.engine.graph.entities import EntityView
    from hearth.engine.graph.listing import EntityListing
    from hearth.engine.graph.naming import NamesChanged

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
    "Say who or what a name names: its other names, where it is mentioned, in whose company; without it, who there is.",
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
