"""Entities: who or what a name names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.engine.graph import entities
from hearth.server.operations.arguments import Arguments, text, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import INSTANT, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj

if TYPE_CHECKING:
    from hearth.engine.graph.entities import EntityView


class EntityName(Arguments):
    name: Annotated[str, text("The name of a person, organization, project, place or tool.", entities.MAX_NAME_CHARS)]
    limit: Annotated[int, whole("At most so many mentions (default 10).", 1, 100)] = 10


def _describe(call: Request, given: EntityName) -> EntityView:
    return entities.describe(call.vault, given.name, given.limit)


_MENTION = obj(
    {"docid": TEXT, "collection": TEXT, "path": TEXT, "line": WHOLE, "snippet": TEXT}, {"date": maybe(INSTANT)}
)
_COMPANION = obj({"name": TEXT, "type": TEXT, "together": WHOLE, "lift": NUMBER})

ENTITIES = Operation(
    "entities",
    "Who or what is it",
    "Say who or what a name names: its other names, where it is mentioned, and in whose company.",
    EntityName,
    obj(
        {
            "asked": TEXT,
            "aliases": TEXTS,
            "mentions": listed(_MENTION, "Newest first."),
            "total": WHOLE | {"description": "Lines that hold the name, of the 100 best passages."},
            "company": listed(_COMPANION, "Names in the same passages, by how much more often than anywhere."),
            "candidates": TEXTS | {"description": "Whom a name may mean that several go by."},
        },
        {"name": maybe(TEXT), "type": maybe(TEXT)},
    ),
    _describe,
)
