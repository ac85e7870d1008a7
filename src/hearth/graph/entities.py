"""An entity: its names, where it is mentioned, and the entities beside it; the list of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from hearth.core.document import QUOTING
from hearth.core.errors import UsageError
from hearth.core.graph import ENTITY_TYPES, EntityType, NamedEntity, NameSpelling
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONTENT_TYPES
from hearth.graph.name_reading import DeclaredNames, find_identities, find_sure_keys, read_known
from hearth.graph.names import MOST_MENTIONS, EntityFact, FragmentRead, NameSearch, find_alike, name_asked, read_facts
from hearth.language.entity_words import is_code_name, is_ordinary
from hearth.language.name_matching import KnownNames, key_of, less_form, person_words
from hearth.markdown.owned_lines import Bullet
from hearth.ports import Filter
from hearth.text.lines import cut_line
from hearth.text.terms import terms
from hearth.vault.changes import read_stated_names

if TYPE_CHECKING:
    from hearth.ports import Reader
    from hearth.vault.vault import Vault

WORDS_CHARS = 120
_MOST_COMPANY = 10
_MOST_CANDIDATES = 10
_WORD = regex(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A line on which the name stands, and its words; dates are ms UTC."""

    docid: str
    collection: str
    path: str
    line: int
    date: int | None
    words: str

    def to_dict(self) -> dict[str, Any]:
        row = {"docid": self.docid, "collection": self.collection, "path": self.path, "line": self.line}
        return row | {"date": self.date, "snippet": self.words}


@dataclass(frozen=True, slots=True)
class Companion:
    """Who stands in ``together`` of the fragments; ``lift`` says how many times as often as anywhere."""

    name: str
    type: EntityType
    together: int
    lift: float


@dataclass(frozen=True, slots=True)
class EntityView:
    """``name`` is ``None`` where several go by the name asked for, ``candidates``, or nothing does: then ``alike`` are
    names much like it.
    Mentions are lines, the newest first; ``total`` counts them. ``synthesis`` is what its files sum up."""

    asked: str
    id: str | None = None
    name: str | None = None
    type: EntityType = "other"
    aliases: tuple[str, ...] = ()
    mentions: tuple[EntityMention, ...] = ()
    total: int = 0
    company: tuple[Companion, ...] = ()
    facts: tuple[EntityFact, ...] = ()
    synthesis: tuple[Bullet, ...] = ()
    candidates: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "asked": self.asked,
            "id": self.id,
            "name": self.name,
            "type": self.type if self.name else None,
            "aliases": list(self.aliases),
            "mentions": [mention.to_dict() for mention in self.mentions],
            "total": self.total,
            "company": [
                {"name": c.name, "type": c.type, "together": c.together, "lift": round(c.lift, 1)} for c in self.company
            ],
            "facts": [fact.to_dict() for fact in self.facts],
            "synthesis": [one.to_dict() for one in self.synthesis],
            "candidates": list(self.candidates),
            "alike": list(self.alike),
        }


def describe(vault: Vault, name: str, limit: int) -> EntityView:
    """Of the 100 best fragments that hold the name, and each other one that it goes by, and of the 500 newest that were
    read to mean it. Raises ``UsageError`` for a name without a letter or digit."""
    asked = name_asked(name)
    vault.graph.names().catch_up()
    with vault.store.read() as reader:
        search = NameSearch(vault, reader, asked)
        found = search.resolve()
        known = read_facts(reader, (asked, *search.names), vault.clock())
        if found.name is None and (found.candidates or not (search.reads or known)):
            several = found.candidates[:_MOST_CANDIDATES]
            alike = () if several else find_alike(reader, asked, Filter(at=vault.clock()))
            return EntityView(asked, candidates=several, alike=alike)
        chosen = found.name or search.meant
        reads = search.choose(chosen)
        own = search.keys_of(chosen)
        entities = [entity for read in reads for entity in read.entities if key_of(entity.name) in own]
        spelled = [spelling for spelling, _ in Counter(entity.name for entity in entities).most_common()]
        if found.name is None and search.meant == asked:
            chosen = next((one for one in spelled if key_of(one) == key_of(asked)), asked)
        joined = {asked} if key_of(chosen) != key_of(asked) else set()
        aliases = {*spelled, *joined, *search.names} - {chosen}
        names = [asked, chosen, *search.names, *spelled]
        facts = read_facts(reader, names, vault.clock())
        # What somebody said of it, then what texts make of it.
        kinds = _count_kinds(fact.kind for fact in facts) or _count_kinds(entity.type for entity in entities)
        kind = kinds.most_common(1)[0][0] if kinds else "other"
        # The bare name of a company acts as a person does.
        if not facts and any(less_form(entity.name) for entity in entities if entity.type != "person"):
            kind = "organization"
        words = {word for word in person_words(chosen) if len(word) > 1} if kind == "person" else set()
        # Windows overlap.
        lines = {(one.docid, one.line): one for read in reads for one in _list_mentions(read, names, words)}
        mentions = sorted(lines.values(), key=_newest_first)
        newest = sorted(reads, key=lambda read: -(read.document.dated_at or 0))[:MOST_MENTIONS]
        company = _list_company(newest, own, search.known, chosen, reader)
        identity = find_identities(reader, [NamedEntity(chosen, kind)])[key_of(chosen)]
    shown = tuple(mentions[:limit])
    summed_up = tuple(vault.knowledge.synthesis.show(fact.path for fact in facts))
    return EntityView(
        asked, identity, chosen, kind, tuple(sorted(aliases)), shown, len(mentions), company, facts, summed_up
    )


