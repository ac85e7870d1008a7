"""The profile: who the person is and what they are at, on a page that they can read and correct."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hearth.engine.history.history import History
from hearth.engine.indexing.analysis import NotText, decode_text
from hearth.engine.knowledge.memories import FOCUS_MOST, ProfileMemories
from hearth.engine.writing import days, names
from hearth.engine.writing.writer import MemoryWriter
from hearth.errors import Conflict, HearthError, Unavailable
from hearth.extract.pages import about
from hearth.extract.pages.page import Bullet, PageStatement, bullets, deleted, edited, merge, own_lines
from hearth.markdown import render
from hearth.markdown.head import frontmatter
from hearth.model.identity import content_hash
from hearth.model.journal import subjects
from hearth.model.journal.event import Draft
from hearth.ports import Reader

NAME = "profile"
PATH = "user/profile.md"
ABOUT, FOCUS = "About you", "Current focus"
# Bullets and tokens at most.
_SECTIONS = ((ABOUT, 30, 500), (FOCUS, FOCUS_MOST, 300))
# Between two looks of the background: a session moves the journal with each turn.
_PAUSE_MS = 60_000
_CONFLICT = ("<<<<<<< ", ">>>>>>> ")


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """``docid`` is ``None`` where there is no page yet. ``bullets`` rest on documents that nothing hides, or are a
    person's own; ``changed`` says whether this call wrote the file, ``dismissed`` how many bullets it found deleted."""

    docid: str | None
    path: str
    bullets: tuple[Bullet, ...]
    changed: bool = False
    dismissed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "docid": self.docid,
            "path": self.path,
            "statements": [one.to_dict() for one in self.bullets],
            "changed": self.changed,
            "dismissed": self.dismissed,
        }


