"""Intake: reads and analyzes files, here or in another process; it needs no index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.core.document import FileState, content_hash
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import Clock, Collection, DocumentRecord, Files
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.encodings import NotText
from hearth.vault.indexing.plan import SUSPICIOUS_NS

# Files that travel together: enough to make the way to another process worth it, few enough to hold in memory.
_LOAD_FILES = 16
_LOAD_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file to read; ``known_hash`` is the raw hash that the index has of it. ``anew``: even if that is
    what it holds."""

    path: str
    file: FileState
    docid: str
    known_hash: str | None
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """Files that are read together; ``now`` is ms UTC, ``size`` what they hold in bytes."""

    collection: Collection
    jobs: tuple[FileJob, ...]
    now: int

    @property
    def size(self) -> int:
        return sum(job.file.size for job in self.jobs)


class Unchanged:
    """The file holds what the index has."""


@dataclass(frozen=True, slots=True)
class NoDocument:
    """The file is no text, or none any more: nothing of what it held stands in it now."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unindexable:
    """The file refuses to be read, and may cease to without a change of it."""

    reason: str


Outcome = DocumentRecord | Unchanged | NoDocument | Unindexable | str
"""A record, or why the file is left out; what the index has of one that could not be read stays."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What turns the files of a load into outcomes, one each and in order."""

    files: Files
    analyzer: Analyzer

    def __call__(self, load: Load) -> list[Outcome]:
        return [self._outcome(job, load.collection, load.now) for job in load.jobs]

    def _outcome(self, job: FileJob, collection: Collection, now: int) -> Outcome:
        """A bad file is named with its reason and stops no other."""
        try:
            data = self.files.read(collection, job.file)
            if job.known_hash is not None and not data and self._just_changed(job, collection, now):
                return "was just emptied, perhaps by a write in progress; the next scan reads it again"
            if not job.anew and job.known_hash is not None and job.known_hash == content_hash(data):
                return Unchanged()
            record = self.analyzer.record(data, collection, job.path, job.file, job.docid, now)
        except NotText as error:
            return NoDocument(str(error))
        except Unavailable as error:
            return str(error)
        except OSError as error:
            return Unindexable(f"can't be read: {error.strerror or error}")
        if job.known_hash is None:  # counted now, not while others wait for the writer
            for part in record.fragments:
                _ = part.counted
        return record

    def _just_changed(self, job: FileJob, collection: Collection, now: int) -> bool:
        state = self.files.state(collection, job.file.disk_path)
        return state is not None and abs(now * 1_000_000 - state.mtime_ns) < SUSPICIOUS_NS


def loads(collection: Collection, jobs: Sequence[FileJob], clock: Clock) -> Iterator[Load]:
    """Jobs in order, in loads of bounded size."""
    pending: list[FileJob] = []
    size = 0
    for job in jobs:
        if pending and (len(pending) >= _LOAD_FILES or size + job.file.size > _LOAD_BYTES):
            yield Load(collection, tuple(pending), clock())
            pending, size = [], 0
        pending.append(job)
        size += job.file.size
    if pending:
        yield Load(collection, tuple(pending), clock())
