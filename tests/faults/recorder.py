"""Runs a command of Hearth in this process and writes down what they do to a folder, call by call.

``python recorder.py OUT HOME KILL ARGUMENT...`` runs one command, which is killed after that many steps (0: never).
``OUT`` is a pickle that the next command goes on with. Its ``steps`` are ``("entry", folder, {name: node or None})``
for names that came, went or were renamed in one call, ``("data", node, bytes)`` for what a file holds,
``("sync", node)``, and ``("done", exit code)`` after a command. A node is a number for one file or folder from its
making to its end; ``HOME`` is 0.

What SQLite and buffered files do below Python is seen at the next call that Python makes, and so are their writes; that
SQLite synced them is not, which makes the records stricter than the truth.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHANGING = ("mkdir", "rename", "replace", "link", "unlink", "remove", "rmdir", "write", "pwrite", "ftruncate")
SYNCING = ("fsync", "fdatasync")
# Large, written below Python, and never what an acknowledgement rests on.
_DERIVED = (".sqlite", "-wal", "-shm")


class Recorder:
    def __init__(self, home: Path) -> None:
        self.home = str(home)
        self.kill = 0
        self.steps: list[tuple[Any, ...]] = []
        self._nodes: dict[int, int] = {home.stat().st_ino: 0}
        self._count = 0
        self._folders: dict[int, dict[str, int]] = {0: {}}
        self._data: dict[int, tuple[Any, bytes]] = {}
        self._busy = False
        self._scandir, self._stat = os.scandir, os.stat
        self._real = {name: getattr(os, name) for name in (*CHANGING, *SYNCING, "open")}

    def install(self, kill: int) -> None:
        self.kill, self._begun = kill, len(self.steps)
        for name in CHANGING:
            setattr(os, name, self._seen(self._real[name], lambda result, args: self.scan()))
        for name in SYNCING:
            setattr(os, name, self._synced(self._real[name]))
        os.open = self._seen(self._real["open"], lambda result, args: self.scan())  # type: ignore[assignment]

    def _seen(self, call: Callable[..., Any], after: Callable[[Any, Any], None]) -> Callable[..., Any]:
        def run(*args: Any, **given: Any) -> Any:
            result = call(*args, **given)
            if not self._busy:
                after(result, args)
            return result

        return run

    def _synced(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(handle: int) -> Any:
            self.scan()
            result = call(handle)
            node = self._nodes.get(os.fstat(handle).st_ino)
            if node is not None:
                self.steps.append(("sync", node))
                self._die_if_due()
            return result

        return run

    def scan(self) -> None:
        self._busy = True
        try:
            folders, files = self._tree()
        finally:
            self._busy = False
        # Contents first, so that a new name leads to something.
        for node, (mark, read) in files.items():
            known = self._data.get(node)
            if known is None or known[0] != mark or mark is None:
                data = read()
                if known is None or known[1] != data:
                    self.steps.append(("data", node, data))
                self._data[node] = (mark, data)
        for folder, entries in folders.items():
            former = self._folders.get(folder, {})
            changes: dict[str, int | None] = {name: None for name in former if name not in entries}
            changes |= {name: node for name, node in entries.items() if former.get(name) != node}
            if changes:
                self.steps.append(("entry", folder, changes))
        self._folders = folders
        self._die_if_due()

    def _die_if_due(self) -> None:
        if self.kill and len(self.steps) - self._begun >= self.kill:
            self.save()
            os._exit(9)

    def load(self, out: Path) -> None:
        """Where there is no record yet, what is in the folder has been on the disk for long."""
        self._out = out
        if out.exists():
            self.steps, self._nodes, self._count, self._folders, self._data = pickle.loads(out.read_bytes())
            return
        self.scan()
        self.steps += [("sync", node) for node in self._nodes.values()]

    def save(self) -> None:
        self._busy = True
        state = (self.steps, self._nodes, self._count, self._folders, self._data)
        self._out.write_bytes(pickle.dumps(state))

    def _tree(self) -> tuple[dict[int, dict[str, int]], dict[int, Any]]:
        folders: dict[int, dict[str, int]] = {}
        files: dict[int, Any] = {}
        seen: dict[int, int] = {}
        waiting = [(0, self.home)]
        while waiting:
            at, path = waiting.pop()
            seen[self._stat(path).st_ino] = at
            entries = folders.setdefault(at, {})
            with self._scandir(path) as found:
                for entry in found:
                    status = entry.stat(follow_symlinks=False)
                    if status.st_ino not in self._nodes:
                        self._count += 1
                        self._nodes[status.st_ino] = self._count
                    node = self._nodes[status.st_ino]
                    seen[status.st_ino] = node
                    entries[entry.name] = node
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append((node, entry.path))
                    else:
                        derived = entry.name.endswith(_DERIVED)
                        mark = (status.st_size, status.st_mtime_ns) if derived else None
                        files[node] = (mark, self._reader(entry.path))
        self._nodes = seen  # a number that is free again may come back as another file
        return folders, files

    def _reader(self, path: str) -> Callable[[], bytes]:
        def read() -> bytes:
            handle = self._real["open"](path, os.O_RDONLY)
            try:
                data = b""
                while more := os.read(handle, 1 << 20):
                    data += more
                return data
            finally:
                os.close(handle)

        return read


def main(out: str, home: str, kill: str, *command: str) -> None:
    from hearth.cli import main as hearth

    recorder = Recorder(Path(home))
    recorder.load(Path(out))
    recorder.scan()
    recorder.install(int(kill))
    code = hearth(command)
    recorder.kill = 0
    recorder.scan()
    recorder.steps.append(("done", code))
    recorder.save()


if __name__ == "__main__":
    main(*sys.argv[1:])
