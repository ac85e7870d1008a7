"""The index: what is read, what is written, and the store of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from hearth.model.document import Document, DocumentState, FileState
from hearth.model.state import Member, Register
from hearth.ports.stored import (
    CollectionState,
    DocumentRecord,
    Failure,
    Filter,
    IndexedFile,
    Posting,
    Rows,
    Skipped,
    Statistics,
    StoredDocument,
    StoredFragment,
    TermRow,
    VectorBlock,
)

if TYPE_CHECKING:
    from hearth.ports.models import Bytes


class Reader(Protocol):
    """One consistent view of the index, the length of one request."""

    def statistics(self) -> Statistics: ...
    def terms(self, terms: Iterable[str]) -> dict[str, TermRow]: ...
    def terms_with_prefix(self, prefix: str, limit: int) -> list[TermRow]: ...
    def match(self, tokens: Sequence[tuple[int, bool, float]], within: Filter, limit: int) -> list[int]:
        """Fragments that hold any of (term id, only where prominent, weight), the heaviest first."""

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]: ...
    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]: ...
    def fragments_after(self, fragment: int, limit: int) -> list[StoredFragment]: ...
    def fragments_of(self, document: int) -> list[StoredFragment]: ...
    def documents(self, ids: Sequence[int]) -> dict[int, StoredDocument]: ...
    def document(self, docid: str) -> StoredDocument | None: ...
    def find_documents(self, within: Filter, limit: int | None = None) -> list[StoredDocument]: ...
    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        """Rows of documents dated in [start, end), nearest the middle first."""

    def reviewable(self, before: int) -> list[StoredDocument]:
        """Documents, hidden ones too, whose ``review_by`` lies before (ms UTC), the longest overdue first."""

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]: ...
    def rows(self, within: Filter) -> Rows | None:
        """The documents that the filter admits; ``None`` where it admits all."""

    def files(self, collection: str) -> dict[str, IndexedFile]: ...
    def docids(self) -> dict[str, tuple[str, str]]:
        """docid -> (collection, path)."""

    def skipped(self) -> list[Skipped]: ...
    def collections(self) -> dict[str, CollectionState]: ...
    def links_to(self, docid: str) -> list[str]:
        """Documents with this among their links: a docid, or ``supersedes:`` and a docid."""

    def links_of(self, docid: str) -> list[str]:
        """What a document links to, as ``links_to`` names it."""

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        """Documents whose links have to be resolved, with these as the text has them: they were put or hollowed, or a
        document came, went or changed its name that they may mean."""

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        """Path -> docid of the documents of a collection whose names have these stems."""

    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        """Vectors of fragments with an id above ``after``, in id order."""

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        """Vectors of the given fragments, in id order; those without one are absent."""

    def vector_removals(self) -> int:
        """Grows when a vector leaves any space, is replaced, or arrives below the greatest fragment id of its space:
        what was loaded before is then no prefix of what is there."""

    def last_vector(self, space: str) -> int:
        """The greatest fragment id of the space, 0 for none. With ``vector_removals`` it tells whether the space still
        holds what it did: any other change makes one of them greater."""

    def vector_count(self, space: str | None = None) -> int:
        """Vectors of one space, or of all."""

    def missing_vectors(self, space: str, limit: int, max_tries: int, after: int = 0) -> list[StoredFragment]: ...
    def spaces(self) -> list[str]:
        """Spaces that hold vectors or failures, in order."""

    def lacking(self, space: str) -> list[int]:
        """Fragments without a vector in the space, in id order."""

    def failures(self, space: str) -> list[Failure]:
        """Fragments of the space that failed and still have no vector, in id order."""

    def registers(self, subject: str, prefix: str = "") -> dict[str, Any]:
        """Field -> value, of the fields that begin with ``prefix``."""

    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        """Name of each set of the subject -> (number of distinct keys, latest instant in ms)."""

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        """The keys of one set of the subject with their latest instants in ms, newest first."""

    def set_by(self, subject: str, field: str) -> str | None:
        """The event that a register has its value from."""

    def subjects_with(self, field: str, value: Any) -> list[str]:
        """Subjects whose register ``field`` holds ``value``."""

    def orphans(self) -> list[tuple[str, str]]:
        """Subject -> docid: subjects that no document bears, each with every document that has no registers and the
        text that the subject had."""

    def holders(self, field: str) -> dict[str, Any]:
        """Subject -> value, of all that have a register ``field``, by subject."""

    def folded(self) -> str:
        """The whole folded journal state as canonical text."""

    def journal_position(self) -> dict[str, Any]: ...
    def meta(self, key: str) -> str | None: ...


class Writer(Reader, Protocol):
    """One write transaction; it also sees its own writes."""

    def put(self, record: DocumentRecord) -> bool: ...
    def remove(self, docid: str) -> None: ...
    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        """Removes what is derived from a document's text and has ``document`` in its place. Of its links those that are
        resolved stay until they are set again."""

    def set_links(self, docid: str, links: Iterable[str]) -> None:
        """What a document links to, as ``links_to`` names it."""

    def touch(self, docid: str, file: FileState) -> None:
        """The file changed, but for what it holds."""

    def set_committed(self, docid: str, at: int | None) -> None:
        """When git had the file first, ms UTC."""

    def set_vanished(self, docids: Sequence[str], vanished: bool) -> None: ...
    def set_collection(self, state: CollectionState) -> None: ...
    def drop_collection(self, name: str) -> None: ...
    def set_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None: ...
    def put_vectors(
        self, space: str, fragments: Sequence[int], vectors: Sequence[Bytes], scales: Sequence[float]
    ) -> None:
        """int8 rows with their scales; fragments that left the index meanwhile are passed over."""

    def note_failure(self, space: str, fragment: int, error: str) -> None: ...
    def drop_space(self, space: str) -> None: ...
    def forget_journal(self) -> None:
        """Takes back all that was folded."""

    def fold(self, primitives: Iterable[Register | Member]) -> None: ...
    def set_state(self, docid: str, state: DocumentState) -> None: ...
    def set_journal_position(self, position: Mapping[str, Any]) -> None: ...
    def set_meta(self, key: str, value: str) -> None: ...


class Store(Protocol):
    """A vault's index. ``read`` and ``write`` open one transaction each; both may be used from any thread."""

    def read(self) -> AbstractContextManager[Reader]: ...
    def write(self) -> AbstractContextManager[Writer]: ...
    def check(self) -> list[str]:
        """What is damaged, by reading everything; empty where nothing is."""

    def scrub(self) -> bool:
        """Overwrites all that was removed. ``False`` where a reader or writer was in the way: to be called again."""

    def close(self) -> None: ...
