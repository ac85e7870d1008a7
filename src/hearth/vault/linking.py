"""Resolves links and ``supersedes``, and finds which documents are superseded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from hearth.core.document import EXTERNAL, TEAM, Document, docid, is_docid, is_foreign
from hearth.core.graph import FILE, LINKED, LINKS, DocumentRelation, EvidencePlace
from hearth.core.lazy import regex
from hearth.markdown.links import LinkTargets, number_key, number_name, resolve, stems
from hearth.ports import Filter, Reader, Store, StoredDocument, Writer
from hearth.vault import usage_statistics

KEY = "supersedes"
KEYS = (KEY, "follows", "refines", "contradicts")
"""Frontmatter keys that relate a document to others; the key is the type of the relation."""
STATUS_KEYS = {"superseded_by": False, "succeeds": True}
"""Keys of the decisions that a decision's status names; ``True`` if it succeeds them, else they succeed it. Both stay
in searches."""
SUCCEEDS = "succeeds"
CAUSE_KEYS = {"because": False, "caused_by": False, "resolved_by": True}
"""Frontmatter keys that name causes of a document; ``True`` if the document is itself the cause of those it names."""
FIELD = "superseded_by"
"""The register in which the journal keeps what supersedes a document."""
_WIKI = regex(r"\[\[([^\]|#]*)[^\]]*\]\]")
_MOST = 32
_DIGITS = 5


def targets(document: Document, key: str, resolve: Callable[[str], str | None]) -> tuple[str, ...]:
    """Docids that a document's frontmatter names under a key of ``KEYS`` or ``CAUSE_KEYS``: by docid, by a link that
    ``resolve`` turns into a docid, or as ``collection/path``."""
    if key == KEY and document.trust == EXTERNAL:
        return ()  # an external document supersedes nothing
    found = dict.fromkeys(_docid(name, resolve) for name in _names(document, key))
    return tuple(other for other in found if other != document.docid)


def mentions(document: Document) -> frozenset[str]:
    """The stems of the names under all these keys."""
    keys = (*KEYS, *STATUS_KEYS, *CAUSE_KEYS)
    names = [name for key in keys for name in _names(document, key)]
    numbers = {number_name(document.path, number) for name in names if (number := _number(name)) is not None}
    return frozenset(stem for name in names for stem in stems(name, document.path)) | numbers


def numbered(reader: Reader, document: Document) -> dict[str, str]:
    """``#7`` -> docid, for each number that a document's status names and exactly one document beside it has."""
    names = {name for key in STATUS_KEYS for name in _names(document, key) if _number(name) is not None}
    if not names:
        return {}
    folder = document.path.rpartition("/")[0]
    beside: dict[str | None, list[str]] = {}
    for stored in reader.each_document(
        Filter(collections=(document.collection,), paths=(folder,), include_hidden=True)
    ):
        path = stored.document.path
        if path.rpartition("/")[0] == folder:
            beside.setdefault(number_key(path), []).append(stored.document.docid)
    found = {name: beside.get(number_name(document.path, _number(name) or 0), []) for name in names}
    return {name: docids[0] for name, docids in found.items() if len(docids) == 1}


def _number(name: str) -> int | None:
    number = name.removeprefix("#")
    return int(number) if name.startswith("#") and number.isdecimal() and len(number) <= _DIGITS else None


def _names(document: Document, key: str) -> Iterator[str]:
    for part in document.facts.get(key, "").split(",")[:_MOST]:
        name = part.strip().strip("\"'").removeprefix("hearth://")
        if wiki := _WIKI.fullmatch(name):
            name = wiki[1].strip()
        if name:
            yield name


def superseder(reader: Reader, identity: str, journaled: str | None) -> str | None:
    """The document that supersedes another; ``journaled`` is the one that the journal names. Documents that supersede
    each other in a circle leave each other alone: two machines may create one without knowing."""
    seen, waiting = {identity}, list(_present(reader, identity, journaled))
    while waiting and len(seen) <= _MOST:
        other = waiting.pop(0)
        if other in seen or _reaches(reader, other, identity):
            continue
        if not _is_forgotten(reader, other):
            return other
        seen.add(other)
        waiting += _direct(reader, other)
    return None


