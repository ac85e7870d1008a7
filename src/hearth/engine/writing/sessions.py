"""What is kept of a session as a whole, a file each, always the latest: its hand-off, and its state before a
compaction."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.sessions import keys
from hearth.engine.writing import known, names
from hearth.engine.writing.admission import admitted, memory_of
from hearth.engine.writing.writer import MemoryWriter
from hearth.model.host.session import hashed
from hearth.model.memory import Known, NewMemory, Remembered
from hearth.model.types import CONTENT_TYPES
from hearth.ranking.echo import STATES

_ID_CHARS = 12


def handoff_path(session: str) -> str:
    """Below the memory folder."""
    return f"{CONTENT_TYPES['handoff'].folder}/session-{hashed(keys.of_session(session))[:_ID_CHARS]}.md"


def state_path(session: str) -> str:
    """Below the memory folder. A session is one machine's, so its name is enough."""
    key = keys.of_session(session)
    return f"{STATES}{hashed(key) if ':' in key else key}.md"


def handoff(writer: MemoryWriter, session: str) -> str | None:
    """The docid of the hand-off that is kept of a session; ``None`` where none is."""
    one = _read(writer, session)
    return None if one is None else one.memory.id


def hand_off(writer: MemoryWriter, session: str, wish: NewMemory) -> str:
    """Writes it over what was kept before, unless that says the same; gives its docid. Raises ``Conflict`` where
    somebody else wrote the file, else as ``MemoryWriter.remember``."""
    fit = admitted(replace(wish, content_type="handoff", session=keys.of_session(session)), writer.redact)
    one = _read(writer, session)
    if one is not None and one.memory.text == fit.wish.text:
        return one.memory.id
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    return writer.overwrite(memory, handoff_path(session)).docid


def save_state(writer: MemoryWriter, session: str, text: str, project: str | None) -> Remembered:
    """Raises as ``hand_off``."""
    title = "State of a session before its compaction"
    fit = admitted(NewMemory(text, title=title, session=keys.of_session(session), project=project), writer.redact)
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    # Written over with each compaction: of all types this one claims least.
    kept = writer.overwrite(replace(memory, content_type="progress"), state_path(session))
    return replace(kept, redacted=fit.redacted)


def _read(writer: MemoryWriter, session: str) -> Known | None:
    path = handoff_path(session)
    data = writer.memories.read(path)
    return None if data is None else known.read(path, data, writer.redact)
