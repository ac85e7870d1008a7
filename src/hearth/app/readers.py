"""What reads and writes by the language model. Each raises ``Unavailable`` or ``ConfigError``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters

if TYPE_CHECKING:
    from hearth.extract.model.cited import CitedWriter
    from hearth.extract.model.editor import NightEditor
    from hearth.extract.model.night import NightDiary
    from hearth.extract.model.notes import NoteReader


def open_note_reader(adapters: Adapters) -> NoteReader:
    """Reads what documents are about."""
    from hearth.extract.model.notes import NoteReader

    reader = adapters.models.reader()
    return NoteReader(reader.llm, reader.clean, reader.suspicious)


def open_writer(adapters: Adapters) -> CitedWriter:
    """Writes cited sentences."""
    from hearth.extract.model.cited import CitedWriter

    reader = adapters.models.reader()
    return CitedWriter(reader.llm, reader.clean, reader.suspicious)


def open_editor(adapters: Adapters) -> NightEditor:
    """Shortens statements and names groups of them."""
    from hearth.extract.model.editor import NightEditor

    reader = adapters.models.reader()
    return NightEditor(reader.llm, reader.clean, reader.suspicious)


def open_diarist(adapters: Adapters) -> NightDiary:
    """Tells a night."""
    from hearth.extract.model.night import NightDiary

    reader = adapters.models.reader()
    return NightDiary(reader.llm, reader.clean, reader.suspicious)
