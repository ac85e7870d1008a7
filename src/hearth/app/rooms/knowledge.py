"""The room of pages that sum up what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters
from hearth.engine.knowledge.knowledge import Knowledge, KnowledgeChoices
from hearth.engine.knowledge.notes.book import NoteBook
from hearth.engine.knowledge.notes.taking import NoteTaker
from hearth.engine.writing.memories import Memories

if TYPE_CHECKING:
    from hearth.extract.model.cited import CitedWriter
    from hearth.extract.model.notes import NoteReader


def build(adapters: Adapters, memories: Memories, prepare: Callable[[], None]) -> Knowledge:
    config = adapters.chosen.loaded.config
    choices = KnowledgeChoices(**config.knowledge)
    model = None if config.llm.provider == "none" else lambda: open_writer(adapters)
    return Knowledge(
        adapters.history(), memories, adapters.clock, prepare, lambda: build_taker(adapters), choices, model
    )


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
        lambda: tuple(one.name for one in adapters.collections() if one.surface != 0),
        (lambda: open_note_reader(adapters)) if asked else None,
        told=config.graph.enrich == "auto",
    )


def open_note_reader(adapters: Adapters) -> NoteReader:
    """What reads documents by the language model. Raises as ``open_writer``."""
    from hearth.extract.model.notes import NoteReader

    reader = adapters.models.reader()
    return NoteReader(reader.llm, reader.clean, reader.suspicious)


def open_writer(adapters: Adapters) -> CitedWriter:
    """The language model as a writer of cited sentences. Raises ``Unavailable`` or ``ConfigError``."""
    from hearth.extract.model.cited import CitedWriter

    reader = adapters.models.reader()
    return CitedWriter(reader.llm, reader.clean, reader.suspicious)
