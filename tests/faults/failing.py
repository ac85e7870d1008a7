"""Runs commands of Hearth again and again, each time with another system call failing, and prints how each run ended.

Reads ``{"template": folder, "work": folder, "runs": [[kind, command, errors, step], ...]}`` as JSON from standard
input. Every run has its own copy of the template and is a child of this process. Of a command's calls every
``step``-th fails, with each of the errors, once and for good. Prints a line of JSON for each run: command, error,
sticky, number, the call that failed, exit code, standard error.
"""

from __future__ import annotations

import errno
import gc
import importlib
import io
import json
import os
import pkgutil
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hearth
from hearth.app import open_vault

# fmt: off
CALLS = (
    "open", "mkdir", "rename", "replace", "link", "unlink", "rmdir", "fsync", "chmod", "fchmod", "ftruncate", "write",
    "pwrite", "scandir", "listdir", "stat", "lstat", "utime",
)
# fmt: on
OWN_FOLDERS = ("config", "data", "cache", "state")


class Failing:
    """Counts calls; from the ``at``-th on they fail, once or for good. The standard streams never do."""

    def __init__(self, home: Path, at: int, error: int, *, sticky: bool) -> None:
        self.home = str(home)
        self.at, self.error, self.sticky = at, error, sticky
        self.count = 0
        self.first = ""
        self._stat = os.stat
        self._link = os.readlink

    def install(self) -> None:
        for name in CALLS:
            setattr(os, name, self._wrapped(name, getattr(os, name)))
        io.open = self._wrapped("open", io.open)  # type: ignore[assignment]

    def _wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **given: Any) -> Any:
            if self._concerns(args):
                self.count += 1
                if self.at and (self.count == self.at or (self.sticky and self.count > self.at)):
                    self.first = self.first or name
                    place = None if isinstance(args[0], int) else args[0]
                    raise OSError(self.error, os.strerror(self.error), *([] if place is None else [str(place)]))
            return call(*args, **given)

        return run

    def _concerns(self, args: tuple[Any, ...]) -> bool:
        """Whether the call is about something below the home."""
        first = args[0] if args else "."
        if isinstance(first, int):
            if first <= 2:
                return False
            first = self._link(f"/proc/self/fd/{first}")
        return os.fsdecode(first).startswith(self.home)


def vfs(failing: Failing) -> Any:
    """SQLite's calls, made to fail by the same count."""
    import apsw

    system = apsw.vfs_names()[0]  # the default so far

    def check(name: str) -> None:
        failing.count += 1
        if failing.at and (failing.count == failing.at or (failing.sticky and failing.count > failing.at)):
            failing.first = failing.first or name
            if failing.error == errno.ENOSPC:
                raise apsw.FullError("injected")
            raise apsw.IOError("injected")

    class File(apsw.VFSFile):
        def __init__(self, name: Any, flags: Any) -> None:
            check("xOpen")
            super().__init__(system, name, flags)

        def xWrite(self, data: Any, offset: int) -> None:
            check("xWrite")
            super().xWrite(data, offset)

        def xSync(self, flags: int) -> None:
            check("xSync")
            super().xSync(flags)

        def xRead(self, amount: int, offset: int) -> bytes:
            check("xRead")
            return super().xRead(amount, offset)

        def xTruncate(self, size: int) -> None:
            check("xTruncate")
            super().xTruncate(size)

    def unheard(told: Any) -> None:
        """What a VFS in Python raises where SQLite takes no error is printed by apsw; one in C has nobody to tell."""
        if "injected" not in str(told.exc_value):
            sys.__unraisablehook__(told)

    sys.unraisablehook = unheard

    class Faulty(apsw.VFS):
        def __init__(self) -> None:
            self.name = "failing"
            super().__init__(self.name, system, makedefault=True)

        def xOpen(self, name: Any, flags: Any) -> Any:
            return File(name, flags)

    return Faulty()


def environ_of(home: Path) -> dict[str, str]:
    return {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in OWN_FOLDERS} | {"HOME": str(home / "home")}


def prepare(home: Path) -> None:
    """Loads and computes once what all children would: a run then takes a fifth of the time."""
    for module in pkgutil.walk_packages(hearth.__path__, "hearth."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    (home / "home").mkdir(parents=True)
    (home / "note.md").write_text("# River\n\nThe river stands here.\n", encoding="utf-8")
    with open_vault(environ=environ_of(home) | {"HEARTH_DAEMON_MODE": "never"}) as vault:
        vault.memories.remember("We decided to keep the larder as it is")
        vault.index.sync()
        vault.recall("which river")
    shutil.rmtree(home)
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads can't be forked"


def run(home: Path, command: list[str], failing: Failing, kind: str) -> dict[str, Any]:
    """The command in a child, its standard error in a file."""
    report = home / "report"
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.environ.update(environ_of(home))
            os.chdir(home)
            streams = os.open(home / "stderr", os.O_WRONLY | os.O_CREAT), os.open(os.devnull, os.O_RDWR)
            os.dup2(streams[0], 2)
            os.dup2(streams[1], 1)
            os.dup2(streams[1], 0)
            kept = vfs(failing) if kind == "sqlite" else failing.install()
            from hearth.cli import main

            code = main([part.format(home=home) for part in command])
            del kept
        finally:
            failing.at = 0
            report.write_text(json.dumps({"count": failing.count, "first": failing.first}), encoding="utf-8")
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    said = (home / "stderr").read_text(encoding="utf-8", errors="replace")
    found = json.loads(report.read_text(encoding="utf-8"))
    return {"code": os.waitstatus_to_exitcode(status), "err": said, **found}


def main() -> None:
    given = json.load(sys.stdin)
    template, work = Path(given["template"]), Path(given["work"])
    prepare(work / "warm")

    def once(kind: str, command: list[str], at: int, error: int, sticky: bool) -> dict[str, Any]:
        home = work / "home"
        shutil.copytree(template, home, symlinks=True)
        try:
            return run(home, command, Failing(home, at, error, sticky=sticky), kind)
        finally:
            shutil.rmtree(home)

    for kind, command, errors, step in given["runs"]:
        total = once(kind, command, 0, 0, False)["count"]
        for sticky in (False, True):
            for name in errors:
                for at in range(1 + min(step, total) // 2, total + 1, step):
                    found = once(kind, command, at, getattr(errno, name), sticky)
                    row = {"kind": kind, "command": command, "error": name, "sticky": sticky, "at": at, **found}
                    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