def successor(reader: Reader, docid: str) -> str | None:
    """The decision that succeeds another, as the status of either says; the newest of several."""
    return max(_related(reader, docid, older=True), key=lambda one: _age(reader, one), default=None)


def predecessors(reader: Reader, docid: str) -> set[str]:
    """The decisions that one succeeds."""
    return set(_related(reader, docid, older=False))


def _related(reader: Reader, docid: str, *, older: bool) -> list[str]:
    found = reader.relations_of([docid], [SUCCEEDS])
    return [one.source if older else one.target for one in found if (one.target if older else one.source) == docid]


def _age(reader: Reader, docid: str) -> tuple[int, str]:
    stored = reader.document(docid)
    return (0 if stored is None else stored.document.dated_at or 0, docid)


def journaled_superseders(reader: Reader) -> set[str]:
    """Docids that supersede a document by the journal, under their present names."""
    found = {by for by in reader.holders(FIELD).values() if isinstance(by, str)}
    moved = usage_statistics.moves(reader) if found else {}
    return set(usage_statistics.onward(found, lambda name: moved.get(name, ())))


def find_superseded(reader: Reader, identity: str) -> set[str]:
    """The documents that one supersedes, or would if it were not forgotten."""
    names = usage_statistics.former(reader, identity)
    older = {docid for name in names for docid in reader.holders(FIELD, name)}
    return {*reader.links(identity, KEY), *usage_statistics.bearers(reader, older)}


def _docid(name: str, resolve: Callable[[str], str | None]) -> str:
    if is_docid(name.removeprefix("#")):
        return name.removeprefix("#")
    linked = resolve(name)
    if linked is not None:
        return linked
    collection, _, path = name.partition("/")
    return docid(collection, path)


def _direct(reader: Reader, identity: str) -> list[str]:
    return _present(reader, identity, _register(reader, identity, FIELD))


def _present(reader: Reader, identity: str, journaled: str | None) -> list[str]:
    """The documents present that supersede another: first those whose files say so, then the ``journaled`` one."""
    found = reader.links(identity, KEY, incoming=True)
    if journaled is not None:
        later = usage_statistics.bearers(reader, [journaled])
        found += [other for other in later if other not in found and reader.document(other) is not None]
    return [other for other in found if other != identity and _may_supersede(reader, other, identity)]


def _may_supersede(reader: Reader, newer: str, older: str) -> bool:
    """A team's document supersedes only foreign ones; an external document supersedes nothing."""
    by, of = reader.document(newer), reader.document(older)
    if by is None or of is None or not is_foreign(by.document.trust):
        return True
    return by.document.trust == TEAM and is_foreign(of.document.trust)


def _register(reader: Reader, identity: str, field: str) -> Any:
    """A register's value under the latest name of a document that has it."""
    for name in usage_statistics.former(reader, identity):
        registers = reader.registers(name, field)
        if field in registers:
            return registers[field]
    return None


def _is_forgotten(reader: Reader, identity: str) -> bool:
    return _register(reader, identity, "forgotten") is True


