"""What a hook says of itself where it failed its host: a line in the log. Loaded only then: standard library only."""

from __future__ import annotations

import os
from time import gmtime, strftime

from hearth.core import paths

# Above this a log may be full, and must make room first.
_NEARLY_FULL = 256 * 1024


def write(state: str, text: str) -> None:
    """``text`` holds nothing of what the user said. Where a hundred hooks have no time, loading what else writes this
    log would take the rest of it."""
    if not _append(f"{state}/{paths.HOOKS_LOG}", f"{strftime('%Y-%m-%dT%H:%M:%SZ', gmtime())} {os.getpid()} {text}\n"):
        from pathlib import Path

        from hearth.core.log import Log

        Log(Path(state, paths.HOOKS_LOG), lambda line: line).write(text)


def _append(file: str, line: str) -> bool:
    """Whether its folder was there, and had room."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        return os.fstat(handle).st_size <= _NEARLY_FULL and os.write(handle, line.encode("utf-8", "replace")) > 0
    except OSError:
        return False
    finally:
        os.close(handle)
