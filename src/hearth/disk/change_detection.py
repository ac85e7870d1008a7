"""A glance at folders that were walked: whether another walk would find what the last one found.

A folder's own times tell of names that came or went, so nothing is listed and no rule is applied again; each file is
asked for its state. That takes a quarter of the time of a walk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from hearth.core.document import FileState
from hearth.core.lazy import dataclass
from hearth.ports import Walk

# Every file is asked for its state before every question: ``os.stat`` takes a quarter of what ``pathlib`` does.
# Within this of a change, another may have the same time on some file systems.
_TICK_NS = 2_000_000_000

Signature = tuple[int, int, int] | None


def signature(path: str) -> Signature:
    """Times and inode of what decides which files there are; ``None`` where there is nothing. The time of the inode,
    too, since the other can be set back."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def folders_above(folder: str) -> Iterator[str]:
    """The nearest first; ``folder`` is absolute."""
    while folder != "/":
        folder = folder.rpartition("/")[0] or "/"
        yield folder


def find_above(folder: str, name: str) -> str | None:
    """The nearest of a folder and those above it that holds something of this name."""
    places = (folder, *folders_above(folder))
    return next((place for place in places if signature(f"{place.rstrip('/')}/{name}") is not None), None)


def _state(path: bytes) -> Signature:
    """As ``FileState`` has it."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Glance:
    """What a walk saw. ``places`` are folders and files with rules, also some that are not there."""

    walk: Walk
    places: tuple[tuple[str, Signature], ...]
    files: tuple[tuple[bytes, Signature], ...]

    def holds(self) -> bool:
        return all(signature(place) == seen for place, seen in self.places) and all(
            _state(path) == seen for path, seen in self.files
        )


def noted(
    walk: Walk, root: str, places: Iterable[tuple[str, Signature]], states: Iterable[FileState], now_ns: int
) -> Glance | None:
    """What to compare with later: ``states`` of files, and ``places`` that decide which there are. ``None`` where that
    could miss a change, since something changed just now."""
    seen = tuple(places)
    folder = os.fsencode(f"{root}/")
    files = tuple((folder + file.disk_path, (file.mtime_ns, file.size, file.ctime_ns)) for file in states)
    times = [found[0] for _, found in files if found is not None]
    times += [at for _, found in seen if found is not None for at in found[:2]]
    if any(abs(now_ns - at) < _TICK_NS for at in times):
        return None
    return Glance(walk, seen, files)
