"""Small files of this machine's state: keys, answers, what a killed process left half written. Who else on this machine
may read what Hearth keeps: nobody; what is open to others is found and closed.

Only the permission bits of group and others are taken away; those of the owner stay as they are. Links are not
followed, and what belongs to somebody else is left alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hearth.core.document import INBOX
from hearth.core.errors import Unavailable
from hearth.core.files import (
    PRIVATE_FILE,
    TEMPORARY,
    inside,
    locked,
    make_folder,
    settle,
    sync_folder,
    unavailable,
    write_atomically,
)
from hearth.core.lazy import dataclass


class DiskInbox:
    """Below ``root``, the folder of memories. Raises ``Unavailable`` where the disk does not let it."""

    def __init__(self, root: Path) -> None:
        self._folder = inside(str(root), INBOX)

    def append(self, name: str, fresh: str, data: bytes) -> tuple[str, int]:
        """Adds complete lines to the file whose name begins with ``name``, else to a new one that ends in ``fresh``;
        gives its place and its bytes, which are on the disk. What a crash left of a line ends before."""
        place = next(iter(sorted(self._folder.glob(f"{name}*.jsonl"))), self._folder / f"{name}{fresh}.jsonl")
        try:
            make_folder(self._folder)
            settle(self._folder)
            handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
            with os.fdopen(handle, "rb+", buffering=0) as file:
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                file.write(b"\n" + data if torn else data)
                os.fsync(handle)
                size = os.fstat(handle).st_size
            sync_folder(self._folder)
        except OSError as error:
            raise unavailable(f"can't write {place}", error) from error
        return str(place), size

    def places(self) -> list[str]:
        return sorted(map(str, self._folder.glob("*.jsonl")))

    def remove(self, place: str, size: int) -> bool:
        """Removes a file that has grown no further than ``size``."""
        path = Path(place)
        with suppress(FileNotFoundError):
            try:
                if path.stat().st_size > size:
                    return False
                path.unlink()
                sync_folder(self._folder)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise unavailable(f"can't remove {path}", error) from error
        return True


class DiskAnswers:
    """Implements ``ports.Answers`` in a file of the ``state`` folder for each vault."""

    def __init__(self, state: Path, vault: str) -> None:
        self._file = state / f"answer-{vault}.json"

    def get(self, key: str) -> str | None:
        try:
            found = json.loads(self._file.read_bytes())
            answer = found["answer"] if found["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return answer if isinstance(answer, str) else None

    def put(self, key: str, answer: str) -> None:
        with suppress(OSError):
            make_folder(self._file.parent)
            write_atomically(self._file, json.dumps({"key": key, "answer": answer}).encode("utf-8", "replace"))

    def drop(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)


class DiskCuration:
    """A file of the cache for its owner alone. One that can't be written is left out: the report was shown."""

    def __init__(self, cache: Path) -> None:
        self._file = cache / "curation.json"

    def read(self) -> bytes | None:
        try:
            return self._file.read_bytes()
        except OSError:
            return None

    def write(self, data: bytes) -> None:
        with suppress(Unavailable):
            write_atomically(self._file, data)


TOKEN = "serve.token"
_LENGTH = 32
_TOKEN_CHARS = 43
_DIGEST_CHARS = 32


def local_key(state_folder: Path) -> bytes:
    """32 random bytes, drawn once and kept in ``state_folder``, readable by nobody else.

    A damaged file makes a new key: hashes made before then match nothing any more, which costs no more than a repeated
    prompt that isn't known again. Raises ``Unavailable`` where the folder can't be read or written.
    """
    path = state_folder / "prompt.key"
    known = _read(path)
    if known is None:
        with locked(state_folder / "prompt.key.lock"):
            known = _read(path)
            if known is None:
                known = os.urandom(_LENGTH)
                write_atomically(path, known.hex().encode("ascii") + b"\n")
    return known


def serve_token(state_folder: Path) -> str:
    """What clients of ``hearth serve`` send, drawn once and kept in ``state_folder``, readable by nobody else.

    One that others could read, or that is damaged, is replaced. Raises ``Unavailable`` where the folder can't be read
    or written.
    """
    path = state_folder / TOKEN
    with locked(state_folder / f"{TOKEN}.lock"):
        known = _read_token(path)
        if known is None:
            known = secrets.token_urlsafe(_LENGTH)
            # It keeps the mode of the file that it replaces.
            path.unlink(missing_ok=True)
            write_atomically(path, known.encode("ascii") + b"\n")
    return known


