"""Finds the fragments that hold a name, or another name of the same entity, and the newest of them. What the files
about an entity say of it: those of all machines, and of all its names, read as one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth.core.document import INTERNAL, Document
from hearth.core.errors import UsageError
from hearth.core.graph import ENTITY_TYPES, EntityType, NamedEntity
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import ENTITY
from hearth.language.entities import find_entities
from hearth.language.marked_names import find_signed
from hearth.language.name_matching import KnownNames, ResolvedName, follow, is_nearly, key_of, less_form, person_words
from hearth.ports import Filter, HeldName, Reader, StoredDocument, StoredFragment, TermRow, WantedTerm
from hearth.text.language import detect
from hearth.text.names import name_key
from hearth.text.similarity import flatten, normalised
from hearth.text.terms import terms
from hearth.vault import usage_statistics
from hearth.vault.changes import StatedNames, read_stated_names

if TYPE_CHECKING:
    from hearth.vault.vault import Vault


_MOST_FILES = 64
_BEGINS = regex(r"- (\d{4}-\d{2}-\d{2}) (.*)")
_TAIL = regex(r"(.*?)(?: \(([^()\n]*)\))?(?: \^[0-9a-z]{16})?\s*", re.DOTALL)
_UNTIL = regex(r"[,·]?\s*\buntil (\d{4}-\d{2}-\d{2})\s*")


class EntityLine(NamedTuple):
    """A line of an entity's file: YYYY-MM-DD, what it says, where that is from, and until when it holds."""

    date: str
    text: str
    source: str
    until: str | None


@dataclass(frozen=True, slots=True)
class EntityFact:
    """A dated line of an entity's file: since ``date`` (YYYY-MM-DD), and ``until`` one where its source says so."""

    date: str
    text: str
    source: str
    until: str | None
    docid: str
    path: str
    line: int

    @property
    def kind(self) -> EntityType:
        """Of the entity, by the name of the file."""
        return _kind_of(self.path)

    def to_dict(self) -> dict[str, Any]:
        data = {"date": self.date, "text": self.text, "source": self.source, "until": self.until}
        return data | {"docid": self.docid, "path": self.path, "line": self.line}


def read_facts(reader: Reader, names: Iterable[str], now: int) -> tuple[EntityFact, ...]:
    """By date, each once, whoever wrote it down first and whoever ended it; nothing from files that came from
    elsewhere."""
    keys = tuple(dict.fromkeys(filter(None, map(name_key, names))))
    rows = reader.find_rows("name", keys, Filter(types=(ENTITY,), at=now), _MOST_FILES) if keys else ()
    found = sorted(
        (fact for one in _keep_trusted(reader, rows) for fact in _read_lines(reader, one)),
        key=lambda fact: (fact.date, fact.path, fact.line),
    )
    once: dict[str, EntityFact] = {}
    for fact in found:
        before = once.setdefault(key := normalised(fact.text), fact)
        if before.until is None and fact.until is not None:
            once[key] = replace(before, until=fact.until)
    return tuple(once.values())


def is_filed(reader: Reader, name: str, now: int) -> bool:
    """Whether a file is about what is called so, as its title or one of its aliases."""
    key = name_key(name)
    rows = reader.find_rows("name", [key], Filter(types=(ENTITY,), at=now), _MOST_FILES) if key else ()
    return any(_keep_trusted(reader, rows))


def name_of_file(document: Document) -> NamedEntity | None:
    """Whom a file is about, of the type of its tags, else of its file name; ``None`` for other documents, and what came
    from elsewhere."""
    if document.content_type != ENTITY or document.trust == "external":
        return None
    return NamedEntity(document.title, kind_from_tags(document) or _kind_of(document.path))


def kind_from_tags(document: Document) -> EntityType | None:
    return next((kind for kind in ENTITY_TYPES if kind in document.tags), None)


def _kind_of(path: str) -> EntityType:
    begun = path.rpartition("/")[2].partition("-")[0]
    return next((kind for kind in ENTITY_TYPES if kind == begun), "other")


def _keep_trusted(reader: Reader, rows: Collection[int]) -> list[StoredDocument]:
    return [one for one in reader.documents(rows).values() if one.document.trust != "external"]


def read_line(row: str) -> EntityLine | None:
    """Of a line with those that continue it; ``None`` for one without a date."""
    begins = _BEGINS.fullmatch(row)
    if begins is None:
        return None
    tail = _TAIL.fullmatch(begins[2])
    text, source = (tail[1], tail[2] or "") if tail else (begins[2], "")
    until = _UNTIL.search(source)
    return EntityLine(begins[1], text.strip(), _UNTIL.sub("", source).strip(), until[1] if until else None)


