"""Summaries of weeks and months: decisions, milestones and what is open, in the order of time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from hearth.capture.requests import title_of
from hearth.core import instants
from hearth.core.document import INTERNAL, is_state
from hearth.core.errors import BadReply, HearthError, Unavailable, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONTENT_TYPES, CONVERSATION, project_folder
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Value
from hearth.markdown.owned_lines import PageStatement
from hearth.memory import file_names
from hearth.memory.writer import MemoryWriter
from hearth.pages.about import fit, frame_words
from hearth.pages.identity import read_turns
from hearth.pages.statements import Lookout, PageReport, StatementPage, is_writer, leave_out
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.similarity import near_identical, repeats
from hearth.vault.documents import read_beginning
from hearth.vault.history import History
from hearth.vault.indexing.analysis import decode_text
from hearth.vault.indexing.encodings import NotText
from hearth.vault.validity import is_memory

if TYPE_CHECKING:
    from hearth.llm.pages import CitedWriter

_WEEK = regex(r"(\d{4})-W(\d{2})")
_MONTH = regex(r"(\d{4})-(\d{2})")


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """``key`` is YYYY-Www or YYYY-MM; ``first`` and ``last`` are its local dates."""

    first: date
    last: date
    key: str

    @property
    def title(self) -> str:
        if "W" not in self.key:
            return f"{self.first:%B %Y}"
        return f"Week {int(self.key[-2:])} of {self.key[:4]} ({self.first.isoformat()} to {self.last.isoformat()})"


def periods_of(day: date) -> tuple[Period, Period]:
    """The week and the month of a date."""
    year, week, _ = day.isocalendar()
    return _week(year, week), _month(day.year, day.month)


def read_period(key: str) -> Period | None:
    """The period of a key; ``None`` where it is none."""
    try:
        if found := _WEEK.fullmatch(key):
            return _week(int(found[1]), int(found[2]))
        if found := _MONTH.fullmatch(key):
            return _month(int(found[1]), int(found[2]))
    except ValueError:
        return None
    return None


def _week(year: int, week: int) -> Period:
    first = date.fromisocalendar(year, week, 1)
    return Period(first, first + timedelta(days=6), f"{year:04d}-W{week:02d}")


def _month(year: int, month: int) -> Period:
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return Period(first, following - timedelta(days=1), f"{year:04d}-{month:02d}")


SHORT, DECISIONS, MILESTONES, OPEN, ASKED = "In short", "Decisions", "Milestones", "Open", "Asked for"
SECTIONS: Mapping[str, tuple[str, int, int]] = {
    "decision": (DECISIONS, 12, 500),
    "milestone": (MILESTONES, 12, 400),
    "progress": (MILESTONES, 12, 400),
    "commitment": (OPEN, 8, 250),
    "question": (OPEN, 8, 250),
}
"""By content type: the section, and its bullets and tokens at most."""
LEAST = 3
"""Statements that make a summary."""
# What is not decided yet.
_UNDECIDED = regex(
    r"\b(?:still|not (?:yet )?sure|trying to|can['’]t|have(?:n['’]t| not)(?: yet)?|has(?:n['’]t| not)(?: yet)?) "
    r"(?:\w+ )?(?:think\w*|decid\w*|consider\w*|weigh\w*|choos\w*|chosen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A memory that a summary may name; ``tier`` is empty where somebody wrote it down."""

    statement: PageStatement
    content_type: str
    tier: str = ""
    uses: int = 0


def summarise(sources: Iterable[SummarySource]) -> dict[str, list[PageStatement]]:
    """Statements by section, by date; what says the same in near words is said once, with its latest date. Over the cap
    the weakest by tier, use and age leave. Empty where there are fewer than three."""
    chosen: dict[str, list[SummarySource]] = {}
    for source in sorted(filter(_tells, sources), key=_strength):
        group = chosen.setdefault(SECTIONS[source.content_type][0], [])
        text = source.statement.text
        if not any(near_identical(one.statement.text, text) or _repeats(one, text) for one in group):
            group.append(source)
    if sum(map(len, chosen.values())) < LEAST:
        return {}
    return {section: _fit(chosen[section]) for section in (DECISIONS, MILESTONES, OPEN) if section in chosen}


def _tells(source: SummarySource) -> bool:
    return source.content_type != "decision" or _UNDECIDED.search(source.statement.text) is None


def _fit(group: Sequence[SummarySource]) -> list[PageStatement]:
    _, most, tokens = SECTIONS[group[0].content_type]
    return sorted(fit([one.statement for one in group], most, tokens), key=lambda one: (one.date, one.sources))


def _repeats(one: SummarySource, text: str) -> bool:
    return repeats(one.statement.text, text, frame_words())


def _strength(source: SummarySource) -> tuple[bool, int, tuple[int, ...], str]:
    """The strongest first, the newest of those before the older."""
    newest = tuple(-ord(char) for char in source.statement.date)
    return (source.tier not in ("", "explicit"), -source.uses, newest, source.statement.sources[0])


