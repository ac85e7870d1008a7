"""The room of pages that sum up what is remembered."""

from __future__ import annotations

from collections.abc import Callable

from hearth.app.adapters import Adapters
from hearth.app.llm import open_editor, open_note_reader, open_writer
from hearth.memory.writing.memories import Memories
from hearth.pages.document_notes import NoteBook
from hearth.pages.knowledge import Knowledge, KnowledgeChoices
from hearth.pages.note_taking import NoteTaker
from hearth.pages.threads import ThreadNamer


def build(adapters: Adapters, memories: Memories, prepare: Callable[[], None]) -> Knowledge:
    config = adapters.chosen.loaded.config
    choices = KnowledgeChoices(**config.knowledge)
    model = None if config.llm.provider == "none" else lambda: open_writer(adapters)
    takers = (lambda: build_taker(adapters)), (lambda: build_namer(adapters))
    return Knowledge(adapters.history(), memories, adapters.clock, prepare, *takers, choices, model)


def build_taker(adapters: Adapters) -> NoteTaker:
    loaded, locks = adapters.chosen.loaded, adapters.locks
    config = loaded.config
    asked = config.graph.enrich == "auto" and config.llm.provider != "none"
    return NoteTaker(
        adapters.history(),
        NoteBook(adapters.notes()),
        adapters.clock,
        loaded.zone,
        adapters.machine(),
        locks.jobs,
        locks.write,
        lambda: tuple(one.name for one in adapters.collections() if one.surface != "never"),
        (lambda: open_note_reader(adapters)) if asked else None,
        told=config.graph.enrich == "auto",
    )


def build_namer(adapters: Adapters) -> ThreadNamer:
    loaded = adapters.chosen.loaded
    return ThreadNamer(
        adapters.history(),
        NoteBook(adapters.notes()),
        adapters.clock,
        loaded.zone,
        adapters.locks.write,
        None if loaded.config.llm.provider == "none" else lambda: open_editor(adapters),
    )