def _read_lines(reader: Reader, stored: StoredDocument) -> Iterator[EntityFact]:
    document = stored.document
    for fragment in reader.fragments_of(stored.id):
        rows = fragment.text.split("\n")
        for at, row in enumerate(rows):
            more = takewhile(lambda following: following.startswith("  "), rows[at + 1 :])
            found = read_line(" ".join([row, *map(str.strip, more)]))
            if found is not None:
                line = fragment.start_line + at
                yield EntityFact(found.date, found.text, found.source, found.until, document.docid, document.path, line)


MAX_NAME_CHARS = 100


MOST_MENTIONS = 500
# A part that so many full names have is looked up for none of them.
_MOST_FULL = 64
_BATCH = 100


class NameMention(NamedTuple):
    """``by`` is the name, or the part of it, that stands there; ``names`` are those of the fragment."""

    document: Document
    part: StoredFragment
    by: str
    names: Sequence[NamedEntity]


def find_stated_mentions(
    reader: Reader, chosen: str, own: Collection[str], stated: StatedNames, within: Filter
) -> list[NameMention]:
    """At most 500, the newest documents first; ``own`` are the keys of the names that mean whoever is ``chosen``. What
    people said of a part goes before what it is a part of."""
    rows = dict.fromkeys(reader.naming(sorted(own), within, MOST_MENTIONS))
    words = [word for word in dict.fromkeys(person_words(chosen)) if len(word) > 1 and word not in own]
    for word in words if len(words) > 1 else ():
        if word not in stated.everywhere:
            rows.update(dict.fromkeys(_find_in_projects(reader, chosen, word, within)))
    found = _read(reader, list(rows), [chosen, *words], own, stated)
    return sorted(found, key=lambda one: -(one.document.dated_at or 0))[:MOST_MENTIONS]


def _read(
    reader: Reader, rows: Sequence[tuple[int, int]], spelled: Sequence[str], own: Collection[str], stated: StatedNames
) -> Iterator[NameMention]:
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        documents = reader.documents(sorted({document for document, _ in batch}))
        parts = reader.fragments([fragment for _, fragment in batch])
        names = reader.entities_in([*documents])
        for document, fragment in batch:
            if document not in documents or fragment not in parts:
                continue
            told, part = documents[document].document, parts[fragment]
            names_here = [one.entity for one in names.get(document, ()) if one.fragment == fragment]
            by = _by(part, names_here, spelled, own)
            filed = name_of_file(told)
            about = filed is not None and key_of(filed.name) in own
            otherwise = by in spelled[1:] and by in stated.everywhere
            meant = all(_is_meant(reader, stated, told.docid, one, spelled[0]) for one in {by, spelled[0]})
            if meant and not (about or otherwise):
                yield NameMention(told, part, by, names_here)


def _by(part: StoredFragment, names: Sequence[NamedEntity], spelled: Sequence[str], own: Collection[str]) -> str:
    """What of a name stands there: one of those that mean it, as it is written, else a word of it."""
    text = flatten(part.text)
    whole = [one.name for one in names if key_of(one.name) in own]
    return next((one for one in (*whole, *spelled) if flatten(one) in text), spelled[0])


def _is_meant(reader: Reader, stated: StatedNames, docid: str, name: str, chosen: str) -> bool:
    here = stated.meant_in(reader, docid, name)
    return here is None or key_of(stated.follow(here)) == key_of(chosen)


def _find_in_projects(reader: Reader, chosen: str, word: str, within: Filter) -> Iterator[tuple[int, int]]:
    """Where a part stands in a project that names the chosen one in full, and nobody else who has it."""
    rows = reader.naming([word], within, MOST_MENTIONS)
    names = reader.list_spellings(_MOST_FULL, "person", word) if rows else []
    if not rows or len(names) == _MOST_FULL:
        return
    known = KnownNames(NamedEntity(one.name, one.type) for one in names)
    full = {one.key: one.name for one in names if one.key != word and word in person_words(one.name)}
    others = [key for key, name in full.items() if key_of(known.resolve(name).name or name) != key_of(chosen)]
    alone = _find_projects(reader, key_of(chosen), within)
    for key in others:
        if len(reader.naming([key], within, MOST_MENTIONS)) == MOST_MENTIONS:
            return
        alone -= _find_projects(reader, key, within)
    documents = reader.documents(sorted({document for document, _ in rows}))
    holds = reader.entities_in([*documents])
    for document, fragment in rows:
        here = document in documents and _project_of(documents[document]) in alone
        # Who is named in full there was joined, or is one of several.
        alone_here = here and full.keys().isdisjoint(one.key for one in holds[document])
        if alone_here and _names_person(holds[document], fragment, word):
            yield document, fragment


def _names_person(names: Iterable[HeldName], fragment: int, key: str) -> bool:
    here = (one.entity for one in names if one.fragment == fragment and one.key == key)
    return all(one.type in ("person", "other") for one in here)


