"""Facts of something named: what the passages that hold the name state of it, since when and until when.

Derived when it is asked for, as entities are: from the sentences of memories, with their confidence, and from the
fields of people's notes (``owner: …``), with 0.6. Of their prose the same patterns get too much wrong, and what is
external states nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hearth.engine.graph.names import find_passages, name_asked
from hearth.errors import UsageError
from hearth.extract.facts.triples import FIELDS, FactTriple, find_triples
from hearth.graph.intervals import close
from hearth.graph.resolve import key_of
from hearth.lazy import dataclass
from hearth.markdown.paragraphs import paragraphs
from hearth.model.fact import PREDICATES, Fact
from hearth.model.identity import INTERNAL
from hearth.model.query import Hit
from hearth.ranking.echo import QUOTING
from hearth.text.similarity import normalised

if TYPE_CHECKING:
    from hearth.engine.vault import Vault
    from hearth.ports import Reader

DIRECTIONS = ("both", "outgoing", "incoming")
NOTED = 0.6
_MOST_CANDIDATES = 10
_SELF = ("we", "wir", "nosotros", "nous", "nós", "noi")


@dataclass(frozen=True, slots=True)
class FactsView:
    """The facts of a name, the newest first; ``total`` counts those that were found. Where none is, ``candidates`` are
    names in the same passages of which something is known."""

    asked: str
    facts: tuple[Fact, ...] = ()
    total: int = 0
    candidates: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        rows = [fact.to_dict() for fact in self.facts]
        return {"asked": self.asked, "facts": rows, "total": self.total, "candidates": list(self.candidates)}


def find_facts(
    vault: Vault,
    name: str,
    *,
    predicate: str | None = None,
    direction: str = "both",
    as_of: int | None = None,
    limit: int = 50,
) -> FactsView:
    """Of the 100 best passages that hold the name; with ``as_of`` (ms UTC) only what held then. ``outgoing`` are those
    of which it is the subject. Raises ``UsageError`` for a name without a letter or digit, a predicate that there is
    not, and another direction."""
    asked = name_asked(name)
    if predicate is not None and predicate not in PREDICATES:
        raise UsageError(f"{predicate!r} is no predicate; one of: {', '.join(PREDICATES)}")
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is no direction; one of: {', '.join(DIRECTIONS)}")
    wanted = key_of(asked, words=True)
    hits = sorted(find_passages(vault, asked, hidden=True), key=lambda hit: hit.content_type in QUOTING)
    with vault.store.read() as reader:
        stated = _once(fact for hit in hits for fact in _read(reader, hit, wanted))
    known = close(stated)
    ways = {"outgoing": ("subject_key",), "incoming": ("object_key",)}.get(direction, ("subject_key", "object_key"))
    found = [
        fact
        for fact in known
        if any(_names(getattr(fact, way), wanted) for way in ways)
        and predicate in (None, fact.predicate)
        and (as_of is None or fact.holds(as_of))
    ]
    found.sort(
        key=lambda fact: (fact.valid_to is not None, -(fact.valid_from or 0), -fact.confidence, fact.docid, fact.line)
    )
    others = dict.fromkeys(fact.subject for fact in known if fact.subject_key not in _SELF)
    return FactsView(asked, tuple(found[:limit]), len(found), () if found else tuple(others)[:_MOST_CANDIDATES])


def _names(key: str, wanted: str) -> bool:
    """Whether a phrase is a name or ends in it: "job queue" is a queue."""
    return key == wanted or key.endswith(f" {wanted}")


def _read(reader: Reader, hit: Hit, wanted: str) -> Iterator[Fact]:
    stored = reader.document(hit.docid)
    if stored is None or hit.trust == "external":
        return
    document, state = stored.document, stored.state
    sure = document.confidence if state.confidence is None else state.confidence
    own = document.collection == INTERNAL
    confidence = sure if own else min(sure, NOTED)
    since = document.valid_from or document.dated_at
    texts = [(hit.start_line, hit.text)]
    if _names(key_of(document.title, words=True), wanted):
        heads = (fragment for fragment in reader.fragments_of(stored.id) if fragment.kind == "frontmatter")
        texts += [(fragment.start_line, fragment.text) for fragment in heads]
    for at, paragraph in [(first + row, said) for first, text in texts for row, said in paragraphs(text)]:
        for triple in [*_field(paragraph, document.title), *(find_triples(paragraph) if own else ())]:
            yield Fact(
                triple.subject,
                triple.predicate,
                triple.object,
                key_of(triple.subject, words=True),
                key_of(triple.object, words=True),
                hit.docid,
                hit.collection,
                hit.path,
                at,
                triple.quote,
                confidence,
                since,
                state.valid_to,
            )


def _field(row: str, title: str) -> Iterator[FactTriple]:
    """What a line of a note's frontmatter, or of its inline fields, says of the note."""
    name, _, values = row.replace("::", ":", 1).partition(":")
    predicate = FIELDS.get(name.strip(" -*").casefold())
    if predicate is None or len(title.split()) > 12:
        return
    for value in values.strip(" []\"'").split(","):
        if value.strip(" \"'"):
            yield FactTriple(title, predicate, value.strip(" \"'"), row.strip())


def _once(facts: Iterable[Fact]) -> Sequence[Fact]:
    """Windows overlap, and conversations and hand-offs quote what memories say."""
    found: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        found.setdefault((fact.subject_key, fact.predicate, fact.object_key, normalised(fact.quote)), fact)
    return tuple(found.values())
