"""What the index holds of fragments: their signals, their text as it stands now, and what became of them before."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from typing import Any

from hearth.core import subjects
from hearth.core.document import INTERNAL, Document, is_foreign
from hearth.core.instants import show_date, zone_of
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import UNATTENDED
from hearth.language.signals import absolute
from hearth.memory.reviews import list_reviews
from hearth.pages.dream.fragments import (
    DAYS,
    KINDS,
    MAX_FRAGMENTS,
    DreamFragment,
    FragmentSignal,
    Key,
    Kind,
    StatementBlock,
    count_signals,
    days_back,
)
from hearth.pages.dream.scores import PhaseHits, document_blocks, is_page
from hearth.pages.dream.themes import own_words
from hearth.ports import Reader, StoredDocument
from hearth.text.terms import count_terms
from hearth.vault.usage_statistics import moves, present, spacing

SURE = 0.70
FADES_AFTER_DAYS = 120
_NOTES = "memory/"
_MAX_TAGS = 8
_MAX_FRAGMENT_SHARE = 0.2
_LEAST_TAG = 3
_NAME = regex(r"(?<=[^\s.!?:]\s)[A-Z][\w-]{2,}")


@dataclass(frozen=True, slots=True)
class Realm:
    """Whose fragments take part: those of an ``agent`` with a folder of its own, or of everyone without a name.
    ``collections`` do as a whole; for everyone daily files and the engine's own, too, but for what is in collections of
    ``others``; for an agent daily files and what is below ``memory/`` in its folder, whose collections ``folders``
    holds, each with its path below it."""

    collections: tuple[str, ...] = ()
    agent: str = ""
    folders: Mapping[str, str] = field(default_factory=dict)
    others: frozenset[str] = frozenset()

    def holds(self, document: Document) -> bool:
        name, path = document.collection, document.path
        if is_page(path):
            return False
        if name in self.collections:
            return True
        if not self.agent:
            return name not in self.others and (name == INTERNAL or document.content_type == "daily")
        below = self.folders.get(name)
        return below is not None and (document.content_type == "daily" or f"{below}{path}".startswith(_NOTES))

    def place(self, document: Document) -> str:
        """As the page names it: what lies beside it by its path, all else by its address."""
        if document.collection == INTERNAL:
            return document.path
        below = self.folders.get(document.collection)
        return document.uri if below is None else f"{below}{document.path}"


@dataclass(frozen=True, slots=True)
class Grounds:
    """Where fragments may come from, at a moment (ms UTC) of a zone."""

    realm: Realm
    now: int
    zone: str

    @property
    def today(self) -> str:
        return show_date(self.now, zone_of(self.zone))

    def day(self, instant: int) -> str:
        return show_date(instant, zone_of(self.zone))


@dataclass(frozen=True, slots=True)
class SignalHistory:
    """Of the last thirty days, by fragment, and on which days phases met one; ``last`` is the newest day of each in the
    last 120."""

    signals: Mapping[Key, Sequence[FragmentSignal]]
    hits: PhaseHits
    last: Mapping[Key, str]


def read_signals(reader: Reader, today: str) -> SignalHistory:
    """Those of the 5,000 fragments that were used last; of one that moved, under the name that it bears now. None of
    sessions that turned out to be unattended."""
    moved = moves(reader)
    alone = {subjects.read_session(subject) for subject in reader.holders(UNATTENDED)}
    found: dict[Key, list[FragmentSignal]] = {}
    light: dict[Key, set[str]] = {}
    rem: dict[Key, set[str]] = {}
    last: dict[Key, str] = {}
    for back, day in enumerate(days_back(today, FADES_AFTER_DAYS)):
        for name, value in reader.registers(subjects.name_dream_day(day)).items():
            if (hit := subjects.read_phase_hit(name)) is not None and back <= DAYS:
                (light if hit[0] == "light" else rem).setdefault((hit[1], hit[2]), set()).add(day)
            elif (signal := _signal(name, value, day)) is not None and signal.session not in alone:
                for docid in present(signal.key[0], moved):
                    key = (docid, signal.key[1])
                    last.setdefault(key, day)
                    if back <= DAYS:
                        found.setdefault(key, []).append(signal)
    newest = heapq.nlargest(MAX_FRAGMENTS, found, key=lambda key: (max(one.at for one in found[key]), key))
    hits = PhaseHits(_frozen(light), _frozen(rem))
    return SignalHistory({key: count_signals(found[key]) for key in sorted(newest)}, hits, last)


def read_fragments(
    reader: Reader, signals: Mapping[Key, Sequence[FragmentSignal]], grounds: Grounds
) -> list[DreamFragment]:
    """Those that are eligible, by key."""
    asked = find_questioned(reader, grounds.now)
    by_docid: dict[str, list[str]] = {}
    for docid, name in signals:
        by_docid.setdefault(docid, []).append(name)
    found: list[tuple[DreamFragment, StoredDocument]] = []
    for docid in sorted(by_docid):
        stored = reader.document(docid)
        if stored is None or docid in asked or not is_eligible(stored, grounds):
            continue
        there = dict(reversed([(block.hash, block) for block in document_blocks(reader, stored)]))
        own = own_words(reader, stored)
        for name in sorted(set(by_docid[docid]) & set(there)):
            fragment = fragment_of(stored, there[name], signals[docid, name], grounds)
            found.append((replace(fragment, echo=own is not None and name not in own), stored))
    return _with_tags(reader, found)


def document_frequencies(reader: Reader, fragments: Iterable[DreamFragment]) -> dict[str, int]:
    """tag -> fragments that hold it."""
    tags = sorted({tag for fragment in fragments for tag in fragment.tags})
    return {name: row.df for name, row in reader.terms(tags).items()}


def find_questioned(reader: Reader, now: int) -> set[str]:
    """Documents over which a question is open."""
    return {docid for one in list_reviews(reader, now) if one.decision is None for docid in (one.newer, one.older)}


def is_eligible(stored: StoredDocument, grounds: Grounds) -> bool:
    """For a page: its realm holds it, it is valid, trusted and sure."""
    document, state = stored.document, stored.state
    sure = document.confidence if state.confidence is None else state.confidence
    return (
        grounds.realm.holds(document)
        and not stored.vanished
        and not state.veils_at(grounds.now)
        and not is_foreign(document.trust)
        and sure >= SURE
    )


def fragment_of(
    stored: StoredDocument, block: StatementBlock, signals: Sequence[FragmentSignal], grounds: Grounds
) -> DreamFragment:  # fmt: skip
    document = stored.document
    dated = document.dated_at
    return DreamFragment(
        key=(document.docid, block.hash),
        text=block.text,
        speaker=block.speaker,
        line=block.start,
        place=grounds.realm.place(document),
        content_type=document.content_type,
        signals=tuple(signals),
        written=None if dated is None else grounds.day(dated),
        project=document.facts.get("project", ""),
        spacing=spacing({signal.day for signal in signals}),
    )


def add_dates(fragment: DreamFragment) -> DreamFragment:
    """With the day after each phrase that only the day of its writing explains."""
    if fragment.written is None:
        return fragment
    return replace(fragment, text=absolute(fragment.text, date.fromisoformat(fragment.written), promised=False))


def _with_tags(reader: Reader, found: Sequence[tuple[DreamFragment, StoredDocument]]) -> list[DreamFragment]:
    counts = [count_terms(fragment.text, stored.document.language) for fragment, stored in found]
    rows = reader.terms(sorted({term for terms in counts for term in terms}))
    most = max(2, int(reader.statistics().fragments * _MAX_FRAGMENT_SHARE))
    tagged = []
    for (fragment, stored), terms in zip(found, counts, strict=True):
        names = {term for name in _NAME.findall(fragment.text) for term in count_terms(name, stored.document.language)}
        rare = [
            term
            for term in terms
            if term in rows and len(term) >= _LEAST_TAG and rows[term].df <= most and not term.isdecimal()
        ]
        rare.sort(key=lambda term: (term not in names, rows[term].df, term))
        tagged.append(replace(fragment, tags=tuple(rare[:_MAX_TAGS])))
    return tagged


def _signal(field: str, value: Any, day: str) -> FragmentSignal | None:
    """Other versions write other things: what doesn't fit is passed over."""
    read = subjects.read_signal(field)
    if read is None or read[0] not in KINDS or not isinstance(value, dict):
        return None
    kind: Kind = read[0]
    at, worth, who = value.get("at"), value.get("value"), value.get("who")
    if not isinstance(at, int) or not isinstance(worth, int | float):
        return None
    return FragmentSignal(kind, (read[1], read[2]), day, read[3], worth, at, str(who or ""))


def _frozen(days: Mapping[Key, set[str]]) -> dict[Key, frozenset[str]]:
    return {key: frozenset(found) for key, found in days.items()}
