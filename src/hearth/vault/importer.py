"""Import: the lines of an export, checked as a whole, then carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, BinaryIO

from hearth.core.errors import HearthError, UsageError
from hearth.core.journal import Event
from hearth.core.lazy import dataclass
from hearth.memory.history.fold import problem
from hearth.memory.history.payload import KINDS
from hearth.memory.writing.names import REVISIONS
from hearth.ports import Redactor
from hearth.vault.exporter import MAX_LINE_BYTES, ExchangeFiles, Exporter, Put, checked, to_event
from hearth.vault.indexing.plan import SyncReport

MAX_LISTED = 100
"""Things left out that a result spells out; it always counts all."""


@dataclass
class Imported:
    """What an import did: files written, there already, or ``kept`` since another text stands there; events that were
    new; ``left`` are files of people, for which no folder was named; ``problems`` says what was left out and why."""

    memories: int = 0
    files: int = 0
    events: int = 0
    unchanged: int = 0
    kept: int = 0
    left: int = 0
    redacted: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)

    def say(self, problem: str) -> None:
        self.skipped += 1
        if len(self.problems) < MAX_LISTED:
            self.problems.append(problem)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        numbers = ("memories", "files", "events", "unchanged", "kept", "left", "redacted", "skipped")
        return {name: getattr(self, name) for name in numbers} | {"problems": list(self.problems)}


@dataclass(frozen=True)
class Importer:
    """``redact`` takes secrets out of whatever is written."""

    own: ExchangeFiles
    redact: Redactor

    def run(self, source: BinaryIO, files_to: str | None = None) -> Imported:
        """Nothing is written before every line is checked, and nothing is replaced: a second run changes nothing.

        Raises ``UsageError`` for what is no whole export."""
        for _ in checked(_lines(source)):
            pass
        source.seek(0)
        done = Imported()
        with self.own.writing():
            done.events = self.own.adopt(self._carry_out(source, files_to, done))
        return done

    def _carry_out(self, source: BinaryIO, files_to: str | None, done: Imported) -> Iterator[Event]:
        """Writes the files on the way and hands on the events."""
        for row in checked(_lines(source)):
            kind = row["kind"]
            if kind == "event":
                event = to_event(row["event"])
                if event.kind not in KINDS:
                    done.say(f"event {event.id}: unknown kind {event.kind[:40]!r}")
                elif (why := problem(event)) is not None:
                    done.say(why[:500])
                else:
                    yield event
            elif kind in ("memory", "file"):
                self._file(row, files_to, done)
            elif kind == "problem":
                done.say(f"not in the export: {row['where'][:200]}: {row['reason'][:200]}")

    def _file(self, row: dict[str, Any], files_to: str | None, done: Imported) -> None:
        kind, path = row["kind"], row["path"]
        if kind == "file" and files_to is None:
            done.left += 1
            return
        cleaned = self.redact(row["text"])
        data = cleaned.text.encode("utf-8")
        try:
            if kind == "memory":
                _refuse_foreign(path)
                put = self.own.put_memory(path, data, row["modified_at"])
            else:
                folder = f"{files_to}/{_collection(row['collection'])}"
                put = self.own.put_file(folder, path, data, row["modified_at"])
        except (HearthError, OSError) as error:
            done.say(f"{path[:200]!r}: {error}"[:500])
            return
        _count(done, kind, put)
        if put == "written":
            done.redacted += len(cleaned.secrets)
        if put == "kept":
            done.say(f"{path[:200]!r}: a different text is already there and was kept")
            done.skipped -= 1  # counted as kept


def _count(done: Imported, kind: str, put: Put) -> None:
    if put == "unchanged":
        done.unchanged += 1
    elif put == "kept":
        done.kept += 1
    elif kind == "memory":
        done.memories += 1
    else:
        done.files += 1


def _refuse_foreign(path: str) -> None:
    """The engine writes markdown, hidden only where it keeps revisions."""
    parts = path.split("/")
    visible = parts[1:] if parts[0] == REVISIONS and len(parts) == 3 else parts
    if not path.endswith(".md") or any(part.startswith(".") or not part for part in visible):
        raise UsageError("is not a file that Hearth writes")


def _collection(name: str) -> str:
    if not name or name.startswith(".") or "/" in name or "\\" in name or "\0" in name:
        raise UsageError(f"{name[:100]!r} can't name a collection")
    return name


def _lines(source: BinaryIO) -> Iterator[bytes]:
    while raw := source.readline(MAX_LINE_BYTES + 1):
        if raw.strip() or len(raw) > MAX_LINE_BYTES:
            yield raw


@dataclass(frozen=True, slots=True)
class Exchange:
    """``prepare`` brings an index of another version up to date, ``sync`` the index what was taken in."""

    exporter: Exporter
    importer: Importer
    prepare: Callable[[], None]
    sync: Callable[[], SyncReport]

    def export(self, *, files: bool = True) -> Iterator[bytes]:
        """Lines of JSON, secrets scrubbed: the memories with their former revisions, the journal, and unless ``files``
        is false the texts of people's files. The format is in ``vault/exporter.py``."""
        self.prepare()
        return self.exporter.lines(files=files)

    def import_(self, source: BinaryIO, *, files_to: str | None = None) -> Imported:
        """Takes in an export from a file that can be read twice, and brings the index up to date.

        People's files go below the folder ``files_to``, by collection, else nowhere. What is there already stays as it
        is. Raises ``UsageError`` for what is no whole export, before anything is written.
        """
        self.prepare()
        done = self.importer.run(source, files_to)
        for trouble in self.sync().problems:
            done.say(trouble)
        return done
