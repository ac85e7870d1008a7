"""Pieces that the rules read in the model's place, until it reads them itself. Nothing is queued anywhere: the journal
says which piece was captured without it, and which was read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.lazy import dataclass
from hearth.model.host.transcript import Watermark
from hearth.model.journal import subjects
from hearth.ports import StateReader

MAX_TRIES = 3
"""Answers in vain (each of several attempts) after which the rules' reading stands."""
_PAUSE_MS = 15 * 60_000


@dataclass(frozen=True, slots=True)
class UnreadPiece:
    """``id`` is the event that captured it, ``since`` and ``end`` are its borders in the transcript, ``at`` when it was
    captured or last tried (ms UTC), ``tries`` counts answers in vain."""

    id: str
    session: str
    transcript: str
    since: Watermark
    end: int
    at: int
    tries: int

    @property
    def due_at(self) -> int:
        """At once where the model could not be asked; after answers in vain later each time."""
        return self.at + (_PAUSE_MS * 4 ** (self.tries - 1) if self.tries else 0)

    @property
    def failed(self) -> Mapping[str, Any] | None:
        """What the journal says after another answer in vain; ``None`` where it was the last one."""
        if self.tries + 1 >= MAX_TRIES:
            return None
        return {
            "transcript": self.transcript,
            "since": self.since.as_data(),
            "watermark": self.end,
            "tries": self.tries + 1,
        }


def unread(reader: StateReader, machine: str) -> list[UnreadPiece]:
    """Of this machine, the piece that waits longest first."""
    registers = reader.registers(subjects.name_machine(machine))
    found = []
    for field, value in registers.items():
        piece = subjects.read_unread(field)
        if piece is not None and isinstance(value, dict):
            since = Watermark.from_data(value["since"])
            found.append(
                UnreadPiece(
                    piece, value["session"], value["transcript"], since, value["watermark"], value["at"], value["tries"]
                )
            )
    return sorted(found, key=lambda one: (one.due_at, one.id))
