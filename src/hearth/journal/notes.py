"""The journal of what a language model says of documents: its lines hold words of theirs, so they can be erased."""

from __future__ import annotations

from collections.abc import Callable

from hearth.core.files import write_atomically
from hearth.core.journal import Event
from hearth.journal.append import Journal
from hearth.journal.line import BadLine, decode
from hearth.journal.machine import list_folder


class NoteJournal(Journal):
    """Implements ``ports.NoteLog``."""

    def erase(self, gone: Callable[[Event], bool]) -> bool:
        with self._mutex, self._explain():
            if not any(file.machine == self._machine for file in list_folder(self._folder)[0]):
                return False
            with self._lock():
                return self._rewrite(gone)

    def _rewrite(self, gone: Callable[[Event], bool]) -> bool:
        """Under the lock: whoever waits for it sees that the file is another one, and begins anew."""
        changed = False
        # The first file, which is the lock, comes last.
        for file in sorted(list_folder(self._folder)[0], reverse=True):
            if file.machine != self._machine:
                continue
            path = self._folder / file.name
            lines = path.read_bytes().splitlines(keepends=True)
            kept = [line for line in lines if not _says(line, gone)]
            if len(kept) < len(lines):
                write_atomically(path, b"".join(kept))
                changed = True
        self._end = None
        return changed


def _says(line: bytes, gone: Callable[[Event], bool]) -> bool:
    """A line that can't be read says nothing to anybody, and may hold what is to go."""
    try:
        return gone(decode(line))
    except BadLine:
        return True
