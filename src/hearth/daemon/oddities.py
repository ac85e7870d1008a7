"""What a hook seldom does: cut texts that are too long, and log where it failed. Standard library only."""

from __future__ import annotations

import os
from time import gmtime, strftime

from hearth.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Above this a log may be full, and must make room first.
_NEARLY_FULL = 256 * 1024


def log_failure(state: str, text: str) -> None:
    """``text`` holds nothing of what the user said. Where a hundred hooks have no time, loading what else writes this
    log would take the rest of it."""
    if not _append(f"{state}/{paths.HOOKS_LOG}", f"{strftime('%Y-%m-%dT%H:%M:%SZ', gmtime())} {os.getpid()} {text}\n"):
        from pathlib import Path

        from hearth.core.files import Log

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


# Prompts and tools' inputs are cut to this; what names something (an id, a path) is never as long.
LONGEST = 32_768
_DEEPEST = 32


def shorten(raw: str) -> str:
    """The same JSON with its texts cut; as it was where it is no JSON."""
    import json

    try:
        return json.dumps(_cut(json.loads(raw), _DEEPEST), ensure_ascii=False)
    except (ValueError, RecursionError):
        return raw


def _cut(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value[:LONGEST]
    if isinstance(value, dict):
        return {key: _cut(item, depth - 1) for key, item in value.items()} if depth else {}
    if isinstance(value, list):
        return [_cut(item, depth - 1) for item in value] if depth else []
    return value
