"""Entities: whoever or whatever goes by a name."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

EntityType = Literal["person", "organization", "project", "place", "tool", "concept", "other"]
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)


class NamedEntity(NamedTuple):
    """A name as it is written, and what it names there."""

    name: str
    type: EntityType = "other"


class HeldName(NamedTuple):
    """A spelling that documents hold, hidden ones too, as the name of something of a type; ``key`` is that of
    ``graph.resolve``."""

    key: str
    name: str
    type: EntityType
    documents: int
