"""What reads and writes by the language model. Each raises ``Unavailable`` or ``ConfigError``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from hearth.app.adapters import Adapters

if TYPE_CHECKING:
    from hearth.extract.model.cited import CitedWriter
    from hearth.extract.model.editor import NightEditor
    from hearth.extract.model.night import NightDiary
    from hearth.extract.model.notes import NoteReader
    from hearth.ports import Llm

Reading = TypeVar("Reading")


def open_note_reader(adapters: Adapters) -> NoteReader:
    """Reads what documents are about."""
    from hearth.extract.model.notes import NoteReader

    return _open(adapters, NoteReader)


def open_writer(adapters: Adapters) -> CitedWriter:
    """Writes cited sentences."""
    from hearth.extract.model.cited import CitedWriter

    return _open(adapters, CitedWriter)


def open_editor(adapters: Adapters) -> NightEditor:
    """Shortens statements and names groups of them."""
    from hearth.extract.model.editor import NightEditor

    return _open(adapters, NightEditor)


def open_diarist(adapters: Adapters) -> NightDiary:
    """Tells a night."""
    from hearth.extract.model.night import NightDiary

    return _open(adapters, NightDiary)


def _open(adapters: Adapters, kind: Callable[[Llm, Callable[[str], str], Callable[[str], bool]], Reading]) -> Reading:
    """With what all of them need to trust no text."""
    reader = adapters.models.reader()
    return kind(reader.llm, reader.clean, reader.suspicious)