_CHARS, _REQUESTS = 240, 12
_LONGEST_DAYS = 32
"""A period began so long before its end at most."""


@dataclass(frozen=True, slots=True)
class SummaryGroup:
    """What one page is made of: memories, and what was talked about."""

    project: str | None
    period: Period
    sources: list[SummarySource] = field(default_factory=list)
    talks: list[StoredDocument] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PeriodMemories:
    """``now`` is ms UTC; days are those of ``zone``."""

    reader: Reader
    now: int
    zone: str

    def groups(self, since: int | None = None) -> list[SummaryGroup]:
        """Of periods that ended after ``since`` (ms UTC), or that are not over; by project and period."""
        found: dict[tuple[str | None, Period], SummaryGroup] = {}
        first = None if since is None else self._day(since)
        for stored, day in self._memories(since):
            project = stored.document.facts.get("project")
            for period in periods_of(day):
                if first is not None and period.last < first:
                    continue
                group = found.setdefault((project, period), SummaryGroup(project, period))
                if stored.document.content_type == CONVERSATION:
                    group.talks.append(stored)
                else:
                    group.sources.append(self._source(stored, day))
        return [found[key] for key in sorted(found, key=lambda key: (key[0] or "", key[1]))]

    def say(self, group: SummaryGroup) -> dict[str, Sequence[PageStatement]]:
        """By section; empty where there is too little to say."""
        sections: dict[str, Sequence[PageStatement]] = dict(summarise(group.sources))
        asked = list(self._requests(group.talks))
        return {**sections, ASKED: asked} if sections or len(asked) >= LEAST else {}

    def _memories(self, since: int | None) -> Iterator[tuple[StoredDocument, date]]:
        earliest = None if since is None else since - _LONGEST_DAYS * DAY_MS
        within = Filter((INTERNAL,), (*SECTIONS, CONVERSATION), since=earliest, at=self.now)
        for stored in self.reader.each_document(within):
            document = stored.document
            at = document.dated_at
            ours = is_memory(document) and not is_state(document)
            counts = ours and document.trust != "external" and not stored.vanished
            if counts and at is not None and at <= self.now + DAY_MS:
                yield stored, self._day(at)

    def _source(self, stored: StoredDocument, day: date) -> SummarySource:
        document = stored.document
        text = " ".join(read_beginning(self.reader, stored, _CHARS).split()) or document.title
        statement = PageStatement(text, (document.docid,), day.isoformat())
        return SummarySource(
            statement, document.content_type, document.facts.get("tier", ""), stored.state.access_count
        )

    def _requests(self, talks: Sequence[StoredDocument]) -> Iterator[PageStatement]:
        """What each session was for, in the person's words: those that began it, by date."""
        latest = sorted(talks, key=lambda one: one.document.newest_first)[:_REQUESTS]
        found: dict[str, PageStatement] = {}
        for stored in reversed(latest):
            at = stored.document.dated_at
            runs = read_turns(self.reader, stored, instants.zone_of(self.zone))
            asked = next((title for run in runs if (title := title_of(run.request))), "")
            if asked and at is not None:
                found.setdefault(asked, PageStatement(asked, (stored.document.docid,), self._day(at).isoformat()))
        yield from found.values()

    def _day(self, at: int) -> date:
        return instants.moment(at, instants.zone_of(self.zone)).date()


NAME = "summaries"
TYPE = "summary"
FOLDER = CONTENT_TYPES[TYPE].folder or ""
RECENT_DAYS = 40
"""The background looks at periods that ended since then; older ones stay as they are."""
_PAUSE_MS = 10 * 60_000
_MOST_CALLS = 4
"""Of the language model, in one run."""
_NO_PROJECT = "general"
_ACCOUNT = "summed_up"
"""In the frontmatter: a hash of the statements that the model summed up last."""

_Sections = Mapping[str, Sequence[PageStatement]]


