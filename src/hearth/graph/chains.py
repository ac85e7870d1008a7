"""Chains of causes: what led to a document, and what it led to, with the lines that say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from hearth.core.errors import UsageError
from hearth.core.graph import DocumentRelation, EvidencePlace, PathStep
from hearth.core.lazy import dataclass
from hearth.graph.relations import relations_of
from hearth.ports import Filter, Reader
from hearth.text.lines import cut_line
from hearth.vault.changes import find

if TYPE_CHECKING:
    from hearth.core.document import Document
    from hearth.vault.vault import Vault

CAUSES, CAUSED_BY, BOTH = "causes", "caused_by", "both"
DIRECTIONS = (BOTH, CAUSES, CAUSED_BY)
MOST_LINKS = 50
LEAST_CONFIDENCE = 0.2
DEEPEST = 10
_WIDEST = 200
_CAUSAL = ("causal",)
_WORDS = 240


@dataclass(frozen=True, slots=True)
class CausalEvidence:
    """Lines that say so, 1-based and inclusive, and what stands there; 0 and 0 for what a file's frontmatter says."""

    docid: str
    place: str
    start: int
    end: int
    words: str

    def to_dict(self) -> dict[str, Any]:
        lines = {"start_line": self.start, "end_line": self.end}
        return {"docid": self.docid, "path": self.place, **lines, "words": self.words}


@dataclass(frozen=True, slots=True)
class CausalLink:
    """A document at the end of a chain of ``depth`` relations, whose weights multiplied are the ``confidence``.
    ``direction`` is ``causes`` where it is an effect of what was asked about, ``caused_by`` where it is a cause;
    ``via`` leads there from that, each step from cause to effect; ``evidence`` and ``origin`` are of the last one."""

    document: Document
    direction: str
    depth: int
    confidence: float
    via: tuple[PathStep, ...]
    evidence: tuple[CausalEvidence, ...]
    origin: str

    def to_dict(self) -> dict[str, Any]:
        document = self.document
        return {
            "docid": document.docid,
            "collection": document.collection,
            "path": document.path,
            "title": document.title,
            "direction": self.direction,
            "depth": self.depth,
            "confidence": round(self.confidence, 4),
            "via": [step.to_dict() for step in self.via],
            "evidence": [one.to_dict() for one in self.evidence],
            "origin": self.origin,
        }


@dataclass(frozen=True, slots=True)
class CausalView:
    """The surest first, at most 50."""

    document: Document
    links: tuple[CausalLink, ...]

    def to_dict(self) -> dict[str, Any]:
        document = self.document
        source = {"docid": document.docid, "collection": document.collection, "path": document.path}
        return {"source": source | {"title": document.title}, "links": [link.to_dict() for link in self.links]}


@dataclass(frozen=True, slots=True)
class _Chain:
    confidence: float
    steps: tuple[DocumentRelation, ...]


def find_causal_links(vault: Vault, reference: str, direction: str = BOTH, depth: int = 5) -> CausalView:
    """Of chains to the same document the surest one; only those of a confidence of 0.2 and more, through documents
    that a search may show. Raises ``UsageError`` for another direction or a depth out of 1 to 10, ``NotFound`` and
    ``Ambiguous`` for the reference."""
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is not a direction; choose one of: {', '.join(DIRECTIONS)}")
    if not 1 <= depth <= DEEPEST:
        raise UsageError(f"depth {depth} is out of range; choose 1 to {DEEPEST}")
    with vault.store.read() as reader:
        document = find(reference, reader, vault.core.roots).stored.document
        within = Filter(at=vault.clock())
        links: list[CausalLink] = []
        for way in (CAUSES, CAUSED_BY) if direction == BOTH else (direction,):
            chains = _follow(reader, document.docid, way, depth, within)
            best = sorted(chains.items(), key=lambda one: (-one[1].confidence, len(one[1].steps), one[0]))[:MOST_LINKS]
            links += _describe(reader, best, way)
        links.sort(key=lambda link: (-link.confidence, link.depth, link.direction, link.document.docid))
    return CausalView(document, tuple(links[:MOST_LINKS]))


def _follow(reader: Reader, docid: str, way: str, depth: int, within: Filter) -> dict[str, _Chain]:
    """The surest chain to each document, level by level; a circle never makes one surer."""
    best = {docid: _Chain(1.0, ())}
    level = [docid]
    for _ in range(depth):
        reached: set[str] = set()
        around = relations_of(reader, level, _CAUSAL, within)
        wanted = set(level)
        for relation in around:
            at, other = (relation.source, relation.target) if way == CAUSES else (relation.target, relation.source)
            if at not in wanted:
                continue
            confidence = best[at].confidence * relation.weight
            if confidence >= LEAST_CONFIDENCE and (other not in best or confidence > best[other].confidence):
                best[other] = _Chain(confidence, (*best[at].steps, relation))
                reached.add(other)
        level = sorted(reached, key=lambda other: (-best[other].confidence, other))[:_WIDEST]
        if not level:
            break
    del best[docid]
    return {other: chain for other, chain in best.items() if len(chain.steps) <= depth}


def _describe(reader: Reader, chains: Sequence[tuple[str, _Chain]], way: str) -> Iterator[CausalLink]:
    @cache
    def place(docid: str) -> str:
        stored = reader.document(docid)
        return f"#{docid}" if stored is None else stored.document.place

    for docid, chain in chains:
        stored = reader.document(docid)
        if stored is None:
            continue
        via = tuple(
            PathStep(one.source, one.type, one.target, place(one.source), place(one.target), one.weight)
            for one in chain.steps
        )
        last = chain.steps[-1]
        evidence = tuple(
            CausalEvidence(one.docid, place(one.docid), one.start, one.end, _quote(reader, one))
            for one in last.evidence
        )
        yield CausalLink(stored.document, way, len(via), chain.confidence, via, evidence, last.origin)


def _quote(reader: Reader, evidence: EvidencePlace) -> str:
    """What the lines say now; nothing where they are gone, or are all of a document."""
    stored = reader.document(evidence.docid) if evidence.start else None
    if stored is None:
        return ""
    for part in reader.fragments_of(stored.id):
        if part.start_line <= evidence.start <= part.end_line:
            rows = part.text.split("\n")[evidence.start - part.start_line : evidence.end - part.start_line + 1]
            return cut_line(" ".join(" ".join(rows).split()), _WORDS)
    return ""
