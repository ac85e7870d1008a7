"""Events from the newest back, for who looks for one of the last."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from hearth.journal.line import BadLine, decode
from hearth.journal.names import list_folder
from hearth.lazy import regex
from hearth.model.journal.event import Event

_FEW = 4
_TEXT = regex(rb'"((?:[^"\\]|\\.)*)"')


def newest(folder: Path, machine: str, *, own: bool, naming: Sequence[str] = ()) -> Iterator[Event]:
    """The machine's events, newest first; unless ``own``, those of each other machine follow. Bad lines are left out,
    and with ``naming`` those in which none of these texts stands as a whole.

    Holds one file, of 16 MB at most, at a time. Raises ``OSError``."""
    files, _ = list_folder(folder)
    mine = [file for file in files if file.machine == machine]
    others = [] if own else [file for file in files if file.machine != machine]
    wanted = {json.dumps(name)[1:-1].encode() for name in naming}
    for file in (*reversed(mine), *reversed(others)):
        for line in reversed((folder / file.name).read_bytes().split(b"\n")):
            if wanted and not _holds(line, wanted):
                continue
            try:
                yield decode(line)
            except BadLine:
                continue


def _holds(line: bytes, wanted: Collection[bytes]) -> bool:
    """A few are looked for before the line is taken apart, which takes ten times as long."""
    if len(wanted) <= _FEW and not any(name in line for name in wanted):
        return False
    return any(text in wanted for text in _TEXT.findall(line))
