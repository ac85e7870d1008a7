"""Events from the newest back, for who looks for one of the last."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hearth.journal.line import BadLine, decode
from hearth.journal.names import list_folder
from hearth.model.journal.event import Event


def newest(folder: Path, machine: str, *, own: bool) -> Iterator[Event]:
    """The machine's events, newest first; unless ``own``, those of each other machine follow. Bad lines are left out.

    Holds one file, of 16 MB at most, at a time. Raises ``OSError``."""
    files, _ = list_folder(folder)
    mine = [file for file in files if file.machine == machine]
    others = [] if own else [file for file in files if file.machine != machine]
    for file in (*reversed(mine), *reversed(others)):
        for line in reversed((folder / file.name).read_bytes().split(b"\n")):
            try:
                yield decode(line)
            except BadLine:
                continue
