"""Repositories with Beads on this machine: which a person trusts, how ``bd`` is run, and what changed.

``bd`` runs only in a connected repository, and only the program found when it was connected: a clone may bring hooks
and settings that run other programs. The list lies in the state folder, which is never synced.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hearth.capture.beads import Repository
from hearth.core.errors import NotFound, Unavailable, UsageError
from hearth.core.files import locked, write_atomically
from hearth.core.lazy import dataclass, library
from hearth.disk.project import project_of

subprocess = library("subprocess")  # checking for changes needs none

FOLDER = ".beads"
EXPORT = ("export", "--include-memories")
SECONDS = 30.0
MAX_BYTES = 256 * 1024 * 1024
QUIET_SECONDS = 60.0
_RETRIES = (0.2, 1.0, 3.0)
_MOST_FILES = 500
_SAID_CHARS = 200
_QUIET_ENVIRON = {
    "BD_JSON_ENVELOPE": "1",
    "BD_NON_INTERACTIVE": "1",
    "BD_DISABLE_METRICS": "1",
    "BD_DISABLE_EVENT_FLUSH": "1",
}
# Left behind by programs that only read.
_PASSING = (".lock", ".log", ".pid", ".sock", "-shm", "-wal", ".tmp")


@dataclass(frozen=True)
class DiskBeads:
    """Implements ``capture.beads.IssueSource`` for one vault. ``environ`` has the path and the home folder."""

    state: Path
    vault: str
    environ: Mapping[str, str]

    def repositories(self) -> list[Repository]:
        return [_repository(row) for row in self._rows()]

    def add(self, folder: str, check: Callable[[Repository, str | None], object]) -> tuple[Repository, str, str]:
        home = self.environ.get("HOME", "/")
        found = project_of(folder, home)
        root = _find_root(folder, home)
        if found is None or root is None:
            raise NotFound(f"there is no {FOLDER} in {folder} or above it; run bd init there first")
        command = _find_command(root, self.environ)
        name = _name(found.key, os.path.relpath(root, found.root))
        row = {"vault": self.vault, "root": root, "key": found.key, "command": command, "trust": _hash(root, command)}
        # Read before it is connected: what can't be read stays as it was.
        check(_repository(row | {"name": name}), None)
        text = _run(root, command, self.environ) if command else _read_files(root)
        stamp = _stamp(root)
        check(_repository(row | {"name": name}), text)
        with locked(self._lock):
            rows = _read(self._file)
            own = [one for one in rows if one["vault"] == self.vault]
            before = next((one["name"] for one in own if (one["key"], one["root"]) == (found.key, root)), None)
            if before is None and any(one["name"] == name and one["key"] != found.key for one in own):
                before = f"{name}-{_digest(found.key)}"
            row["name"] = before or name
            # Working trees of one project have the same issues: the one added last is read.
            rest = [one for one in rows if (one["vault"], one["name"]) != (self.vault, row["name"])]
            self._write([*rest, row])
        return _repository(row), text, stamp

    def remove(self, folder: str) -> Repository:
        inside = os.path.realpath(folder)
        with locked(self._lock):
            rows = _read(self._file)
            own = [row for row in rows if row["vault"] == self.vault]
            holding = [row for row in own if inside == row["root"] or inside.startswith(f"{row['root']}/")]
            if not holding:
                raise NotFound(f"{folder} is in no connected repository; hearth beads list shows them")
            innermost = max(holding, key=lambda row: len(row["root"]))
            self._write([one for one in rows if one is not innermost])
        return _repository(innermost)

    def export(self, repository: Repository) -> tuple[str, str]:
        text = self._export(repository)
        return text, _stamp(repository.root)

    def _export(self, repository: Repository) -> str:
        row = self._row(repository)
        command = row["command"]
        if row["trust"] != _hash(repository.root, command) or os.path.realpath(repository.root) != repository.root:
            raise UsageError(
                f"{repository.root} is no longer what you trusted; run: hearth beads add {repository.root}"
            )
        if command:
            if _find_command(repository.root, self.environ) != command:
                raise UsageError(f"another bd is found now; to trust it: hearth beads add {repository.root}")
            return _run(repository.root, command, self.environ)
        return _read_files(repository.root)

    def changed(self) -> list[Repository]:
        now = time.time()
        rows = (row for row in self._rows() if row.get("not_before", 0) <= now)
        return [_repository(row) for row in rows if row.get("stamp") != _stamp(row["root"])]

    def deleted(self, repository: Repository) -> set[str]:
        return {one for one in self._row(repository).get("deleted", ()) if isinstance(one, str)}

    def postpone(self, repository: Repository) -> None:
        self._update(repository, {"not_before": time.time() + QUIET_SECONDS})

    def settle(self, repository: Repository, stamp: str, deleted: Collection[str], *, changed: bool) -> None:
        later = 0 if changed else time.time() + QUIET_SECONDS
        self._update(repository, {"deleted": sorted(deleted), "stamp": stamp, "not_before": later})

    # -- details ---------------------------------------------------------------------------------------------------

    @property
    def _file(self) -> Path:
        return self.state / "beads.json"

    @property
    def _lock(self) -> Path:
        return self.state / "beads.lock"

    def _rows(self) -> list[dict[str, Any]]:
        return [row for row in _read(self._file) if row.get("vault") == self.vault]

    def _row(self, repository: Repository) -> dict[str, Any]:
        for row in self._rows():
            if row["root"] == repository.root:
                return row
        raise NotFound(f"{repository.root} is not connected; hearth beads add {repository.root}")

    def _update(self, repository: Repository, fields: Mapping[str, Any]) -> None:
        with locked(self._lock):
            rows = _read(self._file)
            for row in rows:
                if (row["vault"], row["root"]) == (self.vault, repository.root):
                    row |= fields
            self._write(rows)

    def _write(self, rows: Sequence[dict[str, Any]]) -> None:
        write_atomically(self._file, json.dumps(list(rows)).encode("utf-8"))


def _find_command(root: str, environ: Mapping[str, str]) -> list[str]:
    """The program and its arguments, or nothing. A program inside the repository is never taken."""
    folders = [*environ.get("PATH", "").split(os.pathsep), f"{environ.get('HOME', '')}/go/bin"]
    for folder in folders:
        place = Path(folder, "bd")
        if folder.startswith("/") and place.is_file() and os.access(place, os.X_OK):
            real = os.path.realpath(place)
            if not real.startswith(f"{root}/"):
                return [real, *EXPORT]
    return []


def _run(root: str, command: Sequence[str], environ: Mapping[str, str]) -> str:
    """Its output. Retries while another process locks the database. Raises ``Unavailable``."""
    until = time.monotonic() + SECONDS
    for pause in (*_RETRIES, None):
        code, out, message = _execute(root, command, environ, until - time.monotonic())
        if code == 0:
            return out.decode("utf-8", "replace")
        if pause is None or "lock" not in message.lower() or time.monotonic() + pause >= until:
            break
        time.sleep(pause)
    raise Unavailable(f"bd failed in {root} with exit code {code}: {message or 'it says nothing'}; nothing was changed")


def _execute(root: str, command: Sequence[str], environ: Mapping[str, str], seconds: float) -> tuple[int, bytes, str]:
    """Exit code, output and the end of the errors. Raises ``Unavailable`` if it can't start, hangs, or prints too
    much."""
    kept = {name: value for name, value in environ.items() if not name.startswith("HEARTH_")}
    try:
        process = subprocess.Popen(
            list(command),
            cwd=root,
            env=kept | _QUIET_ENVIRON,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise Unavailable(f"{command[0]} can't be started: {error.strerror}") from error
    try:
        out, said = process.communicate(timeout=max(0.1, seconds))
    except subprocess.TimeoutExpired:
        _kill(process)
        raise Unavailable(
            f"bd did not answer in {SECONDS:g} s in {root} and was stopped; nothing was changed"
        ) from None
    except BaseException:
        _kill(process)
        raise
    if len(out) > MAX_BYTES:
        raise Unavailable(f"bd printed over {MAX_BYTES // 1024**2} MiB in {root}; nothing was changed")
    return process.returncode, out, " ".join(said.decode("utf-8", "replace").split())[-_SAID_CHARS:]


def _kill(process: Any) -> None:
    """Kills the whole process group, which nothing it started may outlive."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _read_files(root: str) -> str:
    """The exported files, for want of ``bd``. Raises ``Unavailable``."""
    folder = Path(root, FOLDER)
    found = [file for file in sorted(folder.glob("*.jsonl")) if file.is_file() and not file.is_symlink()]
    if not found or folder.is_symlink():
        raise Unavailable(
            f"bd is not installed and {root}/{FOLDER} has no *.jsonl; install bd, or set export.auto there"
        )
    try:
        if sum(file.stat().st_size for file in found) > MAX_BYTES:
            raise Unavailable(f"the files of {root}/{FOLDER} have over {MAX_BYTES // 1024**2} MiB; nothing was changed")
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in found)
    except OSError as error:
        raise Unavailable(f"can't read {root}/{FOLDER}: {error.strerror}; check its permissions") from error


