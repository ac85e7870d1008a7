"""A page of statements on the disk: the engine's bullets, each with its sources, and whatever a person wrote there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from hearth.core import subjects
from hearth.core.document import content_hash
from hearth.core.errors import Conflict, HearthError, Unavailable
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Value
from hearth.markdown.owned_lines import Bullet, PageStatement, bullets, find_deleted, find_edited, merge
from hearth.memory import file_names, files
from hearth.memory.writer import MemoryWriter
from hearth.ports import Reader
from hearth.vault.history import History, read_position
from hearth.vault.indexing.analysis import decode_text
from hearth.vault.indexing.encodings import NotText

_CONFLICT = ("<<<<<<< ", ">>>>>>> ")

Wanted = Callable[[str, set[str]], Mapping[str, Sequence[PageStatement]]]
"""What a page is to say by section, given its body and the keys of what a person dismissed or made their own."""


@dataclass(frozen=True, slots=True)
class PageReport:
    """``docid`` is ``None`` where there is no page yet. ``bullets`` rest on documents that nothing hides, or are a
    person's own; ``changed`` says whether this call wrote the file, ``dismissed`` how many bullets it found deleted."""

    docid: str | None
    path: str
    bullets: tuple[Bullet, ...]
    changed: bool = False
    dismissed: int = 0
    title: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "docid": self.docid,
            "path": self.path,
            "statements": [one.to_dict() for one in self.bullets],
            "changed": self.changed,
            "dismissed": self.dismissed,
        }


@dataclass(frozen=True)
class StatementPage:
    """``name`` is that of all pages of its kind, by which the journal knows what was dismissed; ``fields`` go into the
    frontmatter of a new file, ``key`` tells pages of one kind apart; ``joint``: a bullet rests on all of its sources,
    not on any. One machine writes: the one that made the vault. Of a file that is not the page's alone, ``identity`` is
    the docid, and ``frame`` gives its body a place for the page."""

    history: History
    writer: MemoryWriter
    name: str
    path: str
    title: str
    fields: Mapping[str, Value]
    key: str = ""
    joint: bool = False
    identity: str = ""
    frame: Callable[[str], str] = lambda body: body

    @property
    def docid(self) -> str:
        return self.identity or file_names.id_of(f"{self.key or self.name}\0{self.writer.machine}")

    def read(self) -> bytes | None:
        return self.writer.memories.read(self.path)

    def is_ours(self, data: bytes | None) -> bool:
        """Whether this machine writes the file, or would."""
        if data is None or not data.strip():
            return is_writer(self.writer)
        return files.machine_of(data) == self.writer.machine

    def rebuild(self, wanted: Wanted, noted: Mapping[str, Value] | None = None) -> PageReport:
        """Brings the page up to date, by whoever holds ``writer.exclusive``; a second call changes no byte. ``noted``
        goes into its frontmatter where it says anything. Raises
        ``Conflict`` where the page holds marks of an unfinished merge or is no text, ``Unavailable`` where it can't be
        written or another machine writes it."""
        present = self.read()
        source = self._source(present)
        gone = find_deleted(frontmatter.body_of(source), _read_written_keys(source))
        metadata = {"page": self.name, "actor": self.name}
        self.history.record([Draft("dismiss", data={**metadata, "statement": key}) for key in gone])
        data = self._render(source, wanted, noted or {})
        changed = data is not None and data != present
        if data is not None and changed:
            self._write(present, data)
        return self.report(data or present, changed=changed, dismissed=len(gone))

    def report(self, data: bytes | None, *, changed: bool = False, dismissed: int = 0) -> PageReport:
        """As it stands; what rests on nothing any more is left out."""
        source = self._read_plain(data)
        if not source:
            return PageReport(None, self.path, (), title=self.title)
        head = frontmatter.split(source).fields
        identity, title = head.get("id"), head.get("title")
        with self.writer.store.read() as reader:
            kept = tuple(one for one in bullets(frontmatter.body_of(source)) if self.stands(reader, one))
        return PageReport(
            identity if isinstance(identity, str) else None,
            self.path,
            kept,
            changed,
            dismissed,
            title if isinstance(title, str) else self.title,
        )

    def standing(self, data: bytes | None) -> dict[str, list[PageStatement]]:
        """By section the engine's bullets that still rest on something."""
        found: dict[str, list[PageStatement]] = {}
        for one in self.report(data).bullets:
            if one.sources and one.date is not None:
                found.setdefault(one.section, []).append(PageStatement(one.text, one.sources, one.date))
        return found

    def refresh(self, data: bytes | None) -> None:
        """After something was hidden or erased: what rests on it leaves the page, just read, at once where this machine
        writes it. What is in the way is told by whoever rebuilds next."""
        with suppress(HearthError):
            if data is not None and self.is_ours(data) and self.is_stale(data):
                with self.writer.exclusive():
                    self.rebuild(partial(leave_out, self.standing(self.read())))

    def is_stale(self, data: bytes) -> bool:
        """Whether something on it rests on what is not there any more."""
        shown = bullets(frontmatter.body_of(self._read_plain(data)))
        with self.writer.store.read() as reader:
            return not all(self.stands(reader, one) for one in shown)

    def stands(self, reader: Reader, bullet: Bullet) -> bool:
        """Whether what it rests on is there; a person's own rests on nothing."""
        there = (holds(reader, name) for name in bullet.sources)
        return not bullet.sources or (all(there) if self.joint else any(there))

    # -- the file --------------------------------------------------------------------------------------------------

    def _read_plain(self, data: bytes | None) -> str:
        """Its text without secrets, empty where it is none."""
        try:
            return "" if data is None else self.writer.redact(decode_text(data)).text
        except NotText:
            return ""

    def _source(self, present: bytes | None) -> str:
        """The text of the page, empty where it is to begin anew."""
        place = f"{self.writer.memories.root}/{self.path}"
        if present is None or not present.strip():
            if not is_writer(self.writer):
                raise Unavailable(f"{place} is written by the machine that created this vault; rebuild it there")
            return ""
        if files.machine_of(present) != self.writer.machine:
            raise Unavailable(f"{place} was written by another machine and is left alone")
        try:
            source = decode_text(present).replace("\r\n", "\n")
        except NotText as error:
            raise Conflict(f"{place} is {error}; move it away and try again") from error
        if any(line.startswith(_CONFLICT) for line in source.split("\n")):
            raise Conflict(f"{place} has markers of an unfinished merge; resolve them and try again")
        return source

    def _render(self, source: str, wanted: Wanted, noted: Mapping[str, Value]) -> bytes | None:
        """``None`` where there is nothing to say and no page."""
        body = frontmatter.body_of(source) if source else f"# {self.title}"
        with self.writer.store.read() as reader:
            registers = reader.registers(subjects.name_page(self.name), subjects.DISMISSED)
        lines = wanted(body, {*map(subjects.read_dismissed, registers), *find_edited(body)})
        merged = merge(self.frame(body) if any(lines.values()) else body, lines)
        if source:
            return frontmatter.change(source, {"written": merged.keys, **noted}, merged.body).encode("utf-8", "replace")
        if not merged.keys:
            return None
        fields: dict[str, Value] = {
            "title": self.title,
            **self.fields,
            "trust": "agent",
            "created_by": self.name,
            "machine": self.writer.machine,
            "id": self.docid,
            "written": merged.keys,
            **noted,
        }
        return frontmatter.render(fields, merged.body).encode("utf-8", "replace")

    def _write(self, present: bytes | None, data: bytes) -> None:
        memories, path = self.writer.memories, self.path
        if not (
            memories.create(path, data) if present is None else memories.replace(path, data, content_hash(present))
        ):
            raise Unavailable(f"{memories.root}/{path} was just changed by another program; try again")
        self.writer.index(path, self.docid)


