"""Names and citations of passages: ``memory/…`` for what the engine wrote, else ``collection/…``, with ``#L3-L9``."""

from __future__ import annotations

from typing import Literal, get_args

from hearth.errors import UsageError
from hearth.lazy import regex
from hearth.model.identity import INTERNAL

Mode = Literal["auto", "on", "off"]
MEMORY = "memory"
"""What other systems call the folder of memories."""
_LINES = regex(r"#L(\d{1,9})(?:-L?(\d{1,9}))?$")


def mode(given: str) -> Mode:
    """Raises ``UsageError`` for another word."""
    for known in get_args(Mode):
        if given == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"citations {given!r} is none of {', '.join(get_args(Mode))}")


def cites(chosen: Mode, *, direct: bool) -> bool:
    """``auto`` cites where one person reads, and not in a group, where paths are nobody's business."""
    return chosen == "on" or (chosen == "auto" and direct)


def name(collection: str, path: str) -> str:
    """What ``memory_get`` takes."""
    return f"{MEMORY if collection == INTERNAL else collection}/{path}"


def citation(place: str, start: int, end: int) -> str:
    return f"{place}#L{start}-L{end}"


def without_lines(place: str) -> tuple[str, int | None, int | None]:
    """A citation taken apart: path, first line, number of lines."""
    found = _LINES.search(place)
    if found is None:
        return place, None, None
    first, last = int(found[1]), int(found[2] or found[1])
    return place[: found.start()], max(1, first), max(1, last - first + 1)