def _count_kinds(kinds: Iterable[EntityType]) -> Counter[EntityType]:
    return Counter(kind for kind in kinds if kind != "other")


def _list_mentions(read: FragmentRead, names: Sequence[str], words: Collection[str]) -> Iterator[EntityMention]:
    """Of a fragment the lines on which one of the names stands, or one of the ``words`` of a person's that the fragment
    has as no name of its own; else its first line."""
    document, part = read.document, read.part
    wanted = [name.casefold() for name in dict.fromkeys((*names, read.found_by))]
    parts = set(words) - {key_of(entity.name) for entity in read.entities}
    rows = part.text.split("\n")
    matching = [at for at, row in enumerate(rows) if _holds(row, wanted, parts)]
    for at in matching or [0]:
        line = min(part.start_line + at, part.end_line)
        excerpt = _cut_around(rows[at], [*wanted, *parts])
        yield EntityMention(document.docid, document.collection, document.path, line, document.dated_at, excerpt)


def _holds(row: str, names: Iterable[str], words: Collection[str]) -> bool:
    folded = row.casefold()
    if any(_stands(folded, name) for name in names):
        return True
    return any(word[0].isupper() and word.casefold() in words for word in _WORD.findall(row)) if words else False


def _stands(text: str, name: str) -> bool:
    """Whether a name is there as a whole, where its script parts words."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(char.islower() for char in around):
            return True
        at = text.find(name, at + 1)
    return False


def _cut_around(row: str, names: Sequence[str]) -> str:
    """The words of a line around the first of the names in it."""
    words = " ".join(row.split())
    found = min((at for name in names if (at := words.casefold().find(name)) >= 0), default=0)
    start = words.rfind(" ", 0, max(0, found - WORDS_CHARS // 3)) + 1 if len(words) > WORDS_CHARS else 0
    return cut_line(f"…{words[start:]}" if start else words, WORDS_CHARS)


def _key_in(names: KnownNames, name: str) -> str:
    """That of whom a name means, if it is clear."""
    return key_of(names.resolve(name).name or name)


def _newest_first(mention: EntityMention) -> tuple[bool, int, str, str, int]:
    return (mention.date is None, -(mention.date or 0), mention.collection, mention.path, mention.line)


def _list_company(
    reads: Sequence[FragmentRead], own: set[str], names: KnownNames, chosen: str, reader: Reader
) -> tuple[Companion, ...]:
    """Those in the same fragments, by lift: P(name | fragment) / P(name), whose share of all fragments is that of its
    rarest word. Of equal lift those who are there more often come first."""
    together: Counter[str] = Counter()
    known: dict[str, NamedEntity] = {}
    words = set(chosen.casefold().split())
    for read in reads:
        for key, entity in {_key_in(names, entity.name): entity for entity in read.entities}.items():
            if key not in own and not words.issuperset(entity.name.casefold().split()):
                together[key] += 1
                if key not in known or known[key].type == "other":
                    known[key] = entity
    statistics = reader.statistics()
    rare = {key: set(terms(known[key].name, "en")) for key in together}
    rows = reader.terms({term for found in rare.values() for term in found})
    company = []
    for key, count in together.items():
        frequencies = [rows[term].df for term in rare[key] if term in rows]
        df = max(count, min(frequencies, default=count))
        lift = (count / len(reads)) * statistics.fragments / df
        company.append(Companion(known[key].name, known[key].type, count, lift))
    # One meeting may be chance.
    company.sort(key=lambda one: (-one.lift * one.together / (one.together + 1), -one.together, one.name))
    return tuple(company[:_MOST_COMPANY])


# Spellings among which names are joined; rarer ones stand alone.
_MOST_SPELLINGS = 2_000
# So many documents of one are counted; beyond, hidden ones count as well.
_MOST_COUNTED = 1_000
_LEAST_DOCUMENTS = 2
_FILE = regex(r"\w\.(?!js$|io$|ai$|net$|com$|org$)[a-z]{1,5}\d?$|^\w+(?:\.[A-Z]\w+)+$")


@dataclass(frozen=True, slots=True)
class EntityRow:
    """``id`` is ``<type>-<slug>``; ``documents`` counts those that hold one of its names."""

    id: str
    entity: NamedEntity
    aliases: tuple[str, ...]
    documents: int

    def to_dict(self) -> dict[str, Any]:
        data = {"id": self.id, "name": self.entity.name, "type": self.entity.type}
        return data | {"aliases": list(self.aliases), "documents": self.documents}


@dataclass(frozen=True, slots=True)
class EntityListing:
    """``unread`` documents are still to be read for names."""

    entities: tuple[EntityRow, ...]
    unread: int

    def to_dict(self) -> dict[str, Any]:
        return {"entities": [one.to_dict() for one in self.entities], "unread": self.unread}


def list_entities(vault: Vault, kind: str | None = None, query: str = "", limit: int = 10) -> EntityListing:
    """Of one type or of all, whose names hold ``query``; without either only those whose type some fragment tells.
    Reads the names of at most 2,000 documents first. Raises ``UsageError`` for a type that there is not."""
    if kind is not None and kind not in ENTITY_TYPES:
        raise UsageError(f"{kind!r} is not a type; choose one of: {', '.join(ENTITY_TYPES)}")
    vault.graph.names().catch_up()
    with vault.store.read() as reader:
        spellings = reader.list_spellings(_MOST_SPELLINGS, None, key_of(query))
        names = KnownNames(map(_add_type, spellings), read_stated_names(reader).everywhere)
        # A conversation is full of logs and code: what is named there alone is found by name.
        types = () if query else tuple(one for one in CONTENT_TYPES if one not in QUOTING)
        within = Filter(types=types, at=vault.clock())
        known = read_known(reader)
        declared = {key_of(one.name) for one in known.values()}
        found: list[tuple[NamedEntity, tuple[str, ...], int]] = []
        groups = _group(spellings, names)
        for entity, spelled in groups:
            if kind not in (None, entity.type):
                continue
            count = _count(reader, spelled, within)
            is_listed = count and (query or kind == entity.type or _is_listed(entity, spelled, count, declared))
            # Where others stand in several documents, one of a single document needs to be told to be a person.
            single = count == 1 and not query and bool(found) and found[0][2] > 1
            if is_listed and not (single and _is_unsure(reader, entity, spelled, known)):
                found.append((entity, tuple(sorted({one.name for one in spelled} - {entity.name})), count))
            if len(found) >= limit:
                break
        unread = vault.graph.names().missing(reader)
        ids = find_identities(reader, [entity for entity, _, _ in found])
    listed = (EntityRow(ids[key_of(one.name)], one, also, count) for one, also, count in found)
    return EntityListing(
        tuple(sorted(listed, key=lambda one: (-one.documents, one.id))),
        unread,
    )


def _is_listed(entity: NamedEntity, spelled: Sequence[NameSpelling], count: int, declared: Set[str]) -> bool:
    """Whether to list it where no name is given: a note or a file is about it, or its type is known, of a tool by two
    documents, and it is no name of code or of a file."""
    if key_of(entity.name) in declared:
        return True
    if entity.type == "other" or is_code_name(entity.name) or _FILE.search(entity.name):
        return False
    documents = min(count, sum(row.documents for row in spelled if row.type == entity.type))
    return documents >= (_LEAST_DOCUMENTS if entity.type == "tool" else 1)


def _is_unsure(
    reader: Reader, entity: NamedEntity, spelled: Sequence[NameSpelling], known: Mapping[str, NamedEntity]
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


def _add_type(spelling: NameSpelling) -> NamedEntity:
    return NamedEntity(spelling.name, spelling.type)


def _count(reader: Reader, spelled: Sequence[NameSpelling], within: Filter) -> int:
    """Documents that hold one of the spellings; of many, as many as the index counts of the most frequent."""
    holders = reader.holders_of([one.key for one in spelled], within, _MOST_COUNTED)
    count = len({docid for docids in holders.values() for docid in docids})
    return count if count < _MOST_COUNTED else max(count, *(one.documents for one in spelled))


def _group(spellings: Sequence[NameSpelling], names: KnownNames) -> Iterable[tuple[NamedEntity, list[NameSpelling]]]:
    """Entities with their spellings, in the order of their most frequent one."""
    groups: dict[str, list[NameSpelling]] = {}
    for one in spellings:
        meant = names.resolve(one.name).name or one.name
        groups.setdefault(key_of(meant), []).append(one)
    for key, rows in groups.items():
        name = next((row.name for row in rows if row.key == key), rows[0].name)
        yield NamedEntity(name, _choose_type(rows)), rows


def _choose_type(rows: Sequence[NameSpelling]) -> EntityType:
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