@dataclass
class Lookout:
    """When the background of one process looks again: something happened since the last time, which was ``pause_ms``
    ago at least."""

    pause_ms: int
    _position: dict[str, Any] | None = None
    _looked_at: int | None = None
    _generation: int | None = None

    def is_due(self, writer: MemoryWriter) -> bool:
        late = self._looked_at is None or writer.clock() - self._looked_at >= self.pause_ms
        with writer.store.read() as reader:
            return late and read_position(reader) != self._position

    def is_behind(self, writer: MemoryWriter) -> bool:
        """Whether the index or the journal went on since the last look, however short a time ago."""
        with writer.store.read() as reader:
            return (read_position(reader), reader.statistics().generation) != (self._position, self._generation)

    def note(self, writer: MemoryWriter) -> None:
        with writer.store.read() as reader:
            self._position, self._looked_at = read_position(reader), writer.clock()
            self._generation = reader.statistics().generation


def leave_out(
    sections: Mapping[str, Sequence[PageStatement]], body: str, out: set[str]
) -> dict[str, list[PageStatement]]:
    """Without what a person dismissed or made their own."""
    return {name: [one for one in statements if one.key not in out] for name, statements in sections.items()}


def is_writer(writer: MemoryWriter) -> bool:
    """Whether this machine writes pages: it made the vault."""
    return files.maker(writer.memories, writer.machine) == writer.machine


def holds(reader: Reader, docid: str) -> bool:
    """Whether a document is there that nothing hides."""
    stored = reader.document(docid)
    return stored is not None and not stored.state.hidden


def _read_written_keys(source: str) -> tuple[str, ...]:
    """Keys of what the engine wrote last."""
    keys = frontmatter.split(source).fields.get("written", ())
    return tuple(filter(None, map(str.strip, keys.split(",")))) if isinstance(keys, str) else keys
