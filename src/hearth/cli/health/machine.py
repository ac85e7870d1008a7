"""Doctor: the outcome of a check, and Python, SQLite, folders and disk of this machine."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw

from hearth.app import private_places, remnant_folders
from hearth.app.settings import Settings, os_machine_id
from hearth.cli.output import plural, size
from hearth.core.errors import HearthError
from hearth.core.files import TEMPORARY, sync_folder
from hearth.core.lazy import dataclass, regex
from hearth.disk import state_files
from hearth.journal import machine_id
from hearth.store.sqlite.connection import check_version

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """``fix`` is what a person does; ``remedy`` names what ``--fix`` can do about it."""

    check: str
    level: str
    message: str
    fix: str | None = None
    remedy: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        return {"check": self.check, "level": self.level, "message": self.message, "fix": self.fix}


Check = Callable[[], Iterable[Finding]]


def try_check(name: str, check: Check) -> Iterator[Finding]:
    """What the check finds; one that can't be carried out is a failure itself."""
    try:
        yield from check()
    except HearthError as error:
        yield Finding(name, FAIL, str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        yield Finding(name, FAIL, f"{place}{error.strerror or error}")


MIN_PYTHON = (3, 11)
# A rebuild needs the index twice; below this a small vault can't be rebuilt either.
FEW_BYTES = 100 * 2**20
SOME_BYTES = 2**30
_MOUNTS = Path("/proc/self/mountinfo")
# SQLite's write-ahead log needs shared memory and locks that these don't keep between machines (sqlite.org/wal.html).
# fmt: off
NETWORKED = frozenset({
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs",
    "fuse.rclone", "fuse.s3fs", "davfs", "fuse.davfs2", "lustre", "drvfs", "virtiofs", "vboxsf", "fuse.vmhgfs-fuse",
})
# fmt: on
_OCTAL = regex(r"\\([0-7]{3})")


def python() -> Iterator[Finding]:
    version = platform.python_version()
    good = sys.version_info[:2] >= MIN_PYTHON
    message = f"Python {version} on {platform.system()} {platform.release()}"
    yield Finding("python", OK if good else FAIL, message, None if good else "install Python 3.11 or later")


def sqlite() -> Iterator[Finding]:
    """Really builds a table and searches it."""
    version = check_version()
    memory = apsw.Connection(":memory:")
    try:
        memory.execute("CREATE VIRTUAL TABLE t USING fts5(x, content='', contentless_delete=1, detail=none)")
        memory.execute("INSERT INTO t (rowid, x) VALUES (7, 'hearth')")
        found = memory.execute("SELECT rowid FROM t WHERE t MATCH 'hearth'").get
    except apsw.Error as error:
        yield Finding("sqlite", FAIL, f"SQLite {version} has no working FTS5: {error}", "run: pip install -U apsw")
        return
    finally:
        memory.close()
    yield Finding("sqlite", OK if found == 7 else FAIL, f"SQLite {version} with FTS5")


def folders(chosen: Settings) -> Iterator[Finding]:
    named = (
        ("data folder", chosen.vault.data, "HEARTH_DATA_DIR"),
        ("cache folder", chosen.vault.cache, "HEARTH_CACHE_DIR"),
        ("state folder", Path(chosen.folders.state), "HEARTH_STATE_DIR"),
    )
    for what, folder, variable in named:
        yield writable(what, folder, variable)


def writable(what: str, folder: Path, variable: str) -> Finding:
    """Really writes and syncs a file."""
    fix = f"check permissions and free space, or set {variable} to a writable folder"
    if not folder.is_dir():
        return Finding(what, FAIL, f"{folder} does not exist", "run: hearth init", "folders")
    probe = folder / f"{TEMPORARY[0]}probe-{uuid.uuid4().hex}{TEMPORARY[1]}"
    try:
        with probe.open("xb") as file:
            file.write(b"probe")
            file.flush()
            os.fsync(file.fileno())
        sync_folder(folder)
        probe.unlink()
    except OSError as error:
        with suppress(OSError):  # a folder that can't be written can't be cleaned either
            probe.unlink(missing_ok=True)
        return Finding(what, FAIL, f"{folder} can't be written: {error.strerror}", fix)
    return Finding(what, OK, f"{folder} can be written and synced")


def permissions(chosen: Settings) -> Iterator[Finding]:
    """Closes what others could read, wherever it lies; opening a vault looks at the folders alone."""
    closed = private_places(chosen).close_all()
    if closed.done:
        count = f"{len(closed.done):,} files and folders"
        message = f"other users could read {count}, among them {closed.done[-1]}; only you can now"
        yield Finding("permissions", WARN, message)
    if closed.left:
        message = f"other users may read {len(closed.left):,} files and folders, among them {closed.left[-1]}"
        yield Finding("permissions", WARN, message, "run: chmod -R go= on it, or move it to another file system")
    if not closed.done and not closed.left:
        yield Finding("permissions", OK, "only you can read Hearth's files")


def leftovers(chosen: Settings) -> Iterator[Finding]:
    left = list(state_files.find_left(remnant_folders(chosen)))
    if left:
        message = f"{plural(len(left), 'file')} left half-written by a killed process, such as {left[0]}"
        yield Finding("remnants", WARN, message, "run: hearth doctor --fix", "remnants")
    else:
        yield Finding("remnants", OK, "no half-written files")


def file_systems(chosen: Settings) -> Iterator[Finding]:
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        yield Finding("file system", OK, "kind unknown on this system; keep the cache folder on a local disk")
        return
    for what, folder in (("cache", chosen.vault.cache), ("data", chosen.vault.data)):
        kind = kind_of(folder.resolve(), mounts.splitlines())
        if kind in NETWORKED:
            fix = (
                "set HEARTH_CACHE_DIR to a folder on a local disk"
                if what == "cache"
                else "keep the data folder on a local disk and sync it from there"
            )
            yield Finding("file system", WARN, f"the {what} folder {folder} is on a network file system ({kind})", fix)
        else:
            yield Finding("file system", OK, f"the {what} folder is on {kind or 'an unknown file system'}")


def kind_of(folder: Path, mounts: Iterable[str]) -> str | None:
    """The file system of a folder by lines of ``/proc/self/mountinfo`` (proc(5)): the deepest mount, the last wins."""
    best, kind = -1, None
    for text in mounts:
        left, separator, right = text.partition(" - ")
        fields = left.split(" ")
        if not separator or len(fields) < 5:
            continue
        mount = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), fields[4]))
        if folder.is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), right.split(" ")[0]
    return kind


def space(chosen: Settings) -> Iterator[Finding]:
    for what, folder in (("data", chosen.vault.data), ("cache", chosen.vault.cache)):
        present = next(place for place in (folder, *folder.parents) if place.exists())
        free = shutil.disk_usage(present).free
        level = FAIL if free < FEW_BYTES else WARN if free < SOME_BYTES else OK
        fix = None if level == OK else "free some space"
        yield Finding("disk space", level, f"{size(free)} free for the {what} folder", fix)


def identity(chosen: Settings) -> Iterator[Finding]:
    machine = machine_id(Path(chosen.folders.state), chosen.vault.data, os_machine_id())
    yield Finding("machine id", OK, f"this machine writes the journal as {machine}")
