"""Taking out of a memory what a session added to it, where others had part in it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum

from hearth.core.memory import Known, Origin
from hearth.core.types import CONTENT_TYPES, Merge
from hearth.memory.writing import files, names, policy
from hearth.memory.writing.writer import MemoryWriter
from hearth.ports import StoredDocument


def is_shared(writer: MemoryWriter, stored: StoredDocument, session: str, marks: Collection[str]) -> bool:
    """Whether something of a document remains without what the session said; ``marks`` are those of its facts."""
    history = _history(writer, stored)
    if not history:
        return False
    if CONTENT_TYPES[stored.document.content_type].merge is Merge.GATHER:
        return bool(policy.without(history[-1].memory.text, marks))
    return not _is_from(history[0], session)


def retract(writer: MemoryWriter, stored: StoredDocument, session: str, marks: Collection[str]) -> bool:
    """Writes a shared document as it was without the session; ``False`` where it says nothing of it. Raises
    ``Conflict`` and ``Unavailable`` as ``MemoryWriter.overwrite``."""
    history = _history(writer, stored)
    present = history[-1].memory
    if CONTENT_TYPES[stored.document.content_type].merge is Merge.GATHER:
        wanted = replace(present, text=policy.without(present.text, marks))
    elif _is_from(history[-1], session):
        wanted = next(one.memory for one in reversed(history) if not _is_from(one, session))
    else:
        wanted = present
    if wanted.text == present.text:
        return False
    writer.overwrite(replace(wanted, id=present.id), history[-1].path)
    return True


class Left(StrEnum):
    """What is left of a document without some turns: all of it where they have no part in it."""

    ALL = "all"
    PART = "part"
    NOTHING = "nothing"


def take_back(writer: MemoryWriter, stored: StoredDocument, session: str, turns: Collection[int]) -> Left:
    """Writes a document as it was without these turns of a session, unless nothing of it would be left: then it stays
    as it is, for the caller to forget. Raises as ``retract``."""
    history = _history(writer, stored)
    if not history:
        return Left.ALL
    present = history[-1].memory
    sources = tuple(f"session {session}, turn {turn}, " for turn in turns)
    if CONTENT_TYPES[stored.document.content_type].merge is Merge.GATHER:
        marks = {mark for source in sources for mark in policy.marks_from(present.text, source)}
        wanted = replace(present, text=policy.without(present.text, marks))
        if marks and not wanted.text:
            return Left.NOTHING
    else:
        own = [one.memory for one in history if one.memory.origin is None or not _begins(one.memory.origin, sources)]
        if not own:
            return Left.NOTHING
        # A later turn may have said it anew: then the present text is that one's.
        wanted = present if own[-1] is present else own[-1]
    if wanted.text == present.text:
        return Left.ALL
    writer.overwrite(replace(wanted, id=present.id), history[-1].path)
    return Left.PART


def _begins(origin: Origin, sources: tuple[str, ...]) -> bool:
    return origin.source.startswith(sources)


def _history(writer: MemoryWriter, stored: StoredDocument) -> list[Known]:
    """The memory as it was at each time, the present one last; empty where this machine did not write it."""
    folder = f"{names.REVISIONS}/{stored.document.docid}"
    path = stored.file.disk_path.decode("utf-8", "surrogateescape")
    paths = [*(f"{folder}/{name}" for name in writer.memories.names(folder)), path]
    read = ((name, writer.memories.read(name)) for name in paths)
    found = [files.read(name, data, writer.redact) for name, data in read if data is not None]
    own = [one for one in found if one is not None and one.memory.machine == writer.machine]
    return own if own and own[-1].path == path else []


def _is_from(one: Known, session: str) -> bool:
    origin = one.memory.origin
    return origin is not None and origin.source.startswith(f"session {session}, ")
