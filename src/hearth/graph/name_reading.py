"""Finds names in the texts of a document, with the names that files declare."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from hearth.core.document import Document
from hearth.core.graph import ENTITY_TYPES, EntityType, NamedEntity
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import ENTITY
from hearth.graph.names import find_fragments, kind_from_tags, name_of_file
from hearth.language.entities import MOST_ENTITIES, find_entities
from hearth.language.entity_words import (
    MOST_WORDS,
    KnownTrie,
    find_code,
    find_speakers,
    is_capitalised,
    is_code_name,
    is_ordinary,
    read_cues,
)
from hearth.language.marked_names import find_signed
from hearth.language.name_matching import KnownNames, ResolvedName, identify, key_of, person_words, slug_of
from hearth.ports import Filter, Reader, StoredFragment, Writer
from hearth.text.language import background_share
from hearth.text.names import name_key
from hearth.text.terms import chunk_terms
from hearth.vault.changes import read_stated_names
from hearth.vault.documents import DocumentTexts

# Names that may take an id, those of most documents.
_MOST_HELD, _MOST_FILES = 2_000, 16


def find_identities(reader: Reader, entities: Sequence[NamedEntity]) -> dict[str, str]:
    """By key. Numbers follow the keys of the names, so that whoever is asked for has the id that is listed."""
    wanted = {key_of(one.name): one for one in entities}
    slugs = {(one.type, slug_of(one.name)) for one in wanted.values()}
    filed = _find_filed(reader, [*(one.name for one in wanted.values()), *("-".join(slug) for slug in slugs)])
    rivals = {key: one for key, one in _read_common_names(reader).items() if (one.type, slug_of(one.name)) in slugs}
    rest = [one for key, one in sorted({**rivals, **wanted}.items()) if key not in filed]
    return {**identify(rest, filed.values()), **filed}


def _find_filed(reader: Reader, names: Sequence[str]) -> dict[str, str]:
    """Keys of whom files are about, of those that are called so, with what the first file is called."""
    keys = sorted({key for key in map(name_key, names) if key})
    rows = reader.find_rows("name", keys, Filter(types=(ENTITY,)), max(_MOST_FILES, len(keys)))
    found: dict[str, str] = {}
    for document in sorted((one.document for one in reader.documents(rows).values()), key=lambda one: one.path):
        name = name_of_file(document)
        stem = document.path.rpartition("/")[2].partition(".")[0]
        if name is not None and stem.startswith(f"{name.type}-{slug_of(name.name)}"):
            found.setdefault(key_of(name.name), stem)
    return found


def _read_common_names(reader: Reader) -> dict[str, NamedEntity]:
    """As what most documents hold each."""
    kinds: dict[str, Counter[EntityType]] = {}
    names: dict[str, str] = {}
    for one in reader.list_spellings(_MOST_HELD):
        names.setdefault(one.key, one.name)
        kinds.setdefault(one.key, Counter())[one.type] += one.documents * (one.type != "other")
    best = {key: max(counts, key=lambda kind: counts[kind]) for key, counts in kinds.items()}
    return {key: NamedEntity(name, best[key] if kinds[key][best[key]] else "other") for key, name in names.items()}


_DECLARED, _KNOWN = "entities.declared", "entities.known"
# Of a name that became known, or is known no more.
_MOST_FRAGMENTS = 20_000


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


def find_declared_name(document: Document) -> NamedEntity | None:
    """Whom a document is about, where it is the file of an entity, or has aliases and is called as somebody is."""
    filed = name_of_file(document)
    if filed is not None or not document.aliases or document.trust == "external":
        return filed
    if not is_capitalised(document.title) or len(document.title.split()) > MOST_WORDS:
        return None
    return NamedEntity(document.title, kind_from_tags(document) or "other")


def note_declared(writer: Writer, documents: Iterable[Document]) -> None:
    """After their names were read."""
    before = writer.meta(_DECLARED) or "{}"
    declared = json.loads(before)
    for one in documents:
        name = find_declared_name(one)
        declared.pop(one.docid, None)
        if name is not None:
            declared[one.docid] = [*name, *one.aliases]
    after = json.dumps(declared, ensure_ascii=False, sort_keys=True)
    if after != before:
        writer.set_meta(_DECLARED, after, aside=True)


def read_known(reader: Reader) -> dict[str, NamedEntity]:
    """Spellings with whom they mean: an alias of a document means whom that is about, unless others are called so; what
    people said of a name stands in the journal, and the name for itself."""
    declared = json.loads(reader.meta(_DECLARED) or "{}")
    shown = reader.find_rows("docid", sorted(declared), Filter())
    meant: dict[str, dict[str, NamedEntity]] = {}
    spelled: dict[str, str] = {}
    for docid in sorted(shown.values()):
        title, kind, *aliases = declared[docid]
        for name in (title, *aliases):
            spelled.setdefault(key_of(name), name)
            meant.setdefault(key_of(name), {}).setdefault(key_of(title), NamedEntity(title, kind))
    known = {spelled[key]: next(iter(whom.values())) for key, whom in meant.items() if key and len(whom) == 1}
    stated = read_stated_names(reader)
    known.update(
        {
            stated.spelled[key]: NamedEntity(stated.spelled[key])
            for key, of in stated.everywhere.items()
            if key_of(of) != key
        }
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
    fragments = find_fragments(reader, name, everywhere, _MOST_FRAGMENTS, lambda text: any(trie.find(text)))
    yield from (one.stored.id for one in fragments)
    yield from (document for document, _ in reader.naming([key_of(name)], everywhere, _MOST_FRAGMENTS))


def note_known(writer: Writer, known: Mapping[str, NamedEntity]) -> None:
    after = json.dumps(known, ensure_ascii=False, sort_keys=True)
    if after != (writer.meta(_KNOWN) or "{}"):
        writer.set_meta(_KNOWN, after, aside=True)


_MAX_NAME_CHARS, _MOST_OF_PERSON, _EVERYDAY = 100, 3, 0.0006
_ELIDED = regex(r"[a-z]{2}['’][a-z]")
_FIELDS: dict[str, EntityType] = {
    "people": "person",
    "person": "person",
    "project": "project",
    "projects": "project",
    "organization": "organization",
    "company": "organization",
    "entity": "other",
}
_ROW = regex(r"(?P<field>[a-z]+):(?P<value>.*)|\s*-\s(?P<item>.*)")
_WORD = regex(r"[^\W_]+")
_FULL_NAME = r"[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’-]+){1,2}"
_HANDLED = regex(
    rf"(?P<name>{_FULL_NAME})(?:\*\*)? [(\[](?P<handle>@[\w-]{{2,39}})[)\]]"
    rf"|(?P<opening>@[\w-]{{2,39}}) \((?P<behind>{_FULL_NAME})\)"
)
_LINK = regex(r"\[\[([^\[\]|#\n]{1,200})")

FragmentNames = list[tuple[int, NamedEntity]]
"""With the row of the fragment that each stands in."""


@dataclass(frozen=True, slots=True)
class NameFinder:
    """Finds the names of each document, in order."""

    known: DeclaredNames

    def __call__(self, texts: DocumentTexts) -> list[FragmentNames]:
        return [names_of(document, fragments, self.known) for document, fragments in texts.documents]


def names_of(document: Document, fragments: Sequence[StoredFragment], known: DeclaredNames) -> FragmentNames:
    """The names in a document's fragments: of more than 64, those that most fragments hold. What is surely of a type in
    one is so in all, and a part of a person's name is the full one where only one of the document has it."""
    read = _read_names(document, fragments, known)
    types = {key_of(one.name): one.type for _, one, sure in reversed(read) if sure and one.type != "other"}
    found = dict.fromkeys(
        (row, one if sure else NamedEntity(one.name, types.get(key_of(one.name), one.type))) for row, one, sure in read
    )
    text = "\n".join(part.text for part in fragments)
    lower_words = {word for word in _WORD.findall(text) if word.islower()}
    joined = [
        (
            row,
            one
            if (key_of(one.name) in types and not _is_noun(one, lower_words, known))
            or _is_full_name(one, lower_words if one.name.lower() not in text else frozenset())
            else NamedEntity(one.name, "other"),
        )
        for row, one in _join_parts(list(found))
    ]
    counts = Counter(key_of(one.name) for _, one in joined)
    # What code is called has the room that others leave.
    code = {key_of(one.name) for _, one in joined if is_code_name(one.name)}
    kept = set(sorted(counts, key=lambda key: (key in code, -counts[key]))[:MOST_ENTITIES])
    return [row for row in joined if key_of(row[1].name) in kept]


