"""Which memories a new one may affect, as their files say now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hearth.engine.documents.reference import find
from hearth.engine.writing import known
from hearth.engine.writing.candidates import candidates
from hearth.lazy import dataclass
from hearth.model.identity import is_docid
from hearth.model.memory import Known, Memory
from hearth.ports import MemoryFiles, Reader, Redactor, Store, StoredDocument

Find = Callable[[Memory], list[Known]]


class Astray(Exception):
    """A memory is not where the index has it."""


@dataclass(frozen=True)
class Lookup:
    """``roots`` are the folders of all collections, for references; ``scan`` looks at all folders."""

    memories: MemoryFiles
    store: Store
    roots: Mapping[str, str]
    redact: Redactor
    scan: Callable[[], object]

    def resolve(self, references: tuple[str, ...]) -> tuple[str, ...]:
        """The docids of what a memory supersedes. Raises ``NotFound``, ``Ambiguous``."""
        if not references:
            return ()
        with self.store.read() as reader:
            return tuple(dict.fromkeys(self._docid(reference, reader) for reference in references))

    def _docid(self, reference: str, reader: Reader) -> str:
        named = reference.strip().removeprefix("#")
        if is_docid(named) and (stored := reader.document(named)) is not None and not stored.state.forgotten:
            return named
        return find(reference, reader, dict(self.roots)).stored.document.docid

    def find_all(self, memory: Memory) -> list[Known]:
        """Raises ``Astray`` where one is not where it was: somebody moved or removed it."""
        found = self._candidates(memory)
        if any(data is None for _, _, data in found):
            raise Astray
        return self._list_known(found)

    def find(self, memory: Memory) -> list[Known]:
        return self._list_known(self._candidates(memory))

    def _candidates(self, memory: Memory) -> list[tuple[StoredDocument, str, bytes | None]]:
        with self.store.read() as reader:
            found = candidates(reader, memory)
        places = [(stored, stored.file.disk_path.decode("utf-8", "surrogateescape")) for stored in found]
        return [(stored, path, self.memories.read(path)) for stored, path in places]

    def _list_known(self, found: Sequence[tuple[StoredDocument, str, bytes | None]]) -> list[Known]:
        made = (self._read(stored, path, data) for stored, path, data in found if data is not None)
        return [one for one in made if one is not None]

    def _read(self, stored: StoredDocument, path: str, data: bytes) -> Known | None:
        one, document = known.read(path, data, self.redact), stored.document
        if one is None or one.memory.id != document.docid:  # a copy made by hand names the original's id
            return None
        return replace(one, body_hash=document.body_hash, pending=stored.state.pending)