@dataclass
class ProjectSummaries:
    """``model`` opens the language model, if there is one; ``prepare`` brings an index of another version up to date.
    One machine writes the pages: the one that made the vault."""

    history: History
    writer: MemoryWriter
    prepare: Callable[[], None]
    enabled: bool = True
    model: Callable[[], CitedWriter] | None = None
    _lookout: Lookout = field(default_factory=lambda: Lookout(_PAUSE_MS))

    def show(self, period: str | None = None, project: str | None = None) -> list[PageReport]:
        """The pages as they stand, the latest period first; of one period (YYYY-Www, YYYY-MM), of a project by the end
        of its name. Raises ``UsageError`` for no period."""
        self.prepare()
        if period is not None and read_period(period) is None:
            raise UsageError(f"{period[:20]!r} is not a period; write YYYY-Www for a week or YYYY-MM for a month")
        found = [
            (page.fields["period"], page.report(data))
            for page, data in self._pages()
            if period in (None, page.fields["period"])
            and (project is None or _is_called(str(page.fields.get("project", _NO_PROJECT)), project))
        ]
        return [report for _, report in sorted(found, key=lambda one: str(one[0]), reverse=True)]

    def rebuild(self, since: int | None = None) -> list[PageReport]:
        """Brings the pages up to date of periods that ended after ``since`` (ms UTC), or of all; a second call changes
        no byte. Gives those that were written; one that is in the way is passed over. Raises ``Unavailable`` where
        another machine writes them."""
        self.prepare()
        if not is_writer(self.writer):
            raise Unavailable(f"{FOLDER} is written by the machine that created this vault; rebuild it there")
        with self.writer.store.read() as reader:
            found = PeriodMemories(reader, self.writer.clock(), self.writer.zone)
            wanted = [(group, sections) for group in found.groups(since) if (sections := found.say(group))]
        calls, done = _MOST_CALLS, []
        for group, sections in wanted:
            with suppress(HearthError):  # the others are still to come
                short, noted, asked = self._sum_up(group, sections, calls)
                calls -= asked
                report = self._write(group, {SHORT: short, **sections}, noted)
                done += [report] if report.changed else []
        return done

    def refresh(self) -> None:
        """After something was hidden or erased: it leaves the pages at once where this machine writes them."""
        for page, data in self._pages():
            page.refresh(data)

    def due(self) -> bool:
        """Whether something happened since the last rebuild of this process, ten minutes ago at least."""
        return self.enabled and self._lookout.is_due(self.writer) and is_writer(self.writer)

    def catch_up(self) -> list[PageReport]:
        """``rebuild`` of what is recent, by the background."""
        found = self.rebuild(self.writer.clock() - RECENT_DAYS * DAY_MS)
        self._lookout.note(self.writer)
        return found

    # -- the pages -------------------------------------------------------------------------------------------------

    def _page(self, project: str | None, period: Period) -> StatementPage:
        plain = file_names.slug(project or "") or _NO_PROJECT
        name = plain if project in (None, plain) else f"{plain}-{file_names.id_of(project or '')[:4]}"
        fields: dict[str, Value] = {"content_type": TYPE, "period": period.key, "scope": "agent"}
        if project is not None:
            fields |= {"project": project, "scope": "project"}
        title = f"{project_folder(project or 'Everything else').rpartition('/')[2]}: {period.title}"
        path = f"{FOLDER}/{period.key}-{name}.md"
        return StatementPage(self.history, self.writer, NAME, path, title, fields, path, joint=True)

    def _pages(self) -> Iterator[tuple[StatementPage, bytes]]:
        """Those that are there, by whichever machine."""
        memories = self.writer.memories
        for name in memories.names(FOLDER):
            data = memories.read(f"{FOLDER}/{name}") if name.endswith(".md") else None
            head = {} if data is None else _head(data)
            period = read_period(str(head.get("period", "")))
            if data is not None and period is not None and head.get("created_by") == NAME:
                project = head.get("project")
                page = self._page(project if isinstance(project, str) else None, period)
                yield page, data

    def _write(self, group: SummaryGroup, sections: _Sections, noted: Mapping[str, Value]) -> PageReport:
        page = self._page(group.project, group.period)
        with self.writer.exclusive():
            return page.rebuild(partial(leave_out, sections), noted)

    # -- the model -------------------------------------------------------------------------------------------------

    def _sum_up(
        self, group: SummaryGroup, sections: _Sections, calls: int
    ) -> tuple[Sequence[PageStatement], Mapping[str, Value], int]:
        """Sentences about a period that is over, what to note of them, and how often the model was asked: once for
        the same statements. Where it can't be asked, what it said before stays."""
        page = self._page(group.project, group.period)
        data = page.read()
        sentences = page.standing(data).get(SHORT, ())
        account = _hash(sections)
        known = None if data is None else _head(data).get(_ACCOUNT)
        today = instants.moment(self.writer.clock(), instants.zone_of(self.writer.zone)).date()
        if self.model is None or known == account or calls < 1 or group.period.last >= today:
            return sentences, {}, 0
        try:
            statements = [one for group_of in sections.values() for one in group_of]
            return self.model().tell("summary", statements), {_ACCOUNT: account}, 1
        except BadReply:
            return (), {_ACCOUNT: account}, 1
        except Unavailable:
            return sentences, {}, calls


def _is_called(project: str, name: str) -> bool:
    """Whether a project is named so, by its key or the end of it."""
    return project.endswith(name) or project_folder(project).endswith(name)


def _head(data: bytes) -> Mapping[str, Value]:
    try:
        return frontmatter.split(decode_text(data)).fields
    except NotText:
        return {}


def _hash(sections: _Sections) -> str:
    text = "\n".join(one.key for section in sorted(sections) for one in sections[section])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
