"""What a source holds, as plain values: folders that stay where they are, memories, conversations, changes of state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple

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
