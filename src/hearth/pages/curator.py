"""Maintenance: finds what a vault needs, and does what can be undone."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Unpack

from hearth.core.errors import HearthError
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.memory import archive
from hearth.memory.file_names import new_id
from hearth.memory.status import AdviceAction, LifecycleStatus, advise
from hearth.pages.curation_log import MAX_LISTED, ActionKind, Curation, CurationAction, CurationLog
from hearth.pages.dream import memory_md
from hearth.pages.dream.dreamer import find_leaving
from hearth.pages.dream.memory_md import OWN_TOKENS, MemoryPage
from hearth.pages.dream.pages import DreamPages
from hearth.ports import Clock, Store, StoredDocument
from hearth.text.lines import cut_line, estimate_tokens, plural
from hearth.vault.changes import Remarks
from hearth.vault.indexing.plan import may_be_forced
from hearth.vault.usage_statistics import moves, present
from hearth.vault.vault import Vault

SNOOZE_DAYS = 30
FULL = 0.9
"""The share of its room from which on the weakest of what was promoted soon leaves."""
WAITS_DAYS = 1
"""Work in the background is late after so long."""

_PROBLEM_CHARS = 120

MANY = 20
"""So many memories that nobody compared with others yet are late; of a few, that is a matter of minutes."""

Finder = Callable[[], CurationAction | None]


@dataclass(frozen=True)
class Survey:
    """``journal_problems`` say which lines of the journal can't be read."""

    vault: Vault
    store: Store
    clock: Clock
    journal_problems: Callable[[], Sequence[str]]

    def actions(self) -> list[CurationAction]:
        """The most urgent first, one of each kind. What can't be looked at is told among the failed checks."""
        failed: list[str] = []
        found: list[CurationAction | None] = []
        lifecycle = cache(self.vault.lifecycle.status)
        finders: dict[ActionKind, Finder] = {
            "sources": self._find_lost,
            "review": self._find_reviews,
            "overdue": lambda: self._find_overdue(lifecycle()),
            "page": self._find_page,
            "backlog": self._find_backlog,
            "duplicates": self._find_duplicates,
            "sweep": self._find_unused,
            "snooze": lambda: _advise(lifecycle(), "snooze", "shown often, hardly used"),
            "pin": lambda: _advise(lifecycle(), "pin", "worth a pin"),
        }
        for kind, find in finders.items():
            try:
                found.append(find())
            except HearthError as error:
                failed.append(f"{kind}: {error.said}")
        return [one for one in (self._find_failures(failed), *found) if one is not None]

    # -- what only a person can do ---------------------------------------------------------------------------------

    def _find_failures(self, failed: Sequence[str]) -> CurationAction | None:
        problems = [one.pages.read().problem for one in self.vault.dream.every()]
        found = [
            *failed,
            *_attempt("index", self.vault.index.check),
            *_attempt("journal", self.journal_problems),
            *(problem for problem in problems if problem is not None),
            *_attempt("vectors", self._doubts),
        ]
        files = _attempt("notes", self._unreadable)
        parts = [f"{plural(len(found), 'check')} failed"] if found else []
        parts += [f"{plural(len(files), 'file')} to be fixed"] if files else []
        commands = (["hearth doctor"] if found else []) + (["hearth status --all"] if files else [])
        details = tuple([*found, *files][:MAX_LISTED])
        return CurationAction("checks", ", ".join(parts), tuple(commands), details) if details else None

    def _doubts(self) -> list[str]:
        with self.store.read() as reader:
            spaces = self.vault.index.upkeep.status(reader)
        return [f"{one.name} must not answer: {one.facts.doubt}" for one in spaces if one.facts and one.facts.doubt]

    def _unreadable(self) -> list[str]:
        """Files that could not be indexed, and documents whose frontmatter says nothing."""
        with self.store.read() as reader:
            skipped = (f"{one.collection}/{one.path}: {one.reason}" for one in reader.skipped() if one.file is not None)
            every = archive.documents(reader, reader.collections())
            broken = (
                f"{_place(one)}: {cut_line(str(one.problem), _PROBLEM_CHARS)}"
                for one in every
                if one.problem and not one.state.forgotten
            )
            return [*skipped, *broken]

    def _find_lost(self) -> CurationAction | None:
        """Folders whose files went away, and lines of ``MEMORY.md`` that nothing stands behind any more."""
        with self.store.read() as reader:
            holding = [one for one in reader.collections().values() if one.held]
            moved = moves(reader)
            gone = [
                (where.path, one)
                for where, known in self._pages()
                for one in known.ours
                if not any(reader.document(name) for name in present(one.key[0], moved))
            ]
        count = sum(one.vanished for one in holding) + len(gone)
        details = [f"{one.name}: {one.held}" for one in holding] + [
            f"{memory_md.NAME}: {one.statement}" for _, one in gone
        ]
        if not details:
            return None
        forced = any(may_be_forced(one.held or "") for one in holding)
        commands = ["hearth update --force"] if forced else []
        commands += [f"hearth collection move {one.name} PATH" for one in holding if not may_be_forced(one.held or "")]
        commands += [_edit(path) for path in dict.fromkeys(path for path, _ in gone)]
        text = f"{plural(count, 'source')} of what is remembered {'is' if count == 1 else 'are'} gone"
        return CurationAction("sources", text, tuple(commands), tuple(details[:MAX_LISTED]))

    def _find_reviews(self) -> CurationAction | None:
        cases, pending = self.vault.truth.reviews(), self.vault.truth.approvals.pending()
        waiting = find_leaving(self.vault.dream)
        leaving = [f"{memory_md.NAME}: {one.text} ({one.why})" for one in waiting]
        if not (cases or pending or leaving):
            return None
        pairs = [(one, one.newer, one.older) for one in cases[:MAX_LISTED]]
        details = [f"{one.entry.id}: {new.title} / {old.title}" for one, new, old in pairs if new and old]
        texts = [f"{plural(len(cases), 'pair')} of memories contradict each other"] if cases else []
        texts += [f"{plural(len(pending), 'captured memory')} not yet approved"] if pending else []
        texts += [f"{plural(len(leaving), 'item')} would leave {memory_md.NAME} at once"] if leaving else []
        commands = ["hearth review"] if cases or pending else []
        commands += ["hearth dream status", *dict.fromkeys(one.command for one in waiting)] if leaving else []
        return CurationAction("review", ", ".join(texts), tuple(commands), tuple([*leaving, *details][:MAX_LISTED]))

    def _find_overdue(self, state: LifecycleStatus) -> CurationAction | None:
        promises = [one for one in self.vault.truth.commitments(0) if one.overdue]
        notes = state.counts["stale"]
        if not promises and not notes:
            return None
        parts = [f"{plural(notes, 'note')} past the date of review"] if notes else []
        parts += [f"{plural(len(promises), 'promise')} overdue"] if promises else []
        details = [
            f"{one.collection}/{one.path}: review overdue by {plural(one.overdue_days, 'day')}" for one in state.stale
        ]
        details = [*details[: MAX_LISTED - 2], *(f"promised: {one.said}" for one in promises)]
        commands = ["hearth lifecycle status"] if notes else []
        commands += ["hearth commitments --due 0"] if promises else []
        return CurationAction("overdue", ", ".join(parts), tuple(commands), tuple(details[:MAX_LISTED]))

    def _pages(self) -> list[tuple[DreamPages, MemoryPage]]:
        """Those that can be read, of everyone and of agents."""
        read = [(one.pages, one.pages.read().page) for one in self.vault.dream.every()]
        return [(where, known) for where, known in read if known is not None]

    def _find_page(self) -> CurationAction | None:
        """The first that is too long: a person's own words before what was promoted."""
        room, every = self.vault.dream.rules.max_tokens, self._pages()
        for where, known in every:
            own = estimate_tokens("\n".join(known.outside))
            if own > OWN_TOKENS:
                text = f"{where.path} has {own:,} tokens of your own; sessions start with at most {OWN_TOKENS} of them"
                return CurationAction("page", text, (_edit(where.path),))
        for where, known in every:
            ours = sum(estimate_tokens(one.text) for one in known.ours)
            if ours >= FULL * room:
                text = f"{where.path} is full: {ours:,} of {room:,} tokens; the weakest are removed automatically"
                return CurationAction("page", text, ("hearth dream status",))
        return None

    def _find_backlog(self) -> CurationAction | None:
        """Work in the background that is late: nobody does it, or it fails."""
        late, status = self.clock() - WAITS_DAYS * DAY_MS, self.vault.capture.status()
        turns = sum(one.turns for one in status.waiting if one.due_at is not None and one.due_at < late)
        with self.store.read() as reader:
            missing = sum(space.missing for space in self.vault.index.upkeep.status(reader))
        left = self.vault.memories.follow.count_left()
        rows = (
            (turns, "turn", "not captured", "hearth capture run"),
            (status.unread, "piece", "to be read by the language model", "hearth capture run"),
            (missing, "passage", "without a vector", "hearth embed"),
            (left if left >= MANY else 0, "memory", "not compared with others", "hearth capture run"),
        )
        waiting = [row for row in rows if row[0]]
        text = ", ".join(f"{plural(count, what)} {how}" for count, what, how, _ in waiting)
        commands = tuple(dict.fromkeys(command for *_, command in waiting))
        return CurationAction("backlog", text, commands) if waiting else None

    # -- what can be done and undone -------------------------------------------------------------------------------

    def _find_duplicates(self) -> CurationAction | None:
        changes = self.vault.truth.consolidator.run(apply=False).changes
        if not changes:
            return None
        details = tuple(f"{one.keep.collection}/{one.keep.path}: {one.why}" for one in changes[:MAX_LISTED])
        text = f"{plural(len(changes), 'group')} of duplicate or expired memories"
        return CurationAction("duplicates", text, ("hearth consolidate",), details)

    def _find_unused(self) -> CurationAction | None:
        due = [op for op in self.vault.lifecycle.plan(self.clock()) if op.action == "archive"]
        if not due:
            return None
        details = tuple(f"{one.collection}/{one.path}: {one.why}" for one in due[:MAX_LISTED])
        text = f"{plural(len(due), 'memory')} to be archived"
        return CurationAction("sweep", text, ("hearth lifecycle sweep --apply",), details)


