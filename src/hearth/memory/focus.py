"""What somebody says they are working on, and what a session is to be answered at its next prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from hearth.core import subjects
from hearth.core.errors import UsageError
from hearth.core.instants import HOUR_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.memory import MAX_PROJECT_CHARS
from hearth.core.session import Focus
from hearth.memory import session_log
from hearth.ports import Clock, StateReader
from hearth.vault.history import History

MAX_TOPIC = 200
MAX_HOURS = 24 * 365
DEFAULT_HOURS = 8


@dataclass(frozen=True)
class FocusRecord:
    history: History
    clock: Clock

    def set(
        self, topic: str, session: str | None = None, project: str | None = None, hours: int = DEFAULT_HOURS
    ) -> Focus:
        """For one session, else for all of a project, else for all. Raises ``UsageError`` for an empty topic, one over
        200 characters, or a span out of range."""
        text = " ".join(topic.split())
        if not text or len(text) > MAX_TOPIC:
            raise UsageError(f"a focus is a text of 1 to {MAX_TOPIC} characters, not {len(text)}")
        if not 1 <= hours <= MAX_HOURS:
            raise UsageError(f"a focus lasts 1 to {MAX_HOURS} hours, not {hours}")
        plain = session_log.one_line(text, MAX_TOPIC)
        if plain is None:
            raise UsageError("the focus holds nothing that can be read")
        scope = _scope(session, project)
        until = self.clock() + hours * HOUR_MS
        self.history.record([Draft("focus", data={**scope, "topic": plain, "until": until})])
        found = self._at(*_subject(scope))
        return found or Focus(plain, *_subject(scope), until)

    def clear(self, session: str | None = None, project: str | None = None) -> Focus | None:
        """Ends the focus of exactly this scope; gives it, if there was one."""
        scope = _scope(session, project)
        found = self._at(*_subject(scope))
        if found is not None:
            self.history.record([Draft("focus", data={**scope, "topic": None})])
        return found

    def of(self, session: str | None = None, project: str | None = None) -> Focus | None:
        """The closest one that has not run out: the session's, its project's, the vault's.
        Without ``project`` it is the one that the session was first seen in."""
        key = session_log.of_session(session) if session else None
        with self.history.store.read() as reader:
            if project is None and key is not None:
                project = find_session_project(reader, key)
            name = session_log.one_line(project, MAX_PROJECT_CHARS)
            places = (("session", key), ("project", name), ("vault", None))
            found = (
                _read(reader, scope, subject, self.clock()) for scope, subject in places if subject or scope == "vault"
            )
            return next((focus for focus in found if focus is not None), None)

    def _at(self, scope: str, subject: str | None) -> Focus | None:
        with self.history.store.read() as reader:
            return _read(reader, scope, subject, self.clock())


def find_session_project(reader: StateReader, key: str) -> str | None:
    """Where the session of this key was first seen; ``None`` where nobody said."""
    known = reader.registers(subjects.name_session(key), "project").get("project")
    return known if isinstance(known, str) else None


def _scope(session: str | None, project: str | None) -> dict[str, Any]:
    if session:
        return {"session": session_log.of_session(session)}
    name = session_log.one_line(project, MAX_PROJECT_CHARS)
    return {"project": name} if name else {}


def _subject(scope: dict[str, Any]) -> tuple[str, str | None]:
    return next(iter(scope.items()), ("vault", None))


def _read(reader: StateReader, scope: str, subject: str | None, now: int) -> Focus | None:
    value = reader.registers(subjects.name_scope(scope, subject), "focus").get("focus")
    if not isinstance(value, dict) or not isinstance(value.get("topic"), str):
        return None
    until = value.get("until")
    if isinstance(until, int) and until <= now:
        return None
    return Focus(value["topic"], scope, subject, until if isinstance(until, int) else None)


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


def draft_announced(session: str, number: int) -> Draft:
    """Says that the session was told the answers up to this number."""
    return Draft("session", data={"session": session_log.of_session(session), _TOLD: number})


def find_answers(reader: StateReader, session: str) -> tuple[int, list[Answer]]:
    """The number of the last answers, and those of them that the session was not told yet."""
    subject = subjects.name_session(session_log.of_session(session))
    found = reader.registers(subject, _ANSWERS).get(_ANSWERS)
    if not isinstance(found, dict) or type(found.get("number")) is not int:
        return 0, []
    number, register = found["number"], reader.registers(subject, _TOLD).get(_TOLD)
    if type(register) is int and register >= number:
        return number, []
    rows = found.get("rows")
    answers = [_read_answer(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return number, answers


def _read_answer(row: Mapping[str, Any]) -> Answer:
    """Journals are written by other versions and by hand, so every field may be missing or odd."""
    forgotten, meant = row.get("forgotten"), row.get("meant")
    return Answer(
        str(row.get("wish", "")),
        {str(docid): str(event) for docid, event in forgotten.items()} if isinstance(forgotten, dict) else {},
        tuple(map(str, meant)) if isinstance(meant, list) else (),
    )
