"""Where the daemon of a set of folders is to be found, and what it and its callers must agree on.

The hook's stub imports this: standard library only, and the C modules behind it where the Python ones are slow to load.
"""

from __future__ import annotations

import os
import stat
import sys

from hearth.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# sockaddr_un holds 104 bytes on macOS and 108 on Linux, the final zero included.
MAX_SOCKET = 100
# Variables that differ from call to call without changing what the daemon is.
_PASSING = frozenset({"HEARTH_VAULT", "HEARTH_DISABLE", "HEARTH_DEBUG", "HEARTH_API_TOKEN"})
# Who starts a daemon is the caller's business, unless it wants none.
_STARTING = frozenset({"HEARTH_DAEMON_MODE=auto", "HEARTH_DAEMON_MODE=external"})
# The folders count by where they are, not by how that was said.
_FOLDERS = frozenset(paths.variable(name) for name in paths.NAMES)


class Address:
    """``folder`` is this user's alone; ``agreement`` is a hash of the variables that change settings."""

    __slots__ = ("agreement", "folder", "folders", "key", "uid")

    def __init__(self, folders: paths.Folders, environ: Mapping[str, str]) -> None:
        self.folders = folders
        self.uid = os.getuid()
        self.key = digest(str(self.uid), folders.config, folders.data, folders.cache)[:12]
        passing = _PASSING | _FOLDERS
        given = {f"{k}={v}" for k, v in environ.items() if k.startswith("HEARTH_") and k not in passing}
        self.agreement = digest(folders.state, paths.home(environ), *sorted(given - _STARTING))
        self.folder = _folder(folders.runtime, self.uid)

    def file(self, name: str) -> str:
        return f"{self.folder}/hearth-{self.key}.{name}"

    @property
    def socket(self) -> str:
        return self.file("sock")

    def private(self) -> bool:
        """Whether nobody else can have put something into the folder; makes it where it is ours to make."""
        if self.folder == _common(self.uid):
            try:
                os.mkdir(self.folder, 0o700)  # noqa: PTH102 (pathlib is slow to load)
            except FileExistsError:
                pass
            except OSError:
                return False
        return _own(self.folder, self.uid)


def address(environ: Mapping[str, str]) -> Address:
    """Raises ``ConfigError`` where a folder is named wrongly."""
    return Address(paths.folders(environ), environ)


def digest(*parts: str) -> str:
    """32 hexadecimal characters."""
    try:
        from _blake2 import blake2s
    except ImportError:
        from hashlib import blake2s
    data = "\0".join(parts).encode("utf-8", "surrogateescape")
    return str(blake2s(data, digest_size=16).hexdigest())


def _common(uid: int) -> str:
    return f"/tmp/hearth-{uid}"


def _folder(wanted: str, uid: int) -> str:
    """The run-time folder; another where that is not ours (left over from ``su``) or its name too long for a socket."""
    if len(os.fsencode(wanted)) + len("/hearth-0123456789ab.sock") <= MAX_SOCKET and _own(wanted, uid):
        return wanted
    return _common(uid)


def _own(folder: str, uid: int) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == uid and not status.st_mode & 0o022


def peer(credentials: bytes) -> int:
    """The user id in what ``SO_PEERCRED`` (Linux) or ``LOCAL_PEERCRED`` (macOS) gives: the second word in both."""
    return int.from_bytes(credentials[4:8], sys.byteorder)
