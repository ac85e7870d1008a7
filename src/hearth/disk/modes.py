"""Who else on this machine may read what Hearth keeps: nobody. Finds what is open to others, and closes it.

Only the permission bits of group and others are taken away; those of the owner stay as they are. Links are not
followed, and what belongs to somebody else is left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress

from hearth.core.lazy import dataclass

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
