"""Linking: what the links of documents mean now. A name may come to mean another document, or none, whenever a document
comes, goes or changes its name, so links are resolved apart from the reading of the files they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from hearth.core.document import Document
from hearth.core.graph import FILE, LINKED, DocumentRelation, EvidencePlace
from hearth.markdown.links import LinkTargets, resolve, stems
from hearth.ports import Reader, Store, StoredDocument, Writer
from hearth.vault.indexing import supersession

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
    freed = supersession.below(writer, docid)
    writer.remove(docid)
    reconsider(writer, freed, attach)


def reconsider(writer: Writer, docids: Iterable[str], attach: Attach) -> None:
    """Attaches state anew down the line of what is superseded: a circle may have closed or opened."""
    waiting, seen = set(docids), set[str]()
    while waiting and len(seen) < _LONGEST_LINE:
        for docid in sorted(waiting):
            attach(writer, docid)
        seen |= waiting
        waiting = {below for docid in waiting for below in supersession.below(writer, docid)} - seen


def _link(writer: Writer, stored: StoredDocument, links: tuple[str, ...]) -> set[str]:
    """Sets the links of a document; gives what it supersedes now and did not, or did and does not now."""
    document = stored.document
    before = set(writer.links_of(document.docid, supersession.KEY))
    linked = writer.links_of(document.docid)
    writer.set_links(document.docid, meant(writer, document, links))
    if writer.links_of(document.docid) != linked:
        # What its sentences say of a link is said of another document now.
        writer.clear_marks([stored.id])
    return before.symmetric_difference(writer.links_of(document.docid, supersession.KEY))


def meant(reader: Reader, document: Document, links: tuple[str, ...]) -> list[DocumentRelation]:
    """What a file links to, and what its frontmatter says of others, by the names that documents have now."""
    mentioned = {stem for text in links for stem in stems(text, document.path)}
    named = reader.named(document.collection, mentioned | supersession.mentions(document))
    meaning = partial(_meaning, path=document.path, notes=LinkTargets(named), docids=named)
    return [*_relations(document, links, meaning), *_successions(reader, document, meaning)]


def _relations(
    document: Document, links: tuple[str, ...], meaning: Callable[[str], str | None]
) -> Iterator[DocumentRelation]:
    for target in sorted({target for text in links if (target := meaning(text)) not in (None, document.docid)}):
        yield DocumentRelation(document.docid, "references", target, LINKED)
    for key in supersession.KEYS:
        for target in supersession.targets(document, key, meaning):
            yield DocumentRelation(document.docid, key, target, origin=FILE)
    if document.trust != "external":
        yield from _causes(document, meaning)


def _successions(
    reader: Reader, document: Document, meaning: Callable[[str], str | None]
) -> Iterator[DocumentRelation]:
    """What the status of a decision says to have taken its place, and of what it takes the place."""
    if not any(key in document.facts for key in supersession.STATUS_KEYS):
        return
    numbers = supersession.numbered(reader, document)
    for key, newer in supersession.STATUS_KEYS.items():
        for target in supersession.targets(document, key, lambda name: numbers.get(name) or meaning(name)):
            ends = (document.docid, target) if newer else (target, document.docid)
            if document.trust != "external" or not newer:
                yield DocumentRelation(ends[0], supersession.SUCCEEDS, ends[1], origin=FILE)


def _causes(document: Document, meaning: Callable[[str], str | None]) -> Iterator[DocumentRelation]:
    """What its frontmatter names as its causes, and what it is the cause of."""
    whole = (EvidencePlace(document.docid),)
    for key, causes in supersession.CAUSE_KEYS.items():
        for target in supersession.targets(document, key, meaning):
            ends = (document.docid, target) if causes else (target, document.docid)
            yield DocumentRelation(ends[0], "causal", ends[1], origin=FILE, evidence=whole)


def _meaning(text: str, path: str, notes: LinkTargets, docids: dict[str, str]) -> str | None:
    target = resolve(text, path, notes)
    return None if target is None else docids[target]
