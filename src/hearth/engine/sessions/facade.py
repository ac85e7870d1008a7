"""The calls by which every surface tells of sessions and asks about them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearth.engine.sessions.logbook import Logbook
    from hearth.model.session import Focus, Session, SessionDetail, Sighting
    from hearth.ports import Reader

DEFAULT_FOCUS_HOURS = 8


class Sessions:
    """A session is named as its host names it; a name that is long or odd is kept as a hash. All calls may come twice,
    in any order and from several processes: what the journal knows is not journaled again. Any of them makes the
    session known that it names. They raise ``UsageError`` for an empty name and ``Unavailable`` where the journal
    can't be written."""

    def _logbook(self) -> Logbook:
        raise NotImplementedError

    def session_seen(self, sighting: Sighting) -> str:
        """Keeps what is new of a session; gives the name under which it is kept."""
        return self._logbook().sessions.seen(sighting)

    def turn_ended(
        self, session: str, transcript: str, watermark: int, turn: str | None = None, files: Sequence[str] = ()
    ) -> None:
        """Keeps how many bytes of the transcript are complete and which files the turn changed; on the disk on return.

        At most 500 files a turn; how many were left out is kept."""
        self._logbook().sessions.turn_ended(session, transcript, watermark, turn, files)

    def watermark(self, session: str, transcript: str) -> int:
        """How many bytes of this transcript ``turn_ended`` named last; 0 for another one."""
        return self._logbook().sessions.watermark(session, transcript)

    def session_ended(self, session: str, reason: str = "other") -> None:
        """A session that goes on afterwards counts as open again."""
        self._logbook().sessions.ended(session, reason)

    def session_handed_off(self, session: str, docid: str) -> None:
        """Names the memory that hands the session's work on."""
        self._logbook().sessions.handed_off(session, docid)

    def sessions(self, limit: int = 20, project: str | None = None) -> list[Session]:
        """The session log, newest first."""
        from hearth.engine.sessions import view

        with self._read() as reader:
            return view.sessions(reader, limit, project)

    def session(self, reference: str) -> SessionDetail:
        """One session turn by turn, by its name or the beginning of it. Raises ``NotFound``, ``Ambiguous``."""
        from hearth.engine.sessions import view

        with self._read() as reader:
            return view.detail(reader, view.find(reader, reference), self._logbook().sessions.clock())

    def project(self, folder: str) -> str | None:
        """The identity of the project that a folder belongs to; ``None`` for the home folder."""
        return self._logbook().sessions.project_of(folder)

    def project_of_session(self, session: str) -> str | None:
        """Where a session was first seen; ``None`` where nobody said."""
        return self._logbook().sessions.project(session)

    def focus(self, session: str | None = None, project: str | None = None) -> Focus | None:
        """The focus of a session, else of its project, else of the vault; none that has run out. Without ``project``
        it is the one that the session was first seen in."""
        return self._logbook().focus.of(session, project)

    def set_focus(
        self,
        topic: str,
        *,
        session: str | None = None,
        project: str | None = None,
        hours: int = DEFAULT_FOCUS_HOURS,
    ) -> Focus:
        """For one session, else for all of a project, else for all. Raises ``UsageError`` for a topic that is empty or
        over 200 characters."""
        return self._logbook().focus.set(topic, session, project, hours)

    def clear_focus(self, *, session: str | None = None, project: str | None = None) -> Focus | None:
        """Ends the focus of exactly this scope; gives it, if there was one."""
        return self._logbook().focus.clear(session, project)

    def _read(self) -> AbstractContextManager[Reader]:
        return self._logbook().history.store.read()
