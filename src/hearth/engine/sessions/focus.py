"""The focus: what somebody says they are working on, for a session, a project, or the whole vault."""

from __future__ import annotations

from typing import Any

from hearth.engine.history.history import History
from hearth.engine.sessions import keys
from hearth.errors import UsageError
from hearth.lazy import dataclass
from hearth.model.host.session import Focus
from hearth.model.instants import HOUR_MS
from hearth.model.journal import subjects
from hearth.model.journal.event import Draft
from hearth.model.memory import MAX_PROJECT_CHARS
from hearth.ports import Clock, StateReader

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
        plain = keys.one_line(text, MAX_TOPIC)
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
        key = keys.of_session(session) if session else None
        with self.history.store.read() as reader:
            if project is None and key is not None:
                project = known_project(reader, key)
            name = keys.one_line(project, MAX_PROJECT_CHARS)
            places = (("session", key), ("project", name), ("vault", None))
            found = (
                _read(reader, scope, subject, self.clock()) for scope, subject in places if subject or scope == "vault"
            )
            return next((focus for focus in found if focus is not None), None)

    def _at(self, scope: str, subject: str | None) -> Focus | None:
        with self.history.store.read() as reader:
            return _read(reader, scope, subject, self.clock())


def known_project(reader: StateReader, key: str) -> str | None:
    """Where the session of this key was first seen; ``None`` where nobody said."""
    known = reader.registers(subjects.name_session(key), "project").get("project")
    return known if isinstance(known, str) else None


def _scope(session: str | None, project: str | None) -> dict[str, Any]:
    if session:
        return {"session": keys.of_session(session)}
    name = keys.one_line(project, MAX_PROJECT_CHARS)
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
