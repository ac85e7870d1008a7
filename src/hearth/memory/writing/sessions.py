"""What is kept of a session as a whole, a file each, and a diary that agents write for themselves."""

from __future__ import annotations

from dataclasses import replace

from hearth.core import instants
from hearth.core.document import INTERNAL
from hearth.core.errors import UsageError
from hearth.core.memory import Entry, Known, NewMemory, Remembered
from hearth.core.session import hashed
from hearth.core.types import CONTENT_TYPES
from hearth.memory.sessions import view
from hearth.memory.writing import known, names
from hearth.memory.writing.admission import admitted, memory_of
from hearth.memory.writing.names import first_words, heading
from hearth.memory.writing.writer import MemoryWriter
from hearth.ports import Filter
from hearth.recall.ranking.diversify import STATES

_ID_CHARS = 12


def handoff_path(session: str) -> str:
    """Below the memory folder."""
    return f"{CONTENT_TYPES['handoff'].folder}/session-{hashed(view.of_session(session))[:_ID_CHARS]}.md"


def state_path(session: str) -> str:
    """Below the memory folder. A session is one machine's, so its name is enough."""
    key = view.of_session(session)
    return f"{STATES}{hashed(key) if ':' in key else key}.md"


def handoff(writer: MemoryWriter, session: str) -> str | None:
    """The docid of the hand-off that is kept of a session; ``None`` where none is."""
    one = _read(writer, session)
    return None if one is None else one.memory.id


def hand_off(writer: MemoryWriter, session: str, wish: NewMemory) -> str:
    """Writes it over what was kept before, unless that says the same; gives its docid. Raises ``Conflict`` where
    somebody else wrote the file, else as ``MemoryWriter.remember``."""
    fit = admitted(replace(wish, content_type="handoff", session=view.of_session(session)), writer.redact)
    one = _read(writer, session)
    if one is not None and one.memory.text == fit.wish.text:
        return one.memory.id
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    return writer.overwrite(memory, handoff_path(session)).docid


def save_state(writer: MemoryWriter, session: str, text: str, project: str | None) -> Remembered:
    """Raises as ``hand_off``."""
    title = "State of a session before its compaction"
    fit = admitted(NewMemory(text, title=title, session=view.of_session(session), project=project), writer.redact)
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    # Written over with each compaction: of all types this one claims least.
    kept = writer.overwrite(replace(memory, content_type="progress"), state_path(session))
    return replace(kept, redacted=fit.redacted)


def _read(writer: MemoryWriter, session: str) -> Known | None:
    path = handoff_path(session)
    data = writer.memories.read(path)
    return None if data is None else known.read(path, data, writer.redact)


MAX_ENTRIES = 100
GENERAL = "general"


def write(writer: MemoryWriter, text: str, topic: str | None = None, agent: str = "agent") -> Remembered:
    """Keeps an entry. Raises as ``MemoryWriter.remember``."""
    fit = admitted(NewMemory(text, subject=topic or GENERAL, created_by=agent), writer.redact)
    memory = memory_of(fit.wish, names.new_id(writer.random), writer.machine, writer.clock())
    memory = replace(memory, title=heading(memory.text) or first_words(memory.text))
    moment = instants.moment(memory.authored_at, instants.zone_of(writer.zone))
    name = names.file_name(f"{moment:%Y-%m-%d %H%M} {memory.subject}", GENERAL, memory.id)

    def same(one: Known) -> bool:
        own = one.memory.created_by == memory.created_by and one.memory.subject == memory.subject
        return own and names.is_entry(one.path)

    return replace(writer.keep(memory, f"{names.DIARY}/{name}", same), redacted=fit.redacted)


def read(writer: MemoryWriter, last: int = 10, agent: str | None = None, topic: str | None = None) -> list[Entry]:
    """The newest entries, newest first, with their text."""
    if not 1 <= last <= MAX_ENTRIES:
        raise UsageError(f"{last} entries are out of range; ask for 1 to {MAX_ENTRIES}")
    within = Filter((INTERNAL,), (NewMemory("").content_type,), paths=(f"{names.DIARY}/",))
    with writer.store.read() as reader:
        stored = reader.find_documents(within)
    entries: list[Entry] = []
    for item in sorted(stored, key=lambda item: (item.document.newest_first[:2], item.document.path)):
        entry = _entry(writer, item.file.disk_path.decode("utf-8", "surrogateescape"), item.document.docid)
        if entry is not None and agent in (None, entry.agent) and topic in (None, entry.topic):
            entries.append(entry)
            if len(entries) == last:
                break
    return entries


def _entry(writer: MemoryWriter, path: str, docid: str) -> Entry | None:
    data = writer.memories.read(path) if names.is_entry(path) else None
    one = known.read(path, data, writer.redact) if data is not None else None
    if one is None:
        return None
    memory = one.memory
    return Entry(docid, path, memory.authored_at, memory.created_by, memory.subject or GENERAL, memory.text)