def _find_projects(reader: Reader, key: str, within: Filter) -> set[str]:
    """Of the newest documents that hold a name."""
    rows = reader.naming([key], within, MOST_MENTIONS)
    return {_project_of(one) for one in reader.documents(sorted({document for document, _ in rows})).values()}


def _project_of(stored: StoredDocument) -> str:
    return stored.document.facts.get("project", stored.document.collection)


MOST_FRAGMENTS = 100
# So many that may hold the name are looked at for each that is wanted, since some have it in a title alone; its other
# words help to find them where they are in so few.
_MATCHED, _LEAST_MATCHED, _POSTINGS = 4, 400, 20_000


class NameFragment(NamedTuple):
    stored: StoredDocument
    part: StoredFragment


def find_fragments(
    reader: Reader,
    name: str,
    within: Filter,
    limit: int = MOST_FRAGMENTS,
    holds: Callable[[str], bool] | None = None,
) -> list[NameFragment]:
    """Those where the name stands prominently first, then the newest; ``holds`` says of a text whether it does, as it
    is written unless given."""
    plan = _plan(reader, name)
    matched = reader.match(plan, within, max(_LEAST_MATCHED, _MATCHED * limit)) if plan else []
    flat = flatten(name)
    parts = list(islice(_hold(reader, matched, holds or (lambda text: flat in flatten(text))), limit))
    documents = reader.documents(sorted({part.document for part in parts}))
    return [NameFragment(documents[part.document], part) for part in parts if part.document in documents]


def has_memories(reader: Reader) -> bool:
    """Whether anything was remembered, forgotten or not."""
    return bool(reader.find_documents(Filter((INTERNAL,), include_hidden=True), 1))


def _plan(reader: Reader, name: str) -> list[WantedTerm]:
    """The rarest term of the name in each language of the vault, and others that are cheap."""
    spelled = [set(terms(name, language)) for language in reader.statistics().languages or ("en",)]
    rows = reader.terms(set().union(*spelled))
    whole = [sorted((rows[one] for one in own), key=_rarity) for own in spelled if own and own <= rows.keys()]
    chosen = dict.fromkeys(own[0] for own in whole)
    spent = sum(row.df for row in chosen)
    for row in sorted({row for own in whole for row in own} - chosen.keys(), key=_rarity):
        spent += row.df
        if spent <= _POSTINGS:
            chosen[row] = None
    return [WantedTerm(row) for row in chosen]


def _rarity(row: TermRow) -> tuple[int, int]:
    return row.df, row.id


def _hold(reader: Reader, matched: Sequence[int], holds: Callable[[str], bool]) -> Iterator[StoredFragment]:
    for start in range(0, len(matched), _BATCH):
        batch = matched[start : start + _BATCH]
        parts = reader.fragments(batch)
        yield from (parts[one] for one in batch if one in parts and holds(parts[one].text))


# By which an entity is looked for.
_MOST_NAMES = 8
# Names that have the one asked for as a part.
_MOST_HELD = 64
# Names like one that nothing goes by are shown, of so many.
_MOST_ALIKE, _MOST_COMPARED = 10, 2_000
_HEAD = "frontmatter"
_UNQUOTABLE = regex(r'["“”«»\s]+')


@dataclass(frozen=True, slots=True)
class FragmentRead:
    """A fragment with the names in it, and the one it was found by, which is ``sure`` to mean whoever is asked for."""

    document: Document
    part: StoredFragment
    entities: Sequence[NamedEntity]
    found_by: str
    sure: bool