def digest(key: bytes, text: str) -> str:
    """HMAC-SHA-256 (RFC 2104) of a text, as 32 hexadecimal digits."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(key, data, hashlib.sha256).hexdigest()[:_DIGEST_CHARS]


def _read_token(path: Path) -> str | None:
    try:
        found = path.read_bytes()[: 2 * _TOKEN_CHARS].decode("ascii", "replace").strip()
        private = path.stat().st_mode & 0o777 == PRIVATE_FILE
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {path}: {error.strerror}; check its permissions") from error
    return found if private and len(found) == _TOKEN_CHARS and found.isascii() and found.isprintable() else None


def _read(path: Path) -> bytes | None:
    try:
        text = path.read_bytes()[: 4 * _LENGTH].decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {path}: {error.strerror}; check its permissions") from error
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return None
    return found if len(found) == _LENGTH else None


# A writer holds a lock on its file, but not on every file system.
SETTLED_SECONDS = 60.0


def find_left(folders: Iterable[Path], age: float = 0.0) -> Iterator[Path]:
    """Unfinished files below the folders, untouched for ``age`` seconds, that no process holds."""
    for path in _find_named(folders):
        with suppress(OSError):
            if _is_left(path, age):
                yield path


def sweep_left(folders: Iterable[Path], age: float = 0.0) -> list[Path]:
    """Removes them; the names of those that are gone."""
    gone: list[Path] = []
    for path in _find_named(folders):
        with suppress(OSError):
            if _is_left(path, age, remove=True):
                sync_folder(path.parent)
                gone.append(path)
    return gone


def _find_named(folders: Iterable[Path]) -> Iterator[Path]:
    begin, end = TEMPORARY
    for top in dict.fromkeys(folders):
        for folder, _, names in os.walk(top):
            yield from (Path(folder, name) for name in names if name.startswith(begin) and name.endswith(end))


def _is_left(path: Path, age: float, *, remove: bool = False) -> bool:
    """Judged, and removed, under the lock that its writer would hold. Raises ``OSError``."""
    handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or time.time() - status.st_mtime < age:
            return False
        if remove:
            path.unlink()
        return True
    finally:
        os.close(handle)


_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class Closed:
    """What was open to others and is closed now, and what can't be closed."""

    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """That others could read what is private is nothing to mend in silence."""
        if self.done:
            count = f"{len(self.done):,} files and folders in all"
            yield f"other users could read {self.done[-1]} ({count}); only you can now"
        if self.left:
            yield f"other users may read {self.left[-1]} and it can't be changed; run: hearth doctor"


class Places:
    """``trees`` are Hearth's with all that is in them, ``flat`` ones with the files right in them, ``tops`` by
    themselves. ``people`` are roots of people's collections: neither they, nor what is in them, nor a folder that leads
    to one is touched, and neither is ``home`` or what leads there."""

    def __init__(
        self, trees: Sequence[str], flat: Sequence[str], tops: Sequence[str], people: Sequence[str], home: str
    ) -> None:
        self._people = frozenset(os.path.realpath(path) for path in people)
        self._kept = (*self._people, os.path.realpath(home))
        self._owner = os.geteuid()
        self._trees, self._flat, self._tops = (self._ours(paths) for paths in (trees, flat, tops))

    def close(self) -> Closed:
        """A glance at the folders and what lies right in them tells whether more is to be done: a folder is closed
        after what it holds, so that work cut short is seen the next time."""
        return self.close_all() if any(True for _ in self._find_exposed(levels=1)) else Closed()

    def close_all(self) -> Closed:
        """As ``close``, whatever a glance tells."""
        done: list[str] = []
        left: list[str] = []
        for path in list(self._find_exposed(levels=None)):
            try:
                os.chmod(path, stat.S_IMODE(os.lstat(path).st_mode) & ~_OTHERS)  # noqa: PTH101 (no Path per file)
            except OSError:
                left.append(path)
            else:
                done.append(path)
        return Closed(tuple(done), tuple(left))

    def _find_exposed(self, levels: int | None) -> Iterator[str]:
        for folder in self._trees:
            yield from self._under(folder, levels)
        for folder in self._flat:
            yield from self._under(folder, 0)
        for folder in self._tops:
            yield from self._itself(folder)

    def _under(self, folder: str, levels: int | None) -> Iterator[str]:
        """What is in the folder and, of other folders in it, ``levels`` deep; then the folder."""
        if folder in self._people:
            return
        entries: list[os.DirEntry[str]] = []
        with suppress(OSError), os.scandir(folder) as found:
            entries = list(found)
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield from self._itself(entry.path)
            elif levels is None:
                yield from self._under(entry.path, None)
            elif levels:
                yield from self._itself(entry.path)
        yield from self._itself(folder)

    def _itself(self, path: str) -> Iterator[str]:
        try:
            status = os.lstat(path)
        except OSError:
            return
        plain = stat.S_ISREG(status.st_mode) or (stat.S_ISDIR(status.st_mode) and not self._leads(path))
        if plain and status.st_mode & _OTHERS and status.st_uid == self._owner:
            yield path

    def _leads(self, folder: str) -> bool:
        return any(kept == folder or kept.startswith(folder.rstrip("/") + "/") for kept in self._kept)

    def _ours(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Real paths, without folders that are everybody's by design (``/tmp``) or hold a whole home."""
        real = dict.fromkeys(os.path.realpath(path) for path in paths)
        return tuple(path for path in real if not self._is_home(path) and not _sticky(path))

    def _is_home(self, path: str) -> bool:
        home = self._kept[-1]
        return home == path or home.startswith(path.rstrip("/") + "/")


def _sticky(path: str) -> bool:
    try:
        return bool(os.lstat(path).st_mode & stat.S_ISVTX)
    except OSError:
        return False
