"""The state of a session, kept beyond its compaction: one file a session, always the latest."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.sessions import keys
from hearth.engine.writing import names
from hearth.engine.writing.admission import admitted, memory_of
from hearth.engine.writing.writer import MemoryWriter
from hearth.model.host.session import hashed
from hearth.model.memory import NewMemory, Remembered
from hearth.ranking.echo import STATES


def path_of(session: str) -> str:
    """Below the memory folder. A session is one machine's, so its name is enough."""
    key = keys.of_session(session)
    return f"{STATES}{hashed(key) if ':' in key else key}.md"


def save(writer: MemoryWriter, session: str, text: str, project: str | None) -> Remembered:
    """Raises ``Conflict`` where somebody else wrote the file, else as ``MemoryWriter.remember``."""
    title = "State of a session before its compaction"
    fit = admitted(NewMemory(text, title=title, session=keys.of_session(session), project=project), writer.redact)
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    # Written over with each compaction: of all types this one claims least.
    kept = writer.overwrite(replace(memory, content_type="progress"), path_of(session))
    return replace(kept, redacted=fit.redacted)
