"""The reflector: what the last weeks were about, from all that was written or used in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from hearth.core.conflict import original_of
from hearth.core.document import INTERNAL
from hearth.core.errors import HearthError, UsageError
from hearth.core.instants import DAY_MS, noon
from hearth.core.lazy import dataclass
from hearth.core.memory import DERIVED
from hearth.guard.attacks import suspicion
from hearth.language.signals import telling_words
from hearth.pages.dream.fragments import CONFIRMING, Key
from hearth.pages.dream.index_view import Grounds, Realm, read_signals
from hearth.pages.dream.recollection import Recollection
from hearth.pages.dream.scores import is_page
from hearth.pages.dream.themes import MAX_THEMES, Mention, Recurrence, drop_echoes, find_newest, find_recurring
from hearth.pages.topics import TopicCounts
from hearth.ports import Clock, Filter, Reader, Store, StoredDocument

MAX_SHOWN = 10
"""Of each kind."""


@dataclass(frozen=True, slots=True)
class PeriodTheme:
    """``term`` is as people wrote it most; ``examples`` are the newest fragments."""

    term: str
    fragments: int
    days: int
    examples: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Reflection:
    """Of ``days`` local dates from ``first`` to ``last``. ``left_out`` counts documents and fragments for which there
    was no room, ``skipped`` are documents that could not be read, by place and reason."""

    days: int
    first: str
    last: str
    documents: int
    fragments: int
    themes: tuple[PeriodTheme, ...]
    decisions: tuple[Mention, ...]
    problems: tuple[Recurrence, ...]
    questions: tuple[Mention, ...]
    left_out: int = 0
    skipped: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "days": self.days,
            "first": self.first,
            "last": self.last,
            "documents": self.documents,
            "passages": self.fragments,
            "themes": [
                {
                    "term": one.term,
                    "passages": one.fragments,
                    "days": one.days,
                    "examples": [_row(mention) for mention in one.examples],
                }
                for one in self.themes
            ],
            "decisions": [_row(one) for one in self.decisions],
            "problems": [{**_row(one.last), "times": len(one.mentions), "days": one.days} for one in self.problems],
            "questions": [_row(one) for one in self.questions],
            "left_out": self.left_out,
            "skipped": [{"document": place, "problem": why} for place, why in self.skipped],
        }


def _row(one: Mention) -> dict[str, Any]:
    return {"text": one.text, "docid": one.key[0], "place": one.place, "line": one.line, "day": one.day}


DEFAULT_DAYS, MAX_DAYS = 14, 3_650
MAX_DOCUMENTS = 2_000
"""What is older is counted and left out."""
_MAX_PROBLEMS = 300
_MAX_EXAMPLES, _LEAST_DAYS = 2, 2


@dataclass(frozen=True)
class Reflector:
    """Reads, and changes nothing. ``prepare`` brings an index of another version up to date."""

    store: Store
    clock: Clock
    zone: str
    prepare: Callable[[], None]

    def reflect(self, days: int = DEFAULT_DAYS) -> Reflection:
        """Themes, decisions, recurring problems and open questions of the last ``days`` local dates, today included. A
        document that can't be read is named and passed over. Raises ``UsageError`` for days out of range."""
        if not 1 <= days <= MAX_DAYS:
            raise UsageError(f"{days:,} days are out of range; choose 1 to {MAX_DAYS:,}")
        self.prepare()
        grounds = Grounds(Realm(), self.clock(), self.zone)
        first = (date.fromisoformat(grounds.today) - timedelta(days=days - 1)).isoformat()
        found, skipped = Recollection(), []
        with self.store.read() as reader:
            used = _find_used_days(reader, grounds.today, first)
            written = _find_written(reader, grounds, first)
            older = _older(reader, grounds, used, written)
            for stored, day in [*written[:MAX_DOCUMENTS], *older]:
                try:
                    found.add(reader, stored, day, used)
                except HearthError as error:
                    skipped.append((stored.document.uri, error.said))
        problems = find_recurring(find_newest(drop_echoes(found.problems, found.mentions), _MAX_PROBLEMS))
        decided, asked = (drop_echoes(some, found.mentions) for some in (found.decisions, list(_open(found))))
        return Reflection(
            days=days,
            first=first,
            last=grounds.today,
            documents=found.documents,
            fragments=len(found.mentions),
            themes=tuple(_themes(found)),
            decisions=tuple(_harmless(find_newest(decided, 2 * MAX_SHOWN))),
            problems=tuple(one for one in problems if _is_harmless(one.last))[:MAX_SHOWN],
            questions=tuple(_harmless(find_newest(asked, 2 * MAX_SHOWN))),
            left_out=found.left_out + max(0, len(written) - MAX_DOCUMENTS),
            skipped=tuple(skipped),
        )


