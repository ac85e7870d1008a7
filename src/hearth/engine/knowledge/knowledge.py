"""What is made of memories and sessions: pages and lists, each with its sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from hearth.engine.history.history import History
from hearth.engine.knowledge.overview import Overview
from hearth.engine.knowledge.profile import PersonProfile
from hearth.engine.knowledge.questions import OpenQuestions
from hearth.engine.writing.memories import Memories
from hearth.ports import Clock


@dataclass(frozen=True)
class Knowledge:
    """``profile`` says who the person is, ``questions`` are those that sessions left open,
    ``overview`` what it is all about.
    ``prepare`` brings an index of another version up to date."""

    history: History
    memories: Memories
    clock: Clock
    prepare: Callable[[], None]

    @cached_property
    def profile(self) -> PersonProfile:
        return PersonProfile(self.history, self.memories.writer, self.prepare)

    @cached_property
    def questions(self) -> OpenQuestions:
        return OpenQuestions(self.history, self.memories, self.clock, self.prepare)

    @cached_property
    def overview(self) -> Overview:
        writer = self.memories.writer
        return Overview(writer.store, self.clock, writer.zone, self.prepare)
