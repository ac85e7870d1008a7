"""What the engine needs from outside, as small protocols; every adapter of one passes the same contract suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hearth.model.redaction import Redacted
from hearth.ports.files import (
    Answers,
    Collection,
    Commit,
    Commits,
    DailyNotes,
    EventLog,
    Files,
    Inbox,
    LogBatch,
    MemoryFiles,
    NoteLog,
    Transcripts,
    Walk,
)
from hearth.ports.index import Store
from hearth.ports.models import (
    Embedder,
    EmbeddingCache,
    Llm,
    RerankCache,
    RerankCheck,
    Reranker,
    VectorIndex,
)
from hearth.ports.readers import (
    CollectionReader,
    DocumentReader,
    FragmentReader,
    PositionReader,
    PostingReader,
    Reader,
    RelationReader,
    SpaceReader,
    StateReader,
    VectorReader,
)
from hearth.ports.stored import (
    EVERYTHING,
    CollectionState,
    DocumentRecord,
    Failure,
    Filter,
    IndexedFile,
    MeanVector,
    Posting,
    Rows,
    Skipped,
    Statistics,
    StoredDocument,
    StoredFragment,
    TermRow,
    UnsettledNote,
    VectorBlock,
    WantedTerm,
    source_of,
    tag_prefix,
)
from hearth.ports.writers import CollectionWriter, DocumentWriter, RelationWriter, StateWriter, VectorWriter, Writer

if TYPE_CHECKING:
    from hearth.ports.models import Bytes, Vectors

Redactor = Callable[[str], Redacted]
Clock = Callable[[], int]

__all__ = [
    "EVERYTHING",
    "Answers",
    "Bytes",
    "Clock",
    "Collection",
    "CollectionReader",
    "CollectionState",
    "CollectionWriter",
    "Commit",
    "Commits",
    "DailyNotes",
    "DocumentReader",
    "DocumentRecord",
    "DocumentWriter",
    "Embedder",
    "EmbeddingCache",
    "EventLog",
    "Failure",
    "Files",
    "Filter",
    "FragmentReader",
    "Inbox",
    "IndexedFile",
    "Llm",
    "LogBatch",
    "MeanVector",
    "MemoryFiles",
    "NoteLog",
    "PositionReader",
    "Posting",
    "PostingReader",
    "Reader",
    "Redactor",
    "RelationReader",
    "RelationWriter",
    "RerankCache",
    "RerankCheck",
    "Reranker",
    "Rows",
    "Skipped",
    "SpaceReader",
    "StateReader",
    "StateWriter",
    "Statistics",
    "Store",
    "StoredDocument",
    "StoredFragment",
    "TermRow",
    "Transcripts",
    "UnsettledNote",
    "VectorBlock",
    "VectorIndex",
    "VectorReader",
    "VectorWriter",
    "Vectors",
    "Walk",
    "WantedTerm",
    "Writer",
    "source_of",
    "tag_prefix",
]
