"""The language model of the settings, and what reads and writes by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hearth.app.settings import Settings, scrub
from hearth.core import instants
from hearth.core.errors import Unavailable
from hearth.guard.attacks import suspicion
from hearth.guard.fence import clean
from hearth.ports import Clock

if TYPE_CHECKING:
    from hearth.llm.compaction import SessionSummarizer
    from hearth.llm.documents import NoteReader
    from hearth.llm.pages import CitedWriter, NightDiary, NightEditor
    from hearth.llm.reader import ModelReader
    from hearth.models.structured import StructuredLlm, UsageLedger
    from hearth.ports import Llm

USAGE = "llm-usage.json"
"""In the folder of this machine's state, for all vaults."""


def open_llm(chosen: Settings, clock: Clock) -> StructuredLlm:
    """Raises ``Unavailable`` where none is configured or its key or program is missing, ``ConfigError``."""
    given = chosen.loaded.config.llm
    if given.provider == "none":
        raise Unavailable("no language model is configured; see llm.provider in the settings")
    key = chosen.key(given.api_key_env)
    if given.api_key_env and key is None:
        raise Unavailable(f"{given.api_key_env} is not set; set it to the API key of the language model")
    from hearth.models.llm import open_llm as opened

    return opened(given, key, usage(chosen, clock), chosen.environ)


def usage(chosen: Settings, clock: Clock) -> UsageLedger:
    """What this machine asked of language models, and its budget."""
    from hearth.models.structured import UsageLedger

    zone = instants.zone_of(chosen.loaded.zone)

    def today() -> str:
        return instants.moment(clock(), zone).date().isoformat()

    return UsageLedger(Path(chosen.folders.state) / USAGE, chosen.loaded.config.llm.tokens_per_day, today)


def try_out(chosen: Settings, clock: Clock) -> tuple[str, int]:
    """Who answers a question for one word, and the tokens used today. Raises ``Unavailable`` or ``BadReply``."""
    from pydantic import create_model

    opened = open_llm(chosen, clock)
    try:
        opened.complete("Answer with the word ready, as JSON.", create_model("Ready", word=(str, ...)))
    finally:
        opened.close()
    return opened.name, opened.usage.used().tokens


def open_reader(chosen: Settings, clock: Clock) -> ModelReader:
    """What reads sessions by the model. Raises as ``open_llm``."""
    opened = open_llm(chosen, clock)
    from hearth.llm.reader import ModelReader

    return ModelReader(opened, lambda text: clean(scrub(text)), lambda text: bool(suspicion(text).labels))


Reading = TypeVar("Reading")


def open_note_reader(reader: ModelReader) -> NoteReader:
    """Reads what documents are about."""
    from hearth.llm.documents import NoteReader

    return _open(reader, NoteReader)


def open_writer(reader: ModelReader) -> CitedWriter:
    """Writes cited sentences."""
    from hearth.llm.pages import CitedWriter

    return _open(reader, CitedWriter)


def open_editor(reader: ModelReader) -> NightEditor:
    """Shortens statements and names groups of them."""
    from hearth.llm.pages import NightEditor

    return _open(reader, NightEditor)


def open_diarist(reader: ModelReader) -> NightDiary:
    """Tells a night."""
    from hearth.llm.pages import NightDiary

    return _open(reader, NightDiary)


def open_summarizer(reader: ModelReader) -> SessionSummarizer:
    """Summarizes sessions that are compacted."""
    from hearth.llm.compaction import SessionSummarizer

    return _open(reader, SessionSummarizer)


def _open(reader: ModelReader, kind: Callable[[Llm, Callable[[str], str], Callable[[str], bool]], Reading]) -> Reading:
    """With what all of them need to trust no text."""
    return kind(reader.llm, reader.clean, reader.suspicious)
