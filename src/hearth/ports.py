"""What the engine needs from outside, as small protocols; every adapter of one passes the same contract suite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from hearth.model.curve import Curve
from hearth.model.document import UNTOUCHED, Document, DocumentState, FileState
from hearth.model.event import Draft, Event
from hearth.model.fragment import AnalyzedFragment
from hearth.model.redaction import Redacted
from hearth.model.state import Member, Register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Bytes = NDArray[np.int8]

Redactor = Callable[[str], Redacted]
Clock = Callable[[], int]


# -- index: what is read ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may answer. Empty tuples and ``None`` mean no restriction; instants are ms UTC, half-open."""

    collections: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    include_hidden: bool = False
    include_internal: bool = True
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def narrow(self) -> bool:
        """Whether the filter removes more than hidden documents."""
        return bool(self.collections or self.types or self.paths or self.tags or not self.include_internal) or (
            self.since is not None or self.until is not None
        )


EVERYTHING = Filter()


@dataclass(frozen=True, slots=True)
class Statistics:
    """``generation`` grows with every change of the index; lengths are term occurrences."""

    generation: int
    documents: int
    fragments: int
    total_length: int
    languages: tuple[str, ...]

    @property
    def mean_length(self) -> float:
        return self.total_length / self.fragments if self.fragments else 1.0


@dataclass(frozen=True, slots=True)
class TermRow:
    """``df`` fragments hold the term, ``strong`` of them prominently (repeated, or in a heading)."""

    term: str
    id: int
    df: int
    strong: int


@dataclass(frozen=True, slots=True)
class Posting:
    """A fragment as the keyword lane sees it: ``length`` in term occurrences, terms packed as in ``text.packed``."""

    fragment: int
    document: int
    length: int
    packed: bytes


@dataclass(frozen=True, slots=True)
class StoredFragment:
    """A fragment as stored: ``document`` is the row of its document, bytes count in the original file."""

    id: int
    document: int
    seq: int
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    headings: tuple[str, ...]
    context: str
    text: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as stored, with its row number, the state that the journal gives it, and its file."""

    id: int
    document: Document
    file: FileState
    state: DocumentState = UNTOUCHED
    vanished: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What sync must know of a document to plan."""

    docid: str
    path: str
    file: FileState
    raw_hash: str
    body_hash: str
    origin: str
    vanished: bool


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """Vectors of one space: row i is of ``fragments[i]`` in document ``documents[i]``, int8 times ``scales[i]``."""

    fragments: NDArray[np.int64]
    documents: NDArray[np.int64]
    vectors: Bytes
    scales: Vectors


@dataclass(frozen=True, slots=True)
class Rows:
    """A set of document rows: only these, or all but these."""

    ids: frozenset[int]
    only: bool

    def admits(self, row: int) -> bool:
        return (row in self.ids) == self.only


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be indexed, and why."""

    collection: str
    path: str
    reason: str


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

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]: ...
    def rows(self, within: Filter) -> Rows | None:
        """The documents that the filter admits; ``None`` where it admits all."""

    def files(self, collection: str) -> dict[str, IndexedFile]: ...
    def docids(self) -> dict[str, tuple[str, str]]:
        """docid -> (collection, path)."""

    def skipped(self) -> list[Skipped]: ...
    def collections(self) -> dict[str, CollectionState]: ...
    def links_to(self, docid: str) -> list[str]: ...
    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        """Vectors of fragments with an id above ``after``, in id order."""

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        """Vectors of the given fragments, in id order; those without one are absent."""

    def vector_removals(self) -> int:
        """Grows when a vector leaves any space, is replaced, or arrives below the greatest fragment id of its space:
        what was loaded before is then no prefix of what is there."""

    def vector_count(self, space: str | None = None) -> int:
        """Vectors of one space, or of all."""

    def missing_vectors(self, space: str, limit: int, max_tries: int, after: int = 0) -> list[StoredFragment]: ...
    def registers(self, subject: str) -> dict[str, Any]: ...
    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        """Name of each set of the subject -> (number of distinct keys, latest instant in ms)."""

    def subjects_with(self, field: str, value: Any) -> list[str]:
        """Subjects whose register ``field`` holds ``value``."""

    def folded(self) -> str:
        """The whole folded journal state as canonical text."""

    def journal_position(self) -> dict[str, Any]: ...
    def meta(self, key: str) -> str | None: ...


# -- index: what is written ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document with everything that is derived from it. ``expected_hash`` is the raw hash that the plan saw in the
    index (``None``: no row); the writer skips the record if another process changed the row meanwhile."""

    document: Document
    file: FileState
    fragments: Sequence[AnalyzedFragment]
    links: tuple[str, ...] = ()
    problem: str | None = None
    expected_hash: str | None = None


