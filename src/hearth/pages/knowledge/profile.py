"""The profile: who the person is and what they are at, on a page that they can read and correct."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import field

from hearth.core.errors import HearthError
from hearth.core.lazy import dataclass
from hearth.memory.history.history import History
from hearth.memory.writing.writer import MemoryWriter
from hearth.pages.knowledge import about
from hearth.pages.knowledge.memories import FOCUS_MOST, ProfileMemories
from hearth.pages.knowledge.page import PageStatement, own_lines
from hearth.pages.knowledge.statements import Lookout, PageReport, StatementPage, is_writer

NAME = "profile"
PATH = "user/profile.md"
ABOUT, FOCUS = "About you", "Current focus"
# Bullets and tokens at most.
_SECTIONS = ((ABOUT, 30, 500), (FOCUS, FOCUS_MOST, 300))
# Statements to choose from, beside those that are a person's or dismissed: twice what there is room for.
_COMPARED = 60
# Between two looks of the background: a session moves the journal with each turn.
_PAUSE_MS = 60_000


@dataclass
class PersonProfile:
    """``prepare`` brings an index of another version up to date."""

    history: History
    writer: MemoryWriter
    prepare: Callable[[], None]
    _lookout: Lookout = field(default_factory=lambda: Lookout(_PAUSE_MS))

    @property
    def _page(self) -> StatementPage:
        fields = {"content_type": NAME, "scope": "user"}
        return StatementPage(self.history, self.writer, NAME, PATH, NAME.capitalize(), fields)

    def show(self) -> PageReport:
        """The page as it stands; what rests on nothing any more is left out. Raises ``Unavailable``."""
        self.prepare()
        return self._page.report(self._page.read())

    def read(self) -> PageReport:
        """The page for somebody who asks for it, brought up to date where anything happened since this process last
        looked, and as it stands where that can't be. Raises ``Unavailable``."""
        with suppress(HearthError):
            if is_writer(self.writer) and self._lookout.is_behind(self.writer):
                return self.catch_up()
        return self.show()

    def rebuild(self) -> PageReport:
        """Brings the page up to date; a second call changes no byte. Raises ``Conflict`` where the page holds marks of
        an unfinished merge or is no text, ``Unavailable`` where it can't be written or another machine writes it."""
        self.prepare()
        with self.writer.exclusive():
            return self._page.rebuild(self._wanted)

    def refresh(self) -> None:
        """After something was hidden or erased: it leaves the page at once where this machine writes it. What is in
        the way is told by whoever rebuilds next."""
        with suppress(HearthError):
            data = self._page.read()
            if data is not None and self._page.is_ours(data):
                self.rebuild()

    def due(self) -> bool:
        """Whether something happened since the last rebuild of this process, a minute ago at least."""
        return self._lookout.is_due(self.writer) and is_writer(self.writer)

    def catch_up(self) -> PageReport:
        """``rebuild`` by the background, or by who reads it."""
        found = self.rebuild()
        self._lookout.note(self.writer)
        return found

    def _wanted(self, body: str, out: set[str]) -> dict[str, list[PageStatement]]:
        """By section; what a person dismissed or made their own is not wanted again, nor what says it in other words,
        and their lines take up room."""
        with self.writer.store.read() as reader:
            found = ProfileMemories(reader, self.writer.clock(), self.writer.zone)
            sources = about.leave_out(found.about(), found.said_of(out) if out else ())
            chosen = {ABOUT: about.choose(sources, _COMPARED + len(out)), FOCUS: list(found.focus())}
        return {
            section: about.fit(
                [one for one in chosen[section] if one.key not in out], max(0, most - own_lines(body, section)), tokens
            )
            for section, most, tokens in _SECTIONS
        }
