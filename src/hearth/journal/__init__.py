"""The journal: append-only files of events, one set per machine, that merge in any order."""

from __future__ import annotations

from hearth.journal.append import Journal
from hearth.journal.clock import Clock, UlidSource
from hearth.journal.line import BadLine, decode, encode
from hearth.journal.machine import carry_machine_id, drop_machine_id, known_machine_id, machine_id
from hearth.journal.notes import NoteJournal
from hearth.journal.read import Batch, JournalPosition, JournalProblem, Mark, read
from hearth.journal.verify import JournalReport, show, verify

__all__ = [
    "BadLine",
    "Batch",
    "Clock",
    "Journal",
    "JournalPosition",
    "JournalProblem",
    "JournalReport",
    "Mark",
    "NoteJournal",
    "UlidSource",
    "carry_machine_id",
    "decode",
    "drop_machine_id",
    "encode",
    "known_machine_id",
    "machine_id",
    "read",
    "show",
    "verify",
]
