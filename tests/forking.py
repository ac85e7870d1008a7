"""Runs ``python -m hearth``, or other code, in forks of one process that has loaded it, since most of what such a
process costs are its imports. Started by ``Forks`` in ``tests/conftest.py``, with a socket as its standard input. One
that ``stays`` is not waited for: whether it has ended is asked by its number."""

from __future__ import annotations

import atexit
import gc
import hashlib
import importlib
import io
import json
import os
import pkgutil
import runpy
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NoReturn

LOADED = (
    "cli",
    "app",
    "benchmark",
    "vault",
    "context",
    "capture",
    "truth",
    "pages",
    "memory",
    "graph",
    "recall",
    "llm",
    "store",
    "disk",
    "hosts",
    "settings_files",
    "journal",
    "daemon",
    "hook",
)
"""Below ``hearth``; what needs a library that only some have is loaded by who needs it."""
SERVERS = ("serve", "mcp")
"""Commands that load more, which is loaded before the first of them."""
WARMED = (
    ("update",),
    ("remember", "We chose rye because it is dark.", "--type", "decision"),
    ("query", "What did we choose yesterday?"),
    ("search", "rye", "--json"),
    ("get", "note"),
    ("status",),
    ("doctor",),
)
"""Commands that read what most others do, run before the first fork."""
RUNS = 1 << 32
"""Said instead of an exit code."""


def load(*names: str) -> None:
    for name in names:
        module = importlib.import_module(f"hearth.{name}")
        for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"hearth.{name}."):
            if not found.name.endswith("__main__"):
                importlib.import_module(found.name)
    gc.freeze()


def warm() -> None:
    """Reads what is read once a process: the table of the built-in model, lists of words, patterns."""
    from hearth.cli import main as hearth

    environ = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        (notes / "note.md").write_text("# Rye\n\nWe chose rye because it is dark.\n", encoding="utf-8")
        Path(folder, "config.yaml").write_text(f"collections: {{notes: {{path: {notes}}}}}\n", encoding="utf-8")
        os.environ.update({f"HEARTH_{name}_DIR": folder for name in ("CONFIG", "DATA", "CACHE", "STATE")})
        os.environ.update({"HOME": folder, "XDG_RUNTIME_DIR": folder})
        with (
            Path(os.devnull).open("w", encoding="utf-8") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
        ):
            for arguments in WARMED:
                hearth(arguments)
    os.environ.clear()
    os.environ.update(environ)
    gc.freeze()


def mark(environ: Mapping[str, str]) -> str:
    """The name of a fork and of its own forks, whose variables Linux does not show: by it they are found."""
    return hashlib.sha256(environ.get("HEARTH_CACHE_DIR", "").encode()).hexdigest()[:15]


def become(run: dict[str, Any], streams: list[int]) -> NoReturn:
    """In the fork: the process that was asked for."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(run["environ"])
    with suppress(OSError):
        Path("/proc/self/comm").write_text(mark(os.environ))
    time.tzset()
    os.chdir(run["folder"])
    os.setsid()
    if run["umask"] is not None:
        os.umask(run["umask"])
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w")), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    sys.path[0] = run["folder"]
    if run["code"] is None:
        sys.argv[1:] = run["arguments"]
        runpy.run_module("hearth", run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = ["-c"]
        exec(run["code"], {"__name__": "__main__"})  # noqa: S102 (a test's own)
    sys.exit(0)


def become_and_end(run: dict[str, Any], streams: list[int]) -> NoReturn:
    """As a process ends, but for what was loaded: to take that apart copies every page of it."""
    try:
        become(run, streams)
    except SystemExit as ending:
        code = ending.code
    except BaseException:  # noqa: BLE001 (told as Python tells it)
        sys.excepthook(*sys.exc_info())
        code = 1
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120
    os._exit((code or 0) & 0xFF)


def main() -> None:
    link = socket.socket(fileno=os.dup(0))
    load(*LOADED)
    warm()
    served = False
    while True:
        head, streams, _, _ = socket.recv_fds(link, 8, 3)
        if not head:
            return
        text = b""
        while len(text) < int.from_bytes(head, "big"):
            text += link.recv(1 << 20)
        asked = json.loads(text)
        if "ended" in asked:
            pid, status = os.waitpid(asked["ended"], os.WNOHANG)
            answer(link, os.waitstatus_to_exitcode(status) if pid else RUNS)
            continue
        if not served and asked["arguments"][:1] and asked["arguments"][0] in SERVERS:
            load("server")
            served = True
        pid = os.fork()
        if pid == 0:
            link.close()
            become_and_end(asked, streams)
        for stream in streams:
            os.close(stream)
        answer(link, pid)
        if not asked["stays"]:
            _, status = os.waitpid(pid, 0)
            answer(link, os.waitstatus_to_exitcode(status))


def answer(link: socket.socket, number: int) -> None:
    link.sendall(number.to_bytes(8, "big", signed=True))


if __name__ == "__main__":
    main()
