"""What is written to the index, by use, one transaction at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from hearth.core.document import Document, DocumentState, FileState
from hearth.core.graph import DocumentRelation, NamedEntity
from hearth.core.journal import Member, Register
from hearth.ports.readers import Reader
from hearth.ports.stored import CollectionState, DocumentRecord, MeanVector, Skipped

if TYPE_CHECKING:
    from hearth.ports.models import Bytes


class DocumentWriter(Protocol):
    """Documents with all that is derived from them."""

    def put(self, record: DocumentRecord) -> bool: ...
    def remove(self, docid: str) -> None: ...
    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        """Removes what is derived from a document's text and has ``document`` in its place. Of its links those that are
        resolved stay until they are set again."""

    def set_links(self, docid: str, links: Iterable[DocumentRelation]) -> None:
        """What a document's file names, of the origins ``LINKS`` and ``FILE``."""

    def touch(self, docid: str, file: FileState) -> None:
        """The file changed, but for what it holds."""

    def set_committed(self, docid: str, at: int | None, by: str | None) -> None:
        """When git had the file first, ms UTC, and from whom."""

    def set_vanished(self, docids: Sequence[str], vanished: bool) -> None: ...
    def set_state(self, docid: str, state: DocumentState) -> None: ...


class CollectionWriter(Protocol):
    """What was found in the folders."""

    def set_collection(self, state: CollectionState) -> None: ...
    def drop_collection(self, name: str) -> None: ...
    def set_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None: ...


class RelationWriter(Protocol):
    """How documents hang together. What was derived goes with the text of the document from which it was, and with the
    document at either end; whatever else was derived from the same document waits to be derived again then."""

    def set_relations(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[str, tuple[int, int]]:
        """By origin all that one rule derives from a document, in place of what it derived before; how many rows that
        added and removed."""

    def set_mark(self, docids: Iterable[str], mark: str) -> None:
        """From what the relations of documents were derived; gone again when their text, their date or a vector
        changes."""

    def clear_marks(self, documents: Iterable[int]) -> None:
        """The relations of these rows are to be derived again."""

    def set_means(self, means: Iterable[MeanVector]) -> None: ...
    def set_reach(self, reaches: Mapping[int, float]) -> None:
        """How far the nearest of the documents in these rows are; those without a mean are passed over."""

    def drop_means(self, documents: Iterable[int] | None = None) -> None:
        """Of these rows, or all."""

    def set_background(self, key: str, value: str) -> None:
        """As ``set_meta``; what is derived of all documents together is no change of any."""


class EntityWriter(Protocol):
    """The names in fragments, which go with the text of their document."""

    def set_entities(self, document: int, mark: str, found: Sequence[tuple[int, NamedEntity]]) -> bool:
        """All names of a document (its row) by fragment, once each, in place of those before; ``False`` and nothing
        where one of the fragments is not there any more."""


class VectorWriter(Protocol):
    """The vectors of a space."""

    def put_vectors(
        self, space: str, fragments: Sequence[int], vectors: Sequence[Bytes], scales: Sequence[float]
    ) -> None:
        """int8 rows with their scales; fragments that left the index meanwhile are passed over."""

    def note_failure(self, space: str, fragment: int, error: str) -> None: ...
    def drop_space(self, space: str) -> None: ...


class StateWriter(Protocol):
    """The state folded from the journal, and how far it is."""

    def forget_journal(self) -> None:
        """Takes back all that was folded."""

    def fold(self, primitives: Iterable[Register | Member]) -> None: ...
    def set_journal_position(self, position: Mapping[str, Any]) -> None: ...
    def set_meta(self, key: str, value: str) -> None: ...


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
        """Overwrites all that was removed. ``False`` where a reader or writer was in the way: to be called again."""

    def close(self) -> None: ...
