"""Export and import of one vault, and the disk as they see it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from hearth import __version__
from hearth.app.adapters import Adapters
from hearth.app.settings import redact, scrub
from hearth.core.document import CROCKFORD
from hearth.core.errors import HearthError
from hearth.core.files import write_atomically
from hearth.core.journal import Draft, Event
from hearth.core.lazy import dataclass
from hearth.disk.memories import DiskMemories
from hearth.journal import Journal, JournalPosition, encode
from hearth.journal.append import ROTATE_BYTES
from hearth.journal.line import clean
from hearth.ports import Mount
from hearth.vault.exchange import Exchange, ExportedFile, Exporter, Importer, Put
from hearth.vault.indexing.index import Index
from hearth.vault.vault import Core

_NAME_LENGTH = 10


@dataclass(frozen=True)
class DiskExchange:
    """Implements ``vault.exchange.lines.ExchangeFiles``; ``memory`` and ``journal`` are folders of the vault."""

    memory: Path
    journal: Path
    log: Journal
    redact: Callable[[str], str]
    exclusive: Callable[[], AbstractContextManager[None]]
    mounts: tuple[Mount, ...] = ()

    def memories(self) -> Iterator[ExportedFile]:
        files = DiskMemories(self.memory, self.mounts)
        parts = [("", self.memory), *((mount.below, Path(mount.root)) for mount in self.mounts)]
        places = [(f"{below}{p.relative_to(root).as_posix()}", p) for below, root in parts for p in _markdown(root)]
        for path, place in sorted(places):
            try:
                data, modified_at = files.read(path), place.stat().st_mtime_ns // 1_000_000
            except (HearthError, OSError) as error:
                yield ExportedFile(path, None, reason=str(error))
                continue
            if data is not None:
                yield ExportedFile(path, data, modified_at)

    def put_memory(self, path: str, data: bytes, modified_at: int) -> Put:
        return _put(self.memory, path, data, modified_at)

    def put_file(self, folder: str, path: str, data: bytes, modified_at: int) -> Put:
        return _put(Path(folder), path, data, modified_at)

    def adopt(self, events: Iterable[Event]) -> int:
        """In files of their own, as if other machines had written them: the stamps are those of others, and no file
        that a machine writes is touched."""
        known = self._read_known()
        lines: list[bytes] = []
        count = size = 0
        for event in events:
            if event.id in known:
                continue
            known.add(event.id)
            line = encode(self._clean(event)) + b"\n"
            if size + len(line) > ROTATE_BYTES:
                self._write(lines)
                lines, size = [], 0
            lines.append(line)
            count, size = count + 1, size + len(line)
        if lines:
            self._write(lines)
        return count

    def _write(self, lines: list[bytes]) -> None:
        write_atomically(self.journal / f"{_find_free(self.journal)}.jsonl", b"".join(lines))

    def writing(self) -> AbstractContextManager[None]:
        return self.exclusive()

    def _read_known(self) -> set[str]:
        known: set[str] = set()
        position, more = JournalPosition(), True
        while more:
            batch = self.log.read(position)
            known.update(event.id for event in batch.events)
            position, more = batch.position, batch.more
        return known

    def _clean(self, event: Event) -> Event:
        draft = clean(Draft(event.kind, event.doc, event.path, event.body_hash, event.data), self.redact)
        return replace(event, data=draft.data)


def _markdown(root: Path) -> Iterator[Path]:
    """Hidden files are somebody's unfinished work; of hidden folders the engine has its revisions."""
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md") and not name.startswith("."):
                yield Path(folder, name)


def _put(root: Path, path: str, data: bytes, modified_at: int) -> Put:
    files = DiskMemories(root)
    if files.create(path, data):
        nanoseconds = modified_at * 1_000_000
        os.utime(root / path, ns=(nanoseconds, nanoseconds))
        return "written"
    return "unchanged" if files.read(path) == data else "kept"


def _find_free(folder: Path) -> str:
    alphabet = CROCKFORD.lower()
    while True:
        name = "".join(secrets.choice(alphabet) for _ in range(_NAME_LENGTH))
        if not (folder / f"{name}.jsonl").exists():
            return name


def build_exchange(adapters: Adapters, core: Core, index: Index) -> Exchange:
    log = adapters.journal()
    own = DiskExchange(adapters.memory, adapters.data / "journal", log, scrub, adapters.locks.write, adapters.mounts)
    exporter = Exporter(
        program=__version__,
        vault=core.name,
        collections=core.collections,
        store=core.store,
        files=core.files,
        log=log,
        own=own,
        redact=redact,
        clock=core.clock,
    )
    return Exchange(exporter, Importer(own, redact), index.prepare, lambda: index.sync())
