"""Where the turns of a session were held: what belongs to which project, and of what nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hearth.lazy import dataclass
from hearth.model.host.session import Session
from hearth.model.host.transcript import TranscriptEntry, Turn


@dataclass(frozen=True, slots=True)
class Folders:
    """``project_of`` gives the project of a folder, ``is_excluded`` whether nothing is kept of it."""

    project_of: Callable[[str], str | None] = lambda folder: None
    is_excluded: Callable[[str], bool] = lambda folder: False

    def find_project(self, session: Session, turn: Turn) -> str | None:
        """That of the folder in which the turn began; where it has none, or lies in the folder that is the session's
        project, the session's."""
        found = self.project_of(turn.cwd) if turn.cwd is not None else None
        if found is None:
            return session.project
        is_inside = (session.project or "").startswith("/") and found.startswith(f"{session.project}/")
        return session.project if is_inside else found

    def find_projects(self, session: Session, turns: Iterable[Turn]) -> dict[str | None, list[Turn]]:
        """The turns of each project; each folder is looked at once."""
        projects: dict[str | None, str | None] = {}
        found: dict[str | None, list[Turn]] = {}
        for turn in turns:
            if turn.cwd not in projects:
                projects[turn.cwd] = self.find_project(session, turn)
            found.setdefault(projects[turn.cwd], []).append(turn)
        return found

    def select_kept(self, entries: Iterable[TranscriptEntry]) -> list[TranscriptEntry]:
        """Those of folders of which something is kept."""
        entries = list(entries)
        folders = {entry.cwd for entry in entries if entry.cwd is not None}
        excluded = {folder for folder in folders if self.is_excluded(folder)}
        return [entry for entry in entries if entry.cwd not in excluded]
