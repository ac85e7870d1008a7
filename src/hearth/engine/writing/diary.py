"""The diary: what agents write down for themselves, an entry a file."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.writing import known, names
from hearth.engine.writing.admission import admitted, memory_of
from hearth.engine.writing.subjects import first_words, heading
from hearth.engine.writing.writer import MemoryWriter
from hearth.errors import UsageError
from hearth.model import instants
from hearth.model.identity import INTERNAL
from hearth.model.memory import Entry, Known, NewMemory, Remembered
from hearth.ports import Filter

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
