"""The room in which memories are kept true over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

from hearth.engine.history.history import History
from hearth.engine.state.changes import Remarks
from hearth.engine.state.runs import UndoneRun, undo_run
from hearth.engine.state.targets import Targets
from hearth.engine.truth.chain import Chain, chain
from hearth.model.options import RemarkOptions
from hearth.ports import Clock


@dataclass(frozen=True)
class Truth:
    """What changes something journals why and by whom, as ``Changer`` does. ``prepare`` brings an index of another
    version up to date."""

    history: History
    targets: Targets
    clock: Clock
    prepare: Callable[[], None]

    def chain(self, reference: str) -> Chain:
        """What a document replaced and what replaced it, from the oldest to the newest. Raises ``NotFound`` or
        ``Ambiguous`` for the reference."""
        self.prepare()
        stored = self.targets.one(reference, described=False)
        with self.history.store.read() as reader:
            return chain(reader, stored, self.clock())

    def undo_run(self, run: str, **remarks: Unpack[RemarkOptions]) -> UndoneRun:
        """Takes back what one sweep, consolidation or capture did, but for what was changed since. Raises ``NotFound``
        where nothing of such a run is left to take back."""
        said = Remarks(**remarks).data()
        self.prepare()
        return undo_run(self.history, run.strip(), said)