class NameSearch:
    """``names`` are those that people say mean what is asked for, ``meant`` first; ``known`` those of the fragments."""

    def __init__(self, vault: Vault, reader: Reader, asked: str) -> None:
        self._vault, self._reader, self._asked = vault, reader, asked
        self._said = read_stated_names(reader)
        called = _find_called(vault, reader, asked)
        self._aliases = {**{key_of(alias): called[0] for alias in called[1:]}, **self._said.everywhere}
        self.meant = follow(self._aliases, key_of(asked)) or asked
        self.names = self._list_names([asked, *called, *self._said.names_of(self.meant)])
        self._held = self._read_spellings()
        self._found: dict[tuple[str, int], FragmentRead] = {}
        for one in self.names:
            self._search(one)
        for docid, name in self._said.documents_of(self.meant).items():
            self._search(name, within=usage_statistics.bearers(reader, [docid]))
        self._search(less_form(asked), sure=False)
        self.known = self._know()

    @property
    def reads(self) -> list[FragmentRead]:
        return list(self._found.values())

    def resolve(self) -> ResolvedName:
        """Whom the name means, whose other fragments are then found, too."""
        found = self.known.resolve(self._asked)
        if found.name is not None and key_of(found.name) not in map(key_of, self.names):
            self._search(found.name)
            self.known = self._know()
        return found

    def keys_of(self, chosen: str) -> set[str]:
        """Keys of the names that mean it."""
        wanted = key_of(chosen)
        near = {key_of(entity.name): entity.name for read in self.reads for entity in read.entities}
        also = {key for key, name in near.items() if key_of(self.known.resolve(name).name or "") == wanted}
        return {key_of(self._asked), wanted, *map(key_of, self.names), *also}

    def choose(self, chosen: str) -> list[FragmentRead]:
        """The fragments that mean it, and not a namesake, and the newest others in which it was read before."""
        own = self.keys_of(chosen)
        found = [read for read in self.reads if self._means(read, chosen, own)]
        documents = {read.document.docid for read in found if read.part.kind != _HEAD}
        for one in find_stated_mentions(self._reader, chosen, own, self._said, Filter(at=self._vault.clock())):
            place = (one.document.docid, one.part.start_line)
            if place not in self._found and not (one.part.kind == _HEAD and one.document.docid in documents):
                found.append(FragmentRead(one.document, one.part, one.names, one.by, True))
        return found

    def _means(self, read: FragmentRead, chosen: str, own: set[str]) -> bool:
        here = self._said.meant_in(self._reader, read.document.docid, read.found_by)
        if here is not None:
            return key_of(self._said.follow(here)) == key_of(chosen)
        return read.sure or any(key_of(entity.name) in own for entity in read.entities)

    def _list_names(self, names: Sequence[str]) -> list[str]:
        """``meant`` and those of the others that mean it."""
        found = {key_of(self.meant): self.meant}
        for one in names:
            if key_of(follow(self._aliases, key_of(one)) or "") == key_of(self.meant):
                found.setdefault(key_of(one), one)
        return list(found.values())[:_MOST_NAMES]

    def _search(self, name: str, *, sure: bool = True, within: Sequence[str] | None = None) -> None:
        if not key_of(name):
            return
        fragments = find_fragments(self._reader, name_asked(name), Filter(at=self._vault.clock()))
        documents = {one.stored.id for one in fragments if one.part.kind != _HEAD}
        for one in fragments:
            document, part = one.stored.document, one.part
            place = (document.docid, part.start_line)
            elsewhere = within is not None and document.docid not in within
            known = place in self._found and (self._found[place].sure or not sure)
            if not (elsewhere or known or (part.kind == _HEAD and one.stored.id in documents)):
                self._found[place] = FragmentRead(document, part, _read_names(part.text), name, sure)

    def _know(self) -> KnownNames:
        """The most frequent first, then whom others are that have the name as a part, as those whose file it is."""
        counts = Counter(one for read in self.reads for one in read.entities)
        return KnownNames((*(one for one, _ in counts.most_common()), *self._held), self._aliases)

    def _read_spellings(self) -> list[NamedEntity]:
        within = Filter(at=self._vault.clock())
        names = self._reader.list_spellings(_MOST_HELD, None, key_of(self._asked))
        return [NamedEntity(one.name, one.type) for one in names if self._reader.naming([one.key], within, 1)]


def _read_names(text: str) -> list[NamedEntity]:
    found = (*find_entities(text, detect(text)), *find_signed(text))
    return [NamedEntity(one.name, one.type) for one in found]


def name_asked(name: str) -> str:
    """A name as it can be searched for. Raises ``UsageError`` for one without a letter or digit."""
    asked = " ".join(_UNQUOTABLE.split(name)).strip()[:MAX_NAME_CHARS]
    if not key_of(asked):
        raise UsageError(f"{name!r} is not a name; give one with letters or digits")
    return asked


def find_alike(reader: Reader, asked: str, within: Filter) -> tuple[str, ...]:
    """Names in documents that hold a name as a part, then others that a slip makes equal; each by how many have it."""
    key = key_of(asked)
    near: dict[str, str] = {}
    for one in (*reader.list_spellings(_MOST_ALIKE, None, key), *reader.list_spellings(_MOST_COMPARED)):
        if one.key != key and (key in one.key or is_nearly(key, one.key)):
            near.setdefault(one.key, one.name)
    shown = (name for one, name in near.items() if reader.naming([one], within, 1))
    return tuple(islice(shown, _MOST_ALIKE))


def _find_called(vault: Vault, reader: Reader, asked: str) -> list[str]:
    """Title and aliases of the one document that is called so and has aliases."""
    rows = reader.find_rows("name", (name_key(asked),), Filter(at=vault.clock()), _MOST_NAMES)
    documents = (stored.document for stored in reader.documents(rows).values())
    found = [document for document in documents if document.aliases]
    return [found[0].title, *found[0].aliases] if len(found) == 1 else []
