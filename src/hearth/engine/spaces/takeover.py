"""Takeover: a space that is complete answers from then on, and those that answered before it go."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.spaces import calibration, ledger
from hearth.engine.spaces.embedding import due
from hearth.engine.spaces.ledger import SpaceInfo
from hearth.engine.spaces.spaces import Spaces
from hearth.lazy import dataclass
from hearth.ports import Clock, Store

LEAST_SHARE = 0.5
"""Of the fragments, what must have a vector of a space that takes over, whatever the failures."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """Decides which of the spaces of models answers."""

    store: Store
    spaces: Spaces
    clock: Clock

    def weigh(self, facts: SpaceInfo) -> SpaceInfo:
        """The weight of the space, anew where the vault has grown or shrunk by a tenth since."""
        with self.store.read() as reader:
            count, known = reader.statistics().fragments, ledger.canary(reader, facts.name)
            if known is None or abs(count - facts.measured) * 10 <= facts.measured:
                return facts
            found = calibration.weight(reader, facts.name, known)
        return facts if found is None else ledger.save(self.store, replace(facts, weight=found, measured=count))

    def take_over(self, facts: SpaceInfo) -> list[str]:
        """Makes a complete space the one that answers; the other models' spaces go, the static one never does."""
        with self.store.read() as reader:
            fragments = reader.statistics().fragments
            if not fragments or due(reader, facts.name, 1):
                return []
            if reader.vector_count(facts.name) < LEAST_SHARE * fragments:
                failed = len(reader.failures(facts.name))
                return [f"{facts.name} does not answer yet: {failed:,} of {fragments:,} fragments failed"]
        news = []
        if facts.complete is None:
            ledger.save(self.store, replace(facts, complete=self.clock()))
            news.append(f"{facts.name} is complete and answers from now on")
        return news + self.drop_others(keep=facts.name)

    def drop_others(self, keep: str | None) -> list[str]:
        static = self.spaces.static.load().fingerprint
        with self.store.read() as reader:
            others = ({*reader.spaces(), *ledger.read(reader)}) - {static, keep}
        for name in sorted(others):
            with self.store.write() as writer:
                ledger.forget(writer, name)
        return [f"dropped the vectors of {name}, which no longer answers" for name in sorted(others)]
