"""Names that sync programs give to the losing side of a conflict; only those that can mean nothing else."""

from __future__ import annotations

import re

_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        # Syncthing
        r"(?P<name>.+)\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}(?P<suffix>\.[^.]+)?",
        # Dropbox, Nextcloud: with or without a host, a date and a time or number
        r"(?P<name>.+) \((?:[^()]*'s )?conflicted copy(?: \d{4}-\d{2}-\d{2})?(?: \d{1,6})?\)(?P<suffix>\.[^.]+)?",
        # ownCloud
        r"(?P<name>.+)_conflict-\d{8}-\d{6}(?P<suffix>\.[^.]+)?",
    )
)


def original_of(path: str) -> str | None:
    """The path of the file that a conflict copy is a copy of; ``None`` for any other path."""
    folder, slash, name = path.rpartition("/")
    for shape in _SHAPES:
        found = shape.fullmatch(name)
        if found is not None:
            return f"{folder}{slash}{found['name']}{found['suffix'] or ''}"
    return None
