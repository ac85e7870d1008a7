"""Causes among what a session left behind, said once by capture: a person's word on the same two goes before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hearth.engine.graph.relations import draft_relation
from hearth.engine.history.validity import is_memory
from hearth.engine.truth.review import beginning
from hearth.extract.causes.pairs import TYPES, CausalPair, SessionStatement, find_pairs
from hearth.model.capture.extraction import Category
from hearth.model.graph.relation import hash_passage
from hearth.model.journal import subjects
from hearth.model.journal.event import Draft
from hearth.model.memory import captured_turn
from hearth.ports import Reader, Store, StoredDocument

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
                document.docid, document.content_type, turn, beginning(reader, one, _CHARS) or document.title
            )


def _is_said(reader: Reader, pair: CausalPair) -> bool:
    field = subjects.name_relation(_CAUSAL, pair.effect)
    return any(one.subject == pair.cause and one.field == field for one in reader.said_of([pair.cause]))


def _draft(reader: Reader, pair: CausalPair) -> Draft | None:
    ends = reader.document(pair.cause), reader.document(pair.effect)
    if ends[0] is None or ends[1] is None or _is_said(reader, pair):
        return None
    cause, effect = ends[0].document, ends[1].document
    said = {"weight": pair.weight, "why": pair.why, "places": _places(reader, ends[1])}
    return draft_relation(cause, _CAUSAL, effect, ORIGIN, said)


def _places(reader: Reader, stored: StoredDocument) -> Sequence[list[str | int]]:
    for part in reader.fragments_of(stored.id):
        if part.kind != "frontmatter" and part.text.strip():
            return [[stored.document.docid, part.start_line, part.end_line, hash_passage(part.text)]]
    return []