def find_sure_keys(document: Document, fragments: Sequence[StoredFragment], known: DeclaredNames) -> frozenset[str]:
    """Of the names whose type a document tells: others are called as persons are, and no more."""
    return frozenset(key_of(one.name) for _, one, sure in _read_names(document, fragments, known) if sure)


def _read_names(
    document: Document, fragments: Sequence[StoredFragment], known: DeclaredNames
) -> list[tuple[int, NamedEntity, bool]]:
    read = _read_fragments(document, fragments)
    own = KnownTrie(
        {one.name: one for _, one, _ in read if " " in one.name and not all(map(is_ordinary, one.name.split()))}
    )
    for part in fragments:
        read += [(part.id, one, False) for names in (known, own) for one in names.find(part.text)]
    handles = _find_handles(fragments, {one.name for _, one, _ in read if " " in one.name})
    return [_resolve(row, one, sure, handles, known) for row, one, sure in read]


def _resolve(
    row: int, one: NamedEntity, sure: bool, handles: Mapping[str, str], known: DeclaredNames
) -> tuple[int, NamedEntity, bool]:
    """Who a name means: a handle whoever it stands beside, and they are a person."""
    name = handles.get(one.name.casefold())
    if name is not None:
        return row, NamedEntity(name, "person"), True
    return row, known.means(one), sure or (one.type == "person" and one.name in handles.values())


