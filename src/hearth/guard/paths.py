"""Which paths may be touched.

Pure but for :func:`os.path.realpath`, which asks the file system where symbolic links lead.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hearth.core.errors import UsageError
from hearth.core.lazy import regex

PRIVATE = "_private"
_DRIVE = regex(r"[A-Za-z]:")


def inside(root: str | Path, relative: str) -> Path:
    """The real path of ``relative`` under ``root``, symbolic links followed; it need not exist.

    Percent signs are ordinary characters: whoever decodes a URL does so before. Raises ``UsageError`` if the path is
    empty, absolute, holds ``..``, NUL or a backslash, names a Windows drive, or leads out of the root.
    """
    _refuse_shapes(relative)
    base = os.path.realpath(root)
    try:
        real = os.path.realpath(Path(base, relative))
    except (OSError, ValueError) as error:
        raise UsageError(f"path {relative[:200]!r} can't be resolved: {error}; name another file") from error
    if real != base and not real.startswith(base.rstrip("/") + "/"):
        raise UsageError(f"path {relative[:200]!r} is outside {base}; name a file inside it")
    return Path(real)


def _refuse_shapes(relative: str) -> None:
    if not relative or "\0" in relative:
        raise UsageError(f"path {relative[:200]!r} is empty or contains a NUL; name a file inside the collection")
    if relative.startswith("/") or "\\" in relative or _DRIVE.match(relative):
        raise UsageError(f"path {relative[:200]!r} is not relative; name a file inside the collection")
    if ".." in relative.split("/"):
        raise UsageError(f"path {relative[:200]!r} contains '..'; name a file inside the collection")


def is_private(parts: Iterable[str]) -> bool:
    """Whether any segment of the path is ``_PRIVATE``, in any case."""
    return any(part.lower() == PRIVATE for part in parts)
