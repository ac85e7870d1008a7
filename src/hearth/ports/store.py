"""The index, by use: a function takes the narrowest of these protocols that it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from hearth.core.document import Document, DocumentState, FileState
from hearth.core.graph import DocumentRelation, NamedEntity, NameSpelling
from hearth.core.journal import Member, Register
from hearth.ports.stored import (
    CollectionState,
    DocumentPlace,
    DocumentRecord,
    Filter,
    HeldName,
    IndexedFile,
    MeanVector,
    Posting,
    Registers,
    Rows,
    Skipped,
    Statistics,
    StoredDocument,
    StoredFragment,
    SubjectState,
    TermRow,
    UnsettledNote,
    VectorBlock,
    VectorSpace,
    WantedTerm,
)

if TYPE_CHECKING:
    from hearth.ports.models import VectorIndex
    from hearth.ports.stored import Bytes


LookUp = Literal["place", "stem", "docid", "hash", "suffix", "beginning", "unprintable"]
RowKey = Literal["docid", "name"]
Work = Literal["relations", "entities"]
Condition = Literal["current", "stale", "unfilled"]
TakeOver = Callable[[Callable[[], object]], None]
"""Calls what it is given when nobody can write the present index any more: what the new one lacks of it can be added
then."""


class DocumentReader(Protocol):
    """Documents, by row, docid, filter or date."""

    def document(self, docid: str) -> StoredDocument | None: ...
    def documents(self, ids: Collection[int]) -> dict[int, StoredDocument]: ...
    def find_documents(self, within: Filter, limit: int) -> list[StoredDocument]:
        """The first that the filter admits, by collection and path."""

    def each_document(self, within: Filter) -> Iterator[StoredDocument]:
        """All that the filter admits, by collection and path, read a page at a time."""

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        """Rows of documents dated in [start, end), nearest the middle first."""

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]: ...
    def docids(self) -> dict[str, tuple[str, str]]:
        """docid -> (collection, path)."""


class NameReader(Protocol):
    """Documents by what people and links call them."""

    def look_up(self, by: LookUp, names: Iterable[str], limit: int | None = None) -> list[DocumentPlace]:
        """Where documents are, hidden ones too, in the order of the names; at most ``limit`` for each.

        ``place`` is ``collection/path``, else the path in any collection; ``stem`` a collection, a slash, and what
        links to the document end in. ``docid`` and ``hash`` (of the body) are beginnings, ``suffix`` the last parts of
        ``collection/path``, ``beginning`` that of the file's name in any case. ``unprintable`` ignores the names and
        finds places with characters that no terminal shows."""

    def find_rows(self, by: RowKey, keys: Sequence[str], within: Filter, limit: int | None = None) -> dict[int, str]:
        """Row of a document that the filter admits -> the key that it was found by, at most ``limit``: its ``docid``,
        or one of its names (see ``text.names``), in the order of these and of rows."""

    def similar_names(self, text: str, limit: int) -> list[int]:
        """Rows of documents whose names share runs of letters with a name key, the rarest runs first, then some that
        begin like it."""


class LinkReader(Protocol):
    """What documents link to, and what they are called."""

    def links(self, docid: str, kind: str = "references", *, incoming: bool = False) -> list[str]:
        """The docids that a document's file links to, or names in its frontmatter for another kind of relation.
        ``incoming`` turns this around: the docids of documents whose files name it."""

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        """Documents whose links have to be resolved, with these as the text has them: they were put or hollowed, or a
        document came, went or changed its name that they may mean."""


class RelationReader(Protocol):
    """How documents hang together."""

    def relations_of(self, docids: Sequence[str], types: Sequence[str] = ()) -> list[DocumentRelation]:
        """What was derived and has one of the documents at either end, of these types or of all, by source, type,
        target and origin."""

    def find_relations(self, docids: Sequence[str]) -> list[Register]:
        """What the journal says of relations of the documents under these names, at either end: the registers
        ``subjects.RELATION`` and ``superseded_by``, by subject and field."""

    def waiting(self, work: Work, mark: str, limit: int | None = None, after: int = 0) -> list[int]:
        """Rows above ``after`` of documents, hidden ones too, that lack this mark for their present text, in order.
        ``set_mark`` sets it for relations, ``set_entities`` for entities."""

    def count_waiting(self, work: Work, mark: str) -> int: ...
    def beside(self, docid: str, types: Sequence[str] = (), *, later: bool) -> StoredDocument | None:
        """The dated document of the same project (of the same collection, where it names none) before or after it, of
        these content types or of all, hidden ones too; purged ones are passed over."""

    def means(self) -> list[MeanVector]:
        """By row of the document."""


class EntityReader(Protocol):
    """The names in fragments, and which documents hold them, by their keys."""

    def list_spellings(
        self, limit: int, kind: str | None = None, part: str = "", keys: Sequence[str] | None = None
    ) -> list[NameSpelling]:
        """Spellings, of one type or of all, with one of the ``keys`` or any, whose keys hold ``part``: those of most
        documents first, then the last by key."""

    def entities_in(self, documents: Sequence[int], keys: Sequence[str] | None = None) -> dict[int, list[HeldName]]:
        """Row of a document -> the names in its fragments, in their order, or those with one of the ``keys``."""

    def naming(self, keys: Sequence[str], within: Filter, limit: int) -> list[tuple[int, int]]:
        """Rows of documents and their fragments that hold one of the names; the newest documents first."""

    def holders_of(self, keys: Sequence[str], within: Filter, limit: int | None = None) -> dict[str, list[str]]:
        """Key of a name -> the docids of those that hold it, in order; at most ``limit`` for each."""


class FragmentReader(Protocol):
    """Fragments with their texts."""

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]: ...
    def fragments_after(
        self, fragment: int, limit: int, without: tuple[str, int] | None = None
    ) -> list[StoredFragment]:
        """Fragments with an id above ``fragment``, in id order. ``without``, a space and a number of tries, leaves
        those that have no vector there and failed fewer times."""

    def fragments_of(self, document: int) -> list[StoredFragment]: ...


class PostingReader(Protocol):
    """What a lane needs to find and judge fragments."""

    def statistics(self) -> Statistics: ...
    def terms(self, terms: Iterable[str]) -> dict[str, TermRow]: ...
    def terms_with_prefix(self, prefix: str, limit: int) -> list[TermRow]: ...
    def match(self, wanted: Sequence[WantedTerm], within: Filter, limit: int) -> list[int]:
        """Fragments that hold any of the terms, those that hold most weight first."""

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]: ...
    def rows(self, within: Filter) -> Rows | None:
        """The documents that the filter admits; ``None`` where it admits all."""


class CollectionReader(Protocol):
    """What was found in the folders."""

    def collections(self) -> dict[str, CollectionState]: ...
    def files(self, collection: str) -> dict[str, IndexedFile]: ...
    def misnamed(self, collection: str) -> list[StoredDocument]:
        """Documents that bear another docid than the one that their file names, by path."""

    def unsettled(self, collection: str) -> list[UnsettledNote]:
        """The documents that say something of the order of day and month, and those of an unsure language, by path."""

    def count_languages(self, collection: str) -> dict[str, int]:
        """How many documents are in each language."""

    def skipped(self) -> list[Skipped]: ...


class VectorReader(Protocol):
    """Vector spaces, what they hold and still lack."""

    def vectors(self, space: str, after: int = 0, fragments: Sequence[int] | None = None) -> VectorBlock:
        """Vectors of fragments with an id above ``after``, or of the given fragments, in id order; those without one
        are absent."""

    def vectors_within(self, space: str, documents: Sequence[int], most: int) -> VectorBlock:
        """Of the documents of which every fragment has a vector in the space the first ``most``, by document and
        place in it."""

    def vector_index(self, space: str, lacking: str | None = None) -> VectorIndex:
        """Finds the nearest vectors of a space; with ``lacking``, only those of fragments that this other space has no
        vectors for."""

    def spaces(self) -> dict[str, VectorSpace]:
        """Name -> what it holds, of all that hold vectors or failures, by name."""

    def lacking(self, space: str) -> list[int]:
        """Fragments without a vector in the space, in id order."""


class StateReader(Protocol):
    """The state folded from the journal, by subject."""

    def registers(self, subject: str, prefix: str = "") -> Registers:
        """Field -> value, of the fields that begin with ``prefix``."""

    def subject(self, name: str) -> SubjectState:
        """All registers, and how large each set is."""

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        """The keys of one set of the subject with their latest instants in ms, newest first."""

    def orphans(self) -> list[tuple[str, str]]:
        """Subject -> docid: subjects that no document bears, each with every document that has no registers and the
        text that the subject had."""

    def unnoticed(self, within: Filter, limit: int) -> list[str]:
        """Docids of documents whose present text has no mark ``noticed`` in the journal, by date."""

    def holders(self, field: str, *values: Any) -> dict[str, Any]:
        """Subject -> value, of all that have a register ``field`` with one of the values, or any, by subject."""


class PositionReader(Protocol):
    """How far the journal is folded, and what is noted beside."""

    def folded(self) -> str:
        """The whole folded journal state as canonical text."""

    def meta(self, key: str) -> str | None: ...


class Reader(
    DocumentReader,
    NameReader,
    LinkReader,
    RelationReader,
    EntityReader,
    FragmentReader,
    PostingReader,
    CollectionReader,
    VectorReader,
    StateReader,
    PositionReader,
    Protocol,
):
    """One consistent view of the index, the length of one request."""


class DocumentWriter(Protocol):
    """Documents with all that is derived from them."""

    def put(self, record: DocumentRecord) -> bool: ...
    def remove(self, docid: str) -> None: ...
    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        """Removes everything derived from a document's text and puts ``document`` in its place. Resolved links stay
        until they are set again."""

    def update(
        self,
        docid: str,
        *,
        file: FileState | None = None,
        committed: tuple[int | None, str | None] | None = None,
        vanished: bool | None = None,
        state: DocumentState | None = None,
    ) -> None:
        """Sets what changes of a document while its text stays: its file, when git had that first (ms UTC) and from
        whom, whether it is missing, and the state that the journal gives it."""


class CollectionWriter(Protocol):
    """What was found in the folders."""

    def set_collection(self, state: CollectionState, skipped: Sequence[Skipped] | None = None) -> None:
        """``skipped`` replaces the list of files that could not be indexed; ``None`` leaves it."""

    def drop_collection(self, name: str) -> None: ...


class RelationWriter(Protocol):
    """How documents hang together. What was derived goes with the text of the document from which it was, and with the
    document at either end; whatever else was derived from the same document waits to be derived again then."""

    def set_relations(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[str, tuple[int, int]]:
        """By origin all that one rule derives from a document, in place of what it derived before; how many rows that
        added and removed. With ``LINKS`` the document's links are resolved."""

    def set_mark(self, documents: Iterable[int], mark: str | None) -> None:
        """Marks what the relations of these rows were derived from. The mark goes when their text, date or a vector
        changes; ``None`` removes it, so they are derived again."""

    def set_means(
        self,
        means: Iterable[MeanVector],
        reaches: Mapping[int, float] = MappingProxyType({}),
        *,
        without: Iterable[int] | None = (),
    ) -> None:
        """First drops the means ``without`` which it is to be: those of these rows, ``None`` for all. ``reaches`` says
        how far the nearest of the documents in these rows are; those without a mean are passed over."""


