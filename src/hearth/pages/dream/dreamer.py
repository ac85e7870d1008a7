"""The dreamer: carries a night out, takes it back, and says how dreaming stands."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from hearth.core import subjects
from hearth.core.errors import Conflict, HearthError, NotFound, Unavailable, UsageError
from hearth.core.instants import moment, zone_of
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.memory.file_names import new_id
from hearth.memory.undo import NIGHT, UndoneRun
from hearth.pages.dream import memory_md, report
from hearth.pages.dream.fragments import DAYS, DreamFragment, FragmentSignal, Key, days_back
from hearth.pages.dream.index_view import Grounds, Realm, add_dates, fragment_of, read_signals
from hearth.pages.dream.memory_md import MemoryPage
from hearth.pages.dream.pages import (
    ACTOR,
    CHANGED,
    DreamPages,
    LeavingItem,
    ReadPage,
    apply_edits,
    draft_promotion,
    find_last,
    is_of,
)
from hearth.pages.dream.plan import DreamRules, NightPlan, NightPlanner, promotions
from hearth.pages.dream.reflector import Reflector
from hearth.pages.dream.report import RULES, DreamStatus, Dreamt, Explanation, show_key
from hearth.pages.dream.scores import document_blocks
from hearth.ports import Clock, Reader
from hearth.vault.changes import find
from hearth.vault.history import History
from hearth.vault.payload import MAX_BLOCKS

if TYPE_CHECKING:
    from hearth.llm.pages import NightEditor

MAIN = "main"
"""Everyone without a name."""


@dataclass(frozen=True)
class Dreamer:
    """``lease`` lets one process of the machine dream at a time and raises ``Unavailable`` elsewhere; ``exclusive`` is
    held while a page is written. ``roots`` are the folders of references, by name, ``at`` the local time from which a
    night may begin by itself, ``None`` for never; ``takeover`` brings in what other assistants counted, ``diarist``
    and ``editor`` open the language model, if there is one. ``agents`` dream over folders of their own; an error says
    why one can't."""

    history: History
    pages: DreamPages
    rules: DreamRules
    machine: str
    clock: Clock
    zone: str
    roots: dict[str, str]
    at: str | None
    lease: Callable[[], AbstractContextManager[None]]
    exclusive: Callable[[], AbstractContextManager[None]]
    prepare: Callable[[], None]
    reflector: Reflector
    takeover: Callable[[], int]
    diarist: Callable[[], NightEditor] | None = None
    editor: Callable[[], NightEditor] | None = None
    enabled: bool = True
    agents: Mapping[str, Dreamer | HearthError] = field(default_factory=dict)
    random: Callable[[int], bytes] = os.urandom

    def of(self, agent: str | None) -> Dreamer:
        """That of an agent, or of everyone without a name. Raises ``NotFound``, or ``UsageError`` where nothing is
        there to dream of."""
        if agent is None or (agent == MAIN and agent not in self.agents):
            return self
        found = self.agents.get(agent)
        if found is None:
            known = ", ".join(self.agents) or "none"
            raise NotFound(f"no agent {agent[:64]!r}; there are: {known}; see agents in config.yaml")
        if isinstance(found, HearthError):
            raise found
        return found

    def every(self) -> list[Dreamer]:
        """This one and those of the agents that can dream."""
        return [self, *(one for one in self.agents.values() if isinstance(one, Dreamer))]

    def dream(self, *, apply: bool = True, take_over: bool = False, agreed: bool = False) -> Dreamt:
        """The night of today, once a day, by the machine that writes the page; ``take_over`` makes that this one,
        ``agreed`` lets much leave at once. A second run that day, and one that is not to be applied, changes no
        byte."""
        if not self.enabled:
            raise Conflict("dreaming is off; turn it on with: hearth config set dream.enabled true")
        self.prepare()
        self.history.replay()
        if not apply:
            return _report(self._planned()[0], applied=False)
        with self.lease():
            return self.dream_leased(take_over, agreed)

    def due(self) -> bool:
        """Whether anybody's night is to be dreamt by itself."""
        return any(one.is_due() for one in self.every())

    def is_due(self) -> bool:
        """Whether tonight is to be dreamt by itself: its time has come, this machine writes the page, and there is
        something to go by. A night that was missed is due when the machine is there again."""
        if self.at is None or not self.enabled:
            return False
        now = moment(self.clock(), zone_of(self.zone))
        today = now.date().isoformat()
        with self.history.store.read() as reader:
            writer = reader.registers(subjects.name_dreaming(self.agent), "writer").get("writer")
            if f"{now:%H:%M}" < self.at or _is_dreamt(reader, self.agent, today) or writer not in (None, self.machine):
                return False
            return bool(reader.registers(subjects.name_promoted(self.agent))) or _is_new(reader, self.agent, today)

    def status(self) -> DreamStatus:
        self.prepare()
        known, today = self.pages.read(), self.grounds().today
        with self.history.store.read() as reader:
            signals = _in_realm(reader, self.rules.realm, read_signals(reader, today).signals)
            nights = [day for day in days_back(today, DAYS) if _is_dreamt(reader, self.agent, day)]
            before, writer = promotions(reader, self.agent), self._writer(reader, known.page)
            planner = NightPlanner(reader, self.rules, self.grounds())
            waiting = {} if known.page is None else planner.waiting(known.page)
        return DreamStatus(
            file=self.pages.path,
            writer=writer,
            mine=writer in (None, self.machine),
            fragments=len(signals),
            signals=sum(map(len, signals.values())),
            items=0 if known.page is None else len(known.page.items),
            promoted=sum(row.get("state") == "in" for row in before.values()),
            nights=tuple(nights),
            run=find_last(before),
            problem=known.problem,
            waiting=waiting,
        )

    def explain(self, reference: str) -> list[Explanation]:
        """How the fragments of a document stand that have signals. Raises ``NotFound`` or ``Ambiguous``."""
        self.prepare()
        with self.history.store.read() as reader:
            stored = find(reference, reader, self.roots).stored
            before = promotions(reader, self.agent)
            found = NightPlanner(reader, self.rules, self.grounds()).scored(stored.document.docid)
            return [Explanation(one, before.get(one.fragment.key, {}).get("state")) for one in found]

    def allow(self, name: str) -> str:
        """Lets what was promoted once, and deleted or taken out, come again. Raises ``NotFound``."""
        key = subjects.read_fragment(name.strip())
        with self.history.store.read() as reader:
            every = {one.agent: promotions(reader, one.agent) for one in self.every()}
        owners = {agent for agent, before in every.items() if key in before}
        if key is None or not owners:
            raise NotFound(f"no fragment {name[:80]!r} was ever promoted; hearth dream explain shows keys")
        same = [(agent, other) for agent in owners for other in every[agent] if other[1] == key[1]]
        standing = [one.pages.read().page for one in self.every() if one.agent in owners]
        if any(known is not None and key in known.marked for known in standing):
            raise UsageError(f"{show_key(key)} is on the page already")
        today, run = self.grounds().today, NIGHT + new_id(self.random)
        self.history.record([draft_promotion(other, "allowed", today, run, agent) for agent, other in sorted(same)])
        return show_key(key)

    def undo(self, run: str) -> UndoneRun:
        """Takes back what a night promoted and what it took out, but for lines that somebody edited. Raises
        ``NotFound`` where nothing of it is left."""
        self.prepare()
        with self.history.store.read() as reader:
            whose = (one for one in self.every() if is_of(run, promotions(reader, one.agent)))
            owner = next(whose, self)
        return _take_back(owner, run)

    # -- one night -------------------------------------------------------------------------------------------------

    def dream_leased(self, take_over: bool = False, agreed: bool = False) -> Dreamt:
        """The same, by whoever holds the lease."""
        today = self.grounds().today
        with self.history.store.read() as reader:
            done = _is_dreamt(reader, self.agent, today) and not (take_over or agreed)
        if not done:
            self.takeover()
        found, known = self._planned(take_over, agreed)
        run, day = NIGHT + new_id(self.random), found.night.day
        if done and day == today:
            return _report(replace(found, problem=found.problem or f"{day} was already processed"), applied=False)
        writes = known.page is not None and found.problem is None
        if not writes:
            found = replace(found, put=(), successors=(), left={}, mended=(), standing={}, waiting={})
        if known.page is None and known.problem is None:
            return _report(found, applied=False)  # another machine's: the night is left to it
        changed = bool(found.put or found.left or found.successors)
        found, edited_by = apply_edits(found, self.editor)  # before the page: a model may take its time
        entry, told_by = _account(found, run if changed else None, run, self.pages.read_report(), self.diarist)
        if changed:
            with self.exclusive():
                if (problem := self._write_page(known, found, run)) is not None:
                    return _report(replace(found, problem=problem), applied=False)
        if entry:
            self.pages.tell(day, entry)
        self.history.record([*_promotions(found, run, self.agent), self._night(found, run, take_over)])
        return replace(_report(found, applied=True, run=run if changed else None), told_by=told_by, edited_by=edited_by)

    def _planned(self, take_over: bool = False, agreed: bool = False) -> tuple[NightPlan, ReadPage]:
        known = self.pages.read()
        shown = known.page or memory_md.read("")
        with self.history.store.read() as reader:
            found = NightPlanner(reader, self.rules, self.grounds()).plan(
                shown, self.pages.statements(shown), agreed=agreed
            )
            writer = self._writer(reader, known.page)
        if known.problem is None and writer not in (None, self.machine) and not take_over:
            of = f"--agent {self.agent} " if self.agent else ""
            why = f"machine {writer} writes this page; to write it here: hearth dream {of}--take-over"
            return replace(found, problem=why), replace(known, page=None)
        return replace(found, problem=known.problem or found.problem), known

    def _write_page(self, known: ReadPage, found: NightPlan, run: str) -> str | None:
        """Why it could not be written. The journal has what is about to change first, so that whoever comes after a
        crash can tell it from what a person did."""
        put = [*(one.fragment for one in found.put), *found.successors]
        assert known.page is not None
        text = memory_md.edit(known.page, self.machine, put, found.left)
        with self.history.store.read() as reader:
            before = promotions(reader, self.agent)
        self.history.record(_draft(found, run, self.agent, ("coming", "leaving")))
        try:
            problem = None if self.pages.write(known, text) else CHANGED
        except Unavailable as error:
            problem = error.said
        if problem is not None:
            rows = [(key, before.get(key, {})) for key in found.left]
            day = found.night.day
            self.history.record(
                [draft_promotion(key, "in", row.get("day", day), row.get("run", run), self.agent) for key, row in rows]
            )
        return problem

    def _night(self, found: NightPlan, run: str, take_over: bool) -> Draft:
        night = found.night
        light = [list(one.key) for one in night.light][:MAX_BLOCKS]
        data: dict[str, Any] = {"day": night.day, "light": light, "rem": [list(key) for key in night.rem][:MAX_BLOCKS]}
        data |= {"agent": self.agent} if self.agent else {}
        with self.history.store.read() as reader:
            first = "writer" not in reader.registers(subjects.name_dreaming(self.agent), "writer")
        mine: dict[str, Any] = {"writer": self.machine} if first or take_over else {}
        if found.standing:
            best = sorted(found.standing.items(), key=lambda one: (-one[1], one[0]))[:MAX_BLOCKS]
            mine["items"] = [[*key, round(value, 3)] for key, value in best]
        return Draft("dreamt", data={**data, "actor": ACTOR, "run": run, **mine})

    # -- details ---------------------------------------------------------------------------------------------------

    @property
    def agent(self) -> str:
        return self.rules.realm.agent

    def grounds(self) -> Grounds:
        return Grounds(self.rules.realm, self.clock(), self.zone)

    def _writer(self, reader: Reader, known: MemoryPage | None) -> str | None:
        """Who writes the page: as the journal has it, else as the page says."""
        writer = reader.registers(subjects.name_dreaming(self.agent), "writer").get("writer")
        if isinstance(writer, str):
            return writer
        return None if known is None else known.machine


