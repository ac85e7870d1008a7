"""The curator: says what a vault needs, and does of it what can be undone."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Unpack

from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.memory.lifecycle.status import advise
from hearth.memory.state import changes
from hearth.memory.state.changes import Remarks
from hearth.memory.writing.names import new_id
from hearth.pages.curation.log import Curation, CurationAction, CurationLog
from hearth.pages.curation.survey import SNOOZE_DAYS, Survey

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
        said = Remarks(**remarks).data()
        self.prepare()
        done, run = [], None
        if apply:
            with self.lease():
                run = _RUN + new_id(self.random)
                for action in self.survey.actions():
                    done += self._carry_out(action, {**said, "run": run}) if action.reversible else []
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

    def _carry_out(self, action: CurationAction, said: dict[str, Any]) -> list[str]:
        """What was done, a line each."""
        rooms, run = self.survey.rooms, said["run"]
        remarks: RemarkOptions = {"actor": said["actor"]}
        if action.kind == "duplicates":
            united = rooms.truth.consolidator.run_leased(part_of=run, **remarks)
            return [f"{one.kind}: {one.keep.collection}/{one.keep.path}" for one in united.changes]
        if action.kind == "sweep":
            swept = rooms.lifecycle.sweep(True, part_of=run, **remarks)
            return [f"archived: {one.collection}/{one.path}" for one in swept.archived]
        return [line for docid in action.docids for line in self._follow(docid, action, said)]

    def _follow(self, docid: str, action: CurationAction, said: dict[str, Any]) -> list[str]:
        """Does what is advised of a document, where it is still advised."""
        lifecycle, now = self.survey.rooms.lifecycle, self._now()
        with self.survey.store.read() as reader:
            stored = reader.document(docid)
            advice = None if stored is None else advise(stored, lifecycle.uses(reader, docid), now)
            if stored is None or advice is None or advice.action != action.kind:
                return []
            wanted: dict[str, Any] = {"pinned": True}
            if action.kind == "snooze":
                wanted = {"snoozed_until": now + SNOOZE_DAYS * DAY_MS}
            known = lifecycle.history.registers(reader, docid)
            ops = changes.plan(known, lambda field: reader.set_by(docid, field), wanted)
            drafts: list[Draft] = changes.of(stored.document, ops, {"reason": advice.why, **said})
        lifecycle.history.record(drafts)
        return [f"{'pinned' if action.kind == 'pin' else 'snoozed'}: {advice.collection}/{advice.path}"]

    def _now(self) -> int:
        return self.survey.clock()
