"""The id of an entity: that of its file where it has one, else its type and name, numbered where others take it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hearth.engine.graph.entity_files import filed_name
from hearth.graph.resolve import identify, key_of, slug_of
from hearth.model.graph.entity import EntityType, NamedEntity
from hearth.model.types import ENTITY
from hearth.ports import Filter, Reader
from hearth.text.names import name_key

# Names that may take an id, those of most documents.
_MOST_HELD, _MOST_FILES = 2_000, 16


def find_identities(reader: Reader, entities: Sequence[NamedEntity]) -> dict[str, str]:
    """By key. Numbers follow the keys of the names, so that whoever is asked for has the id that is listed."""
    wanted = {key_of(one.name): one for one in entities}
    slugs = {(one.type, slug_of(one.name)) for one in wanted.values()}
    filed = _find_filed(reader, [*(one.name for one in wanted.values()), *("-".join(slug) for slug in slugs)])
    rivals = {key: one for key, one in _read_held(reader).items() if (one.type, slug_of(one.name)) in slugs}
    rest = [one for key, one in sorted({**rivals, **wanted}.items()) if key not in filed]
    return {**identify(rest, filed.values()), **filed}


def _find_filed(reader: Reader, names: Sequence[str]) -> dict[str, str]:
    """Keys of whom files are about, of those that are called so, with what the first file is called."""
    keys = sorted({key for key in map(name_key, names) if key})
    rows = reader.called(keys, Filter(types=(ENTITY,)), max(_MOST_FILES, len(keys)))
    found: dict[str, str] = {}
    for document in sorted((one.document for one in reader.documents(rows).values()), key=lambda one: one.path):
        name = filed_name(document)
        stem = document.path.rpartition("/")[2].partition(".")[0]
        if name is not None and stem.startswith(f"{name.type}-{slug_of(name.name)}"):
            found.setdefault(key_of(name.name), stem)
    return found


def _read_held(reader: Reader) -> dict[str, NamedEntity]:
    """As what most documents hold each."""
    kinds: dict[str, Counter[EntityType]] = {}
    names: dict[str, str] = {}
    for one in reader.held_names(_MOST_HELD):
        names.setdefault(one.key, one.name)
        kinds.setdefault(one.key, Counter())[one.type] += one.documents * (one.type != "other")
    best = {key: max(counts, key=lambda kind: counts[kind]) for key, counts in kinds.items()}
    return {key: NamedEntity(name, best[key] if kinds[key][best[key]] else "other") for key, name in names.items()}