def _account(
    found: NightPlan, offered: str | None, run: str, account: str, diarist: Callable[[], NightEditor] | None
) -> tuple[str, str]:
    """What is to be told of the night, and who tells it: what changed (``offered`` takes it back), what waits or was in
    the way, and what a night that was cut short did not come to tell. ``account`` is the diary so far."""
    again, entry, told_by = report.holds(account, found.night.day), "", RULES
    cut: dict[str, list[str]] = {}
    for one in found.mended:
        if not (one.run and report.offers(account, one.run)):
            cut.setdefault(one.run or run, []).append(report.render_repair(one.key, one.text, left=one.left))
    if offered or cut or (not again and (found.waiting or found.problem)):
        night = replace(found.night, promoted=found.put)
        entry = report.entry(night, found.left, found.waiting, found.problem, offered, again=again)
        entry, told_by = (entry, RULES) if again else _narrate(entry, diarist)
    return report.with_mended(entry, cut), told_by


def _narrate(entry: str, diarist: Callable[[], NightEditor] | None) -> tuple[str, str]:
    """With the words of a model where there is one, and who told it."""
    if diarist is None:
        return entry, RULES
    try:
        writer = diarist()
        return report.with_words(entry, writer.tell(entry), writer.llm.name), writer.llm.name
    except HearthError as error:
        return entry, f"{RULES}, since {error.said}"


