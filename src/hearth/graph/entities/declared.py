"""Names that somebody declared, and the id of an entity."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hearth.core.document import Document
from hearth.core.graph import EntityType, NamedEntity
from hearth.core.types import ENTITY
from hearth.graph.entities.aliases import read_said
from hearth.graph.entities.entity_files import filed_name, tagged_kind
from hearth.graph.entities.names import find_passages
from hearth.graph.entities.resolve import identify, key_of, slug_of
from hearth.language.entities.known import MOST_WORDS, KnownTrie
from hearth.language.entities.words import is_capitalised
from hearth.ports import Filter, Reader, Writer
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


_DECLARED, _KNOWN = "entities.declared", "entities.known"
# Of a name that became known, or is known no more.
_MOST_PASSAGES = 20_000


class DeclaredNames:
    """``known`` are spellings with whom each means."""

    def __init__(self, known: Mapping[str, NamedEntity]) -> None:
        self._trie = KnownTrie(known)
        self._meant = {key_of(spelled): whom for spelled, whom in known.items()}

    def holds(self, name: str) -> bool:
        return key_of(name) in self._meant

    def find(self, text: str) -> Iterator[NamedEntity]:
        return self._trie.find(text)

    def means(self, name: NamedEntity) -> NamedEntity:
        """Whom a name means that was declared to be another's."""
        meant = self._meant.get(key_of(name.name), name)
        return name if key_of(meant.name) == key_of(name.name) else meant


def declared_name(document: Document) -> NamedEntity | None:
    """Whom a document is about, where it is the file of an entity, or has aliases and is called as somebody is."""
    filed = filed_name(document)
    if filed is not None or not document.aliases or document.trust == "external":
        return filed
    if not is_capitalised(document.title) or len(document.title.split()) > MOST_WORDS:
        return None
    return NamedEntity(document.title, tagged_kind(document) or "other")


def note_declared(writer: Writer, documents: Iterable[Document]) -> None:
    """After their names were read."""
    before = writer.meta(_DECLARED) or "{}"
    declared = json.loads(before)
    for one in documents:
        name = declared_name(one)
        declared.pop(one.docid, None)
        if name is not None:
            declared[one.docid] = [*name, *one.aliases]
    after = json.dumps(declared, ensure_ascii=False, sort_keys=True)
    if after != before:
        writer.set_background(_DECLARED, after)


def read_known(reader: Reader) -> dict[str, NamedEntity]:
    """Spellings with whom they mean: an alias of a document means whom that is about, unless others are called so; what
    people said of a name stands in the journal, and the name for itself."""
    declared = json.loads(reader.meta(_DECLARED) or "{}")
    shown = reader.admitted(sorted(declared), Filter())
    meant: dict[str, dict[str, NamedEntity]] = {}
    spelled: dict[str, str] = {}
    for docid in sorted(shown):
        title, kind, *aliases = declared[docid]
        for name in (title, *aliases):
            spelled.setdefault(key_of(name), name)
            meant.setdefault(key_of(name), {}).setdefault(key_of(title), NamedEntity(title, kind))
    known = {spelled[key]: next(iter(whom.values())) for key, whom in meant.items() if key and len(whom) == 1}
    said = read_said(reader)
    known.update(
        {said.spelled[key]: NamedEntity(said.spelled[key]) for key, of in said.everywhere.items() if key_of(of) != key}
    )
    return known


def find_outdated(reader: Reader, known: Mapping[str, NamedEntity]) -> list[int]:
    """Rows of the documents that hold a name which became known, means somebody else, or is known no more, since
    ``note_known``."""
    before = {name: NamedEntity(*whom) for name, whom in json.loads(reader.meta(_KNOWN) or "{}").items()}
    names = [name for name in sorted({*before, *known}) if before.get(name) != known.get(name)]
    return sorted({row for name in names for row in _find_holders(reader, name)})


def _find_holders(reader: Reader, name: str) -> Iterator[int]:
    """Rows of the documents that a trie finds the name in, and of those where it was read, however it is spelled."""
    everywhere = Filter(include_hidden=True)
    trie = KnownTrie({name: NamedEntity(name)})
    held = find_passages(reader, name, everywhere, _MOST_PASSAGES, lambda text: any(trie.find(text)))
    yield from (one.stored.id for one in held)
    yield from (document for document, _ in reader.naming([key_of(name)], everywhere, _MOST_PASSAGES))


def note_known(writer: Writer, known: Mapping[str, NamedEntity]) -> None:
    after = json.dumps(known, ensure_ascii=False, sort_keys=True)
    if after != (writer.meta(_KNOWN) or "{}"):
        writer.set_background(_KNOWN, after)
