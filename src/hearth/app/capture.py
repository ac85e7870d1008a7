"""How sessions become conversations and memories in one vault."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hearth.app.adapters import Adapters
from hearth.app.settings import capture_choices, redact
from hearth.app.writing import find_workspace_days
from hearth.capture.batches import Folders
from hearth.capture.beads import Beads
from hearth.capture.capture import Capture
from hearth.capture.changes_of_mind import ChangesOfMind
from hearth.capture.conversations import Conversations
from hearth.capture.distiller import Distiller, NoteDay
from hearth.capture.handoff import Handover
from hearth.capture.model_reading import ModelReading
from hearth.capture.rules import extract
from hearth.capture.worker import Rereader, Worker
from hearth.core import instants
from hearth.core.session import agent_of_session
from hearth.disk.beads import DiskBeads
from hearth.disk.incognito import OpenTranscripts
from hearth.disk.state_files import DiskInbox
from hearth.disk.transcripts import DiskTranscripts
from hearth.memory.changer import Changer
from hearth.memory.memories import Memories
from hearth.memory.session_record import SessionLog
from hearth.truth.acts import Rivals


def build_capture(
    adapters: Adapters,
    zone: str,
    sessions: SessionLog,
    memories: Memories,
    rivals: Rivals,
    state: Callable[[], Changer],
) -> Capture:
    clock, locks, chosen = adapters.clock, adapters.locks, adapters.chosen.loaded.config.capture
    transcripts = OpenTranscripts(DiskTranscripts(), adapters.privacy)
    rules = partial(extract, zone=instants.zone_of(zone))
    conversations = Conversations(memories.writer)
    choices = capture_choices(chosen)
    # To find a project takes longer than to look for patterns of some.
    is_excluded = lambda it: choices.excludes(sessions.project_of(it) if choices.exclude else None, it)  # noqa: E731
    worker = Worker(
        history=sessions.history,
        sessions=sessions,
        transcripts=transcripts,
        handover=Handover(DiskInbox(adapters.memory), sessions, redact, locks.write, clock),
        conversations=conversations,
        distiller=Distiller(
            memories,
            transcripts,
            rules,
            _model(adapters, memories, zone),
            asks=adapters.chosen.loaded.config.knowledge["questions"],
            cite=conversations.latest,
            folders=Folders(sessions.project_of, is_excluded),
            approve=chosen.approve,
            changes=ChangesOfMind(rivals, zone) if chosen.conversations else None,
            note_day=_find_note_day(adapters, zone),
        ),
        state=state,
        choices=choices,
        clock=clock,
    )
    machine = adapters.machine()
    rereader = Rereader(worker, machine)
    return Capture(
        sessions.history, worker, rereader, state, machine, clock, locks.jobs, memories.prepare, adapters.privacy
    )


def _find_note_day(adapters: Adapters, zone: str) -> NoteDay | None:
    """Writes into the day's file of the workspace in which an agent was told something; ``None`` without workspaces."""
    agents = adapters.chosen.loaded.config.agents

    def note(session: str, project: str | None, at: int | None, text: str) -> None:
        agent = agent_of_session(session)
        place = str(agents[agent].workspace or "") if agent in agents else ""
        if not place or project != (adapters.project(place) or place):
            return
        if (days := find_workspace_days(adapters, agent)) is not None:
            moment = instants.moment(at or adapters.clock(), instants.zone_of(zone))
            with adapters.locks.write():
                days.add(redact(text).text, moment)

    return note if agents else None


def build_beads(adapters: Adapters, memories: Memories) -> Beads:
    chosen = adapters.chosen
    settings = chosen.loaded.config.capture
    source = DiskBeads(Path(chosen.folders.state), chosen.vault.name, chosen.environ)
    return Beads(source, memories, adapters.privacy, settings.mode != "off", settings.approve)


def _model(adapters: Adapters, memories: Memories, zone: str) -> ModelReading | None:
    if adapters.chosen.loaded.config.llm.provider == "none":
        return None
    clock = adapters.clock
    return ModelReading(adapters.models.reader, adapters.answers(), memories.writer, clock, instants.zone_of(zone))
