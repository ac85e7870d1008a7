"""The room of pages that sum up what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters
from hearth.engine.knowledge.knowledge import Knowledge, KnowledgeChoices
from hearth.engine.writing.memories import Memories

if TYPE_CHECKING:
    from hearth.extract.model.cited import CitedWriter


def build(adapters: Adapters, memories: Memories, prepare: Callable[[], None]) -> Knowledge:
    config = adapters.chosen.loaded.config
    choices = KnowledgeChoices(**config.knowledge)
    model = None if config.llm.provider == "none" else lambda: open_writer(adapters)
    return Knowledge(adapters.history(), memories, adapters.clock, prepare, choices, model)


def open_writer(adapters: Adapters) -> CitedWriter:
    """The language model as a writer of cited sentences. Raises ``Unavailable`` or ``ConfigError``."""
    from hearth.extract.model.cited import CitedWriter

    reader = adapters.models.reader()
    return CitedWriter(reader.llm, reader.clean, reader.suspicious)