def _reaches(reader: Reader, start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting and len(seen) <= _MOST:
        for other in _direct(reader, waiting.pop()):
            if other == goal:
                return True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


# Documents in one write transaction.
_BATCH = 500
# How long a chain of superseding documents is followed.
_LONGEST_LINE = 64

Attach = Callable[[Writer, str], None]


def link(store: Store, collection: str, attach: Attach) -> None:
    """Resolves the links of a collection that are due; ``attach`` updates a document's state."""
    while True:
        with store.read() as reader:
            if not reader.unlinked(collection, 1):
                return
        with store.write() as writer:
            changed: set[str] = set()
            for stored, links in writer.unlinked(collection, _BATCH):
                changed |= _link(writer, stored, links)
            reconsider(writer, changed, attach)


def retire(writer: Writer, docid: str, attach: Attach) -> None:
    """Removes a document and restores what it superseded."""
    freed = find_superseded(writer, docid)
    writer.remove(docid)
    reconsider(writer, freed, attach)


def reconsider(writer: Writer, docids: Iterable[str], attach: Attach) -> None:
    """Updates the state of superseded documents down the chain: a circle may have closed or opened."""
    waiting, seen = set(docids), set[str]()
    while waiting and len(seen) < _LONGEST_LINE:
        for one in sorted(waiting):
            attach(writer, one)
        seen |= waiting
        waiting = {older for one in waiting for older in find_superseded(writer, one)} - seen


def _link(writer: Writer, stored: StoredDocument, links: tuple[str, ...]) -> set[str]:
    """Sets the links of a document; returns the documents that it newly supersedes or no longer does."""
    document = stored.document
    before = set(writer.links(document.docid, KEY))
    linked = writer.links(document.docid)
    found = meant(writer, document, links)
    writer.set_relations(document.docid, {kind: [one for one in found if one.origin == kind] for kind in (LINKS, FILE)})
    if writer.links(document.docid) != linked:
        # Statements about its links now concern other documents.
        writer.set_mark([stored.id], None)
    return before.symmetric_difference(writer.links(document.docid, KEY))


def find_named(reader: Reader, collection: str, stems: Iterable[str]) -> dict[str, str]:
    """Path -> docid of the documents of a collection whose names have these stems."""
    places = reader.look_up("stem", (f"{collection}/{stem}" for stem in stems))
    return {place.path: place.docid for place in places if place.collection == collection}


def meant(reader: Reader, document: Document, links: tuple[str, ...]) -> list[DocumentRelation]:
    """The relations that a file's links and frontmatter state, by the names that documents have now."""
    mentioned = {stem for text in links for stem in stems(text, document.path)}
    named = find_named(reader, document.collection, mentioned | mentions(document))
    meaning = partial(_meaning, path=document.path, notes=LinkTargets(named), docids=named)
    return [*_relations(document, links, meaning), *_successions(reader, document, meaning)]


def _relations(
    document: Document, links: tuple[str, ...], meaning: Callable[[str], str | None]
) -> Iterator[DocumentRelation]:
    for target in sorted({target for text in links if (target := meaning(text)) not in (None, document.docid)}):
        yield DocumentRelation(document.docid, "references", target, LINKED)
    for key in KEYS:
        for target in targets(document, key, meaning):
            yield DocumentRelation(document.docid, key, target, origin=FILE)
    if document.trust != "external":
        yield from _causes(document, meaning)


def _successions(
    reader: Reader, document: Document, meaning: Callable[[str], str | None]
) -> Iterator[DocumentRelation]:
    """The successions that a decision's status states."""
    if not any(key in document.facts for key in STATUS_KEYS):
        return
    numbers = numbered(reader, document)
    for key, newer in STATUS_KEYS.items():
        for target in targets(document, key, lambda name: numbers.get(name) or meaning(name)):
            ends = (document.docid, target) if newer else (target, document.docid)
            if document.trust != "external" or not newer:
                yield DocumentRelation(ends[0], SUCCEEDS, ends[1], origin=FILE)


def _causes(document: Document, meaning: Callable[[str], str | None]) -> Iterator[DocumentRelation]:
    """The causes and effects that its frontmatter names."""
    whole = (EvidencePlace(document.docid),)
    for key, causes in CAUSE_KEYS.items():
        for target in targets(document, key, meaning):
            ends = (document.docid, target) if causes else (target, document.docid)
            yield DocumentRelation(ends[0], "causal", ends[1], origin=FILE, evidence=whole)


def _meaning(text: str, path: str, notes: LinkTargets, docids: dict[str, str]) -> str | None:
    target = resolve(text, path, notes)
    return None if target is None else docids[target]
