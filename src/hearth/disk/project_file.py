"""A project's ``.hearth.toml``: it can switch capture and surfacing off below its folder, and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearth.lazy import dataclass, library

tomllib = library("tomllib")  # few projects have such a file

NAME = ".hearth.toml"
KEYS = ("capture", "surface")
_MAX_BYTES = 64 * 1024
_MAX_LEVELS = 64


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """``problems`` say which keys are passed over and why. What can't be read switches both off: somebody wanted
    that."""

    path: Path
    capture: bool = True
    surface: bool = True
    problems: tuple[str, ...] = ()


def find_project_files(folder: str | None) -> Iterator[ProjectFile]:
    """Those of a folder (an absolute name) and the folders above it."""
    if folder is None or not folder.startswith("/"):
        return
    place = Path(os.path.normpath(folder))
    for above in (place, *place.parents)[:_MAX_LEVELS]:
        file = above / NAME
        try:
            data = _read_bytes(file)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield ProjectFile(file, False, False, (f"it can't be read ({error.strerror})",))
            continue
        yield _read(file, data)


def _read_bytes(file: Path) -> bytes:
    """Without waiting: somebody may have put a pipe there. Raises ``OSError``."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file")
        return os.read(handle, _MAX_BYTES + 1)
    finally:
        os.close(handle)


def _read(file: Path, data: bytes) -> ProjectFile:
    try:
        if len(data) > _MAX_BYTES:
            raise ValueError(f"it is larger than {_MAX_BYTES // 1024} KiB")
        given: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:100]
        return ProjectFile(file, False, False, (f"it is no TOML, so capture and surface are off: {why}",))
    problems = [f"{key!r} is not a key of this file and is passed over" for key in given if key not in KEYS]
    problems += [
        f"{key} takes true or false; it counts as false"
        for key in KEYS
        if key in given and not isinstance(given[key], bool)
    ]
    capture, surface = (given.get(key, True) is True for key in KEYS)
    return ProjectFile(file, capture, surface, tuple(problems))
