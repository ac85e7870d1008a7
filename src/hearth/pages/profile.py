"""The profile: who the person is, on a page that they can read and correct, and the memories behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import field

from hearth.core import instants
from hearth.core.document import INTERNAL, is_state
from hearth.core.errors import HearthError
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import SPECULATIVE
from hearth.markdown.owned_lines import PageStatement, key_of, own_lines
from hearth.memory.session_log import HANDED_OFF
from hearth.memory.writer import MemoryWriter
from hearth.pages import about
from hearth.pages.about import tidy
from hearth.pages.statements import Lookout, PageReport, StatementPage, is_writer
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.lines import cut_line
from hearth.truth.commitments import SOON_DAYS, commitments
from hearth.vault.documents import read_beginning
from hearth.vault.history import History
from hearth.vault.validity import confidence_of, is_memory

FOCUS_MOST = 10
_HANDOFFS, _HANDOFF_DAYS, _PROGRESS_DAYS = 5, 14, 7
_CHARS, _FOCUS_CHARS, _REQUEST_CHARS = 300, 160, 120
_HANDOFF = ("handoff",)
_ASKED = regex(r"^## Request\n+(.+)$", re.MULTILINE)
_NEXT = regex(r"^## Next\n+[-*] (.+)$", re.MULTILINE)
# How people open a message before they come to the point.
_GREETING = regex(
    r"(?:(?:hey|hi|hello|woohoo|wow|yo|good (?:morning|evening|afternoon)|hola|hallo|guten (?:morgen|tag|abend)|bonjour"
    r"|salut|olá|ciao|привет)\b[^.!?,\n]{0,24}[.!?,]\s+"
    r"|(?:how|what)['’]s (?:up|it going|been going on|new)[^.!?\n]{0,16}[.!?]\s+"
    r"|how (?:are|have) you\b[^.!?\n]{0,16}[.!?]\s+|long time no (?:see|talk|chat)\b[^.!?\n]{0,16}[.!?]\s+"
    r"|guess what\b\W{1,3})+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ProfileMemories:
    """``now`` is ms UTC; days are those of ``zone``."""

    reader: Reader
    now: int
    zone: str

    def about(self) -> list[about.ProfileSource]:
        return [
            about.ProfileSource(
                stored.document.docid,
                stored.document.content_type,
                self._read_text(stored, _CHARS),
                self._date(stored),
                stored.document.facts.get("tier", ""),
                stored.state.access_count,
            )
            for stored in self._memories(about.TYPES)
        ]

    def read_statements(self, keys: Container[str]) -> list[str]:
        """The texts of the statements with these keys, from their memories, in force or not. The journal holds only
        the keys, so the text of a purged memory is gone."""
        within = Filter(collections=(INTERNAL,), types=about.TYPES, include_hidden=True)
        texts = (self._read_text(stored, _CHARS) for stored in self.reader.each_document(within))
        return [tidy(text) for text in texts if key_of(tidy(text)) in keys or key_of(text) in keys]

    def focus(self) -> Iterator[PageStatement]:
        now = self.now
        yield from self._latest(_HANDOFF, now - _HANDOFF_DAYS * DAY_MS, _HANDOFFS)
        for one in commitments(self.reader, now, self.zone, due=SOON_DAYS):
            stored = self.reader.document(one.docid)
            if one.due_at is not None and stored is not None and is_memory(stored.document):
                text = self._read_text(stored, _FOCUS_CHARS)
                yield PageStatement(f"Due {instants.show_date(one.due_at)}: {text}", (one.docid,), self._date(stored))
        yield from self._latest(("progress", "milestone"), now - _PROGRESS_DAYS * DAY_MS, FOCUS_MOST)

    def _latest(self, types: tuple[str, ...], since: int, most: int) -> Iterator[PageStatement]:
        kept = [stored for stored in self._memories(types, since) if not is_state(stored.document)]
        found = sorted(kept, key=lambda one: one.document.newest_first)
        for stored in found[:most]:
            text = self._handed_on(stored) if types == _HANDOFF else self._read_text(stored, _FOCUS_CHARS)
            yield PageStatement(text, (stored.document.docid,), self._date(stored))

    def _memories(self, types: tuple[str, ...], since: int | None = None) -> Iterable[StoredDocument]:
        """Those in force that this vault wrote itself: no page, nothing from elsewhere, no guess."""
        within = Filter(collections=(INTERNAL,), types=types, since=since, at=self.now)
        for stored in self.reader.each_document(within):
            document = stored.document
            sure = confidence_of(document, stored.state) >= SPECULATIVE
            if is_memory(document) and document.trust != "external" and sure and not stored.vanished:
                yield stored

    def _handed_on(self, stored: StoredDocument) -> str:
        """A hand-off by capture is shown by its request and next step, any other by its beginning."""
        if not stored.document.title.startswith(HANDED_OFF):
            return self._read_text(stored, _FOCUS_CHARS)
        text = "\n".join(part.text for part in self.reader.fragments_of(stored.id))
        asked, following = _ASKED.search(text), _NEXT.search(text)
        said = stored.document.title.removeprefix(HANDED_OFF) if asked is None else asked[1]
        tail = "" if following is None else f"; next: {following[1].strip()}"
        greeting = _GREETING.match(said)
        point = said[greeting.end() :].strip() if greeting else said
        request = cut_line(point[:1].upper() + point[1:] or said, _REQUEST_CHARS).rstrip(".")
        return cut_line(" ".join(f"{request}{tail}".split()), _FOCUS_CHARS)

    def _read_text(self, stored: StoredDocument, most: int) -> str:
        return " ".join(read_beginning(self.reader, stored, most).split()) or stored.document.title

    def _date(self, stored: StoredDocument) -> str:
        document = stored.document
        date = document.dated_at
        return instants.show_date(document.modified_at if date is None else date, instants.zone_of(self.zone))


NAME = "profile"
PATH = "user/profile.md"
ABOUT, FOCUS = "About you", "Current focus"
# Bullets and tokens at most.
_SECTIONS = ((ABOUT, 30, 500), (FOCUS, FOCUS_MOST, 300))
# Statements to choose from, beside those that are a person's or dismissed: twice what there is room for.
_COMPARED = 60
# Between two checks in the background: a session moves the journal with each turn.
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
        """The page as it stands, without statements whose sources are gone. Raises ``Unavailable``."""
        self.prepare()
        return self._page.report(self._page.read())

    def read(self) -> PageReport:
        """The page for a reader: brought up to date if anything changed since this process last looked, or as it
        stands if that fails. Raises ``Unavailable``."""
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
        """Takes hidden or erased memories off the page at once, if this machine writes it. Problems are left for the
        next rebuild to report."""
        with suppress(HearthError):
            data = self._page.read()
            if data is not None and self._page.is_ours(data):
                self.rebuild()

    def due(self) -> bool:
        """Whether anything changed since this process last rebuilt the page, at least a minute ago."""
        return self._lookout.is_due(self.writer) and is_writer(self.writer)

    def catch_up(self) -> PageReport:
        """``rebuild`` for the background, or for a reader."""
        found = self.rebuild()
        self._lookout.note(self.writer)
        return found

    def _wanted(self, body: str, out: set[str]) -> dict[str, list[PageStatement]]:
        """By section. Statements that a person dismissed or rewrote don't come back, not even reworded, and the
        person's own lines count towards the limits."""
        with self.writer.store.read() as reader:
            found = ProfileMemories(reader, self.writer.clock(), self.writer.zone)
            sources = about.leave_out(found.about(), found.read_statements(out) if out else ())
            chosen = {ABOUT: about.choose(sources, _COMPARED + len(out)), FOCUS: list(found.focus())}
        return {
            section: about.fit(
                [one for one in chosen[section] if one.key not in out], max(0, most - own_lines(body, section)), tokens
            )
            for section, most, tokens in _SECTIONS
        }
