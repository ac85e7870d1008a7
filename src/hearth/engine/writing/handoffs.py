"""Hand-offs that are made of a session itself: one file a session, written anew while it lives."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.sessions import keys
from hearth.engine.writing import known, names
from hearth.engine.writing.admission import admitted, memory_of
from hearth.engine.writing.writer import MemoryWriter
from hearth.model.host.session import hashed
from hearth.model.memory import Known, NewMemory
from hearth.model.types import CONTENT_TYPES

_ID_CHARS = 12


def path_of(session: str) -> str:
    """Below the memory folder."""
    return f"{CONTENT_TYPES['handoff'].folder}/session-{hashed(keys.of_session(session))[:_ID_CHARS]}.md"


def present(writer: MemoryWriter, session: str) -> str | None:
    """The docid of the hand-off that is kept of a session; ``None`` where none is."""
    one = _read(writer, session)
    return None if one is None else one.memory.id


def save(writer: MemoryWriter, session: str, wish: NewMemory) -> str:
    """Writes it over what was kept before, unless that says the same; gives its docid. Raises ``Conflict`` where
    somebody else wrote the file, else as ``MemoryWriter.remember``."""
    fit = admitted(replace(wish, content_type="handoff", session=keys.of_session(session)), writer.redact)
    one = _read(writer, session)
    if one is not None and one.memory.text == fit.wish.text:
        return one.memory.id
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    return writer.overwrite(memory, path_of(session)).docid


def _read(writer: MemoryWriter, session: str) -> Known | None:
    path = path_of(session)
    data = writer.memories.read(path)
    return None if data is None else known.read(path, data, writer.redact)
