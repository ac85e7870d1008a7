"""What links and ``supersedes`` of documents mean now, and which documents are superseded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from hearth.core.document import EXTERNAL, TEAM, Document, docid, is_docid, is_foreign
from hearth.core.graph import FILE, LINKED, DocumentRelation, EvidencePlace
from hearth.core.lazy import regex
from hearth.markdown.links import LinkTargets, number_key, number_name, resolve, stems
from hearth.memory.sessions import statistics
from hearth.ports import Filter, Reader, Store, StoredDocument, Writer

KEY = "supersedes"
KEYS = (KEY, "follows", "refines", "contradicts")
"""Keys of frontmatter that relate a document to others, each of the type of its name."""
STATUS_KEYS = {"superseded_by": False, "succeeds": True}
"""Keys of what the status of a decision says to have taken its place; ``True`` where it took the place of what they
name. Both stay where searches find them."""
SUCCEEDS = "succeeds"
CAUSE_KEYS = {"because": False, "caused_by": False, "resolved_by": True}
"""Keys of frontmatter that name causes of a document; ``True`` where it is the cause of what they name."""
FIELD = "superseded_by"
"""The register of what the journal says."""
_WIKI = regex(r"\[\[([^\]|#]*)[^\]]*\]\]")
_MOST = 32
_DIGITS = 5


def targets(document: Document, key: str, resolve: Callable[[str], str | None]) -> tuple[str, ...]:
    """Docids of what a document's frontmatter names under a key of ``KEYS`` or ``CAUSE_KEYS``: by docid, by a link that
    ``resolve`` turns into a docid, or as ``collection/path``."""
    if key == KEY and document.trust == EXTERNAL:
        return ()  # what comes from outside takes nothing away
    found = dict.fromkeys(_docid(name, resolve) for name in _names(document, key))
    return tuple(other for other in found if other != document.docid)


def mentions(document: Document) -> frozenset[str]:
    """The stems of what a document may name so."""
    keys = (*KEYS, *STATUS_KEYS, *CAUSE_KEYS)
    names = [name for key in keys for name in _names(document, key)]
    numbers = {number_name(document.path, number) for name in names if (number := _number(name)) is not None}
    return frozenset(stem for name in names for stem in stems(name, document.path)) | numbers


def numbered(reader: Reader, document: Document) -> dict[str, str]:
    """``#7`` -> the docid of the only document of that number beside this one, of those that its status names."""
    names = {name for key in STATUS_KEYS for name in _names(document, key) if _number(name) is not None}
    if not names:
        return {}
    folder = document.path.rpartition("/")[0]
    beside: dict[str | None, list[str]] = {}
    for stored in reader.find_documents(
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


def superseder(reader: Reader, identity: str, told: str | None) -> str | None:
    """What supersedes a document, which is ``told`` by the journal. Documents that supersede each other in a circle, as
    two machines may bring about that know nothing of each other, leave each other alone."""
    seen, waiting = {identity}, list(_present(reader, identity, told))
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
    """What takes the place of a decision, as its status or that one's says; of several the newest."""
    return max(_related(reader, docid, older=True), key=lambda one: _age(reader, one), default=None)


def predecessors(reader: Reader, docid: str) -> set[str]:
    """Of what a decision takes the place."""
    return set(_related(reader, docid, older=False))


def _related(reader: Reader, docid: str, *, older: bool) -> list[str]:
    found = reader.relations_of([docid], [SUCCEEDS])
    return [one.source if older else one.target for one in found if (one.target if older else one.source) == docid]


def _age(reader: Reader, docid: str) -> tuple[int, str]:
    stored = reader.document(docid)
    return (0 if stored is None else stored.document.dated_at or 0, docid)


def told(reader: Reader) -> set[str]:
    """All that supersedes something as the journal says, under its present names."""
    found = {by for by in reader.holders(FIELD).values() if isinstance(by, str)}
    moved = statistics.moves(reader) if found else {}
    return set(statistics.onward(found, lambda name: moved.get(name, ())))


def find_superseded(reader: Reader, identity: str) -> set[str]:
    """The documents that one supersedes, or would if it were not forgotten."""
    names = statistics.former(reader, identity)
    told = {docid for name in names for docid in reader.subjects_with(FIELD, name)}
    return {*reader.links_of(identity, KEY), *statistics.bearers(reader, told)}


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


def _present(reader: Reader, identity: str, told: str | None) -> list[str]:
    """What is there of what supersedes a document: first what files say, then what is told."""
    found = reader.links_to(identity, KEY)
    if told is not None:
        later = statistics.bearers(reader, [told])
        found += [other for other in later if other not in found and reader.document(other) is not None]
    return [other for other in found if other != identity and _may_supersede(reader, other, identity)]


def _may_supersede(reader: Reader, newer: str, older: str) -> bool:
    """What the team writes supersedes nothing but what others wrote; what comes from outside nothing at all."""
    by, of = reader.document(newer), reader.document(older)
    if by is None or of is None or not is_foreign(by.document.trust):
        return True
    return by.document.trust == TEAM and is_foreign(of.document.trust)


def _register(reader: Reader, identity: str, field: str) -> Any:
    """As the latest name of a document has it."""
    for name in statistics.former(reader, identity):
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
# Documents in a row of which each supersedes the next; further down nothing is reconsidered.
_LONGEST_LINE = 64

Attach = Callable[[Writer, str], None]


def link(store: Store, collection: str, attach: Attach) -> None:
    """Resolves what has to be resolved in a collection; ``attach`` gives a document its state anew."""
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
    """Removes a document; what it superseded is back."""
    freed = find_superseded(writer, docid)
    writer.remove(docid)
    reconsider(writer, freed, attach)


def reconsider(writer: Writer, docids: Iterable[str], attach: Attach) -> None:
    """Attaches state anew down the line of what is superseded: a circle may have closed or opened."""
    waiting, seen = set(docids), set[str]()
    while waiting and len(seen) < _LONGEST_LINE:
        for one in sorted(waiting):
            attach(writer, one)
        seen |= waiting
        waiting = {older for one in waiting for older in find_superseded(writer, one)} - seen


def _link(writer: Writer, stored: StoredDocument, links: tuple[str, ...]) -> set[str]:
    """Sets the links of a document; gives what it supersedes now and did not, or did and does not now."""
    document = stored.document
    before = set(writer.links_of(document.docid, KEY))
    linked = writer.links_of(document.docid)
    writer.set_links(document.docid, meant(writer, document, links))
    if writer.links_of(document.docid) != linked:
        # What its sentences say of a link is said of another document now.
        writer.clear_marks([stored.id])
    return before.symmetric_difference(writer.links_of(document.docid, KEY))


def meant(reader: Reader, document: Document, links: tuple[str, ...]) -> list[DocumentRelation]:
    """What a file links to, and what its frontmatter says of others, by the names that documents have now."""
    mentioned = {stem for text in links for stem in stems(text, document.path)}
    named = reader.named(document.collection, mentioned | mentions(document))
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
    """What the status of a decision says to have taken its place, and of what it takes the place."""
    if not any(key in document.facts for key in STATUS_KEYS):
        return
    numbers = numbered(reader, document)
    for key, newer in STATUS_KEYS.items():
        for target in targets(document, key, lambda name: numbers.get(name) or meaning(name)):
            ends = (document.docid, target) if newer else (target, document.docid)
            if document.trust != "external" or not newer:
                yield DocumentRelation(ends[0], SUCCEEDS, ends[1], origin=FILE)


def _causes(document: Document, meaning: Callable[[str], str | None]) -> Iterator[DocumentRelation]:
    """What its frontmatter names as its causes, and what it is the cause of."""
    whole = (EvidencePlace(document.docid),)
    for key, causes in CAUSE_KEYS.items():
        for target in targets(document, key, meaning):
            ends = (document.docid, target) if causes else (target, document.docid)
            yield DocumentRelation(ends[0], "causal", ends[1], origin=FILE, evidence=whole)


def _meaning(text: str, path: str, notes: LinkTargets, docids: dict[str, str]) -> str | None:
    target = resolve(text, path, notes)
    return None if target is None else docids[target]