def _is_noun(entity: NamedEntity, lower_words: Set[str], known: DeclaredNames) -> bool:
    """Whether what is taken for a person begins with a word of everyday, as roles and headings do: "Story: …"."""
    first, *rest = entity.name.casefold().split() or [""]
    if entity.type != "person" or known.holds(entity.name) or not first.isalpha():
        return False
    given = read_cues()["person", "first"] | read_cues()["person", "either"]
    return first not in given and (_is_everyday(first, frozenset()) if rest else _is_everyday(first, lower_words))


def _is_full_name(entity: NamedEntity, lower_words: Set[str]) -> bool:
    """Whether it is written as first and last names are: two or three words, of which none is among ``lower_words`` of
    the document or in ordinary text, but for first names that are words, too."""
    words = entity.name.split()
    if entity.type != "person" or not 1 < len(words) <= _MOST_OF_PERSON:
        return False
    given = read_cues()["person", "first"] | read_cues()["person", "either"]
    rest = words[1:] if words[0].casefold() in given else words
    written = all((word[1:].islower() or "." in word or "-" in word) and not _ELIDED.search(word) for word in words)
    return written and not any(_is_everyday(word.casefold(), lower_words) for word in rest)


def _is_everyday(word: str, lower_words: Set[str]) -> bool:
    return word in lower_words or any(background_share(term) > _EVERYDAY for term in chunk_terms(word, "en"))


def _find_handles(fragments: Sequence[StoredFragment], names: Set[str]) -> dict[str, str]:
    """Handles in lower case that stand beside one of the names, with that name: "Ines Aldana (@ines)"."""
    found: dict[str, str] = {}
    for pair in (pair for part in fragments if "@" in part.text for pair in _HANDLED.finditer(part.text)):
        beside = pair["name"] or pair["behind"]
        name = max((one for one in names if beside.endswith(one)), key=len, default="")
        if name:
            found[(pair["handle"] or pair["opening"]).casefold()] = name
    return found


