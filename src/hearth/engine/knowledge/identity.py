"""What an agent had to be told again: a page of reflections on how it works with a person. Off unless it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from hearth.engine.history.history import History
from hearth.engine.history.validity import is_memory
from hearth.engine.knowledge.statements import Lookout, PageReport, StatementPage, is_writer
from hearth.engine.truth.review import beginning
from hearth.engine.writing.writer import MemoryWriter
from hearth.errors import BadReply, Unavailable, UsageError
from hearth.extract.pages.page import PageStatement, without_statements
from hearth.extract.pages.reflections import GivenCorrection, condense, reflect
from hearth.lazy import dataclass
from hearth.model import instants
from hearth.model.identity import INTERNAL
from hearth.ports import Filter, Reader

if TYPE_CHECKING:
    from hearth.extract.model.cited import CitedWriter

NAME = "identity"
PATH = "agent/IDENTITY.md"
REPEATED, PATTERNS = "Said again", "Patterns"
_TYPES = ("correction", "antipattern")
_PAUSE_MS = 60 * 60_000
"""Something is added once an hour at most."""
_CHARS = 360
_SHOWN = 60
"""Corrections that a model reads, the newest."""


@dataclass
class AgentIdentity:
    """``model`` opens the language model, if there is one; ``prepare`` brings an index of another version up to
    date."""

    history: History
    writer: MemoryWriter
    prepare: Callable[[], None]
    enabled: bool = False
    model: Callable[[], CitedWriter] | None = None
    _lookout: Lookout = field(default_factory=lambda: Lookout(_PAUSE_MS))

    @property
    def _page(self) -> StatementPage:
        fields = {"content_type": "note", "scope": "agent"}
        return StatementPage(self.history, self.writer, NAME, PATH, NAME.capitalize(), fields)

    def show(self) -> PageReport:
        """The page as it stands; what rests on nothing any more is left out."""
        self.prepare()
        return self._page.report(self._page.read())

    def rebuild(self) -> PageReport:
        """Brings the page up to date; a second call changes no byte. Raises ``UsageError`` where it is not wanted, else
        as the profile."""
        if not self.enabled:
            raise UsageError("no identity page is wanted; set knowledge: {identity: true} first")
        self.prepare()
        with self.writer.store.read() as reader:
            corrections = list(self._corrections(reader))
        patterns = self._patterns(corrections)
        with self.writer.exclusive():
            return self._page.rebuild(lambda body, out: self._say(body, out, corrections, patterns))

    def refresh(self) -> None:
        """After something was hidden or erased: it leaves the page at once where this machine writes it."""
        self._page.refresh(self._page.read())

    def due(self) -> bool:
        """Whether something happened since the last rebuild of this process, an hour ago at least."""
        return self.enabled and self._lookout.is_due(self.writer) and is_writer(self.writer)

    def catch_up(self) -> PageReport:
        """``rebuild`` by the background."""
        found = self.rebuild()
        self._lookout.note(self.writer)
        return found

    # -- details ---------------------------------------------------------------------------------------------------

    def _corrections(self, reader: Reader) -> Iterator[GivenCorrection]:
        """Each says as often as it was written again, and in which sessions."""
        zone = instants.zone_of(self.writer.zone)
        for stored in reader.find_documents(Filter((INTERNAL,), _TYPES, at=self.writer.clock())):
            document, state = stored.document, stored.state
            if not is_memory(document) or document.trust == "external" or stored.vanished:
                continue
            again = range(state.duplicate_count + state.revision_count)
            told = {document.facts.get("session") or document.docid, *(f"{document.docid} {count}" for count in again)}
            at = document.modified_at if document.dated_at is None else document.dated_at
            said = " ".join(beginning(reader, stored, _CHARS).split()) or document.title
            yield GivenCorrection(document.docid, said, instants.show_date(at, zone), frozenset(told))

    def _patterns(self, corrections: list[GivenCorrection]) -> list[PageStatement]:
        """What a model sees in several of them; where it can't be asked, what it saw before."""
        page = self._page
        before = page.standing(page.read()).get(PATTERNS, [])
        newest = sorted(corrections, key=lambda one: (one.date, one.docid), reverse=True)[:_SHOWN]
        known = {docid for one in before for docid in one.sources}
        if self.model is None or len(newest) < 2 or known.issuperset(one.docid for one in newest):
            return before
        try:
            shown = [PageStatement(one.text, (one.docid,), one.date) for one in newest]
            told = self.model().tell(NAME, shown, least_sources=2)
        except (BadReply, Unavailable):
            return before
        return [*told, *(one for one in before if one.key not in {new.key for new in told})]

    def _say(
        self, body: str, out: set[str], corrections: list[GivenCorrection], patterns: list[PageStatement]
    ) -> dict[str, list[PageStatement]]:
        own = len(without_statements(body).strip())
        wanted = [one for one in (*patterns, *reflect(corrections)) if one.key not in out]
        kept = {one.key for one in condense(wanted, own)}
        told = {one.key for one in patterns}
        return {
            PATTERNS: [one for one in wanted if one.key in kept and one.key in told],
            REPEATED: [one for one in wanted if one.key in kept and one.key not in told],
        }