def _advise(state: LifecycleStatus, action: AdviceAction, text: str) -> CurationAction | None:
    """The strongest advice of a kind."""
    chosen = [one for one in state.advice if one.action == action][:MAX_LISTED]
    if not chosen:
        return None
    how = f" --days {SNOOZE_DAYS}" if action == "snooze" else ""
    return CurationAction(
        action,
        f"{plural(state.recommended[action], 'document')} {text}",
        tuple(f"hearth {action} {one.docid}{how}" for one in chosen),
        tuple(f"{one.collection}/{one.path}: {one.why}" for one in chosen),
        tuple(one.docid for one in chosen),
    )


def _attempt(name: str, check: Callable[[], Sequence[str]]) -> list[str]:
    try:
        return [f"{name}: {problem}" for problem in check()]
    except HearthError as error:
        return [f"{name}: {error.said}"]


def _place(stored: StoredDocument) -> str:
    return stored.document.place


def _edit(file: str) -> str:
    return f"${{EDITOR:-vi}} {shlex.quote(file)}"


_RUN = "curation-"


@dataclass(frozen=True)
class Curator:
    """``lease`` lets one process of the machine curate at a time and raises ``Unavailable`` elsewhere."""

    survey: Survey
    log: CurationLog
    lease: Callable[[], AbstractContextManager[None]]
    prepare: Callable[[], None]
    random: Callable[[int], bytes] = os.urandom

    def curate(self, *, apply: bool = False, **remarks: Unpack[RemarkOptions]) -> Curation:
        """Ten actions at most, each with the commands for it. With ``apply`` those that can be undone are done, as one
        run; the actions are what is left then."""
        metadata = Remarks(**remarks).data()
        self.prepare()
        done, run = [], None
        if apply:
            with self.lease():
                run = _RUN + new_id(self.random)
                for action in self.survey.actions():
                    done += self._carry_out(action, {**metadata, "run": run}) if action.reversible else []
        found = Curation(self._now(), tuple(self.survey.actions()), tuple(done), run if done else None)
        self.log.put(found.at, found.actions)
        return found

    def due(self) -> bool:
        """Whether there is something to look at, and the last report of this machine is a week old."""
        if not self.log.is_due():
            return False
        with self.survey.store.read() as reader:
            return any(one.documents for one in reader.collections().values())

    # -- details ---------------------------------------------------------------------------------------------------

    def _carry_out(self, action: CurationAction, metadata: dict[str, Any]) -> list[str]:
        """What was done, a line each."""
        vault, run = self.survey.vault, metadata["run"]
        remarks: RemarkOptions = {"actor": metadata["actor"]}
        if action.kind == "duplicates":
            united = vault.truth.consolidator.run_leased(part_of=run, **remarks)
            return [f"{one.kind}: {one.keep.collection}/{one.keep.path}" for one in united.changes]
        if action.kind == "sweep":
            swept = vault.lifecycle.sweep(True, part_of=run, **remarks)
            return [f"archived: {one.collection}/{one.path}" for one in swept.archived]
        return [line for docid in action.docids for line in self._follow(docid, action, metadata)]

    def _follow(self, docid: str, action: CurationAction, metadata: dict[str, Any]) -> list[str]:
        """Does what is advised of a document, where it is still advised."""
        lifecycle, now = self.survey.vault.lifecycle, self._now()
        with self.survey.store.read() as reader:
            stored = reader.document(docid)
            advice = None if stored is None else advise(stored, lifecycle.uses(reader, docid), now)
            if stored is None or advice is None or advice.action != action.kind:
                return []
            wanted: dict[str, Any] = {"pinned": True}
            if action.kind == "snooze":
                wanted = {"snoozed_until": now + SNOOZE_DAYS * DAY_MS}
            drafts = lifecycle.history.draft_change(reader, stored.document, wanted, {"reason": advice.why, **metadata})
        lifecycle.history.record(drafts)
        return [f"{'pinned' if action.kind == 'pin' else 'snoozed'}: {advice.collection}/{advice.path}"]

    def _now(self) -> int:
        return self.survey.clock()
