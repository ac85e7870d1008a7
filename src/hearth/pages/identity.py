"""What an agent may learn of corrections: those that somebody had to give again, and from which turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import date, datetime, time, tzinfo
from typing import TYPE_CHECKING

from hearth.capture.requests import find_request
from hearth.core import instants
from hearth.core.document import INTERNAL, content_hash
from hearth.core.errors import BadReply, Unavailable, UsageError
from hearth.core.lazy import dataclass, regex
from hearth.markdown.owned_lines import PageStatement, blank_statements
from hearth.memory.writer import MemoryWriter
from hearth.pages.about import frame_words
from hearth.pages.questions import SpokenLine, spoken_lines
from hearth.pages.statements import Lookout, PageReport, StatementPage, is_writer
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.lines import cut_line
from hearth.text.similarity import near_identical, repeats
from hearth.vault.documents import read_beginning
from hearth.vault.history import History
from hearth.vault.validity import is_memory

if TYPE_CHECKING:
    from hearth.llm.pages import CitedWriter

MAX_CHARS = 400
"""Of one reflection."""
CONDENSED, PATTERNS = 8_000, 25
"""From so many characters on, so many of the most frequent are left."""
FULL = 15_000
"""Characters of a page to which nothing is added any more."""
_TIMES, _SOURCES = 2, 6


@dataclass(frozen=True, slots=True)
class RepeatedCorrection:
    """``occasions`` name when it was given: sessions, and how often it was said again."""

    docid: str
    text: str
    date: str
    occasions: frozenset[str]


@dataclass
class _Again:
    newest: RepeatedCorrection
    docids: list[str] = field(default_factory=list)
    occasions: set[str] = field(default_factory=set)


def reflect(corrections: Iterable[RepeatedCorrection]) -> list[PageStatement]:
    """Corrections that were given on two occasions at least, in the words of the newest."""
    groups: list[_Again] = []
    for one in sorted(corrections, key=lambda one: (one.date, one.docid), reverse=True):
        same = next((group for group in groups if _is_same(group.newest.text, one.text)), None)
        if same is None:
            groups.append(same := _Again(one))
        same.docids.append(one.docid)
        same.occasions |= one.occasions
    again = [group for group in groups if len(group.occasions) >= _TIMES]
    again.sort(key=lambda group: (-len(group.occasions), group.newest.docid))
    return [
        PageStatement(
            cut_line(f"Corrected {len(group.occasions)} times: {group.newest.text}", MAX_CHARS),
            tuple(group.docids[:_SOURCES]),
            group.newest.date,
        )
        for group in again
    ]


def condense(statements: Sequence[PageStatement], own: int) -> list[PageStatement]:
    """What there is room for on a page on which a person wrote ``own`` characters: from 8,000 on 25, and nothing that
    would take it beyond 15,000."""
    kept: list[PageStatement] = []
    size = own
    much = own + sum(len(one.line) for one in statements) >= CONDENSED
    for one in statements[: PATTERNS if much else len(statements)]:
        if size + len(one.line) > FULL:
            break
        kept.append(one)
        size += len(one.line)
    return kept


def _is_same(one: str, other: str) -> bool:
    return near_identical(one, other) or repeats(one, other, frame_words())


GAP_MS = 30 * 60_000
"""A longer pause begins another thread."""
_DAY = regex(r"(\d{4}-\d{2}-\d{2})-")


@dataclass(slots=True)
class ThreadTurns:
    """``began`` and ``ended`` are ms UTC, as far as the conversation tells times; ``prompts`` are the lines of
    each turn of the person."""

    start_line: int
    end_line: int
    began: int | None
    ended: int | None
    turns: int = 0
    prompts: list[list[str]] = field(default_factory=list)

    @property
    def prompt_lines(self) -> list[str]:
        return [line for prompt in self.prompts for line in prompt]

    @property
    def request(self) -> str:
        """What the person asked for first; empty where they only said to go on."""
        return find_request("\n".join(prompt) for prompt in self.prompts)

    @property
    def key(self) -> str:
        """The same as long as the person says the same."""
        return content_hash("\n".join(self.prompt_lines).encode())[:12]


def read_turns(reader: Reader, stored: StoredDocument, zone: tzinfo) -> list[ThreadTurns]:
    named = _DAY.match(stored.document.path.rpartition("/")[2])
    day = None if named is None else date.fromisoformat(named[1])
    runs: list[ThreadTurns] = []
    for line in spoken_lines(reader, stored):
        if line.head is not None:
            _turn(runs, line, _instant(line.head, day, zone))
        elif runs:
            runs[-1].end_line = line.number
            if line.by_person and runs[-1].prompts:
                runs[-1].prompts[-1].append(line.text)
    return runs


def _turn(runs: list[ThreadTurns], line: SpokenLine, at: int | None) -> None:
    """Goes on with the last run, or begins another one after a pause."""
    last = runs[-1] if runs else None
    if last is None or (at is not None and last.ended is not None and at - last.ended > GAP_MS):
        last = ThreadTurns(line.number, line.number, at, at)
        runs.append(last)
    last.end_line = line.number
    last.ended = last.ended if at is None else at
    if line.by_person:
        last.turns += 1
        last.prompts.append([])


def _instant(head: tuple[str | None, str | None, str | None], day: date | None, zone: tzinfo) -> int | None:
    on = date.fromisoformat(head[0]) if head[0] else day
    if on is None or head[1] is None or head[2] is None:
        return None
    return instants.of(datetime.combine(on, time(int(head[1]), int(head[2])), zone))


NAME = "identity"
PATH = "agent/IDENTITY.md"
REPEATED, IDENTITY_PATTERNS = "Said again", "Patterns"
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
            raise UsageError("the identity page is off; set knowledge.identity to true first")
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

    def _corrections(self, reader: Reader) -> Iterator[RepeatedCorrection]:
        """Each says as often as it was written again, and in which sessions."""
        zone = instants.zone_of(self.writer.zone)
        for stored in reader.each_document(Filter((INTERNAL,), _TYPES, at=self.writer.clock())):
            document, state = stored.document, stored.state
            if not is_memory(document) or document.trust == "external" or stored.vanished:
                continue
            again = range(state.duplicate_count + state.revision_count)
            occasions = {
                document.facts.get("session") or document.docid,
                *(f"{document.docid} {count}" for count in again),
            }
            at = document.modified_at if document.dated_at is None else document.dated_at
            text = " ".join(read_beginning(reader, stored, _CHARS).split()) or document.title
            yield RepeatedCorrection(document.docid, text, instants.show_date(at, zone), frozenset(occasions))

    def _patterns(self, corrections: list[RepeatedCorrection]) -> list[PageStatement]:
        """What a model sees in several of them; where it can't be asked, what it saw before."""
        page = self._page
        before = page.standing(page.read()).get(IDENTITY_PATTERNS, [])
        newest = sorted(corrections, key=lambda one: (one.date, one.docid), reverse=True)[:_SHOWN]
        known = {docid for one in before for docid in one.sources}
        if self.model is None or len(newest) < 2 or known.issuperset(one.docid for one in newest):
            return before
        try:
            shown = [PageStatement(one.text, (one.docid,), one.date) for one in newest]
            patterns = self.model().tell(NAME, shown, least_sources=2)
        except (BadReply, Unavailable):
            return before
        return [*patterns, *(one for one in before if one.key not in {new.key for new in patterns})]

    def _say(
        self, body: str, out: set[str], corrections: list[RepeatedCorrection], patterns: list[PageStatement]
    ) -> dict[str, list[PageStatement]]:
        own = len(blank_statements(body).strip())
        wanted = [one for one in (*patterns, *reflect(corrections)) if one.key not in out]
        kept = {one.key for one in condense(wanted, own)}
        keys = {one.key for one in patterns}
        return {
            IDENTITY_PATTERNS: [one for one in wanted if one.key in kept and one.key in keys],
            REPEATED: [one for one in wanted if one.key in kept and one.key not in keys],
        }
