"""Summaries: what each project came to in a week and in a month, a page each that people read and correct."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from hearth.engine.history.history import History
from hearth.engine.indexing.analysis import decode_text
from hearth.engine.indexing.encodings import NotText
from hearth.engine.knowledge.periods import PeriodMemories, SummaryGroup
from hearth.engine.knowledge.statements import Lookout, PageReport, StatementPage, is_writer, leave_out
from hearth.engine.writing import names
from hearth.engine.writing.writer import MemoryWriter
from hearth.errors import BadReply, HearthError, Unavailable, UsageError
from hearth.extract.pages.page import PageStatement
from hearth.extract.pages.periods import Period, read_period
from hearth.extract.pages.summary import SHORT
from hearth.lazy import dataclass
from hearth.markdown.head import frontmatter
from hearth.model import instants
from hearth.model.instants import DAY_MS
from hearth.model.memory import project_folder
from hearth.model.types import CONTENT_TYPES

if TYPE_CHECKING:
    from hearth.extract.model.cited import CitedWriter

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
            raise UsageError(f"{period[:20]!r} is no period; say YYYY-Www for a week or YYYY-MM for a month")
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
            raise Unavailable(f"{FOLDER} is written by the machine that made this vault; rebuild it there")
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
        plain = names.slug(project or "") or _NO_PROJECT
        told = plain if project in (None, plain) else f"{plain}-{names.id_of(project or '')[:4]}"
        fields: dict[str, frontmatter.Value] = {"content_type": TYPE, "period": period.key, "scope": "agent"}
        if project is not None:
            fields |= {"project": project, "scope": "project"}
        title = f"{project_folder(project or 'Everything else').rpartition('/')[2]}: {period.title}"
        path = f"{FOLDER}/{period.key}-{told}.md"
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

    def _write(self, group: SummaryGroup, sections: _Sections, noted: Mapping[str, frontmatter.Value]) -> PageReport:
        page = self._page(group.project, group.period)
        with self.writer.exclusive():
            return page.rebuild(partial(leave_out, sections), noted)

    # -- the model -------------------------------------------------------------------------------------------------

    def _sum_up(
        self, group: SummaryGroup, sections: _Sections, calls: int
    ) -> tuple[Sequence[PageStatement], Mapping[str, frontmatter.Value], int]:
        """Sentences about a period that is over, what to note of them, and how often the model was asked: once for
        the same statements. Where it can't be asked, what it said before stays."""
        page = self._page(group.project, group.period)
        data = page.read()
        told = page.standing(data).get(SHORT, ())
        account = _hash(sections)
        known = None if data is None else _head(data).get(_ACCOUNT)
        today = instants.moment(self.writer.clock(), instants.zone_of(self.writer.zone)).date()
        if self.model is None or known == account or calls < 1 or group.period.last >= today:
            return told, {}, 0
        try:
            statements = [one for group_of in sections.values() for one in group_of]
            return self.model().tell("summary", statements), {_ACCOUNT: account}, 1
        except BadReply:
            return (), {_ACCOUNT: account}, 1
        except Unavailable:
            return told, {}, calls


def _is_called(project: str, name: str) -> bool:
    """Whether a project is named so, by its key or the end of it."""
    return project.endswith(name) or project_folder(project).endswith(name)


def _head(data: bytes) -> Mapping[str, frontmatter.Value]:
    try:
        return frontmatter.split(decode_text(data)).fields
    except NotText:
        return {}


def _hash(sections: _Sections) -> str:
    said = "\n".join(one.key for section in sorted(sections) for one in sections[section])
    return hashlib.sha256(said.encode()).hexdigest()[:12]
