"""Who and what the documents name, those of most documents first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any

from hearth.engine.graph.aliases import read_said
from hearth.engine.graph.mentioned.declared import read_known
from hearth.engine.graph.mentioned.identity import find_identities
from hearth.errors import UsageError
from hearth.extract.entities.code import is_code_name
from hearth.graph.resolve import KnownNames, key_of
from hearth.lazy import dataclass, regex
from hearth.model.graph.entity import ENTITY_TYPES, EntityType, HeldName, NamedEntity
from hearth.ports import Filter

if TYPE_CHECKING:
    from hearth.engine.vault import Vault
    from hearth.ports import Reader

# Spellings among which names are joined; rarer ones stand alone.
_MOST_SPELLINGS = 2_000
# So many documents of one are counted; beyond, hidden ones count as well.
_MOST_COUNTED = 1_000
_FILE = regex(r"\w\.(?!js$|io$|ai$|net$|com$|org$)[a-z]{1,5}\d?$|^\w+(?:\.[A-Z]\w+)+$")


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """``id`` is ``<type>-<slug>``; ``documents`` counts those that hold one of its names."""

    id: str
    entity: NamedEntity
    aliases: tuple[str, ...]
    documents: int

    def to_dict(self) -> dict[str, Any]:
        told = {"id": self.id, "name": self.entity.name, "type": self.entity.type}
        return told | {"aliases": list(self.aliases), "documents": self.documents}


@dataclass(frozen=True, slots=True)
class EntityListing:
    """``unread`` documents are still to be read for names."""

    entities: tuple[ListedEntity, ...]
    unread: int

    def to_dict(self) -> dict[str, Any]:
        return {"entities": [one.to_dict() for one in self.entities], "unread": self.unread}


def list_entities(vault: Vault, kind: str | None = None, query: str = "", limit: int = 10) -> EntityListing:
    """Of one type or of all, whose names hold ``query``; without either only those whose type some passage tells. Reads
    the names of at most 2,000 documents first. Raises ``UsageError`` for a type that there is not."""
    if kind is not None and kind not in ENTITY_TYPES:
        raise UsageError(f"{kind!r} is no type; one of: {', '.join(ENTITY_TYPES)}")
    vault.graph.names().catch_up()
    with vault.store.read() as reader:
        held = reader.held_names(_MOST_SPELLINGS, None, key_of(query))
        names = KnownNames(map(_typed, held), read_said(reader).everywhere)
        within = Filter(at=vault.clock())
        declared = {key_of(one.name) for one in read_known(reader).values()}
        found: list[tuple[NamedEntity, tuple[str, ...], int]] = []
        groups = _group(held, names)
        # What code is called comes last, unless it is asked for.
        for entity, spelled in groups if query else sorted(groups, key=lambda one: is_code_name(one[0].name)):
            if kind not in (None, entity.type):
                continue
            count = _count(reader, spelled, within)
            if count and (query or kind == entity.type or _is_told(entity, count, declared)):
                found.append((entity, tuple(sorted({one.name for one in spelled} - {entity.name})), count))
            if len(found) >= limit:
                break
        unread = vault.graph.names().missing(reader)
        ids = find_identities(reader, [entity for entity, _, _ in found])
    listed = (ListedEntity(ids[key_of(one.name)], one, also, count) for one, also, count in found)
    return EntityListing(
        tuple(sorted(listed, key=lambda one: (not query and is_code_name(one.entity.name), -one.documents, one.id))),
        unread,
    )


def _is_told(entity: NamedEntity, count: int, declared: Set[str]) -> bool:
    """Whether to list it where no name is given: a note or a file is about it, or its type is known; a tool must be in
    two documents and be no file."""
    if key_of(entity.name) in declared or entity.type not in ("tool", "other"):
        return count > 0
    return count > 1 and entity.type == "tool" and not _FILE.search(entity.name)


def _typed(held: HeldName) -> NamedEntity:
    return NamedEntity(held.name, held.type)


def _count(reader: Reader, spelled: Sequence[HeldName], within: Filter) -> int:
    """Documents that hold one of the spellings; of many, as many as the index counts of the most frequent."""
    count = reader.count_naming(list(dict.fromkeys(one.key for one in spelled)), within, _MOST_COUNTED)
    return count if count < _MOST_COUNTED else max(count, *(one.documents for one in spelled))


def _group(held: Sequence[HeldName], names: KnownNames) -> Iterable[tuple[NamedEntity, list[HeldName]]]:
    """Entities with their spellings, in the order of their most frequent one."""
    groups: dict[str, list[HeldName]] = {}
    for one in held:
        meant = names.resolve(one.name).name or one.name
        groups.setdefault(key_of(meant), []).append(one)
    for key, rows in groups.items():
        kinds: Counter[EntityType] = Counter()
        for row in rows:
            kinds[row.type] += row.documents * (row.type != "other")
        name = next((row.name for row in rows if row.key == key), rows[0].name)
        # Whatever acts is taken for a person where nothing says otherwise.
        kind = max(kinds, key=lambda one: (kinds[one], one != "person"))
        yield NamedEntity(name, kind if kinds[kind] else "other"), rows
