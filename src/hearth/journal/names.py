"""Which files of a journal folder are journals.

A machine writes ``<machine>.jsonl`` first, then ``<machine>.0001.jsonl`` and so on; only the one with the highest
number ever grows, the others never change again.
"""

from __future__ import annotations

import os
from pathlib import Path

from hearth.lazy import dataclass, regex

MAX_NUMBER = 9999
_NAME = regex(r"([0-9a-hjkmnp-tv-z]{10})(?:\.([0-9]{4}))?\.jsonl")


@dataclass(frozen=True, slots=True, order=True)
class JournalFile:
    machine: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.machine}.{self.number:04d}.jsonl" if self.number else f"{self.machine}.jsonl"


def list_folder(folder: Path) -> tuple[list[JournalFile], list[str]]:
    """Journal files in order, and other names, such as the conflict copies of a sync program.

    Hidden names are left out: sync programs keep unfinished transfers there. A missing folder is an empty one; any
    other failure raises ``OSError``.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208 (names alone; Path objects cost more than the listing)
    except FileNotFoundError:
        return [], []
    files, strangers = [], []
    for name in names:
        if file := parse(name):
            files.append(file)
        elif not name.startswith("."):
            strangers.append(name)
    return sorted(files), sorted(strangers)


def parse(name: str) -> JournalFile | None:
    found = _NAME.fullmatch(name)
    if found is None or found[2] == "0000":
        return None
    return JournalFile(found[1], int(found[2] or 0))