def _in_realm(
    reader: Reader, realm: Realm, signals: Mapping[Key, Sequence[FragmentSignal]]
) -> Mapping[Key, Sequence[FragmentSignal]]:
    """Of an agent those of its own documents; of everyone else all, so that what does not take part is seen, too."""
    if not realm.agent:
        return signals
    stored = {docid: reader.document(docid) for docid in {docid for docid, _ in signals}}
    own = {docid for docid, one in stored.items() if one is not None and realm.holds(one.document)}
    return {key: found for key, found in signals.items() if key[0] in own}


def _is_new(reader: Reader, agent: str, today: str) -> bool:
    """Whether something was used since the last night, for as long as it counts: the machine may have been away."""
    for day in days_back(today, DAYS):
        row = reader.registers(subjects.name_dream_day(day))
        if any(subjects.read_signal(name) for name in row):
            return True
        if subjects.name_night(agent) in row:
            return False
    return False


def _is_dreamt(reader: Reader, agent: str, day: str) -> bool:
    name = subjects.name_night(agent)
    return name in reader.registers(subjects.name_dream_day(day), name)


def _promotions(found: NightPlan, run: str, agent: str) -> list[Draft]:
    day = found.night.day
    mended = [
        draft_promotion(one.key, "left" if one.left else "in", day, one.run or run, agent) for one in found.mended
    ]
    return mended + _draft(found, run, agent, ("in", "left"))


