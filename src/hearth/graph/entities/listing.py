"""Who and what the documents name, those of most documents first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from hearth.core.errors import UsageError
from hearth.core.graph import ENTITY_TYPES, EntityType, HeldName, NamedEntity
from hearth.core.lazy import dataclass, regex
from hearth.core.types import CONTENT_TYPES
from hearth.graph.entities.aliases import read_said
from hearth.graph.entities.declared import DeclaredNames, find_identities, read_known
from hearth.graph.entities.reading import find_sure_keys
from hearth.graph.entities.resolve import KnownNames, key_of, less_form
from hearth.language.entities.markup import is_code_name
from hearth.language.entities.words import is_ordinary
from hearth.ports import Filter
from hearth.recall.ranking.diversify import QUOTING

if TYPE_CHECKING:
    from hearth.ports import Reader
    from hearth.vault.vault import Vault

# Spellings among which names are joined; rarer ones stand alone.
_MOST_SPELLINGS = 2_000
# So many documents of one are counted; beyond, hidden ones count as well.
_MOST_COUNTED = 1_000
_LEAST_DOCUMENTS = 2
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
        # A conversation is full of logs and code: what is named there alone is found by name.
        types = () if query else tuple(one for one in CONTENT_TYPES if one not in QUOTING)
        within = Filter(types=types, at=vault.clock())
        known = read_known(reader)
        declared = {key_of(one.name) for one in known.values()}
        found: list[tuple[NamedEntity, tuple[str, ...], int]] = []
        groups = _group(held, names)
        for entity, spelled in groups:
            if kind not in (None, entity.type):
                continue
            count = _count(reader, spelled, within)
            told = count and (query or kind == entity.type or _is_told(entity, spelled, count, declared))
            # Where others stand in several documents, one of a single document needs to be told to be a person.
            single = count == 1 and not query and bool(found) and found[0][2] > 1
            if told and not (single and _is_unsure(reader, entity, spelled, known)):
                found.append((entity, tuple(sorted({one.name for one in spelled} - {entity.name})), count))
            if len(found) >= limit:
                break
        unread = vault.graph.names().missing(reader)
        ids = find_identities(reader, [entity for entity, _, _ in found])
    listed = (ListedEntity(ids[key_of(one.name)], one, also, count) for one, also, count in found)
    return EntityListing(
        tuple(sorted(listed, key=lambda one: (-one.documents, one.id))),
        unread,
    )


def _is_told(entity: NamedEntity, spelled: Sequence[HeldName], count: int, declared: Set[str]) -> bool:
    """Whether to list it where no name is given: a note or a file is about it, or its type is known, of a tool by two
    documents, and it is no name of code or of a file."""
    if key_of(entity.name) in declared:
        return True
    if entity.type == "other" or is_code_name(entity.name) or _FILE.search(entity.name):
        return False
    told = min(count, sum(row.documents for row in spelled if row.type == entity.type))
    return told >= (_LEAST_DOCUMENTS if entity.type == "tool" else 1)


def _is_unsure(
    reader: Reader, entity: NamedEntity, spelled: Sequence[HeldName], known: Mapping[str, NamedEntity]
) -> bool:
    """Whether the one document that holds a name takes it for a person's by its form alone, as many a brand has it."""
    if entity.type != "person":
        return False
    keys = [one.key for one in spelled]
    rows = [row for row, _ in reader.naming(keys, Filter(), 1)]
    names = DeclaredNames(known)
    return all(
        find_sure_keys(stored.document, list(reader.fragments_of(stored.id)), names).isdisjoint(keys)
        for stored in reader.documents(rows).values()
    )


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
        name = next((row.name for row in rows if row.key == key), rows[0].name)
        yield NamedEntity(name, _choose_type(rows)), rows


def _choose_type(rows: Sequence[HeldName]) -> EntityType:
    """What most documents take it for. Whatever acts is taken for a person where nothing says otherwise: half of all
    documents have to. A phrase of ordinary words is none because a tag glues it together."""
    if any(map(less_form, (row.name for row in rows if row.type != "person"))):
        return "organization"
    plain = any(" " in row.name and all(map(is_ordinary, row.name.split())) for row in rows)
    kinds: Counter[EntityType] = Counter()
    for row in rows:
        kinds[row.type] += row.documents * (not plain or " " in row.name)
    total = kinds.total()
    if 2 * kinds["person"] < total:
        del kinds["person"]
    del kinds["other"]
    return max(kinds, key=lambda one: kinds[one]) if any(kinds.values()) else "other"