@dataclass(frozen=True, slots=True)
class CollectionState:
    """``held`` says why vanished files were not retired; ``scanned_at`` is ms UTC."""

    name: str
    root: str
    scanned_at: int
    documents: int = 0
    held: str | None = None
    vanished: int = 0


class Writer(Reader, Protocol):
    """One write transaction; it also sees its own writes."""

    def put(self, record: DocumentRecord) -> bool: ...
    def remove(self, docid: str) -> None: ...
    def touch(self, docid: str, file: FileState) -> None: ...
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

    def close(self) -> None: ...


# -- models -------------------------------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to unit vectors. Raises ``Unavailable`` (try later) or ``BadReply`` (NaN, wrong width or count).

    ``curve`` is ``None`` where nobody measured the model: its space then measures it. ``contextual`` models read word
    order and negation, a bag of words does not."""

    fingerprint: str
    dimensions: int
    curve: Curve | None
    contextual: bool

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """float32 (n, dimensions), unit length, in order; a text that the model can't represent gives a zero row."""

    def coverage(self, text: str) -> float:
        """How well the model knows the text's language, in [0, 1]."""


class Reranker(Protocol):
    """A second look at a question and its best passages. Raises ``Unavailable`` or ``BadReply``."""

    fingerprint: str

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        """float32 (n,) in [0, 1], in order: how well each text answers the query; only their order is comparable
        between models."""


class EmbeddingCache(Protocol):
    """Vectors that were computed before, by space and text. A cache that fails knows nothing; it never raises."""

    def get(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> (int8 vector, scale)."""

    def put(self, space: str, vectors: Mapping[str, tuple[Bytes, float]]) -> None: ...
    def trim(self) -> int: ...


class VectorIndex(Protocol):
    """Nearest fragments of one space: exact, or approximate candidates rescored exactly."""

    def search(self, query: Vectors, count: int, rows: Rows | None) -> list[tuple[int, float]]:
        """(fragment id, cosine), best first, of the admitted documents."""

    def scores(self, query: Vectors, fragments: Sequence[int]) -> dict[int, float]:
        """Cosines of the given fragments; those without a vector are absent."""


# -- files and journal --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Walk:
    """What a scan of a collection's folder found. ``missing`` is why the root could not be read at all."""

    files: Mapping[str, FileState]
    skipped: tuple[Skipped, ...] = ()
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder of markdown with a glob, indexed into a vault."""

    name: str
    root: str
    pattern: str = "**/*.md"
    exclude: tuple[str, ...] = ()
    origin: str = "file"
    trust: str = "human"
    inner_roots: tuple[str, ...] = ()
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Events after a position, what is wrong with the files, and where to go on (JSON)."""

    events: Sequence[Event]
    problems: Sequence[str]
    position: Mapping[str, Any]
    more: bool


class EventLog(Protocol):
    """The journal of a vault: this machine appends to its own files and reads everybody's."""

    def append(self, drafts: Sequence[Draft], *, durable: bool = True) -> list[Event]: ...
    def read_after(self, position: Mapping[str, Any]) -> LogBatch: ...


class Files(Protocol):
    """The markdown side of a vault."""

    def walk(self, collection: Collection) -> Walk: ...
    def read(self, collection: Collection, file: FileState) -> bytes:
        """The file's bytes; raises ``Unavailable`` while it is being written, ``OSError`` otherwise."""

    def state(self, collection: Collection, disk_path: bytes) -> FileState | None: ...
