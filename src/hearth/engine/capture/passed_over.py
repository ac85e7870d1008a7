"""Lines of transcripts of which something could not be read, counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.lazy import dataclass
from hearth.model.host.transcript import Reading
from hearth.model.journal import subjects
from hearth.ports import StateReader


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Of one transcript: how many ``lines`` something is missing of; the byte at which the first of them starts, and
    why."""

    session: str = ""
    transcript: str = ""
    lines: int = 0
    offset: int = 0
    reason: str = ""

    def counting(self, reading: Reading) -> PassedOver:
        """With the lines of another reading."""
        if not reading.faulty:
            return self
        first = reading.faults[0]
        offset, reason = (self.offset, self.reason) if self.lines else (first.offset, first.reason)
        return PassedOver(self.session, self.transcript, self.lines + reading.faulty, offset, reason)

    def as_data(self) -> dict[str, Any]:
        """For the journal; empty where nothing is missing."""
        told = {"lines": self.lines, "offset": self.offset, "reason": self.reason}
        return {"passed_over": told} if self.lines else {}

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "session": self.session,
            "transcript": self.transcript,
            "lines": self.lines,
            "offset": self.offset,
            "reason": self.reason,
        }


def passed_over(reader: StateReader, session: str, transcript: str) -> PassedOver:
    """What was missing so far of a session's transcript."""
    found = reader.registers(subjects.name_session(session), "captured").get("captured")
    known = _read(session, found) if isinstance(found, dict) else PassedOver()
    return known if known.transcript == transcript else PassedOver()


def list_passed_over(reader: StateReader, machine: str) -> list[PassedOver]:
    """Of all transcripts that this machine captured, the one with the most first."""
    registers = reader.registers(subjects.name_machine(machine))
    named = ((subjects.read_watermark("captured", field), value) for field, value in registers.items())
    found = (_read(session, value) for session, value in named if session is not None and isinstance(value, dict))
    return sorted((one for one in found if one.lines), key=lambda one: (-one.lines, one.session))


def _read(session: str, captured: Mapping[str, Any]) -> PassedOver:
    told = captured.get("passed_over")
    if not isinstance(told, dict):
        return PassedOver()
    lines, offset, reason = told.get("lines"), told.get("offset"), told.get("reason")
    if type(lines) is not int or type(offset) is not int or not isinstance(reason, str):
        return PassedOver()
    return PassedOver(session, str(captured.get("transcript", "")), lines, offset, reason)
