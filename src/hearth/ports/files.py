"""Files of people, of the engine and of hosts; the journal; privacy switches; and work in other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from hearth.core.document import FileState
from hearth.core.hook import NOTHING_OFF, IncognitoReport, SwitchedOff
from hearth.core.journal import Draft, Event
from hearth.core.lazy import dataclass
from hearth.ports.stored import Skipped

if TYPE_CHECKING:
    from hearth.core.transcript import Reading, TranscriptEntry, Watermark


@dataclass(frozen=True, slots=True)
class DailyNotes:
    """How the notes of days are called: ``form`` is a path below ``folder`` in the notation of moment.js, both in a
    vault that lies ``below`` the collection's root, or that the root lies in at ``above``."""

    folder: str
    form: str
    below: str = ""
    above: str = ""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a scan of a collection's folder found. ``missing`` is why the root could not be read at all; ``left_out``
    counts by reason what is there and no note, or not to be read. ``clones`` are cloned repositories in it, each a path
    that ends with a slash."""

    files: Mapping[str, FileState]
    skipped: tuple[Skipped, ...] = ()
    missing: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    daily: tuple[DailyNotes, ...] = ()
    clones: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder of an ``agent``; a collection lies ``below`` it: empty, or a path that ends with a slash. ``root``
    is the folder itself."""

    agent: str
    below: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of a project that holds memories: the paths that begin with ``below`` (which ends with a slash) lie in
    ``root``. ``key`` is the project's; ``names`` are the person's there by git, ``machine`` is this one."""

    below: str
    root: str
    key: str
    names: tuple[str, ...] = ()
    machine: str = ""

    def is_own(self, committed_by: str | None, machine: str | None) -> bool:
        """Whether the person wrote a file: by who committed it, and of one that nobody did by the machine."""
        return machine == self.machine if committed_by is None else committed_by in self.names


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder of markdown with a glob, indexed into a vault. ``surface``, of ``SURFACES``, says for which
    prompts its fragments are brought up, ``projects`` in which sessions beside those in its folder. ``daily`` and
    ``clones`` are what the last walk found, ``order`` what its notes put first in dates with
    slashes, and ``language`` the language that most are in; ``agent`` is the only one that sees it. ``mounts`` are
    parts of it that lie elsewhere. Only ``shared`` collections are used in groups. In
    an ``is_workspace`` an agent writes its own pages and days."""

    name: str
    root: str
    pattern: str = "**/*.md"
    exclude: tuple[str, ...] = ()
    origin: str = "file"
    trust: str = "human"
    inner_roots: tuple[str, ...] = ()
    context: Mapping[str, str] = field(default_factory=dict)
    surface: str = "project"
    projects: tuple[str, ...] = ()
    daily: tuple[DailyNotes, ...] = ()
    clones: tuple[str, ...] = ()
    workspace: Workspace | None = None
    order: Literal["day", "month"] | None = None
    language: str = ""
    agent: str = ""
    mounts: tuple[Mount, ...] = ()
    shared: bool = False
    is_workspace: bool = False

    def find_mount(self, path: str) -> Mount | None:
        return next((mount for mount in self.mounts if path.startswith(mount.below)), None)

    @property
    def folders(self) -> list[str]:
        """Where its files lie."""
        return [self.root, *(mount.root for mount in self.mounts)]

    def place(self, path: str) -> str:
        """The absolute name of a file."""
        mount = self.find_mount(path)
        return f"{self.root}/{path}" if mount is None else f"{mount.root}/{path.removeprefix(mount.below)}"

    @property
    def dreams(self) -> bool:
        """Whether nights write their two pages at its root."""
        return self.origin == "engine" or (self.workspace is not None and not self.workspace.below)

    def walked(self, walk: Walk) -> Collection:
        """With what a walk found of it."""
        return replace(self, daily=walk.daily, clones=walk.clones)

    @property
    def settings(self) -> str:
        """What shapes the rows of its documents, beside their files: with another value all are read again. Which files
        there are is seen by each walk, and the context is asked for with each answer."""
        daily = "".join(f" daily={one.below}|{one.above}|{one.folder}|{one.form}" for one in self.daily)
        pages = " pages" if self.dreams and self.origin != "engine" else ""
        clones = f" clones={'|'.join(self.clones)}" if self.clones else ""
        clones += "".join(f" mount={one.below}|{one.root}|{one.key}|{','.join(one.names)}" for one in self.mounts)
        return f"origin={self.origin} trust={self.trust}{daily}{pages}{clones}"


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Events after a position, what is wrong with the files, and where to go on (JSON). ``lost``: some of what was
    before the position is not there any more."""

    events: Sequence[Event]
    problems: Sequence[str]
    position: Mapping[str, Any]
    more: bool
    lost: bool = False


class EventLog(Protocol):
    """The journal of a vault: this machine appends to its own files and reads everybody's."""

    def append(self, drafts: Sequence[Draft], *, durable: bool = True) -> list[Event]: ...
    def sync(self) -> None:
        """Makes durable what was appended without being so."""

    def newest(self, *, own: bool, naming: Sequence[str] = ()) -> Iterator[Event]:
        """This machine's events, newest first; unless ``own``, those of each other machine follow. Of ``naming`` those
        alone in which one of these texts stands as a whole, as a value or a name: nothing else is decoded, but events
        that are about something else may be among them."""

    def read_after(self, position: Mapping[str, Any], *, whole: bool = False) -> LogBatch:
        """``whole`` compares all that was read before with what it was, which takes as long as reading it."""