def _find_used_days(reader: Reader, today: str, first: str) -> dict[Key, set[str]]:
    """The days since ``first`` on which a fragment was opened or used."""
    found: dict[Key, set[str]] = {}
    for key, signals in read_signals(reader, today).signals.items():
        days = {one.day for one in signals if one.kind in CONFIRMING and first <= one.day <= today}
        if days:
            found[key] = days
    return found


def _find_written(reader: Reader, grounds: Grounds, first: str) -> list[tuple[StoredDocument, str | None]]:
    """What is dated since ``first``, newest first, with its day."""
    since = noon(date.fromisoformat(first)) - DAY_MS
    dated = reader.each_document(Filter(since=since, until=grounds.now + DAY_MS, at=grounds.now))
    found: list[tuple[StoredDocument, str | None]] = []
    for stored in sorted(filter(_counts, dated), key=lambda one: one.document.newest_first):
        at = stored.document.dated_at
        if at is not None and first <= grounds.day(at) <= grounds.today:
            found.append((stored, grounds.day(at)))
    return found


def _older(
    reader: Reader, grounds: Grounds, used: Mapping[Key, set[str]], written: Sequence[tuple[StoredDocument, str | None]]
) -> Iterator[tuple[StoredDocument, None]]:
    """Other documents of which a fragment was used."""
    known = {stored.document.docid for stored, _ in written}
    for docid in sorted({key[0] for key in used} - known):
        stored = reader.document(docid)
        if stored is not None and _counts(stored) and not stored.state.veils_at(grounds.now):
            yield stored, None


def _counts(stored: StoredDocument) -> bool:
    document = stored.document
    page = document.collection == INTERNAL and is_page(document.path)
    # What a copy repeats of its original would be said on two days.
    twice = page or original_of(document.path, ours="machine" in document.facts) is not None
    return not twice and document.trust != "external" and document.content_type not in DERIVED


def _themes(found: Recollection) -> Iterator[PeriodTheme]:
    """What several documents of several days are about: the phrases that they share, and names."""
    counts = TopicCounts(most_share=1.0, names=True)
    texts: dict[str, list[str]] = {}
    for one in found.mentions:
        texts.setdefault(one.key[0], []).append(one.text)
    for docid, text in texts.items():
        source = found.sources[docid]
        counts.add(text, None, (), source.titles, source.language, asks=source.asks)
    shown = 0
    for topic in counts.rank():
        term = re.compile(rf"(?<!\w){re.escape(topic.term)}(?!\w)", re.IGNORECASE)
        every = [one for one in found.mentions if term.search(one.text)]
        days = {day for one in every for day in one.days}
        if len(days) < _LEAST_DAYS or shown == MAX_THEMES:
            continue
        shown += 1
        examples = find_newest([one for one in every if not one.echo] or every, 2 * _MAX_EXAMPLES)
        yield PeriodTheme(topic.term, len(every), len(days), tuple(_harmless(examples))[:_MAX_EXAMPLES])


def _open(found: Recollection) -> Iterator[Mention]:
    """Questions about which nothing was decided since: no later decision has half of their longer words."""
    settled = [(one.day, telling_words(one.text)) for one in found.decisions]
    for question in found.questions:
        about = telling_words(question.text)
        later = (words for day, words in settled if day >= question.day)
        if about and not any(2 * len(about & words) >= len(about) for words in later):
            yield question


def _harmless(mentions: Iterable[Mention]) -> list[Mention]:
    """Without what reads like an order to an assistant: looked at last, since a look takes milliseconds."""
    return [one for one in mentions if _is_harmless(one)][:MAX_SHOWN]


def _is_harmless(one: Mention) -> bool:
    return not suspicion(one.text).labels
