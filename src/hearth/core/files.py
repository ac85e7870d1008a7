"""The little file I/O that all adapters share: private folders, atomic writes, locks that the kernel releases, which
paths may be touched, and a log of bounded size for what goes wrong where nobody is to be told."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from hearth.core import instants
from hearth.core.errors import HearthError, Unavailable, UsageError
from hearth.core.lazy import regex

_REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space or raise the quota",
    errno.EFBIG: "raise the file size limit (ulimit -f)",
    errno.EACCES: "check its permissions and those of the folders above",
    errno.EPERM: "check its permissions and those of the folders above",
    errno.EROFS: "mount the file system for writing",
    errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "end some programs",
    errno.ENAMETOOLONG: "use a shorter name",
}
# What Hearth keeps is nobody else's.
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_COMMON_FOLDER = 0o755
# How the names of unfinished files begin and end.
TEMPORARY = (".hearth-", ".tmp")
# After this the system has written a change of a folder by itself, with room to spare (Linux: 35 s).
_SETTLED_SECONDS = 60.0
_POLL_SECONDS = 0.02


class LockHeld(Unavailable):
    """Another process has the lock."""


def unavailable(what: str, error: OSError) -> Unavailable:
    """One line for a person: what could not be done (``can't write PATH``), why, and what helps."""
    remedy = _REMEDIES.get(error.errno or 0, "check the disk and its permissions")
    return Unavailable(f"{what}: {error.strerror or error}; {remedy} and try again")


def write_atomically(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Replaces ``path`` so that a reader or a crash sees the old bytes or the new ones; keeps an existing mode.

    Raises ``Unavailable``; nothing is changed then, and nothing left lying about that the disk lets go of."""
    try:
        make_folder(path.parent, PRIVATE_FOLDER if mode == PRIVATE_FILE else _COMMON_FOLDER)
        with_mode = path.stat().st_mode & 0o7777 if path.exists() else mode
        with beside(path.parent, data, with_mode) as temporary:
            temporary.replace(path)
            sync_folder(path.parent)
    except OSError as error:
        raise unavailable(f"can't write {path}", error) from error


@contextmanager
def beside(folder: Path, data: bytes, mode: int) -> Iterator[Path]:
    """A hidden file in ``folder`` that holds ``data`` on the disk; gone in the end unless it was renamed.

    It is locked as long as it is ours: what a killed process left is known by nobody holding it. Raises ``OSError``.
    """
    handle, temporary = _begin(folder)
    try:
        with os.fdopen(handle, "wb", closefd=False) as file:
            file.write(data)
        os.fchmod(handle, mode)
        os.fsync(handle)
        yield temporary
    finally:
        # What went wrong before says more than a disk that refuses to tidy up, too.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        with suppress(OSError):
            os.close(handle)


def _begin(folder: Path) -> tuple[int, Path]:
    """A new file that is there and locked: whoever sweeps may have taken it away between the two."""
    import tempfile

    while True:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY[0], suffix=TEMPORARY[1], dir=folder)
        try:
            with suppress(OSError):  # a file system without locks: its age protects it
                fcntl.flock(handle, fcntl.LOCK_EX)
            os.fchmod(handle, PRIVATE_FILE)
            if os.fstat(handle).st_nlink:
                return handle, Path(name)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink(missing_ok=True)
            os.close(handle)
            raise
        os.close(handle)


def make_folder(folder: Path, mode: int = PRIVATE_FOLDER) -> None:
    """Makes the folder and what is missing above it, whatever the umask; all of it is on the disk on return.

    Without that a power cut takes a new folder away, with whatever was synced inside. Raises ``OSError``.
    """
    if folder.is_dir():
        return
    made = True
    try:
        folder.mkdir(mode)
    except FileNotFoundError:
        if folder.parent.is_dir():  # there, and yet it takes no folder, as below /proc
            raise
        make_folder(folder.parent, mode)
        make_folder(folder, mode)
        return
    except FileExistsError:
        if not folder.is_dir():
            raise
        made = False  # by another process just now, which may not have synced it yet
    try:
        if made and folder.stat().st_mode & 0o777 != mode:
            folder.chmod(mode)
        sync_folder(folder.parent)
    except OSError:
        if made:  # so that the next attempt does not take it for safe
            with suppress(OSError):
                folder.rmdir()
        raise


def settle(folder: Path) -> None:
    """Syncs what leads to a folder that is so young that it may not be on the disk: the process that made it may have
    been killed before it could. Raises ``OSError``."""
    while abs(time.time() - folder.stat().st_ctime) < _SETTLED_SECONDS and folder.parent != folder:
        try:
            sync_folder(folder.parent)
        except PermissionError:  # not made by us
            return
        folder = folder.parent


def open_private(name: str, flags: int) -> int:
    """An ``opener`` for ``open``: a file that comes into being is its owner's alone."""
    return os.open(name, flags | os.O_CLOEXEC, PRIVATE_FILE)


def sync_folder(folder: Path) -> None:
    """Makes a rename or creation in ``folder`` durable, as far as its file system can."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path, *, shared: bool = False, wait: float | None = None) -> Iterator[None]:
    """Holds ``path`` as a lock file (``flock``); the kernel releases it when the process dies.

    ``wait`` bounds the waiting in seconds (``None``: for ever, 0: not at all). Raises ``LockHeld``, which names the
    holder, when time is up, and ``Unavailable`` where the file can't be created.
    """
    handle = _open_lock(path)
    try:
        _acquire(handle, path, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, wait)
        if not shared:
            _sign(handle)
        yield
    finally:
        os.close(handle)


def holder(path: Path) -> str | None:
    """The process that last took ``path`` exclusively, for messages only."""
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
    return text or None


def _open_lock(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        try:
            return os.open(path, flags, PRIVATE_FILE)
        except FileNotFoundError:
            make_folder(path.parent)
            return os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        raise unavailable(f"can't open lock {path}", error) from error


def _acquire(handle: int, path: Path, kind: int, wait: float | None) -> None:
    if wait is None:
        fcntl.flock(handle, kind)
        return
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LockHeld(f"{path.name} is in use by {holder(path) or 'another process'}; try again") from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _sign(handle: int) -> None:
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()}\n".encode("ascii"), 0)
    except OSError:  # a full disk must not cost the lock; the name is a courtesy
        return


MAX_BYTES = 512 * 1024
MAX_LINE = 500


class Log:
    """Lines in ``file``, of any number of processes; when it is full it becomes ``<file>.1``. Never raises: a log that
    can't be written must not cost what it is about. ``scrub`` takes the secrets out of a line."""

    def __init__(self, file: Path, scrub: Callable[[str], str]) -> None:
        self.file = file
        self._scrub = scrub

    def write(self, text: str) -> None:
        moment = instants.show(instants.of(datetime.now(UTC)))
        line = " ".join(self._scrub(text).split())[:MAX_LINE]
        with suppress(OSError):
            make_folder(self.file.parent)
            handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            try:
                if os.fstat(handle).st_size > MAX_BYTES:
                    self.file.replace(self.file.with_name(f"{self.file.name}.1"))
                os.write(handle, f"{moment} {os.getpid()} {line}\n".encode("utf-8", "replace"))
            finally:
                os.close(handle)

    def failure(self, doing: str, error: BaseException) -> None:
        """What was being done, the error, and where in the source it arose. Only what was raised on purpose, or by the
        system, is quoted: the text of any other error may hold what the user typed."""
        place, frame = "", error.__traceback__
        while frame is not None:
            place = f" at {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}"
            frame = frame.tb_next
        message = f": {error}" if isinstance(error, HearthError | OSError) else ""
        self.write(f"{doing}: {type(error).__name__}{message}{place}")

    def last(self, count: int) -> list[str]:
        """The newest lines, oldest first; empty where there is no log."""
        try:
            return self.file.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
        except OSError:
            return []


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
