"""Which passages may be shown unasked, and which of them carry a warning."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.engine.hooks.block.block import ShownPassage
from hearth.guard.attacks.injection import Suspicion, suspicion
from hearth.guard.fence import TRUSTED
from hearth.model.query import Hit


def suspected(hit: Hit) -> Suspicion:
    """What the guard says of all that is shown of a hit."""
    return suspicion(f"{hit.title}\n{hit.text}")


def is_withheld(hit: Hit, found: Suspicion) -> bool:
    """Whether it is an attack and nothing else; what a person wrote is shown all the same."""
    return found.quarantine and hit.trust != TRUSTED


def examined(hits: Iterable[Hit]) -> list[ShownPassage]:
    """Without what is withheld; what looks like an attack is marked and comes last."""
    sound: list[ShownPassage] = []
    odd: list[ShownPassage] = []
    for hit in hits:
        found = suspected(hit)
        if not is_withheld(hit, found):
            (odd if found.labels else sound).append(ShownPassage(hit, tuple(found.labels)))
    return [*sound, *odd]