@dataclass
class PersonProfile:
    """One machine writes the page: the one that made the vault. ``prepare`` brings an index of another version up to
    date."""

    history: History
    writer: MemoryWriter
    prepare: Callable[[], None]
    _position: dict[str, Any] | None = None
    _looked_at: int = 0

    def show(self) -> ProfilePage:
        """The page as it stands; what rests on nothing any more is left out. Raises ``Unavailable``."""
        self.prepare()
        data = self.writer.memories.read(PATH)
        return self._report(data)

    def rebuild(self) -> ProfilePage:
        """Brings the page up to date; a second call changes no byte. Raises ``Conflict`` where the page holds marks of
        an unfinished merge or is no text, ``Unavailable`` where it can't be written or another machine writes it."""
        self.prepare()
        with self.writer.exclusive():
            present = self.writer.memories.read(PATH)
            source = self._source(present)
            gone = deleted(render.body_of(source), _written(source))
            said = {"page": NAME, "actor": NAME}
            self.history.record([Draft("dismiss", data={**said, "statement": key}) for key in gone])
            data = self._render(source)
            changed = data is not None and data != present
            if data is not None and changed:
                self._write(present, data)
        return self._report(data or present, changed=changed, dismissed=len(gone))

    def refresh(self) -> None:
        """After something was hidden or erased: it leaves the page at once where this machine writes it. What is in
        the way is told by whoever rebuilds next."""
        with suppress(HearthError):
            data = self.writer.memories.read(PATH)
            if data is not None and days.machine_of(data) == self.writer.machine:
                self.rebuild()

    def due(self) -> bool:
        """Whether something happened since the last rebuild of this process, a minute ago at least."""
        now = self.writer.clock()
        with self.writer.store.read() as reader:
            position = reader.journal_position()
        if position == self._position or now - self._looked_at < _PAUSE_MS:
            return False
        return self._is_writer()

    def catch_up(self) -> ProfilePage:
        """``rebuild`` by the background."""
        found = self.rebuild()
        with self.writer.store.read() as reader:
            self._position, self._looked_at = reader.journal_position(), self.writer.clock()
        return found

    # -- the file --------------------------------------------------------------------------------------------------

    @property
    def _docid(self) -> str:
        return names.id_of(f"{NAME}\0{self.writer.machine}")

    def _is_writer(self) -> bool:
        return days.maker(self.writer.memories, self.writer.machine) == self.writer.machine

    def _source(self, present: bytes | None) -> str:
        """The text of the page, empty where it is to begin anew."""
        place = f"{self.writer.memories.root}/{PATH}"
        if present is None or not present.strip():
            if not self._is_writer():
                raise Unavailable(f"{place} is written by the machine that made this vault; rebuild it there")
            return ""
        if days.machine_of(present) != self.writer.machine:
            raise Unavailable(f"{place} was not written by this machine and is left alone")
        try:
            source = decode_text(present).replace("\r\n", "\n")
        except NotText as error:
            raise Conflict(f"{place} is {error}; move it away and try again") from error
        if any(line.startswith(_CONFLICT) for line in source.split("\n")):
            raise Conflict(f"{place} holds marks of an unfinished merge; settle them and try again")
        return source

    def _render(self, source: str) -> bytes | None:
        """``None`` where there is nothing to say and no page."""
        body = render.body_of(source) if source else f"# {NAME.capitalize()}"
        merged = merge(body, self._wanted(body))
        if source:
            return render.changed(source, {"written": merged.keys}, merged.body).encode("utf-8", "replace")
        if not merged.keys:
            return None
        fields: dict[str, frontmatter.Value] = {
            "title": NAME.capitalize(),
            "content_type": NAME,
            "scope": "user",
            "trust": "agent",
            "created_by": NAME,
            "machine": self.writer.machine,
            "id": self._docid,
            "written": merged.keys,
        }
        return render.document(fields, merged.body).encode("utf-8", "replace")

    def _write(self, present: bytes | None, data: bytes) -> None:
        memories = self.writer.memories
        if not (
            memories.create(PATH, data) if present is None else memories.replace(PATH, data, content_hash(present))
        ):
            raise Unavailable(f"{memories.root}/{PATH} was changed in this moment; try again")
        self.writer.index(PATH, self._docid)

    def _wanted(self, body: str) -> dict[str, list[PageStatement]]:
        """By section; what a person dismissed or made their own is not wanted again, and their lines take up room."""
        page = subjects.name_page(NAME)
        with self.writer.store.read() as reader:
            dismissed = map(subjects.read_dismissed, reader.registers(page, subjects.DISMISSED))
            out = {*dismissed, *edited(body)}
            found = ProfileMemories(reader, self.writer.clock(), self.writer.zone)
            chosen = {ABOUT: about.choose(found.about()), FOCUS: list(found.focus())}
        return {
            section: about.fit(
                [one for one in chosen[section] if one.key not in out], max(0, most - own_lines(body, section)), tokens
            )
            for section, most, tokens in _SECTIONS
        }

    def _report(self, data: bytes | None, *, changed: bool = False, dismissed: int = 0) -> ProfilePage:
        if data is None:
            return ProfilePage(None, PATH, ())
        try:
            source = self.writer.redact(decode_text(data)).text
        except NotText:
            return ProfilePage(None, PATH, ())
        identity = frontmatter.split(source).fields.get("id")
        shown = bullets(render.body_of(source))
        with self.writer.store.read() as reader:
            kept = tuple(one for one in shown if not one.sources or any(_holds(reader, name) for name in one.sources))
        return ProfilePage(identity if isinstance(identity, str) else None, PATH, kept, changed, dismissed)


def _written(source: str) -> tuple[str, ...]:
    """Keys of what the engine wrote last."""
    said = frontmatter.split(source).fields.get("written", ())
    return tuple(filter(None, map(str.strip, said.split(",")))) if isinstance(said, str) else said


def _holds(reader: Reader, docid: str) -> bool:
    stored = reader.document(docid)
    return stored is not None and not stored.state.hidden
