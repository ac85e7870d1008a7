"""Causes that a document's sentences tell, and those among what a session left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from hearth.core import subjects
from hearth.core.document import Document
from hearth.core.extraction import Category
from hearth.core.graph import CAUSES, DocumentRelation, EvidencePlace, hash_fragment
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.memory import captured_turn
from hearth.graph.relations import draft_relation
from hearth.language.causes import (
    TYPES,
    CausalClaim,
    CausalPair,
    CausedBy,
    CauseMention,
    SessionStatement,
    find_causes,
    find_hints,
    find_pairs,
    may_name,
    may_tell,
    settle,
)
from hearth.markdown.blocks import paragraphs
from hearth.markdown.links import LinkTargets, resolve, stems
from hearth.ports import Filter, Reader, Store, StoredDocument, StoredFragment, WantedTerm
from hearth.text.names import document_keys, name_key
from hearth.text.terms import terms
from hearth.vault.documents import read_beginning
from hearth.vault.linking import find_named
from hearth.vault.validity import is_memory

MOST_CAUSES = 50
"""Of one document."""
_EVERYTHING = Filter(include_hidden=True)
# So many fragments that hold a name are looked at, by so many of its rarest words.
_MOST_TELLERS, _MOST_TERMS = 200, 4
# So many documents that have one name are looked at; of more none is ever meant.
_MOST_NAMESAKES = 4
_SILENT = frozenset({"frontmatter", "code", "table"})


class CausalStatement(NamedTuple):
    """A sentence that says what is the cause of what, and where it stands."""

    claim: CausalClaim
    place: EvidencePlace


def find_statements(document: Document, fragments: Sequence[StoredFragment]) -> list[CausalStatement]:
    """What a document says of causes; nothing where it is external. Which documents it means is told by
    ``find_causes_of``."""
    if document.trust == "external":
        return []
    found: list[CausalStatement] = []
    for part in fragments:
        if part.kind in _SILENT or not (hints := find_hints(part.text)):
            continue
        rows = part.text.split("\n")
        for row, text in paragraphs(part.text):
            for claim in find_causes(text, hints):
                first, last = (part.start_line + row + at for at in _span(rows[row:], text, claim.quote))
                found.append(
                    CausalStatement(claim, EvidencePlace(document.docid, first, last, hash_fragment(part.text)))
                )
    return found


def find_causes_of(reader: Reader, document: Document, statements: Iterable[CausalStatement]) -> list[DocumentRelation]:
    """The causal relations that a document tells, of the origin ``CAUSES``. Where a name is that of several documents
    each gets the weight 0: none is meant, until one of them goes."""
    found: dict[tuple[str, str, int], DocumentRelation] = {}
    names = _Names(reader, document)
    for claim, place in statements:
        claimed = settle(claim, names.find)
        for relation in () if claimed is None else _relate(document, claimed, names, place):
            found.setdefault((relation.source, relation.target, place.start), relation)
    return list(found.values())[:MOST_CAUSES]


def _span(rows: Sequence[str], paragraph: str, quote: str) -> tuple[int, int]:
    """The first and the last row of a sentence in the rows of its paragraph, whose texts it joins."""
    start = max(0, paragraph.find(quote))
    first = last = passed = 0
    for at, row in enumerate(rows):
        if passed > min(start + len(quote), len(paragraph)) - 1:
            break
        first, last = (at, at) if passed <= start else (first, at)
        passed += len(row.strip()) + 1
    return first, last


def _relate(document: Document, said: CausedBy, names: _Names, place: EvidencePlace) -> Iterator[DocumentRelation]:
    causes = [docid for name in said.causes for docid in names.meant[name]]
    effects = [docid for name in said.effects for docid in names.meant[name]]
    # A note is an end itself where a day stands at one end: what explains a concept tells of no event.
    own = [document.docid] if document.dated_at is not None or names.have_day((*causes, *effects)) else []
    causes, effects = causes or own, effects or own
    sure = all(len(names.meant[name]) == 1 for name in (*said.causes, *said.effects))
    for cause in causes:
        for effect in effects:
            if cause != effect:
                weight = said.weight if sure else 0.0
                yield DocumentRelation(
                    cause, "causal", effect, weight, document.dated_at, origin=CAUSES, evidence=(place,)
                )


@dataclass
class _Names:
    """Which documents a text means: ``meant`` by what it says, several where that is not clear."""

    reader: Reader
    document: Document
    meant: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, mentions: Sequence[CauseMention]) -> list[str | None]:
        missing = {one for one in mentions if one.text not in self.meant}
        for one in missing:
            self.meant[one.text] = self._linked(one.text) if one.link else ()
        keys = sorted({one.text for one in missing if not one.link})
        self._name(keys)
        return [one.text if self.meant[one.text] else None for one in mentions]

    def have_day(self, docids: Iterable[str]) -> bool:
        """Whether one of the documents is dated."""
        found = (self.reader.document(docid) for docid in docids)
        return any(one is not None and one.document.dated_at is not None for one in found)

    def _linked(self, link: str) -> tuple[str, ...]:
        named = find_named(self.reader, self.document.collection, stems(link, self.document.path))
        target = resolve(link, self.document.path, LinkTargets(named))
        found = None if target is None else named[target]
        return () if found in (None, self.document.docid) else (str(found),)

    def _name(self, keys: Sequence[str]) -> None:
        if not keys or not self.reader.find_rows("name", keys, _EVERYTHING, 1):
            return
        for key in keys:
            rows = self.reader.find_rows("name", [key], _EVERYTHING, _MOST_NAMESAKES + 1)
            if not 0 < len(rows) <= _MOST_NAMESAKES:
                continue
            docids = sorted(one.document.docid for one in self.reader.documents(rows).values())
            if self.document.docid not in docids:
                self.meant[key] = tuple(docids)


def find_tellers(reader: Reader, stored: StoredDocument) -> set[int]:
    """Rows of other documents that may tell causes by its name, as it is now and as it was before."""
    document = stored.document
    relations = reader.relations_of([document.docid], ("causal",))
    owners = {place.docid for one in relations if one.origin == CAUSES for place in one.evidence} - {document.docid}
    rows = {one.id for docid in sorted(owners) if (one := reader.document(docid)) is not None}
    keys = [key for key in document_keys(document.title, document.path, document.aliases) if may_name(key)]
    for key in sorted(keys):
        rows |= {part.document for part in _mention(reader, key, document.language) if part.document != stored.id}
    return rows


def _mention(reader: Reader, key: str, language: str) -> Iterator[StoredFragment]:
    """Fragments that hold a name and may tell a cause."""
    wanted = reader.terms(set(terms(key, language)))
    rare = sorted(wanted.values(), key=lambda row: (row.df, row.term))[:_MOST_TERMS]
    matched = reader.match([WantedTerm(row) for row in rare], _EVERYTHING, _MOST_TELLERS) if rare else []
    for part in reader.fragments(matched).values():
        if may_tell(part.text) and any(key in name_key(row) for row in part.text.split("\n")):
            yield part


ORIGIN = "capture"
_CHARS = 1_000
_CAUSAL = "causal"
_TOLD = frozenset((*Category, *TYPES))


Ask = Callable[[Sequence[SessionStatement]], Sequence[CausalPair]]
"""What a language model says of the statements of a session."""


def draft_causes(store: Store, session: str, written: Iterable[str], ask: Ask | None = None) -> list[Draft]:
    """Events that say what led to what in a session, of which ``written`` (docids) was captured just now, by the rules
    and by whoever is asked; what was said of two documents before, whatever it was, is not said again."""
    new = set(written)
    with store.read() as reader:
        statements = list(_statements(reader, session, new))
        pairs = find_pairs(one for one in statements if one.content_type in TYPES)
    if ask is not None and len(statements) > 1 and any(one.docid in new for one in statements):
        known = {frozenset((one.cause, one.effect)) for one in pairs}
        pairs += [one for one in ask(statements) if frozenset((one.cause, one.effect)) not in known]
    fresh = [one for one in pairs if new & {one.cause, one.effect}]
    with store.read() as reader:
        return [draft for one in fresh if (draft := _draft(reader, one)) is not None]


def _counts(stored: StoredDocument) -> bool:
    document = stored.document
    seen = not (stored.state.hidden or stored.vanished)
    return document.content_type in _TOLD and is_memory(document) and document.trust != "external" and seen


def _statements(reader: Reader, session: str, new: Iterable[str]) -> Iterator[SessionStatement]:
    """Of the session so far, by turn."""
    before = (subjects.read_captured(key)[1] for key in reader.keys(subjects.name_session(session), "captured"))
    docids = dict.fromkeys((*before, *sorted(new)))
    found = [stored for docid in docids if (stored := reader.document(docid)) is not None and _counts(stored)]
    yield from sorted(_read(reader, found), key=lambda one: (one.turn, one.docid))


def _read(reader: Reader, stored: Iterable[StoredDocument]) -> Iterator[SessionStatement]:
    for one in stored:
        document = one.document
        turn = captured_turn(document.facts.get("source", ""))
        if turn is not None:
            yield SessionStatement(
                document.docid, document.content_type, turn, read_beginning(reader, one, _CHARS) or document.title
            )


def _is_stated(reader: Reader, pair: CausalPair) -> bool:
    field = subjects.name_relation(_CAUSAL, pair.effect)
    return any(one.subject == pair.cause and one.field == field for one in reader.find_relations([pair.cause]))


def _draft(reader: Reader, pair: CausalPair) -> Draft | None:
    ends = reader.document(pair.cause), reader.document(pair.effect)
    if ends[0] is None or ends[1] is None or _is_stated(reader, pair):
        return None
    cause, effect = ends[0].document, ends[1].document
    payload = {"weight": pair.weight, "why": pair.why, "places": _places(reader, ends[1])}
    return draft_relation(cause, _CAUSAL, effect, ORIGIN, payload)


def _places(reader: Reader, stored: StoredDocument) -> Sequence[list[str | int]]:
    for part in reader.fragments_of(stored.id):
        if part.kind != "frontmatter" and part.text.strip():
            return [[stored.document.docid, part.start_line, part.end_line, hash_fragment(part.text)]]
    return []
