"""Retired statements: what was superseded, found wrong or forgotten does not come back by itself."""

from __future__ import annotations

from hearth.engine.truth.rivals import COMPARABLE, Rivals
from hearth.engine.writing.known import read
from hearth.extract.truth.sentences import says_again
from hearth.lazy import dataclass
from hearth.model.memory import Known, Memory
from hearth.ports import MemoryFiles, Redactor, StoredDocument
from hearth.text.similarity import normalised

_RETIRED = frozenset({"superseded", "invalidated", "forgotten"})


@dataclass(frozen=True)
class Retired:
    """Derived from the documents that are hidden, so that undoing what hid one lets it be said again."""

    rivals: Rivals
    memories: MemoryFiles
    redact: Redactor

    def __call__(self, memory: Memory) -> Known | None:
        """The retired memory that says what this one says: the same text, or the same value of the same attribute,
        unless the new one tells of a change."""
        if memory.content_type not in COMPARABLE:
            return None
        for stored in self.rivals(memory.id, memory.text, hidden=True):
            if not _RETIRED.intersection(stored.state.veils) or "archived" in stored.state.veils:
                continue
            known = self._read(stored)
            if known is not None and _repeats(memory, known.memory):
                return known
        return None

    def _read(self, stored: StoredDocument) -> Known | None:
        data = self.memories.read(stored.file.disk_path.decode("utf-8", "surrogateescape"))
        return None if data is None else read(stored.document.path, data, self.redact)


def _repeats(memory: Memory, retired: Memory) -> bool:
    if memory.project != retired.project:
        return False
    if normalised(memory.text) == normalised(retired.text):
        return True
    return says_again(retired.text, memory.text)
