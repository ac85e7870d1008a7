"""What the engine needs from outside, as small protocols; every adapter of one passes the same contract suite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """Which documents may answer. Empty tuples and ``None`` mean no restriction; instants are ms UTC, half-open.
    ``include`` admits documents that nothing but these hides, of ``model.document.VEILS``."""

    collections: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    include_hidden: bool = False
    include_internal: bool = True
    include: tuple[str, ...] = ()
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

    @property
    def indexed(self) -> IndexedFile:
        document = self.document
        hashes = (document.raw_hash, document.body_hash)
        return IndexedFile(document.docid, document.path, self.file, *hashes, document.origin, self.vanished)


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


@dataclass(frozen=True, slots=True)
class Failure:
    """A fragment that a model could not embed: how often it was tried, and what was wrong the last time."""

    fragment: int
    tries: int
    error: str


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
    def links_to(self, docid: str) -> list[str]:
        """Documents with this among their links: a docid, or ``supersedes:`` and a docid."""

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

    def registers(self, subject: str) -> dict[str, Any]: ...
    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        """Name of each set of the subject -> (number of distinct keys, latest instant in ms)."""

    def set_by(self, subject: str, field: str) -> str | None:
        """The event that a register has its value from."""

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
    def hollow(self, document: Document) -> None:
        """Removes what is derived from a document's text, but for its links, and has ``document`` in its place."""

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

    def scrub(self) -> bool:
        """Overwrites all that was removed. ``False`` where a reader or writer was in the way: to be called again."""

    def close(self) -> None: ...


# -- models -------------------------------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to unit vectors. Raises ``Unavailable`` (try later) or ``BadReply`` (NaN, wrong width or count).

    ``curve`` is ``None`` where nobody measured the model: its space then measures it. ``contextual`` models read word
    order and negation, a bag of words does not."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def dimensions(self) -> int:
        """Width of the vectors. A model that has to be asked for it may raise as ``embed`` does."""

    @property
    def curve(self) -> Curve | None: ...
    @property
    def contextual(self) -> bool: ...

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


@dataclass(frozen=True, slots=True)
class RerankCheck:
    """What is known of a reranker's health. ``at`` is when it was checked, ``resting`` until when it is left alone
    after a ``failure``; both ms UTC. ``auc`` and ``margin`` tell how well it separates the golden pairs, ``problem``
    why that is not enough; ``curve`` turns the log-odds of a score into the probability that the text answers."""

    at: int
    auc: float | None = None
    margin: float | None = None
    curve: Curve | None = None
    problem: str | None = None
    resting: int = 0
    failure: str | None = None


class RerankCache(Protocol):
    """Scores that a reranker gave before, by its fingerprint, question and text, and its last check. A cache that
    fails knows nothing and says why in ``problem``; it never raises."""

    @property
    def problem(self) -> str | None: ...
    def get(self, model: str, question: str, texts: Sequence[str]) -> dict[int, float]:
        """Position in ``texts`` -> score."""

    def put(self, model: str, question: str, scores: Mapping[str, float]) -> None:
        """Keeps the score of each text; the oldest make room."""

    def checked(self, model: str) -> RerankCheck | None: ...
    def note(self, model: str, check: RerankCheck) -> None: ...
    def clear(self) -> bool:
        """Erases all scores for good; ``False`` where that failed."""


class EmbeddingCache(Protocol):
    """Vectors that were computed before, by space and text. A cache that fails knows nothing; it never raises."""

    def get(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> (int8 vector, scale)."""

    def put(self, space: str, vectors: Mapping[str, tuple[Bytes, float]]) -> None: ...
    def trim(self) -> int: ...
    def keep(self, texts: Iterable[str]) -> bool:
        """Erases the vectors of all other texts for good; ``False`` where that failed."""


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
    def newest(self, *, own: bool) -> Iterator[Event]:
        """This machine's events, newest first; unless ``own``, those of each other machine follow."""

    def read_after(self, position: Mapping[str, Any]) -> LogBatch: ...


class Files(Protocol):
    """The markdown side of a vault."""

    def walk(self, collection: Collection) -> Walk: ...
    def read(self, collection: Collection, file: FileState) -> bytes:
        """The file's bytes; raises ``Unavailable`` while it is being written, ``OSError`` otherwise."""

    def state(self, collection: Collection, disk_path: bytes) -> FileState | None: ...


class Memories(Protocol):
    """The files that the engine writes, by path below the memory folder; each write is whole or not there at all.

    Raises ``UsageError`` for a path that leads out of the folder, ``Unavailable`` where reading or writing fails.
    """

    root: str

    def read(self, path: str) -> bytes | None:
        """``None`` where there is no such file."""

    def create(self, path: str, data: bytes) -> bool:
        """``False``, and nothing written, where something of that name is there."""

    def replace(self, path: str, data: bytes, expected: str) -> bool:
        """``False``, and nothing written, where the file is gone or its content hash is not ``expected``."""

    def remove(self, path: str) -> bool:
        """Removes a file for good, and its folder if it is hidden and empty then; ``False`` where there is none."""

    def names(self, folder: str) -> list[str]:
        """The files in a folder that are not hidden, sorted; none where there is no folder."""
