"""Turns to what is worth keeping of them, by rules alone."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.extract.rules.records import observations, records
from hearth.model.capture.admission import admitted
from hearth.model.capture.extraction import Extraction
from hearth.model.host.transcript import Turn

VERSION = "1"
"""Of the rules: part of a memory's key, raised when the same turns give other items."""


def extract(turns: Sequence[Turn], since: int = 0) -> Extraction:
    """What the turns after the ordinal ``since`` say; those up to it are context: proposals taken up, tests that had
    failed. Every item's quote occurs in its turn, and all limits hold."""
    found = Extraction(
        memories=tuple(records(turns, since)),
        observations=tuple(observations(turns, since)),
        path="rules",
        version=VERSION,
    )
    return admitted(found, turns)