def _find_root(folder: str, home: str) -> str | None:
    """The nearest folder with Beads at or above this one, never the home folder or above."""
    place = Path(os.path.realpath(folder))
    for above in (place, *place.parents):
        if str(above) in (os.path.realpath(home), "/"):
            return None
        if (above / FOLDER).is_dir():
            return str(above)
    return None


def _name(key: str, below: str) -> str:
    """The last two parts of an origin, or a folder's name and a digest; then the path below the project's folder."""
    parts = [part for part in key.removesuffix("/.git").split("/") if part]
    if key.startswith("/"):
        parts = [parts[-1] if parts else "", _digest(key)]
    parts = [*parts[-2:], *([] if below.startswith(".") else below.split("/"))]
    plain = "-".join("".join(char if char.isalnum() or char in "._" else "-" for char in part) for part in parts)
    return plain.strip("-.").lower()[:80] or "repository"


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:6]


def _hash(root: str, command: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps([root, *command]).encode("utf-8")).hexdigest()


def _repository(row: Mapping[str, Any]) -> Repository:
    return Repository(
        row["root"], row["key"], row["name"], row["command"][0] if row["command"] else f"{FOLDER}/*.jsonl"
    )


def _read(file: Path) -> list[dict[str, Any]]:
    """A damaged file counts as empty, so nothing is trusted."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    names = ("vault", "root", "key", "name", "trust")
    return [
        row
        for row in (found if isinstance(found, list) else ())
        if isinstance(row, dict)
        and all(isinstance(row.get(name), str) for name in names)
        and isinstance(row.get("command"), list)
    ]


def _stamp(root: str) -> str:
    """Changes whenever a file of Beads does."""
    rows = sorted(_list_files(Path(root, FOLDER)))
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()


def _list_files(folder: Path) -> Iterator[tuple[str, int, int]]:
    count = 0
    for place, inner, names in os.walk(folder):
        inner.sort()
        for name in sorted(names):
            if name.endswith(_PASSING):
                continue
            with suppress(OSError):
                status = os.lstat(os.path.join(place, name))  # noqa: PTH118
                yield os.path.join(place, name), status.st_size, status.st_mtime_ns  # noqa: PTH118
            count += 1
            if count >= _MOST_FILES:
                return
