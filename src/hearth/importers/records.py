"""What a source holds, as plain values: folders that stay where they are, memories, conversations, changes of state.
Which program a source comes from, by what stands in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from hearth.core.errors import HearthError, NotFound, UsageError
from hearth.core.lazy import dataclass
from hearth.core.memory import NewMemory


class FileName(NamedTuple):
    """A file of a folder that becomes a collection, by the folder's name in the source and its path below it."""

    folder: str
    path: str


class MemoryName(NamedTuple):
    """A memory that the source holds without a file, by its key there."""

    key: str


DocumentName = FileName | MemoryName


@dataclass(frozen=True, slots=True)
class Folder:
    """Markdown that stays where it is. ``trust`` is as in the settings of a collection; ``None`` leaves it to where the
    folder comes from. ``is_copied``: ``--copy`` may copy it into the vault."""

    name: str
    path: Path
    pattern: str = ""
    trust: str | None = None
    surface: str | None = None
    exclude: tuple[str, ...] = ()
    context: Mapping[str, str] = field(default_factory=dict)
    projects: tuple[str, ...] = ()
    is_copied: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A change of state as the journal has it, at the source's own time (ms UTC). A ``DocumentName`` in ``data`` stands
    for its docid. Of a change about no document ``document`` is ``None``."""

    kind: str
    document: DocumentName | None
    at: int
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said, ms UTC where that is known. ``role`` is ``User`` or ``Assistant``, else a person's name."""

    role: str
    text: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """``key`` names it within its source; ``trust`` is ``agent``, with third persons ``external``."""

    key: str
    title: str
    turns: tuple[Turn, ...]
    participants: tuple[str, ...] = ()
    trust: str = "agent"
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a source and all that comes of it: a ``file`` of a folder, a ``memory`` or a ``conversation``, and
    ``changes`` of state; where nothing comes of it, ``skipped`` says why. ``unplaced`` names its fields that have no
    place here, ``facts`` are further fields of its file. ``label`` names it for people."""

    kind: str
    label: str
    file: FileName | None = None
    memory: NewMemory | None = None
    conversation: Conversation | None = None
    facts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    skipped: str = ""
    unplaced: tuple[str, ...] = ()


Found = Folder | Record


@dataclass(frozen=True, slots=True)
class Options:
    """What readers may look at beside their source. ``zone`` is that of times without an offset; a service may take
    ``limit_seconds`` to answer."""

    environ: Mapping[str, str]
    home: Path
    zone: str = "UTC"
    limit_seconds: float = 30.0


Read = Callable[[Path, Options], Iterator[Found]]
"""Raises ``UsageError`` or ``Unavailable`` where the source can't be read at all; what is wrong with one record becomes
a record that is skipped."""


@dataclass(frozen=True, slots=True)
class Format:
    """``certainty`` says from 0 to 1 how surely a place is of this kind; it looks at content, never at the name
    alone."""

    name: str
    title: str
    certainty: Callable[[Path], float]
    read: Read


KINDS: Mapping[str, str] = {
    "clawmem": "clawmem",
    "engram": "engram",
    "workspace": "folders",
    "claude-code": "folders",
    "codex": "folders",
    "context": "folders",
    "mem0": "statements",
    "honcho": "statements",
    "supermemory": "statements",
    "basic-memory": "folders",
    "obsidian": "folders",
    "chat": "chat_logs",
}
"""Each kind of source and the module here that reads it."""
SERVICES = ("honcho", "supermemory")
"""Kinds that may be named instead of a place, with what follows a colon."""
_LEAST = 0.5


def find_format(place: Path, kind: str | None = None) -> Format:
    """The one that was named, else the one that is surest. Raises ``UsageError`` where none or several are."""
    kind = kind or find_service(str(place))
    if kind is not None:
        return load(kind)
    if not place.exists():
        raise NotFound(f"no file or folder {place}")
    # What may not be read fails here with the system's reason, not as a source of no known kind.
    if place.is_dir():
        next(place.iterdir(), None)
    else:
        place.open("rb").close()
    found = sorted(_measure(place), key=lambda one: -one[0])
    if not found or found[0][0] < _LEAST:
        known = ", ".join(KINDS)
        raise UsageError(f"can't tell what {place} is; name it with --from KIND, one of: {known}")
    best = [one for certainty, one in found if certainty == found[0][0]]
    if len(best) > 1:
        names = " or ".join(one.name for one in best)
        raise UsageError(f"{place} may be {names}; say which with --from KIND")
    return best[0]


def load(kind: str) -> Format:
    if kind not in KINDS:
        raise UsageError(f"there is no kind of source {kind!r}; it is one of: {', '.join(KINDS)}")
    module = import_module(f"hearth.importers.{KINDS[kind]}")
    formats: tuple[Format, ...] = getattr(module, "FORMATS", None) or (module.FORMAT,)
    return next(one for one in formats if one.name == kind)


def find_service(source: str) -> str | None:
    """The kind of a service that a source names."""
    kind = source.partition(":")[0]
    return kind if kind in SERVICES and not Path(source).exists() else None


def _measure(place: Path) -> Iterator[tuple[float, Format]]:
    for kind in KINDS:
        one = load(kind)
        try:
            certainty = one.certainty(place)
        except (HearthError, OSError):
            continue
        if certainty > 0:
            yield certainty, one
