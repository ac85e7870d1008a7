"""Days: one file a day and machine, to which notes are added under the time."""

from __future__ import annotations

import re
from datetime import datetime

from hearth.engine.analysis import NotText, decode_text
from hearth.engine.writing.names import DAILY, day_path, plain_days
from hearth.errors import Conflict, UsageError
from hearth.markdown import frontmatter, render
from hearth.model.memory import MAX_FILE_BYTES
from hearth.ports import MemoryFiles

_TIME = re.compile(r"^## (\d{2}:\d{2})[ \t]*$", re.MULTILINE)


def path_today(memories: MemoryFiles, moment: datetime, machine: str) -> str:
    """This machine's file of the day: the plain name, unless another machine writes the plain names."""
    day = f"{moment:%Y-%m-%d}"
    plain = day_path(day)
    present = memories.read(plain)
    if present is not None:
        return plain if machine_of(present) == machine else day_path(day, machine)
    for name in plain_days(memories.names(DAILY))[:1]:
        latest = memories.read(f"{DAILY}/{name}")
        if latest is not None and machine_of(latest) not in (None, machine):
            return day_path(day, machine)
    return plain


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
