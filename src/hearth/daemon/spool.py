"""Events that must be recorded and got no answer: left as private files, until somebody takes them in. Part of the
hook's stub, loaded only for them: standard library only."""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import suppress
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hearth.daemon.address import Address

MOST = 256
MAX_BYTES = 16_384
"""Files that wait, of all vaults, and the size of each."""
REACHED = "HEARTH_REACHED"  # as hook.py reads it: the session may have gone on since

# What recording reads of an event: names and places. What was said stands in the transcript, and stays there.
_FIELDS = (
    "session_id", "conversation_id", "hook_event_name", "cwd", "transcript_path", "prompt_id", "turn_id",
    "generation_id", "agent_id", "agent_type", "reason", "trigger",
)  # fmt: skip
_VARIABLES = (
    "HEARTH_VAULT", "PWD", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PROJECT_DIR", "CODEX_HOME",
    "CURSOR_PROJECT_DIR", "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID",
)  # fmt: skip
_LONGEST = 4096
# A process that writes one is done long before.
_UNFINISHED_SECONDS = 3_600


def folder(at: Address) -> str:
    return f"{at.folders.state}/spool"


def waiting(at: Address) -> list[str]:
    """The files of these folders, the oldest first."""
    return [name for name in _names(folder(at)) if name.endswith(f".{at.key}")]


def keep(at: Address, name: str, host: str, raw: str, environ: Mapping[str, str]) -> str | None:
    """Leaves an event behind, on the disk when the system writes it; gives its file. Never raises: what can't be kept
    is logged."""
    try:
        event = _event(raw)
        if event is None:
            return None
        found = {"name": name, "host": host, "environ": _variables(event, environ), "input": event}
        data = json.dumps(found).encode("ascii")
        if len(data) > MAX_BYTES:
            raise OSError(f"{len(data):,} bytes are over the limit of {MAX_BYTES:,}")
        file = _write(folder(at), at, data)
        _trim(at)
    except OSError as error:
        _log(at, f"{host} {name[:40]}: the event was not answered and could not be queued: {error}")
        return None
    return file


def remove(file: str) -> None:
    """An event that was recorded after all. Never raises: taken in once more it changes nothing."""
    with suppress(OSError):
        os.unlink(file)  # noqa: PTH108


def _event(raw: str) -> dict[str, Any] | None:
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    spellings = {spelling for name in _FIELDS for spelling in (name, _camel(name))}
    found: dict[str, Any] = {
        k: v for k, v in given.items() if k in spellings and isinstance(v, str) and len(v) <= _LONGEST
    }
    for name in ("background_tasks", "backgroundTasks"):
        if name in given:
            found[name] = bool(given[name])
    for name in ("workspace_roots", "workspaceRoots"):
        roots = given.get(name)
        if isinstance(roots, list) and roots and isinstance(roots[0], str):
            found[name] = [roots[0][:_LONGEST]]
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _variables(event: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name in _VARIABLES if (value := environ.get(name, "")) and len(value) <= _LONGEST}
    transcript = event.get("transcript_path") or event.get("transcriptPath") or ""
    if REACHED in environ:
        kept[REACHED] = environ[REACHED]
    elif transcript.startswith("/") and "\0" not in transcript:
        with suppress(OSError, ValueError):
            kept[REACHED] = str(os.stat(transcript).st_size)  # noqa: PTH116 (pathlib is slow to load)
    return kept


def _write(place: str, at: Address, data: bytes) -> str:
    os.makedirs(at.folders.state, 0o700, exist_ok=True)  # noqa: PTH103
    try:
        os.mkdir(place, 0o700)  # noqa: PTH102
    except FileExistsError:
        _make_private(place, at.uid)
    name = f"{time.time_ns():020d}-{os.getpid()}.{at.key}"
    unfinished = f"{place}/.{name}"
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        os.unlink(unfinished)  # noqa: PTH108
        raise
    finally:
        os.close(handle)
    os.rename(unfinished, f"{place}/{name}")  # noqa: PTH104
    return f"{place}/{name}"


def _make_private(place: str, uid: int) -> None:
    status = os.lstat(place)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != uid:
        raise NotADirectoryError(f"{place} is not a folder of yours; remove it")
    if status.st_mode & 0o077:
        os.chmod(place, 0o700)  # noqa: PTH101


def _trim(at: Address) -> None:
    """The oldest give way, and what a killed process left unfinished."""
    place = folder(at)
    for name in _names(place)[:-MOST]:
        _remove(f"{place}/{name}")
        _log(at, f"over {MOST} queued events: the oldest is dropped")
    for name in os.listdir(place):  # noqa: PTH208
        if name.startswith((".0", ".1")):
            try:
                if time.time() - os.lstat(f"{place}/{name}").st_mtime > _UNFINISHED_SECONDS:
                    _remove(f"{place}/{name}")
            except OSError:
                continue


def _names(place: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(place) if not name.startswith("."))  # noqa: PTH208
    except OSError:
        return []


def _remove(file: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(file)  # noqa: PTH108


def _log(at: Address, text: str) -> None:
    from hearth.daemon import oddities

    oddities.log_failure(at.folders.state, text)
