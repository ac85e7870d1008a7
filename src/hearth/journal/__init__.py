"""The journal: append-only files of events, one set per machine, that merge in any order."""

from __future__ import annotations

from hearth.journal.append import Journal, NoteJournal
from hearth.journal.line import BadLine, Clock, UlidSource, decode, encode
from hearth.journal.machine import carry_machine_id, drop_machine_id, find_machine_id, machine_id
from hearth.journal.read import Batch, JournalPosition, JournalProblem, JournalReport, Mark, read, show, verify

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
    "find_machine_id",
    "machine_id",
    "read",
    "show",
    "verify",
]
