"""memory_get: lines of a note or memory by path, from inside the collections and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hearth.engine.compat.citations import MEMORY, name, without_lines
from hearth.engine.compat.report import MemoryText
from hearth.engine.documents.reading import read_lines
from hearth.engine.documents.reference import ReferenceTarget
from hearth.engine.state.purged import is_purged
from hearth.errors import NotFound, Unavailable, UsageError
from hearth.guard.paths import inside, is_private
from hearth.lazy import dataclass
from hearth.model.identity import INTERNAL, docid, normal_path
from hearth.ports import Collection, DocumentReader, Files, Filter, Redactor, Store, StoredDocument

DEFAULT_LINES = 120
MAX_LINES = 10_000
MAX_CHARS = 12_000
NOT_ALLOWED = "MEMORY_PATH_NOT_ALLOWED"
READ_FAILED = "MEMORY_READ_FAILED"


@dataclass(frozen=True)
class Getter:
    """Lines of a file of a collection, secrets scrubbed."""

    store: Store
    files: Files
    collections: Sequence[Collection]
    redact: Redactor

    def __call__(self, path: str, from_line: int | None = None, lines: int | None = None) -> MemoryText:
        """``path`` is relative to a collection, with or without its name in front, or absolute inside one;
        ``memory/…`` is first what the engine wrote. A citation's lines count where none are given. ``from_line``
        is 1-based; beyond the end the text is empty.

        Raises ``UsageError`` for numbers below 1. Anything else is in the status."""
        place, cited, count = without_lines(path.strip())
        first = from_line if from_line is not None else cited or 1
        lines = min(lines if lines is not None else count or DEFAULT_LINES, MAX_LINES)
        if first < 1 or lines < 1:
            raise UsageError(f"lines are counted from 1; got from {first} and lines {lines}")
        try:
            found = self._find(normal_path(place))
            if not found:
                return MemoryText("not_found", path, first=first)
            if len(found) > 1:
                names = ", ".join(sorted(name(c.name, s.document.path) for c, s in found)[:5])
                said = f"{path!r} fits {len(found)} files: {names}; name one in full"
                return replace(_refuse(path, NOT_ALLOWED, said), several=True)
            return self._read(*found[0], first, lines)
        except UsageError as error:
            return _refuse(path, NOT_ALLOWED, str(error))
        except NotFound:
            return MemoryText("not_found", path, first=first)
        except Unavailable as error:
            return _refuse(path, READ_FAILED, str(error))

    def _read(self, collection: Collection, stored: StoredDocument, first: int, lines: int) -> MemoryText:
        whole = read_lines(self.files, collection, ReferenceTarget(stored), self.redact)
        rows = whole.text.split("\n")[: whole.total_lines] if whole.total_lines else []
        text, held, cut = _cut(rows[first - 1 : first - 1 + lines])
        end = first + held
        more = end <= len(rows)
        return MemoryText(
            "ok",
            name(collection.name, stored.document.path),
            text,
            first,
            held,
            len(rows),
            truncated=cut or more,
            next=end if more and held else None,
            docid=stored.document.docid,
        )

    def _find(self, place: str) -> list[tuple[Collection, StoredDocument]]:
        """The documents that a path may mean: by full name where there are any."""
        by_name = {collection.name: collection for collection in self.collections}
        wanted = dict.fromkeys(self._candidates(place, by_name))
        with self.store.read() as reader:
            stored = [(by_name[c], s) for c, relative in wanted if (s := _find_stored(reader, c, relative)) is not None]
        full = [(c, s) for c, s in stored if place in (f"{c.name}/{s.document.path}", name(c.name, s.document.path))]
        chosen = full or stored
        for collection, one in chosen:
            inside(collection.root, one.file.disk_path.decode("utf-8", "surrogateescape"))
        return chosen

    def _candidates(self, place: str, by_name: Mapping[str, Collection]) -> Iterator[tuple[str, str]]:
        """(collection, path in it). Raises ``UsageError`` for a path that leads anywhere else."""
        if place.startswith("/"):
            yield from self._absolute(place)
            return
        place = place.removeprefix("hearth://").removeprefix("./")
        inside("/", place)  # the shape alone: what it means in which collection is open yet
        if is_private(place.split("/")):
            raise UsageError(f"path {place[:200]!r} is private; it is never read")
        head, _, rest = place.partition("/")
        if head in by_name and rest:
            yield head, rest
        if head == MEMORY and rest and INTERNAL in by_name:
            yield INTERNAL, rest
        yield from ((collection, place) for collection in by_name)

    def _absolute(self, place: str) -> Iterator[tuple[str, str]]:
        for collection in sorted(self.collections, key=lambda c: -len(c.root)):
            root = collection.root.rstrip("/") + "/"
            if place.startswith(root):
                inside(collection.root, place[len(root) :])
                yield collection.name, place[len(root) :]
                return
        raise UsageError(f"path {place[:200]!r} is in no collection; name a file inside one")


def _find_stored(reader: DocumentReader, collection: str, relative: str) -> StoredDocument | None:
    """What the index knows and nobody forgot."""
    stored = reader.document(docid(collection, relative))
    if stored is None or (stored.document.collection, stored.document.path) != (collection, relative):
        within = Filter(collections=(collection,), paths=(relative,), include_hidden=True)
        stored = next((s for s in reader.find_documents(within) if s.document.path == relative), None)
    if stored is None or stored.vanished or stored.state.forgotten or is_purged(stored.document):
        return None
    return stored


def _cut(rows: Sequence[str]) -> tuple[str, int, bool]:
    """Whole lines up to ``MAX_CHARS``, their number, and whether something was left out; a longer first line is cut."""
    size = 0
    for count, row in enumerate(rows):
        size += len(row) + 1
        if size > MAX_CHARS + 1:
            return ("\n".join(rows[:count]), count, True) if count else (row[:MAX_CHARS], 1, True)
    return "\n".join(rows), len(rows), False


def _refuse(path: str, code: str, error: str) -> MemoryText:
    return MemoryText("error", path, code=code, error=error)
