"""Days: one file a day and machine, to which notes are added under the time."""

from __future__ import annotations

import re
from datetime import datetime

from hearth.core.document import content_hash
from hearth.core.errors import Conflict, Unavailable, UsageError
from hearth.core.lazy import regex
from hearth.core.memory import MAKER, MAX_FILE_BYTES
from hearth.markdown import render
from hearth.markdown.head import frontmatter
from hearth.memory.writing.names import DAILY, day_path, plain_days
from hearth.ports import MemoryFiles
from hearth.vault.indexing.analysis import decode_text
from hearth.vault.indexing.encodings import NotText

# How often a note starts again because somebody else wrote the file meanwhile.
_TRIES = 8
_TIME = regex(r"^## (\d{2}:\d{2})[ \t]*$", re.MULTILINE)
_MACHINE = regex(r"\b[0-9a-hjkmnp-tv-z]{10}\b")


def note(memories: MemoryFiles, text: str, moment: datetime, machine: str) -> str:
    """Adds a note to this machine's file of the day and gives its path. Raises ``Unavailable`` where others keep
    writing the file meanwhile, else as ``with_note``."""
    path = path_today(memories, moment, machine)
    for _ in range(_TRIES):
        present = memories.read(path)
        data = with_note(present, text, moment, machine)
        done = memories.create(path, data) if present is None else memories.replace(path, data, content_hash(present))
        if done:
            return path
    raise Unavailable(f"{memories.root}/{path} keeps changing; try again")


def path_today(memories: MemoryFiles, moment: datetime, machine: str) -> str:
    """This machine's file of the day: the plain name on the machine that made the vault."""
    day = f"{moment:%Y-%m-%d}"
    plain = day_path(day)
    present = memories.read(plain)
    if present is not None:
        return plain if machine_of(present) == machine else day_path(day, machine)
    return plain if maker(memories, machine) == machine else day_path(day, machine)


def maker(memories: MemoryFiles, machine: str) -> str:
    """The machine that made the vault, by a file that travels with it; where there is none yet, who wrote the latest
    plain name, else this one, and the file says so from now on.

    Where two vaults that were made apart are joined, whichever file the sync program keeps holds for both."""
    said = memories.read(MAKER)
    if said is None:
        first = _latest_writer(memories) or machine
        if memories.create(MAKER, f"{first}\n".encode("ascii")):
            return first
        said = memories.read(MAKER) or b""
    # Both sides of a conflict may stand in it, in any order.
    return min(_MACHINE.findall(said.decode("ascii", "replace")), default=machine)


def _latest_writer(memories: MemoryFiles) -> str | None:
    for name in plain_days(memories.names(DAILY))[:1]:
        latest = memories.read(f"{DAILY}/{name}")
        found = None if latest is None else machine_of(latest)
        return found if found is not None and _MACHINE.fullmatch(found) else None
    return None


def machine_of(data: bytes) -> str | None:
    """Who created a file; ``None`` where a person did."""
    try:
        value = frontmatter.split(decode_text(data)).fields.get("machine")
    except NotText:
        return None
    return value if isinstance(value, str) else None


def begun(moment: datetime, machine: str) -> str:
    fields = {"content_type": "daily", "trust": "agent", "machine": machine}
    return render.document(fields, f"# {moment:%Y-%m-%d}")


def appended(source: str, text: str, moment: datetime) -> str:
    """The file with a note at its end, under the present time; notes of one minute share a heading."""
    time = f"{moment:%H:%M}"
    headings = _TIME.findall(source)
    head = "" if headings and headings[-1] == time else f"## {time}\n\n"
    return f"{source.rstrip()}\n\n{head}{text}\n"


def with_note(present: bytes | None, text: str, moment: datetime, machine: str) -> bytes:
    """Raises ``UsageError`` where the file would become too large to be read."""
    try:
        source = begun(moment, machine) if present is None else decode_text(present)
    except NotText as error:
        raise Conflict(f"the daily file is {error}; move it away and try again") from error
    data = appended(source.replace("\r\n", "\n"), text, moment).encode("utf-8")
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(f"today's file would grow over {MAX_FILE_BYTES // 2**20} MB; move some of it elsewhere")
    return data
