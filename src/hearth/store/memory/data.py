"""What the index in memory holds, and which documents a filter admits."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from hearth.core.document import normal_path
from hearth.core.folded import Folded
from hearth.core.graph import DocumentRelation, NamedEntity
from hearth.core.lazy import dataclass
from hearth.ports import (
    CollectionState,
    Failure,
    Filter,
    MeanVector,
    Posting,
    Skipped,
    StoredDocument,
    StoredFragment,
    TermRow,
    source_of,
    tag_prefix,
)

if TYPE_CHECKING:
    from hearth.ports import Bytes


@dataclass(frozen=True, slots=True)
class Vector:
    """The vector of a fragment: int8 times ``scale``."""

    document: int
    levels: Bytes
    scale: float


@dataclass(slots=True)
class Data:
    """A published one never changes; ``fork`` gives the copy that a write works on."""

    documents: dict[int, StoredDocument] = field(default_factory=dict)
    by_docid: dict[str, int] = field(default_factory=dict)
    by_path: dict[tuple[str, str], int] = field(default_factory=dict)
    fragments: dict[int, StoredFragment] = field(default_factory=dict)
    parts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    postings: dict[int, Posting] = field(default_factory=dict)
    terms: dict[str, TermRow] = field(default_factory=dict)
    term_names: dict[int, str] = field(default_factory=dict)
    relations: dict[int, dict[str, tuple[DocumentRelation, ...]]] = field(default_factory=dict)
    marks: dict[int, str] = field(default_factory=dict)
    entities: dict[int, tuple[str, tuple[tuple[int, NamedEntity], ...]]] = field(default_factory=dict)
    means: dict[int, MeanVector] = field(default_factory=dict)
    written: dict[int, tuple[str, ...]] = field(default_factory=dict)
    mentions: dict[int, frozenset[str]] = field(default_factory=dict)
    unlinked: set[int] = field(default_factory=set)
    named: dict[int, frozenset[str]] = field(default_factory=dict)
    collections: dict[str, CollectionState] = field(default_factory=dict)
    skipped: dict[str, tuple[Skipped, ...]] = field(default_factory=dict)
    vectors: dict[str, dict[int, Vector]] = field(default_factory=dict)
    failures: dict[tuple[str, int], Failure] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    folded: Folded = field(default_factory=Folded)
    generation: int = 0
    last_document: int = 0
    last_fragment: int = 0
    length: int = 0
    vector_removals: int = 0

    def fork(self) -> Data:
        return replace(
            self,
            documents=dict(self.documents),
            by_docid=dict(self.by_docid),
            by_path=dict(self.by_path),
            fragments=dict(self.fragments),
            parts=dict(self.parts),
            postings=dict(self.postings),
            terms=dict(self.terms),
            term_names=dict(self.term_names),
            relations={owner: dict(rows) for owner, rows in self.relations.items()},
            marks=dict(self.marks),
            entities=dict(self.entities),
            means=dict(self.means),
            written=dict(self.written),
            mentions=dict(self.mentions),
            unlinked=set(self.unlinked),
            named=dict(self.named),
            collections=dict(self.collections),
            skipped=dict(self.skipped),
            vectors={space: dict(rows) for space, rows in self.vectors.items()},
            failures=dict(self.failures),
            meta=dict(self.meta),
            folded=self.folded.fork(),
        )


def admits(within: Filter, stored: StoredDocument) -> bool:
    """Whether a document may answer."""
    document = stored.document
    if stored.vanished or not _in_sight(within, stored):
        return False
    if within.sources and source_of(document) not in within.sources:
        return False
    for value, wanted in ((document.collection, within.collections), (document.content_type, within.types)):
        if wanted and value not in wanted:
            return False
    if within.statuses and document.status not in within.statuses:
        return False
    if not dated_within(stored, within.since, within.until):
        return False
    path, tags = document.path.lower(), [tag.lower() + "/" for tag in stored.tags]
    named = all(normal_path(part).lower() in path for part in within.paths)
    return named and all(any(tag.startswith(tag_prefix(wanted)) for tag in tags) for wanted in within.tags)


def _in_sight(within: Filter, stored: StoredDocument) -> bool:
    state, as_of = stored.state, within.as_of
    if as_of is not None:
        since = stored.document.valid_from
        begun, over = since is None or since <= as_of, state.valid_to is not None and state.valid_to <= as_of
        return begun and not over and not state.forgotten
    if within.include_hidden:
        return True
    at = within.unexpired_at
    return set(state.veils).issubset(within.include) and not (at is not None and state.expired(at))


def dated_within(stored: StoredDocument, start: int | None, end: int | None) -> bool:
    dated = stored.document.dated_at
    if dated is None:
        return start is None and end is None
    return (start is None or start <= dated) and (end is None or dated < end)
