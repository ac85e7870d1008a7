"""The context engine over a vault: transcripts in its data folder, recall and capture by the hooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters
from hearth.app.models import open_reader, title_session
from hearth.app.settings import redact, scrub
from hearth.capture.compaction import Summary, summarize_lines
from hearth.context.engine import workspace
from hearth.context.engine.assembly import EngineServices
from hearth.context.engine.engine import ContextEngine
from hearth.context.engine.messages import plain_text
from hearth.context.engine.session_note import EndedSession, name_note, render_note, spoken
from hearth.context.engine.sessions import SessionId
from hearth.context.engine.workspace import FileText
from hearth.core import instants
from hearth.core.document import Document, content_hash
from hearth.core.errors import HearthError, NotFound
from hearth.core.hook import PromptSubmitted, SessionEnded, TurnEnded
from hearth.core.lazy import dataclass
from hearth.core.session import session_of_agent
from hearth.disk.memories import DiskMemories
from hearth.disk.session_logs import DiskSessionLogs
from hearth.memory.file_names import DAILY
from hearth.vault.documents import Excerpt
from hearth.vault.vault import Vault

if TYPE_CHECKING:
    from hearth.context.hook_context import Hooks

HOST = "hearth"
SESSIONS = "sessions"
ENTRY = "session:"
"""How a reference to a message of a transcript begins."""
_RECALL_MS = 1_000
_TITLE_SECONDS = 15


def build_context(adapters: Adapters, vault: Vault, hooks: Callable[[], Hooks]) -> ContextEngine:
    settings = adapters.chosen.loaded.config.context
    zone = instants.zone_of(vault.zone)
    logs = DiskSessionLogs(adapters.data / SESSIONS)
    desk = _Desk(adapters, vault, hooks, logs)
    model = None if adapters.chosen.loaded.config.llm.provider == "none" else adapters.models.summarizer

    def summarize(lines: Sequence[bytes], cut: Sequence[bytes], former: str, focus: str, by_rules: bool) -> Summary:
        return summarize_lines(lines, cut, former, focus, settings.summary, None if by_rules else model)

    services = EngineServices(
        recall=desk.recall,
        files=desk.files,
        day_notes=desk.day_notes,
        summarize=summarize,
        committed=desk.committed,
        ended=desk.ended,
        unflushed=desk.unflushed,
        has_memory=desk.has_memory,
    )
    return ContextEngine(logs, services, settings, scrub, adapters.clock, zone)


@dataclass(frozen=True)
class _Desk:
    """What the engine asks of the vault. An agent without a workspace has the vault's folder of memories."""

    adapters: Adapters
    vault: Vault
    hooks: Callable[[], Hooks]
    logs: DiskSessionLogs

    def recall(self, session: SessionId, prompt: str, tokens: int) -> tuple[str, Callable[[], object]]:
        event = PromptSubmitted(host=HOST, session=_name(session), cwd=self._workspace(session.agent), prompt=prompt)
        handled = self.hooks().answer("context-surfacing", event, _RECALL_MS, tokens=tokens)
        return handled.reply.context or "", handled.after

    def has_memory(self, agent: str) -> bool:
        return not self.adapters.find_agent_off(agent, None, None).everything

    def files(self, agent: str, budget: int, private: bool) -> list[FileText]:
        if self._workspace(agent) is None:
            return []
        files, *_ = self._folders(agent)
        return workspace.select_files(lambda name: _read(files, name), budget, private=private)

    def day_notes(self, agent: str, today: date) -> list[FileText]:
        files, days, notes = self._folders(agent)

        def read(name: str) -> str | None:
            # What a session left has a subject after the date.
            folder = notes if name[len("YYYY-MM-DD")] == "-" else days
            return _read(files, f"{folder}/{name}")

        return workspace.select_day_notes(files.names(notes), read, today)

    def committed(self, session: SessionId, end: int) -> None:
        place, transcript = self._workspace(session.agent), self._transcript(session)
        event = TurnEnded(host=HOST, session=_name(session), cwd=place, transcript=transcript, reached=end)
        with suppress(HearthError):  # the turn is on the disk, and what was missed is read with the next one
            self.hooks().answer("feedback-loop", event, _RECALL_MS).after()

    def ended(self, session: SessionId, reason: str, turns: Sequence[tuple[str, str]], host: str) -> str | None:
        place, transcript = self._workspace(session.agent), self._transcript(session)
        if self.adapters.privacy.find_off(_name(session), place).capture:
            return None
        event = SessionEnded(host=HOST, session=_name(session), cwd=place, transcript=transcript, reason=reason)
        with suppress(HearthError):
            self.hooks().answer("session-end", event, _RECALL_MS).after()
        handoff = ""
        with suppress(HearthError):
            size = Path(transcript).stat().st_size
            project = None if place is None else self.vault.sessions.project_of(place)
            handoff = self.vault.capture.so_far(transcript, size, project, place)
        moment = instants.moment(self.vault.clock(), instants.zone_of(self.vault.zone))
        most = self.adapters.chosen.loaded.config.context.note_messages
        note = EndedSession(session.session, reason, moment, turns, most, handoff, host)
        return self._write(session.agent, note)

    def unflushed(self, session: SessionId, folder: str | None) -> str:
        """The workspace is the agent's, else the folder in which the session began."""
        place = self._workspace(session.agent) or folder
        off = self.adapters.privacy.find_off(_name(session), place)
        if off.capture:
            return off.why if off.agent else f"an incognito session ({off.why})"
        if place is None or not Path(place).is_dir():
            return "the agent has no workspace"
        days = Path(place, "memory")
        target = days if days.exists() else Path(place)
        return "" if target.is_dir() and os.access(target, os.W_OK) else "the workspace is read-only"

    def _write(self, agent: str, note: EndedSession) -> str | None:
        text = render_note(note)
        if not text:
            return None
        files, _, folder = self._folders(agent)
        taken, title = set(files.names(folder)), self._find_title(note)
        while True:
            name = name_note(note, taken.__contains__, title)
            if files.create(f"{folder}/{name}", scrub(text).encode()):
                return f"{folder}/{name}"
            taken.add(name)

    def _find_title(self, note: EndedSession) -> str:
        """What the model calls a session that a person ended; a message that waits for its answer asks no model."""
        chosen = self.adapters.chosen
        if chosen.loaded.config.llm.provider == "none" or note.reason in ("daily", "idle"):
            return ""
        try:
            reader = open_reader(chosen, self.adapters.clock, _TITLE_SECONDS)
        except HearthError:
            return ""
        try:
            return title_session(reader, [text for _, text in spoken(note.messages)[-note.most :]])
        except HearthError:
            return ""
        finally:
            reader.llm.close()

    def _folders(self, agent: str) -> tuple[DiskMemories, str, str]:
        """The files of an agent; and among them the folders of its days, and of what its sessions left. In a vault's
        own folder of days such a name would be one that a sync program gives the losing side of a conflict."""
        place = self._workspace(agent)
        if place is None:
            return DiskMemories(self.adapters.memory), DAILY, SESSIONS
        return DiskMemories(Path(place)), "memory", "memory"

    def _workspace(self, agent: str) -> str | None:
        found = self.adapters.chosen.loaded.config.agents.get(agent)
        return None if found is None or found.workspace is None else str(found.workspace)

    def _transcript(self, session: SessionId) -> str:
        return str(self.logs.path(session.agent, session.session))


def read_entry(vault: Vault, reference: str) -> Excerpt:
    """The whole text of a message in a session held here, named as ``session:<session>#<entry>``: of the agent's own
    sessions alone. Raises ``NotFound``."""
    session, _, entry = reference.removeprefix(ENTRY).rpartition("#")
    found = vault.context.messages(SessionId(session, vault.agent), entry) if session and entry else []
    if not found:
        raise NotFound(f"no message {reference!r}; hearth context messages SESSION lists those of a session")
    text = redact(plain_text(found[0])).text
    at, digest = found[0].get("at") or 0, content_hash(text.encode("utf-8", "replace"))
    title = f"{found[0].get('role', 'message')} in {session}"
    document = Document(entry, SESSIONS, f"{session}#{entry}", title, "conversation", at, at, digest, digest, len(text))
    count = text.count("\n") + 1
    return Excerpt(replace(document, origin="engine", trust="agent"), 1, count, count, text)


def _name(session: SessionId) -> str:
    return session_of_agent(session.session, session.agent)


def _read(files: DiskMemories, name: str) -> str | None:
    try:
        data = files.read(name)
    except HearthError:
        return None
    return None if data is None else data.decode("utf-8", "replace")
