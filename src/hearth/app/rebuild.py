"""Rebuilds: a new index beside the present one, copied over it when complete; a stale one's in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any

from hearth.app import Settings, open_vault
from hearth.app.adapters import Adapters
from hearth.core.document import INTERNAL
from hearth.core.errors import Guidance, HearthError, Remedy, Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import Collection, Store
from hearth.vault import changes

if TYPE_CHECKING:
    from hearth.vault.indexing.plan import SyncReport
    from hearth.vault.indexing.sync import Progress


def rebuild(adapters: Adapters, progress: Progress, *, force: bool) -> SyncReport:
    """Fills a side index from the files and the journal, then copies it over the live one in one transaction.

    Raises ``Unavailable`` where a folder is missing or empty, unless ``force``."""
    collections = adapters.collections()
    with adapters.locks.scan():
        if not force:
            _refuse_loss(adapters, collections)
        with adapters.store.open_side() as (side, take_over):
            report = fill(adapters, side, collections, progress)
            with adapters.locks.write():
                take_over(_complete(adapters, side, collections))
    adapters.store.build_graphs(lambda done: None)
    return report


def fill(adapters: Adapters, side: Store, collections: tuple[Collection, ...], progress: Progress) -> SyncReport:
    """What the folders and the journals hold, and what changed while that was taken in."""
    syncer = adapters.syncer(side, nested=True)
    report = syncer.run(collections, progress=progress)
    adapters.models.refill(side)
    syncer.run(collections)
    return report


def _complete(adapters: Adapters, side: Store, collections: tuple[Collection, ...]) -> Callable[[], object]:
    """Adds what changed meanwhile; gives what is left to be added last."""
    syncer = adapters.syncer(side, nested=True)
    syncer.run([one for one in collections if one.name == INTERNAL], partial=True)
    adapters.models.refill(side)
    with side.read() as reader:
        due = changes.due(reader)
    if due:
        # What was purged since its file was read must not come back into the present file, not even as free pages.
        side.scrub()
    return syncer.history.replay


def _refuse_loss(adapters: Adapters, collections: tuple[Collection, ...]) -> None:
    if adapters.store.condition == "unfilled":
        return  # nothing is left to lose
    with adapters.store.read() as reader:
        known = reader.collections()
    for collection in collections:
        state = known.get(collection.name)
        walk = adapters.files.walk(collection)
        if state is not None and state.documents and not walk.files:
            why = walk.missing or f"{collection.root} is empty"
            raise Unavailable(
                f"collection {collection.name!r} can't be rebuilt ({why}) and its {state.documents} documents "
                "would be lost; bring the folder back",
                Remedy("reindex --force", joint=", or "),
            )


# Seconds before a rebuild that did not help is tried again: doubled with each failure, up to the most.
_AGAIN_AFTER = 60.0
_MOST_AFTER = 900.0
_LAST_BYTES = 8_192
_MOST_CHARS = 1_000


class Rebuilding(Unavailable):
    """The index is of another version and is being rebuilt."""

    code = "rebuilding"


class RebuildFailed(Unavailable):
    """The index is of another version and could not be rebuilt; the message says why."""


@dataclass
class _Try:
    """``said`` is what the process writes on its standard error, ``why`` what the failed ones before it ended with."""

    process: subprocess.Popen[bytes]
    at: float
    said: IO[bytes]
    stamps: Mapping[Any, Any]
    failed: int = 0
    why: str | None = None


class Rebuilder:
    """Starts a rebuild of a vault, once at a time; it ends by itself, also after the server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._started: dict[str, _Try] = {}

    def ask(self, settings: Settings) -> Unavailable:
        """What to tell who asks meanwhile. Settings that changed are tried at once."""
        name = settings.vault.name
        with self._lock:
            last = self._started.get(name)
            if last is not None:
                _look(last)
                if last.stamps != settings.loaded.stamps and last.process.poll() is not None:
                    last = None
            if last is None or self._due(last):
                last = self._started[name] = self._start(settings, last)
            return _tell(name, last.why)

    def failure(self, name: str) -> str | None:
        """Why the last rebuild of the vault failed; ``None`` where none did."""
        with self._lock:
            last = self._started.get(name)
            if last is None:
                return None
            _look(last)
            return last.why

    def close(self) -> None:
        """Leaves what is under way to end by itself, and asks no more how."""
        with self._lock:
            for last in self._started.values():
                last.said.close()
                if last.process.poll() is None:
                    # Somebody has to hear of its end while this process lives.
                    threading.Thread(target=last.process.wait, name="hearth-rebuild-end", daemon=True).start()

    def _due(self, last: _Try) -> bool:
        pause = min(_AGAIN_AFTER * 2 ** max(0, last.failed - 1), _MOST_AFTER)
        return last.process.poll() is not None and self._clock() - last.at >= pause

    def _start(self, settings: Settings, last: _Try | None) -> _Try:
        # A file, since nobody reads a pipe any more once the server is gone.
        output = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it was read)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, settings.vault.name],
            env=dict(settings.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=output,
            start_new_session=True,
        )
        began = _Try(process, self._clock(), output, dict(settings.loaded.stamps))
        if last is not None:
            began.failed, began.why = last.failed, last.why
        return began


def _look(last: _Try) -> None:
    """Takes in, once, how a process ended."""
    code = last.process.poll()
    if code is None or last.said.closed:
        return
    with last.said as output:
        size = output.seek(0, 2)
        output.seek(max(0, size - _LAST_BYTES))
        lines = output.read().decode("utf-8", "replace").splitlines()
    if code == 0:
        last.failed, last.why = 0, None
        return
    last.failed += 1
    last.why = _read_reason(next((line for line in reversed(lines) if line.strip()), f"it ended with {code}"))


def _read_reason(line: str) -> str:
    """What ``main`` wrote last; a process that came to another end left some other line."""
    try:
        return Guidance.unpack(json.loads(line))
    except (ValueError, TypeError, LookupError):
        return line.strip()[:_MOST_CHARS]


def _tell(name: str, why: str | None) -> Unavailable:
    if why is None:
        return Rebuilding(f"the index of vault {name} is being rebuilt, which reads every file")
    return RebuildFailed(Guidance.behind(f"the index of vault {name} can't be rebuilt: ", why))


def main(name: str) -> int:
    """Brings the index of a vault up to date; the last line of standard error is a reason as JSON, if it fails."""
    try:
        with open_vault(name) as vault:
            vault.index.sync()
    except (HearthError, OSError) as error:
        message = error.said if isinstance(error, HearthError) else str(error)
        sys.stderr.write(json.dumps(Guidance.pack(message)) + "\n")
        return error.exit_code if isinstance(error, HearthError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
