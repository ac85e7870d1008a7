"""An entity: by which names it goes, where it is mentioned, and in whose company.

Derived when it is asked for, from the passages that hold the name, so that nothing of it is stored, or grows old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hearth.core.graph import EntityType, NamedEntity
from hearth.core.lazy import dataclass, regex
from hearth.graph.entities.declared import find_identities
from hearth.graph.entities.entity_files import EntityFact, read_facts
from hearth.graph.entities.names import NameSearch, PassageRead, find_alike, name_asked
from hearth.graph.entities.newest_mentions import MOST_MENTIONS
from hearth.graph.entities.resolve import KnownNames, key_of, less_form, person_words
from hearth.pages.knowledge.page import Bullet
from hearth.ports import Filter
from hearth.text.lines import cut_line
from hearth.text.terms import terms

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
    """Who stands in ``together`` of the passages; ``lift`` says how many times as often as anywhere."""

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
    """Of the 100 best passages that hold the name, and each other one that it goes by, and of the 500 newest that were
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
        said = [entity for read in reads for entity in read.entities if key_of(entity.name) in own]
        spelled = [spelling for spelling, _ in Counter(entity.name for entity in said).most_common()]
        if found.name is None and search.meant == asked:
            chosen = next((one for one in spelled if key_of(one) == key_of(asked)), asked)
        joined = {asked} if key_of(chosen) != key_of(asked) else set()
        aliases = {*spelled, *joined, *search.names} - {chosen}
        names = [asked, chosen, *search.names, *spelled]
        facts = read_facts(reader, names, vault.clock())
        # What somebody said of it, then what texts make of it.
        kinds = _count_kinds(fact.kind for fact in facts) or _count_kinds(entity.type for entity in said)
        kind = kinds.most_common(1)[0][0] if kinds else "other"
        # The bare name of a company acts as a person does.
        if not facts and any(less_form(entity.name) for entity in said if entity.type != "person"):
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


def _list_mentions(read: PassageRead, names: Sequence[str], words: Collection[str]) -> Iterator[EntityMention]:
    """Of a passage the lines on which one of the names stands, or one of the ``words`` of a person's that the passage
    has as no name of its own; else its first line."""
    document, part = read.document, read.part
    wanted = [name.casefold() for name in dict.fromkeys((*names, read.found_by))]
    parts = set(words) - {key_of(entity.name) for entity in read.entities}
    rows = part.text.split("\n")
    held = [at for at, row in enumerate(rows) if _holds(row, wanted, parts)]
    for at in held or [0]:
        line = min(part.start_line + at, part.end_line)
        said = _cut_around(rows[at], [*wanted, *parts])
        yield EntityMention(document.docid, document.collection, document.path, line, document.dated_at, said)


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
    reads: Sequence[PassageRead], own: set[str], names: KnownNames, chosen: str, reader: Reader
) -> tuple[Companion, ...]:
    """Those in the same passages, by lift: P(name | passage) / P(name), whose share of all passages is that of its
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
