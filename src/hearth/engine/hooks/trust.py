"""Which passages may be shown unasked, and which of them carry a warning."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.engine.hooks.block import Passage
from hearth.guard.fence import TRUSTED
from hearth.guard.injection import suspicion
from hearth.model.query import Hit


def examined(hits: Iterable[Hit]) -> list[Passage]:
    """Without what is an attack and nothing else, unless a person wrote it; what looks like one is marked and comes
    last."""
    sound: list[Passage] = []
    odd: list[Passage] = []
    for hit in hits:
        found = suspicion(f"{hit.title}\n{hit.text}")
        if not found.quarantine or hit.trust == TRUSTED:
            (odd if found.labels else sound).append(Passage(hit, tuple(found.labels)))
    return [*sound, *odd]