def _draft(found: NightPlan, run: str, agent: str, states: tuple[str, str]) -> list[Draft]:
    """What comes and what goes, each in its state."""
    new = [*(one.fragment.key for one in found.put), *(one.key for one in found.successors)]
    rows = [(key, states[0]) for key in new] + [(key, states[1]) for key in found.left]
    return [draft_promotion(key, state, found.night.day, run, agent) for key, state in rows]


def _report(found: NightPlan, *, applied: bool, run: str | None = None) -> Dreamt:
    return Dreamt(
        applied, found.night, found.put, found.successors, found.left, found.problem, run, waiting=found.waiting
    )


def find_leaving(dreamer: Dreamer) -> list[LeavingItem]:
    """What waits for approval to leave the pages."""
    return [
        LeavingItem(one.agent, key, text, why)
        for one in dreamer.every()
        for key, (text, why) in one.status().waiting.items()
    ]


def _take_back(dreamer: Dreamer, run: str) -> UndoneRun:
    """What a night promoted on a page, and what it took out, but for lines that somebody edited. Raises ``NotFound``
    where nothing of it is left."""
    agent, grounds = dreamer.agent, dreamer.grounds()
    with dreamer.lease(), dreamer.exclusive():
        with dreamer.history.store.read() as reader:
            rows = {key: row for key, row in promotions(reader, agent).items() if row.get("run") == run}
            out = [key for key, row in rows.items() if row.get("state") == "in"]
            back = [_find(reader, key, grounds) for key, row in rows.items() if row.get("state") == "left"]
        put = [fragment for fragment in back if fragment is not None]
        if not out and not put:
            raise NotFound(f"nothing of a run {run[:64]!r} is left to undo")
        known = dreamer.pages.read()
        if known.page is None:
            raise Conflict(known.problem or CHANGED)
        ours = {item.key for item in known.page.ours}
        if not dreamer.pages.write(known, memory_md.edit(known.page, dreamer.machine, put, out)):
            raise Conflict(CHANGED)
        kept = [key for key in out if key not in ours]
        dreamer.pages.tell_taken_back(run, grounds.today, len(kept))
        today, again = grounds.today, NIGHT + new_id(dreamer.random)
        drafts = [draft_promotion(key, "undone", today, run, agent) for key in out]
        drafts += [draft_promotion(fragment.key, "in", today, again, agent) for fragment in put]
        events = dreamer.history.record(drafts)
    kept_lines = tuple(f"{show_key(key)} was edited, moved or deleted on the page" for key in kept)
    return UndoneRun(run, len(drafts) - len(kept), kept_lines, tuple(events))


def _find(reader: Reader, key: Key, grounds: Grounds) -> DreamFragment | None:
    """A fragment as it stands now, where it is true."""
    stored = reader.document(key[0])
    if stored is None or stored.state.veils_at(grounds.now):
        return None
    block = next((block for block in document_blocks(reader, stored) if block.hash == key[1]), None)
    return None if block is None else add_dates(fragment_of(stored, block, (), grounds))