def _read_fragments(document: Document, fragments: Sequence[StoredFragment]) -> list[tuple[int, NamedEntity, bool]]:
    """The names in each as its own text tells them, and whom the document is about; with whether the type is sure."""
    about, filed = find_declared_name(document), name_of_file(document)
    # What the tags of such a document say is what it is about.
    kinds = set() if about is None else {f"#{kind}" for kind in ENTITY_TYPES}
    read = [(part.id, one, filed is not None) for part in fragments[:1] if about for one in _as_entities(*about)]
    names_by_id = {part.id: list(_names_in(part, document.language)) for part in fragments}
    speakers = find_speakers((part.text for part in fragments), document.language)
    spoken = {part.id: names for part, names in zip(fragments, speakers, strict=True)}
    words = _list_words(one for rows in names_by_id.values() for one, _ in rows)
    for part in fragments:
        # What needs a cue by itself needs none where the document has the name in full.
        missed = words.intersection(_WORD.findall(part.text)) - {
            word for one, _ in names_by_id[part.id] for word in one.name.split()
        }
        rows = list(_names_in(part, document.language, missed)) if missed else names_by_id[part.id]
        rows += [(one, True) for name in spoken[part.id] for one in _as_entities(name, "person")]
        read += [(part.id, one, sure) for one, sure in rows if one.name not in kinds]
    return read


def _join_parts(found: Sequence[tuple[int, NamedEntity]]) -> list[tuple[int, NamedEntity]]:
    full = KnownNames(one for _, one in found if one.type == "person" and len(person_words(one.name)) > 1)
    joined: dict[tuple[int, NamedEntity], None] = {}
    for row, one in found:
        means = full.resolve(one.name) if one.type in ("person", "other") else ResolvedName(None)
        joined[row, one if means.name is None or means.by != "part" else NamedEntity(means.name, "person")] = None
    return list(joined)


def _list_words(names: Iterable[NamedEntity]) -> set[str]:
    """Of persons' names in full."""
    return {word for one in names if one.type == "person" and " " in one.name for word in one.name.split()}


def _names_in(
    fragment: StoredFragment, language: str, known: Set[str] = frozenset()
) -> Iterator[tuple[NamedEntity, bool]]:
    """With whether the type is sure."""
    if fragment.kind == "frontmatter":
        yield from ((one, True) for one in _fields(fragment.text))
        return
    for entity in find_entities(fragment.text, language, known):
        yield NamedEntity(entity.name, entity.type), entity.sure
    for signed in find_signed(fragment.text):
        if signed.type == "concept":  # a tag files a note, and names nothing
            continue
        # Folders and programs are addressed like persons.
        yield from ((one, signed.name[0] != "@") for one in _as_entities(signed.name, signed.type))
    for name in find_code(fragment.text):
        yield from ((one, True) for one in _as_entities(name, "other"))
    for link in _LINK.findall(fragment.text):
        name = link.rsplit("/", 1)[-1].removesuffix(".md")
        if is_capitalised(name):
            yield from ((one, False) for one in _as_entities(name, "other"))


def _fields(text: str) -> Iterator[NamedEntity]:
    kind: EntityType | None = None
    for row in text.split("\n"):
        found = _ROW.fullmatch(row)
        if found is None:
            kind = None
        elif found["field"] is not None:
            kind = _FIELDS.get(found["field"])
        if found is None or kind is None:
            continue
        field_value = found["value"] if found["item"] is None else found["item"]
        for value in field_value.strip(" []").split(","):
            name = value.strip(" \"'[]")
            yield from _as_entities(name, kind)


def _as_entities(name: str, kind: EntityType) -> Iterator[NamedEntity]:
    text = " ".join(name.split())
    if len(text) <= _MAX_NAME_CHARS and key_of(text):
        yield NamedEntity(text, kind)