class EntityWriter(Protocol):
    """The names in fragments, which go with the text of their document."""

    def set_entities(self, document: int, mark: str, found: Sequence[tuple[int, NamedEntity]]) -> bool:
        """All names of a document (its row) by fragment, once each, in place of those before; ``False`` and nothing
        where one of the fragments is not there any more."""


class VectorWriter(Protocol):
    """The vectors of a space."""

    def put_vectors(
        self,
        space: str,
        fragments: Sequence[int],
        vectors: Sequence[Bytes],
        scales: Sequence[float],
        failures: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """int8 rows with their scales, and why the model refused other fragments, one more time each. Fragments that
        left the index meanwhile are passed over."""

    def drop_space(self, space: str) -> None: ...


class StateWriter(Protocol):
    """The state folded from the journal, and how far it is."""

    def fold(self, primitives: Iterable[Register | Member], *, anew: bool = False) -> None:
        """``anew``: in place of all that was folded."""

    def set_meta(self, key: str, value: str, *, aside: bool = False) -> None:
        """``aside`` is for values derived from all documents together: no document has changed."""

    def merge_terms(self) -> None:
        """Merges the terms of many transactions, so that each is found in one step. Takes a tenth of a second for
        100,000 fragments."""


class Writer(
    Reader, DocumentWriter, RelationWriter, EntityWriter, CollectionWriter, VectorWriter, StateWriter, Protocol
):
    """One write transaction; it also sees its own writes."""


class Store(Protocol):
    """A vault's index. ``read`` and ``write`` open one transaction each; both may be used from any thread."""

    def read(self) -> AbstractContextManager[Reader]: ...
    def write(self) -> AbstractContextManager[Writer]: ...
    def check(self, *, deep: bool = False) -> list[str]:
        """What is damaged, by reading everything; empty where nothing is."""

    def scrub(self) -> bool:
        """Overwrites all that was removed, and removes whatever beside the index may still hold it. ``False`` where a
        reader or writer was in the way: to be called again. Raises ``Unavailable`` after that if the index is being
        rebuilt."""

    def open_side(self) -> AbstractContextManager[tuple[Store, TakeOver]]:
        """An empty index beside this one, for one rebuild at a time, which holds the lock of scans; and what copies it
        over this one when it is filled, in a single transaction, under the eyes of readers."""

    def checkpoint(self) -> None:
        """Moves what was written into the main file, as far as no reader is in the way."""

    def build_graphs(self, progress: Callable[[int], None]) -> None:
        """Builds search graphs for spaces too large to compare every vector."""

    @property
    def condition(self) -> Condition:
        """``stale``: another version or other settings wrote it. ``unfilled``: it replaced a damaged one and is still
        empty; it answers nobody until it is filled."""

    def close(self) -> None: ...
