"""Work in other processes of this machine, results in order.

Not by ``multiprocessing``, whose processes run the caller's main module again: a script without a guard would start
itself over and over. Here a worker is a plain Python that reads work from one pipe and writes results to another. It
ends when its pipes close, so none outlives its parent, however that ended.
"""

from __future__ import annotations

import copyreg
import gc
import io
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import cycle
from operator import attrgetter
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType
from typing import IO, Any

from hearth.core.document import AnalyzedFragment, Document, Fragment
from hearth.ports import DocumentRecord, StoredFragment
from hearth.ports.files import Item, Result

_WORKERS = 2
"""Analysis takes about twice as long as the writing that follows it, so more would wait."""

_AHEAD_ITEMS = 32
_AHEAD_BYTES = 4 * 2**20
_START = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from hearth.workers import serve; serve()"
_LOST = (OSError, EOFError, pickle.UnpicklingError)


def spread(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """As ``map(work, items)``, in two processes where ``work`` can be pickled and there is more than one core.

    What is under way at a time is bounded by the sum of ``size`` (bytes). What a lost worker had is done here, and so
    is an item whose work raised, so that the error is raised here.
    """
    payload = _payload(work)
    if payload is None:
        yield from map(work, items)
        return
    with ExitStack() as stack:
        workers = cycle([stack.enter_context(_Worker(payload)) for _ in range(_WORKERS)])
        waiting: deque[tuple[_Worker, Item]] = deque()
        ahead = 0

        def next_result() -> Result:
            nonlocal ahead
            worker, item = waiting.popleft()
            ahead -= item.size
            try:
                result: Result = worker.receive()
            except _LOST:
                return work(item)
            return result

        for item in items:
            while waiting and (len(waiting) >= _AHEAD_ITEMS or ahead + item.size > _AHEAD_BYTES):
                yield next_result()
            worker = next(workers)
            worker.send(item)
            waiting.append((worker, item))
            ahead += item.size
        while waiting:
            yield next_result()


def _payload(work: Callable[..., Any]) -> bytes | None:
    """What a worker needs to begin; ``None`` where there can be none."""
    python = Path(sys.executable or "").name.startswith("python") and not getattr(sys, "frozen", False)
    if not python or _cores() < 2:
        return None
    try:
        return _pickle(sys.path) + _pickle(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def frozen(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _as_fields(kind: type) -> Callable[[Any], tuple[type, Any]]:
    fields = attrgetter(*kind.__slots__)  # type: ignore[attr-defined]
    return lambda value: (kind, fields(value))


# How read-only mappings travel, and how frozen values do at half the usual cost.
_REDUCED: dict[type, Callable[[Any], Any]] = {
    **copyreg.dispatch_table,
    **{kind: _as_fields(kind) for kind in (Document, DocumentRecord, Fragment, StoredFragment)},
    # What is counted lazily is counted here.
    AnalyzedFragment: lambda value: (
        AnalyzedFragment,
        (value.fragment, value.counted, value.start_byte, value.end_byte),
    ),
    MappingProxyType: lambda value: (frozen, (dict(value),)),
}


def _pickle(value: object) -> bytes:
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCED
    pickler.dump(value)
    return buffer.getvalue()


class _Worker:
    """One process; a session of its own, so that Ctrl-C in a terminal reaches only the parent."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Worker:
        command = [sys.executable, "-I", "-X", f"utf8={sys.flags.utf8_mode}", "-c", _START]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        with suppress(OSError):
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, start_new_session=True)
            self._write(self._payload)
        return self

    def __exit__(self, *exc: object) -> None:
        process = self._process
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            process.wait()

    def send(self, item: object) -> None:
        """A worker that is gone shows when its result is asked for."""
        with suppress(OSError):
            self._write(_pickle(item))

    def receive(self) -> Any:
        if self._process is None or self._process.stdout is None:
            raise EOFError
        return pickle.load(self._process.stdout)

    def _write(self, data: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(data)
            self._process.stdin.flush()


def serve() -> None:
    """The life of a worker. An error in the work ends it: the parent then does the item itself and sees the error."""
    # What the work leaves behind goes at once; a look for circles in all that was loaded takes a fortieth of its time.
    gc.set_threshold(400_000, 20, 100)
    results = sys.stdout.buffer
    sys.stdout = sys.stderr  # what the work prints must not get between the results
    requests: SimpleQueue[Any] = SimpleQueue()
    ready: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    threading.Thread(target=_deliver, args=(ready, results), daemon=True).start()
    with suppress(Exception):
        work = requests.get()
        while True:
            ready.put(_pickle(work(requests.get())))
    os._exit(0)


def _listen(source: IO[bytes], requests: SimpleQueue[Any]) -> None:
    """Ends the process with its parent, whatever the work is doing."""
    with suppress(Exception):
        while True:
            requests.put(pickle.load(source))
    os._exit(0)


def _deliver(ready: SimpleQueue[bytes], results: IO[bytes]) -> None:
    """Writes results while the next are made: the parent reads between its own work."""
    with suppress(OSError):
        while True:
            results.write(ready.get())
            results.flush()
    os._exit(0)
