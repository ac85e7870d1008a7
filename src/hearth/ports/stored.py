"""What passes between the engine and an index, as values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth.core.document import INTERNAL, UNTOUCHED, AnalyzedFragment, Document, DocumentState, FileState
from hearth.core.graph import NamedEntity
from hearth.core.lazy import dataclass
from hearth.core.memory import CONVERSATION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Bytes = NDArray[np.int8]


def source_of(document: Document) -> str:
    """One of ``SOURCES``."""
    if document.collection != INTERNAL:
        return "notes"
    return "conversations" if document.content_type == CONVERSATION else "memory"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may answer. Empty tuples and ``None`` mean no restriction; instants are ms UTC, half-open.
    ``include`` admits documents that nothing but these hides, of ``core.document.VEILS``; ``sources`` are of
    ``core.query.SOURCES``. With ``at``, the present, what has expired by then is left out. With ``as_of`` all that was
    true then is admitted, but for what is forgotten. ``statuses`` are of ``core.document.STATUSES``.
    ``review_before`` admits what is to be reviewed before then, ``faulty`` what was read with something wrong in it.
    """

    collections: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    include_hidden: bool = False
    sources: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    at: int | None = None
    as_of: int | None = None
    statuses: tuple[str, ...] = ()
    review_before: int | None = None
    faulty: bool = False

    @property
    def unexpired_at(self) -> int | None:
        """The moment at which documents must not have expired; ``None`` where they may."""
        asked = self.include_hidden or self.as_of is not None or {"superseded", "expired"}.intersection(self.include)
        return None if asked else self.at

    @property
    def narrow(self) -> bool:
        """Whether the filter removes more than hidden documents."""
        chosen = self.chosen or self.collections or self.sources
        return bool(chosen) or (self.since is not None or self.until is not None or self.as_of is not None)

    @property
    def chosen(self) -> bool:
        """Whether it tells documents apart by what they are, so that it is worth a list by itself."""
        return (
            bool(self.tags or self.paths or self.types or self.statuses or self.faulty)
            or self.review_before is not None
        )


EVERYTHING = Filter()


def tag_prefix(tag: str) -> str:
    """What a document's tag and a slash begin with, both in lower case, where it is this one or below it."""
    return tag.strip().lstrip("#").strip("/").lower() + "/"


@dataclass(frozen=True, slots=True)
class Statistics:
    """``generation`` grows with every change of documents and vectors, state included; lengths are term occurrences."""

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
class WantedTerm:
    """A term to look for; ``strong_only``: just where it stands prominently."""

    row: TermRow
    strong_only: bool = False
    weight: float = 1.0


class Posting(NamedTuple):
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
    def tags(self) -> tuple[str, ...]:
        """Those of its file, then those that it took over from others."""
        return tuple(dict.fromkeys((*self.document.tags, *self.state.tags)))

    @property
    def indexed(self) -> IndexedFile:
        document = self.document
        hashes = (document.raw_hash, document.body_hash)
        committed = (document.committed_at, document.committed_by)
        known = (document.docid, document.path, self.file, *hashes, document.origin, self.vanished)
        return IndexedFile(*known, *committed)


class IndexedFile(NamedTuple):
    """What sync must know of a document to plan."""

    docid: str
    path: str
    file: FileState
    raw_hash: str
    body_hash: str
    origin: str
    vanished: bool
    committed_at: int | None = None
    committed_by: str | None = None


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """Vectors of one space: row i is of ``fragments[i]`` in document ``documents[i]``, int8 times ``scales[i]``."""

    fragments: NDArray[np.int64]
    documents: NDArray[np.int64]
    vectors: Bytes
    scales: Vectors


@dataclass(frozen=True, slots=True)
class MeanVector:
    """The mean vector of a document's fragments: int8 times ``scale``. ``text`` is the body hash that it is of,
    ``reach`` how far away its last neighbour is, ``None`` before they were found; ``gone``: the document left."""

    document: int
    docid: str
    text: str
    scale: float
    levels: Bytes
    reach: float | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A set of document rows: only these, or all but these."""

    ids: frozenset[int]
    only: bool

    def admits(self, row: int) -> bool:
        return (row in self.ids) == self.only


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be indexed, or only with a fault, and why. ``file`` is how it was when it was found to be
    unreadable, ``None`` where another scan may find otherwise; ``shut``: it may become readable as it is."""

    collection: str
    path: str
    reason: str
    file: FileState | None = None
    shut: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A fragment that a model could not embed: how often it was tried, and what was wrong the last time."""

    fragment: int
    tries: int
    error: str


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """How many vectors a space has, and the fragments that failed and still have none, by id."""

    vectors: int = 0
    failures: tuple[Failure, ...] = ()


class HeldName(NamedTuple):
    """A name in a fragment. ``documents``: how many hold its key, hidden ones too; a document of several spellings
    counts once for each."""

    fragment: int
    entity: NamedEntity
    key: str
    documents: int


RecordVectors = tuple[str, "Sequence[Bytes]", Sequence[float]]
"""A space, and in it the vectors of a record's fragments in their order: int8 rows with their scales."""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document with everything that is derived from it. ``expected_hash`` is the raw hash that the plan saw in the
    index (``None``: no row); the writer skips the record if another process changed the row meanwhile.

    ``links`` are as the text has them, ``mentions`` the stems of all that they and ``supersedes`` may mean. Without
    ``vectors`` fragments that are new wait to be embedded."""

    document: Document
    file: FileState
    fragments: Sequence[AnalyzedFragment]
    links: tuple[str, ...] = ()
    mentions: frozenset[str] = frozenset()
    problem: str | None = None
    expected_hash: str | None = None
    vectors: RecordVectors | None = None


class DocumentPlace(NamedTuple):
    """Where a document is, by its docid."""

    docid: str
    collection: str
    path: str

    @property
    def name(self) -> str:
        return f"{self.collection}/{self.path}"


class UnsettledNote(NamedTuple):
    """What a document says of the order of day and month, and its language where that is unsure, as
    ``Document.dates`` and ``Document.language_guess`` have it."""

    path: str
    dates: str | None
    language: str
    language_guess: str | None


class Registers(dict[str, Any]):
    """What the journal says of a subject: field -> value."""

    def __init__(self, rows: Iterable[tuple[str, Any, str]] = ()) -> None:
        """``rows``: field, value, and the event that it has its value from."""
        self._events: dict[str, str] = {}
        for name, value, event in rows:
            self[name] = value
            self._events[name] = event

    def set_by(self, name: str) -> str | None:
        """The event that a field has its value from."""
        return self._events.get(name)


class SubjectState(NamedTuple):
    """``members``: name of each set of the subject -> (number of distinct keys, latest instant in ms)."""

    registers: Registers
    members: dict[str, tuple[int, int]]


OTHER_NOTES = "other_notes."
"""Under this and a collection's name is noted how many notes its pattern leaves out, by the pattern for them."""


@dataclass(frozen=True, slots=True)
class CollectionState:
    """``held`` says why vanished files were not retired; ``scanned_at`` is ms UTC; ``settings`` are those under which
    the documents were read, ``revision`` what git had checked out."""

    name: str
    root: str
    scanned_at: int
    documents: int = 0
    held: str | None = None
    vanished: int = 0
    settings: str = ""
    revision: str | None = None
