"""What is made of memories and sessions: pages and lists, each with its sources."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from hearth.core.lazy import dataclass
from hearth.memory.memories import Memories
from hearth.pages.identity import AgentIdentity
from hearth.pages.note_taking import NoteTaker
from hearth.pages.profile import PersonProfile
from hearth.pages.questions import OpenQuestions
from hearth.pages.summaries import ProjectSummaries
from hearth.pages.synthesis import EntitySynthesis
from hearth.pages.threads import Overview, ThreadNamer
from hearth.ports import Clock
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.llm.pages import CitedWriter
    from hearth.pages.curator import Curator


@dataclass(frozen=True, slots=True)
class KnowledgeChoices:
    """What is kept beside the profile."""

    questions: bool = True
    identity: bool = False
    summaries: bool = True


@dataclass(frozen=True)
class Knowledge:
    """``profile`` says who the person is, ``questions`` are those that sessions left open, ``overview`` what it is all
    about, ``threads`` names what sessions talked about, ``summaries`` are what projects came to, ``identity`` what an
    agent was told again, ``notes`` what documents are about, ``synthesis`` what is known of an entity; ``curator`` does
    maintenance. ``model`` opens the language model, if there is one, ``prepare`` brings an index of another version up
    to date."""

    history: History
    memories: Memories
    clock: Clock
    prepare: Callable[[], None]
    taker: Callable[[], NoteTaker]
    namer: Callable[[], ThreadNamer]
    curator: Callable[[], Curator]
    choices: KnowledgeChoices = KnowledgeChoices()
    model: Callable[[], CitedWriter] | None = None

    def refresh(self) -> None:
        """After something was hidden or erased: it leaves the pages at once."""
        for page in (self.profile, self.summaries, self.identity, self.synthesis):
            page.refresh()

    @cached_property
    def profile(self) -> PersonProfile:
        return PersonProfile(self.history, self.memories.writer, self.prepare)

    @cached_property
    def questions(self) -> OpenQuestions:
        return OpenQuestions(self.history, self.memories, self.clock, self.prepare, self.choices.questions)

    @cached_property
    def overview(self) -> Overview:
        writer = self.memories.writer
        return Overview(writer.store, self.clock, writer.zone, self.prepare, self.threads.book.threads)

    @cached_property
    def threads(self) -> ThreadNamer:
        return self.namer()

    @cached_property
    def notes(self) -> NoteTaker:
        return self.taker()

    @cached_property
    def synthesis(self) -> EntitySynthesis:
        return EntitySynthesis(self.history, self.memories.writer, self.prepare, self.model)

    @cached_property
    def summaries(self) -> ProjectSummaries:
        wanted = self.choices.summaries
        return ProjectSummaries(self.history, self.memories.writer, self.prepare, wanted, self.model)

    @cached_property
    def identity(self) -> AgentIdentity:
        return AgentIdentity(self.history, self.memories.writer, self.prepare, self.choices.identity, self.model)