def read_whole(log: EventLog) -> Iterator[LogBatch]:
    """All that a journal holds, batch by batch from its beginning."""
    position: Mapping[str, Any] = {}
    more = True
    while more:
        batch = log.read_after(position)
        yield batch
        position, more = batch.position, batch.more


class NoteLog(EventLog, Protocol):
    """What a language model said of documents, of all machines."""

    def erase(self, gone: Callable[[Event], bool]) -> bool:
        """Takes lines of which ``gone`` is true out of this machine's files, and what can't be read; says whether there
        were any. Raises ``Unavailable``; a crash leaves each file as it was or without them."""


class Files(Protocol):
    """The markdown side of a vault."""

    def walk(self, collection: Collection) -> Walk: ...
    def read(self, collection: Collection, file: FileState) -> bytes:
        """The file's bytes; raises ``Unavailable`` while it is being written, ``OSError`` otherwise."""

    def state(self, collection: Collection, disk_path: bytes) -> FileState | None: ...


class Commit(NamedTuple):
    """``at`` is ms UTC, ``by`` the name of who wrote it."""

    at: int
    by: str


class Commits(Protocol):
    """What the repository knows in which a collection is kept, if it is; neither call fails."""

    def revision(self, collection: Collection) -> str | None:
        """Something that changes whenever ``first`` may; ``None`` where there is no repository. Takes no time."""

    def first(self, collection: Collection) -> Mapping[str, Commit]:
        """Path -> the first commit that had a file there, of those that it has now or had."""


class Transcripts(Protocol):
    """What hosts write down of sessions. Raises ``NotFound`` if there is no file, ``Unavailable`` if it can't be read
    or is none, ``UsageError`` for a path that is not absolute."""

    def read(
        self, path: str, since: Watermark | None = None, most: int = 128 * 1024 * 1024, *, until: int | None = None
    ) -> Reading:
        """What complete lines hold beyond ``since``, up to the byte ``until``; about ``most`` bytes at a time."""

    def tail(self, path: str) -> list[TranscriptEntry]:
        """The prompts near the end, oldest first."""

    def size(self, path: str) -> int:
        """Bytes."""


class Inbox(Protocol):
    """Turns that clients handed over, by session. Raises ``Unavailable`` where the disk does not let it."""

    def append(self, name: str, fresh: str, data: bytes) -> tuple[str, int]:
        """Adds lines to the session's file, or to a new one; gives its place and its bytes, on the disk on return."""

    def places(self) -> list[str]: ...
    def remove(self, place: str, size: int) -> bool:
        """``False``, and nothing removed, where the file has grown beyond ``size`` bytes."""


class Answers(Protocol):
    """The last answer of a language model, until what it says is written down. One that can't be kept is asked for
    again after a crash; it never raises."""

    def get(self, key: str) -> str | None: ...
    def put(self, key: str, answer: str) -> None: ...
    def drop(self) -> None: ...


class MemoryFiles(Protocol):
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


class Privacy(Protocol):
    """Instants are ms UTC, transcripts and folders absolute names. What changes something raises ``Unavailable``."""

    def find_off(self, session: str | None, cwd: str | None) -> SwitchedOff: ...

    def switch(self, on: bool, *, session: str | None = None, folder: str | None = None) -> bool:
        """Makes a session or a folder incognito, or ends that; says whether anything changed."""

    def report(self, session: str | None, folder: str | None) -> IncognitoReport: ...
    def was_announced(self, session: str) -> bool: ...
    def mark_announced(self, session: str) -> None: ...

    def hidden(self, transcript: str) -> Sequence[tuple[int, int | None]]:
        """The first byte of each part that nobody reads, and the one after its last; ``None`` while it goes on."""

    def hide(self, transcript: str, since: int) -> None:
        """From a byte on nobody reads it, until ``show``."""

    def show(self, transcript: str) -> None:
        """From its present end on it is read again."""


class NoPrivacy:
    """Nothing is ever switched off."""

    def find_off(self, session: str | None, cwd: str | None) -> SwitchedOff:
        return NOTHING_OFF

    def switch(self, on: bool, *, session: str | None = None, folder: str | None = None) -> bool:
        return False

    def report(self, session: str | None, folder: str | None) -> IncognitoReport:
        return IncognitoReport(NOTHING_OFF, session, folder)

    def was_announced(self, session: str) -> bool:
        return True

    def mark_announced(self, session: str) -> None:
        return None

    def hidden(self, transcript: str) -> Sequence[tuple[int, int | None]]:
        return ()

    def hide(self, transcript: str, since: int) -> None:
        return None

    def show(self, transcript: str) -> None:
        return None


class Sized(Protocol):
    """``size`` is in bytes: what is under way at a time is bounded by the sum."""

    @property
    def size(self) -> int: ...


Item = TypeVar("Item", bound=Sized)
Result = TypeVar("Result")


class Spread(Protocol):
    """As ``map``, maybe in several processes: results in order. There, work and items have to be picklable."""

    def __call__(self, work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]: ...
