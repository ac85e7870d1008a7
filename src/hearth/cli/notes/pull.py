"""Update commands of collections: run as given, without a shell, and only where this machine's user trusted them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hearth.core.errors import Unavailable
from hearth.core.files import locked, write_atomically
from hearth.core.paths import Folders

TIMEOUT_SECONDS = 120.0
_SHOWN_CHARS = 200


class Trust:
    """The trusted pairs of folder and command, as hashes in the state folder, which is never synced.

    A different real path or argument is a different hash, so any change takes the trust away.
    """

    def __init__(self, folders: Folders) -> None:
        self._file = Path(folders.state, "trusted-commands.json")
        self._lock = Path(folders.state, "trusted-commands.lock")

    def holds(self, folder: Path, command: Sequence[str]) -> bool:
        return _key(folder, command) in self._read_trusted()

    def grant(self, folder: Path, command: Sequence[str]) -> None:
        with locked(self._lock):
            self._write(self._read_trusted() | {_key(folder, command)})

    def revoke(self, folder: Path, command: Sequence[str]) -> None:
        with locked(self._lock):
            self._write(self._read_trusted() - {_key(folder, command)})

    def _read_trusted(self) -> set[str]:
        """A damaged file trusts nothing."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise Unavailable(f"can't read {self._file}: {error.strerror}; check its permissions") from error
        except ValueError:
            return set()
        return {item for item in found if isinstance(item, str)} if isinstance(found, list) else set()

    def _write(self, keys: set[str]) -> None:
        write_atomically(self._file, json.dumps(sorted(keys)).encode("ascii"))


def _key(folder: Path, command: Sequence[str]) -> str:
    text = json.dumps([str(folder.resolve()), *command])
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def execute(folder: Path, command: Sequence[str], timeout: float = TIMEOUT_SECONDS) -> str | None:
    """Runs in ``folder`` in a session of its own, without input; says what went wrong, or ``None``."""
    try:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"{command[0]} can't be started: {error.strerror}"
    try:
        said, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        return f"{command[0]} was stopped after {timeout:g} s"
    except BaseException:
        _end(process)
        raise
    if process.returncode == 0:
        return None
    last = " ".join(said.decode("utf-8", "replace").split())[-_SHOWN_CHARS:]
    return f"{command[0]} failed with exit code {process.returncode}" + (f" ({last})" if last else "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole group: what the command started must not go on without it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
