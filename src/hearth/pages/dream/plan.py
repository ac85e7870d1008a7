"""The plan of a night: light sleep gathers what is new, REM finds themes, deep sleep decides what is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Any

from hearth.core import subjects
from hearth.core.document import is_foreign
from hearth.core.lazy import dataclass
from hearth.guard.attacks import suspicion
from hearth.pages.dream import memory_md
from hearth.pages.dream.fragments import DreamFragment, Key, count_signals, days_back, days_between
from hearth.pages.dream.index_view import (
    FADES_AFTER_DAYS,
    Grounds,
    Realm,
    SignalHistory,
    add_dates,
    document_frequencies,
    find_questioned,
    fragment_of,
    is_eligible,
    read_fragments,
    read_signals,
)
from hearth.pages.dream.memory_md import MemoryPage, PageItem
from hearth.pages.dream.scores import DreamScore, Gates, KnownStatements, PhaseHits, document_blocks, score
from hearth.pages.dream.themes import TermFrequencies, Theme, find_themes, name_themes
from hearth.ports import Reader, StoredDocument
from hearth.text.lines import estimate_tokens
from hearth.vault.usage_statistics import moves, present

LIGHT_DAYS, REM_DAYS = 2, 7
MAX_LIGHT = 100
MAX_PATTERNS, MAX_REFUSED = 5, 5
_PATTERN_DAYS = 2


@dataclass(frozen=True, slots=True)
class Night:
    """What the phases of ``day`` (local date) came to; ``refused`` are the best that were not promoted.
    ``editor`` is the language model that shortened statements and named themes."""

    day: str
    light: tuple[DreamFragment, ...]
    themes: tuple[Theme, ...]
    patterns: tuple[DreamFragment, ...]
    promoted: tuple[DreamScore, ...]
    refused: tuple[DreamScore, ...]
    editor: str = ""

    @property
    def rem(self) -> tuple[Key, ...]:
        """What the REM phase met."""
        themed = [key for theme in self.themes for key in theme.fragments]
        return tuple(sorted({*themed, *(fragment.key for fragment in self.patterns)}))


def unite(fragments: Iterable[DreamFragment]) -> list[DreamFragment]:
    """Near-identical statements become one, with the signals of all: that of an undated page, else the oldest. What was
    said by assistants alone is none."""
    groups: dict[str, list[DreamFragment]] = {}
    known = KnownStatements(())
    for fragment in sorted(fragments, key=lambda one: (one.echo, one.written or "", one.key)):
        statement = known.find(fragment.text)
        if statement is None:
            known.add(statement := fragment.text)
        groups.setdefault(statement, []).append(fragment)
    found = [_join(group) for group in groups.values() if not group[0].echo]
    return sorted(found, key=lambda one: one.key)


@dataclass(frozen=True, slots=True)
class NightRules:
    """``most`` may be promoted; ``known`` may not, whatever they deserve, nor what ``said`` finds on a page already."""

    gates: Gates
    most: int
    known: frozenset[Key] = frozenset()
    said: Callable[[str], bool] = lambda text: False


def dream(
    fragments: Sequence[DreamFragment], hits: PhaseHits, vocabulary: TermFrequencies, today: str, rules: NightRules
) -> Night:
    """The night of ``today`` (local date)."""
    gates = rules.gates
    light = _light(fragments, today)
    week = [past for one in fragments if (past := _of_days(one, today, REM_DAYS)).signals]
    themes = name_themes(find_themes(week, vocabulary))
    found = Night(today, light, themes, _patterns(week), (), ())
    met = _with_tonight(hits, found)
    scored = sorted(
        (score(one, met, today, gates) for one in fragments), key=lambda one: (-one.total, one.fragment.key)
    )
    free = [one for one in scored if one.fragment.key not in rules.known]
    promoted = islice((one for one in free if not one.lacks and not rules.said(one.fragment.text)), rules.most)
    refused = [one for one in free if one.lacks]
    return replace(found, promoted=tuple(promoted), refused=tuple(refused[:MAX_REFUSED]))


def _light(fragments: Sequence[DreamFragment], today: str) -> tuple[DreamFragment, ...]:
    new = [fragment for fragment in fragments if _of_days(fragment, today, LIGHT_DAYS).signals]
    new.sort(key=lambda one: (-len(one.signals), one.key))
    return tuple(new[:MAX_LIGHT])


def _patterns(week: Sequence[DreamFragment]) -> tuple[DreamFragment, ...]:
    often = [fragment for fragment in week if len(fragment.days) >= _PATTERN_DAYS]
    often.sort(key=lambda one: (-len(one.days), -len(one.signals), one.key))
    return tuple(often[:MAX_PATTERNS])


def _with_tonight(hits: PhaseHits, night: Night) -> PhaseHits:
    def more(known: Mapping[Key, frozenset[str]], keys: Iterable[Key]) -> dict[Key, frozenset[str]]:
        return {**known, **{key: known.get(key, frozenset()) | {night.day} for key in keys}}

    return PhaseHits(more(hits.light, (one.key for one in night.light)), more(hits.rem, night.rem))


def _of_days(fragment: DreamFragment, today: str, days: int) -> DreamFragment:
    """With the signals of the last days alone."""
    last = set(days_back(today, days - 1))
    return replace(fragment, signals=tuple(signal for signal in fragment.signals if signal.day in last))


def _join(group: Sequence[DreamFragment]) -> DreamFragment:
    first = group[0]
    if len(group) == 1:
        return first
    signals = count_signals([signal for fragment in group for signal in fragment.signals])
    joined = tuple(fragment.key for fragment in group[1:])
    return replace(first, signals=tuple(signals), spacing=max(one.spacing for one in group), joined=joined)


MAX_LEAVING, MAX_LEAVING_SHARE = 3, 0.25
"""More at once than both is more often a mistake than a wish: a person is to agree first."""


@dataclass(frozen=True, slots=True)
class DreamRules:
    """``max_tokens`` is the room of the page."""

    gates: Gates
    per_night: int
    max_tokens: int
    realm: Realm = field(default_factory=Realm)


@dataclass(frozen=True, slots=True)
class RepairedLine:
    """A line that a night which was cut short put onto the page or took from it (``left``); ``run`` is that night's,
    empty where nothing tells."""

    key: Key
    text: str
    run: str
    left: bool


@dataclass(frozen=True, slots=True)
class NightPlan:
    """``left`` leaves, ``waiting`` would but for a person who has yet to agree. ``mended`` is what no event tells of: a
    crash came between. ``standing`` says how strong what stands on the page afterwards is."""

    night: Night
    put: tuple[DreamScore, ...]
    successors: tuple[DreamFragment, ...]
    left: Mapping[Key, tuple[str, str]]
    mended: tuple[RepairedLine, ...]
    problem: str | None = None
    standing: Mapping[Key, float] = field(default_factory=dict)
    waiting: Mapping[Key, tuple[str, str]] = field(default_factory=dict)


def promotions(reader: Reader, agent: str) -> dict[Key, dict[str, Any]]:
    """What became of fragments on the page of an agent, by key."""
    rows = reader.registers(subjects.name_promoted(agent)).items()
    found = ((subjects.read_fragment(field), value) for field, value in rows)
    return {key: value for key, value in found if key is not None and isinstance(value, dict)}


def settle(rows: Mapping[Key, dict[str, Any]], marked: Collection[Key]) -> dict[Key, dict[str, Any]]:
    """As the page says: what a night was about to put there, or to take out, may or may not have come so far."""
    found = {}
    for key, row in rows.items():
        state = row.get("state")
        if state == "leaving":
            row = {**row, "state": "in" if key in marked else "left"}
        elif state == "coming":
            row = {**row, "state": "in"}
        if state != "coming" or key in marked:
            found[key] = row
    return found


def _drop_orders(night: Night) -> Night:
    """Without what reads like an order to an assistant: looked at last, since a look takes milliseconds."""
    return replace(
        night,
        patterns=tuple(one for one in night.patterns if not suspicion(one.text).labels),
        refused=tuple(one for one in night.refused if not suspicion(one.fragment.text).labels),
    )


def _remove_once(gone: Mapping[Key, tuple[str, str]], statements: Iterable[str]) -> Iterator[str]:
    """Each statement that leaves taken out once: a person's own line that says the same stays known."""
    leaving = Counter(statement for statement, _ in gone.values())
    for statement in statements:
        if leaving[statement] > 0:
            leaving[statement] -= 1
        else:
            yield statement


