"""The journal: append-only files of events, one set per machine, that merge in any order."""

from __future__ import annotations

from hearth.journal.append import Journal
from hearth.journal.clock import Clock, UlidSource
from hearth.journal.line import BadLine, decode, encode
from hearth.journal.machine import machine_id
from hearth.journal.read import Batch, Mark, Position, Problem, read
from hearth.journal.verify import Report, show, verify

__all__ = [
    "BadLine",
    "Batch",
    "Clock",
    "Journal",
    "Mark",
    "Position",
    "Problem",
    "Report",
    "UlidSource",
    "decode",
    "encode",
    "machine_id",
    "read",
    "show",
    "verify",
]
