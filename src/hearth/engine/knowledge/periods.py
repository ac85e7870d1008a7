"""The memories that summaries of weeks and months rest on, by project and period."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import date

from hearth.engine.history.validity import is_memory
from hearth.engine.knowledge.turns import read_turns
from hearth.engine.truth.review import beginning
from hearth.extract.pages.page import PageStatement
from hearth.extract.pages.periods import Period, periods_of
from hearth.extract.pages.summary import ASKED, LEAST, SECTIONS, SummarySource, summarise
from hearth.extract.session.requests import title_of
from hearth.lazy import dataclass
from hearth.model import instants
from hearth.model.identity import INTERNAL
from hearth.model.instants import DAY_MS
from hearth.model.types import CONVERSATION
from hearth.ports import Filter, Reader, StoredDocument
from hearth.ranking.echo import is_state

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
        for stored in self.reader.find_documents(within):
            document = stored.document
            at = document.dated_at
            ours = is_memory(document) and not is_state(document)
            counts = ours and document.trust != "external" and not stored.vanished
            if counts and at is not None and at <= self.now + DAY_MS:
                yield stored, self._day(at)

    def _source(self, stored: StoredDocument, day: date) -> SummarySource:
        document = stored.document
        said = " ".join(beginning(self.reader, stored, _CHARS).split()) or document.title
        statement = PageStatement(said, (document.docid,), day.isoformat())
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