def _is_much(gone: Mapping[Key, tuple[str, str]], known: MemoryPage) -> bool:
    return len(gone) > max(MAX_LEAVING, MAX_LEAVING_SHARE * len(known.ours))


@dataclass(frozen=True)
class NightPlanner:
    reader: Reader
    rules: DreamRules
    grounds: Grounds

    def plan(self, known: MemoryPage, statements: Collection[str], *, agreed: bool = False) -> NightPlan:
        """``agreed`` lets leave whatever is to, however much."""
        signals, rows = read_signals(self.reader, self.grounds.today), promotions(self.reader, self.grounds.realm.agent)
        fragments = unite(read_fragments(self.reader, signals.signals, self.grounds))
        mended, before = tuple(self._mended(known, rows)), settle(rows, known.marked)
        gone = self._gone(known.ours, signals, before)
        waiting = {} if agreed or not _is_much(gone, known) else gone
        gone = {} if waiting else gone
        taken = {key for key, row in before.items() if row.get("state") != "allowed"} | known.marked
        said_once = {key[1] for key in taken if before.get(key, {}).get("state") != "left"}
        taken |= {one.key for one in fragments if any(name in said_once for _, name in one.keys)}
        statements_known = KnownStatements(statements)
        today = sum(row.get("day") == self.grounds.today and row.get("state") == "in" for row in before.values())
        most = max(0, self.rules.per_night - today - sum(one.key not in before for one in mended))
        rules = NightRules(
            self.rules.gates,
            most,
            frozenset(taken),
            lambda text: statements_known.holds(text) or bool(suspicion(text).labels),
        )
        words = TermFrequencies(document_frequencies(self.reader, fragments), self.reader.statistics().fragments)
        night = _drop_orders(dream(fragments, signals.hits, words, self.grounds.today, rules))
        put = tuple(replace(one, fragment=add_dates(one.fragment)) for one in night.promoted)
        successors = tuple(
            map(add_dates, self._successors(gone, taken, KnownStatements(_remove_once(gone, statements))))
        )
        return self._fit(NightPlan(night, put, successors, gone, mended, waiting=waiting), known, signals, fragments)

    def waiting(self, known: MemoryPage) -> dict[Key, tuple[str, str]]:
        """What would leave the page but for a person who has yet to agree: statement and reason."""
        signals = read_signals(self.reader, self.grounds.today)
        gone = self._gone(known.ours, signals, promotions(self.reader, self.grounds.realm.agent))
        return gone if _is_much(gone, known) else {}

    def scored(self, docid: str | None = None) -> list[DreamScore]:
        """How fragments stand, the best first; of one document, where another says the same, as they count together."""
        signals = read_signals(self.reader, self.grounds.today)
        found = read_fragments(self.reader, signals.signals, self.grounds)
        united = {key: one for one in unite(found) for key in one.keys}
        own = [united.get(one.key, one) for one in found if docid in (None, one.key[0])]
        chosen = {one.key: one for one in own}.values()
        scores = (score(one, signals.hits, self.grounds.today, self.rules.gates) for one in chosen)
        return sorted(scores, key=lambda one: (-one.total, one.fragment.key))

    # -- details ---------------------------------------------------------------------------------------------------

    def _mended(self, known: MemoryPage, rows: Mapping[Key, Mapping[str, Any]]) -> Iterator[RepairedLine]:
        for item in known.items:
            row = rows.get(item.key)
            if (row is None and item.ours) or (row is not None and row.get("state") == "coming"):
                yield RepairedLine(item.key, item.statement, str((row or {}).get("run", "")), left=False)
        for key, row in rows.items():
            if row.get("state") == "leaving" and key not in known.marked:
                stored = self.reader.document(key[0])
                blocks = () if stored is None else document_blocks(self.reader, stored)
                text = next((block.text for block in blocks if block.hash == key[1]), "")
                yield RepairedLine(key, text, str(row.get("run", "")), left=True)

    def _gone(
        self, items: Sequence[PageItem], signals: SignalHistory, before: Mapping[Key, Mapping[str, Any]]
    ) -> dict[Key, tuple[str, str]]:
        """key -> statement and why it leaves."""
        moved = moves(self.reader)
        used = {name for _, name in signals.last}
        found = {}
        for item in items:
            stored = self._source(item.key[0], moved)
            why = None
            if stored is not None and (veils := stored.state.veils_at(self.grounds.now)):
                why = f"its source is {', '.join(veils)}"
            elif stored is not None and is_foreign(stored.document.trust):
                why = "its source is not yours"
            elif stored is None and self._is_erased(item.key[0]):
                why = "its source was purged"
            elif item.key[1] not in used and self._is_old(item.key, before):
                why = f"no signal for {FADES_AFTER_DAYS} days"
            if why is not None:
                found[item.key] = (item.statement, why)
        return found

    def _source(self, docid: str, moved: Mapping[str, Sequence[str]]) -> StoredDocument | None:
        return next((one for name in present(docid, moved) if (one := self.reader.document(name)) is not None), None)

    def _is_erased(self, docid: str) -> bool:
        known = self.reader.registers(docid)
        return known.get("purged_at") is not None or known.get("forgotten") is True

    def _is_old(self, key: Key, before: Mapping[Key, Mapping[str, Any]]) -> bool:
        at = before.get(key, {}).get("at")
        return isinstance(at, int) and days_between(self.grounds.day(at), self.grounds.today) > FADES_AFTER_DAYS

    def _successors(
        self, gone: Mapping[Key, tuple[str, str]], taken: Iterable[Key], statements_known: KnownStatements
    ) -> Iterator[DreamFragment]:
        """What says now what a superseded item said: the one statement of the document that replaced its source, where
        that may stand on the page."""
        moved, known, asked = moves(self.reader), set(taken), find_questioned(self.reader, self.grounds.now)
        for docid, _ in sorted(gone):
            stored = self._source(docid, moved)
            by = None if stored is None else stored.state.superseded_by
            newer = None if by is None else self._source(by, moved)
            if newer is None or newer.document.docid in asked or not is_eligible(newer, self.grounds):
                continue
            blocks = {block.hash: block for block in document_blocks(self.reader, newer)}
            fragments = [fragment_of(newer, block, (), self.grounds) for block in blocks.values()]
            if len(fragments) != 1 or fragments[0].key in known or statements_known.holds(fragments[0].text):
                continue
            if not suspicion(fragments[0].text).labels:
                known.add(fragments[0].key)
                yield fragments[0]

    def _fit(
        self, found: NightPlan, known: MemoryPage, signals: SignalHistory, fragments: Sequence[DreamFragment]
    ) -> NightPlan:  # fmt: skip
        """Within the room of the page: the weakest leave, or do not come in."""
        staying = {item.key: item.text for item in known.ours if item.key not in found.left}
        new = {one.fragment.key: memory_md.item_text(one.fragment) for one in found.put}
        new |= {one.key: memory_md.item_text(one) for one in found.successors}
        strong = self._strength(fragments, signals.hits)
        strength = {key: strong.get(key[1], 0.0) for key in staying} | {
            one.fragment.key: one.total for one in found.put
        }
        strength |= {one.key: 1.0 for one in found.successors}
        out = memory_md.too_much(staying | new, strength, self.rules.max_tokens, estimate_tokens)
        texts = {item.key: item.statement for item in known.ours}
        full = {key: (texts[key], "no room: it was the weakest") for key in sorted(out & staying.keys())}
        return NightPlan(
            found.night,
            tuple(one for one in found.put if one.fragment.key not in out),
            tuple(one for one in found.successors if one.key not in out),
            {**found.left, **full},
            found.mended,
            found.problem,
            {key: strength.get(key, 0.0) for key in sorted({*staying, *new} - out)},
            found.waiting,
        )

    def _strength(self, fragments: Sequence[DreamFragment], hits: PhaseHits) -> dict[str, float]:
        """By what they say, wherever it stands."""
        today, gates = self.grounds.today, self.rules.gates
        return {name: score(one, hits, today, gates).total for one in fragments for _, name in one.keys}
