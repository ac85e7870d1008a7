"""What a session is to be answered at its next prompt of what it asked to be forgotten, in the journal until told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from hearth.engine.sessions import keys
from hearth.lazy import dataclass
from hearth.model.journal import subjects
from hearth.model.journal.event import Draft
from hearth.ports import StateReader

_ANSWERS, _TOLD = "answers", "answered"
_MOST = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """``wish`` is what was asked (``withhold``, ``forget``, ``forget-fact``). ``forgotten`` names memories with the
    event that forgot each, which is empty where only a part of it went; ``meant`` are those of which any may have been
    meant, so that none was forgotten."""

    wish: str
    forgotten: Mapping[str, str] = field(default_factory=dict)
    meant: tuple[str, ...] = ()

    @property
    def is_of_turn(self) -> bool:
        """Whether it was only asked that the turn itself is not kept."""
        return self.wish == "withhold"

    def as_data(self) -> dict[str, Any]:
        return {"wish": self.wish, "forgotten": dict(self.forgotten), "meant": list(self.meant)}


def draft_answers(reader: StateReader, session: str, answers: Sequence[Answer]) -> list[Draft]:
    """Adds answers to those that the session was not told yet; nothing where there are none."""
    if not answers:
        return []
    number, waiting = find_answers(reader, session)
    rows = [one.as_data() for one in (*waiting, *answers)][-_MOST:]
    return [Draft("session", data={"session": session, _ANSWERS: {"number": number + 1, "rows": rows}})]


def draft_told(session: str, number: int) -> Draft:
    """Says that the session was told the answers up to this number."""
    return Draft("session", data={"session": keys.of_session(session), _TOLD: number})


def find_answers(reader: StateReader, session: str) -> tuple[int, list[Answer]]:
    """The number of the last answers, and those of them that the session was not told yet."""
    subject = subjects.name_session(keys.of_session(session))
    found = reader.registers(subject, _ANSWERS).get(_ANSWERS)
    if not isinstance(found, dict) or type(found.get("number")) is not int:
        return 0, []
    number, told = found["number"], reader.registers(subject, _TOLD).get(_TOLD)
    if type(told) is int and told >= number:
        return number, []
    rows = found.get("rows")
    answers = [_read(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return number, answers


def _read(row: Mapping[str, Any]) -> Answer:
    """Journals are written by other versions and by hand, so every field may be missing or odd."""
    forgotten, meant = row.get("forgotten"), row.get("meant")
    return Answer(
        str(row.get("wish", "")),
        {str(docid): str(event) for docid, event in forgotten.items()} if isinstance(forgotten, dict) else {},
        tuple(map(str, meant)) if isinstance(meant, list) else (),
    )
