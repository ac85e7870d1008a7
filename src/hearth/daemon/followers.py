"""The vaults that the daemon follows: their folders watched, their journals made durable, their jobs done."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hearth.app import Settings
from hearth.app.opened import OpenVault
from hearth.app.pool import VaultPool
from hearth.app.settings import VaultLocks, os_machine_id
from hearth.config import vault_names
from hearth.core.errors import ConfigError, HearthError, NotFound, Stopped
from hearth.core.files import Log
from hearth.daemon.jobs import (
    BackgroundJob,
    Jobs,
    capturing,
    consolidating,
    curating,
    dreaming,
    embedding,
    naming_threads,
    noticing,
    noting,
    profiling,
    reading_names,
    reflecting,
    relating,
    summarising,
    syncing_beads,
    synthesising,
)
from hearth.journal import machine_id
from hearth.journal.machine import list_folder

# However little the system tells, folders are looked at this often: it covers lost events, folders that were not
# there at first, and network mounts, for the price of a stat scan.
RESCAN_SECONDS = 60.0
# The first of these ends when the watch stands, which is when changes made meanwhile can be looked for.
_TICK_MS = 1_000
_RETRY_SECONDS = 5.0
_POLL_MS = 1_000
# Quiet for this long ends a batch before the debounce does.
_STEP_MS = 200


def due(
    roots: Sequence[str], debounce: int, warn: Callable[[str], None], stop: threading.Event | None = None
) -> Iterator[None]:
    """Yields when a scan is due: once the watch stands, after each batch of changes, and every ``RESCAN_SECONDS``;
    ends when ``stop`` is set. ``debounce`` is in milliseconds.

    A watch that breaks is begun anew; where the system has no watches left it polls."""
    polling = False
    stop = stop or threading.Event()
    while not stop.is_set():
        present = _present(roots)
        last = -RESCAN_SECONDS
        try:
            for changes in _stream(present, debounce, polling=polling, stop=stop):
                now = time.monotonic()
                if changes or now - last >= RESCAN_SECONDS:
                    last = now
                    yield
                if stop.is_set() or present != _present(roots):
                    break
        except (OSError, RuntimeError) as error:
            polling = polling or "os error 28" in str(error) or getattr(error, "errno", 0) == errno.ENOSPC
            warn(f"watching failed ({error}); looking again{' by polling' if polling else ''}")
            stop.wait(_RETRY_SECONDS)


def _stream(present: list[str], debounce: int, *, polling: bool, stop: threading.Event) -> Iterator[object]:
    """Batches of changes, an empty one each ``_TICK_MS`` without any."""
    import watchfiles

    return watchfiles.watch(
        *present,
        watch_filter=None,
        debounce=debounce,
        step=min(debounce, _STEP_MS),
        stop_event=stop,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        force_polling=polling or None,
        poll_delay_ms=_POLL_MS,
        ignore_permission_denied=True,
        raise_interrupt=True,
    )


def _present(roots: Sequence[str]) -> list[str]:
    return [root for root in roots if Path(root).is_dir()]


SETTLE_SECONDS = 2.0


class Durability:
    """The journal files of this machine in one vault. Whoever wrote to them, a sync of the file covers it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.vault.data / "journal"
        self._synced: dict[str, tuple[int, int]] = {}
        self.syncs = 0

    def settle(self) -> bool:
        """Syncs what has grown since the last time, and says whether something had; a file that can't be read now is
        tried again."""
        try:
            machine = machine_id(Path(self._settings.folders.state), self._settings.vault.data, os_machine_id())
            own = [file.name for file in list_folder(self._folder)[0] if file.machine == machine]
        except (HearthError, OSError):
            return False
        before = self.syncs
        # The others never change again.
        for name in own[-2:]:
            self._sync(name)
        return self.syncs > before

    def _sync(self, name: str) -> None:
        try:
            handle = os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            status = os.fstat(handle)
            stamp = (status.st_size, status.st_mtime_ns)
            if self._synced.get(name) != stamp:
                os.fsync(handle)
                self._synced[name] = stamp
                self.syncs += 1
        except OSError:
            return
        finally:
            os.close(handle)


# Loads the table, the vectors and the pages of the index that every question needs.
_WARMING = "what did we decide"


class Follower:
    """Fills ``pool.opened.Follower``. ``leave`` is called once, when its threads have ended and the vault is not used
    from here any more."""

    def __init__(self, opened: OpenVault, jobs: Sequence[BackgroundJob], log: Log, leave: Callable[[], None]) -> None:
        self.vault = opened.vault
        self.durability = Durability(opened.settings)
        config = opened.settings.loaded.config
        self._debounce = int(config.daemon.debounce_seconds * 1000)
        self._is_watching = config.sync.watch
        self._log = log
        self._leave = leave
        self._stop = threading.Event()
        self.scanning = False
        self._scans = 0
        self._scanned: float | None = None
        self._problem: str | None = None
        locks = VaultLocks(opened.settings.vault.cache, opened.settings.vault.data)
        self.jobs = Jobs(self.vault, jobs, locks.jobs, log, self._stop)
        self._threads = [
            threading.Thread(target=target, name=f"hearth-{what}-{self.vault.name}", daemon=True)
            for what, target in (("watch", self._watch), ("jobs", self._work))
        ]
        self._ending = threading.Thread(target=self._end, name=f"hearth-end-{self.vault.name}", daemon=True)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Lets its jobs look what there is to do now."""
        self.jobs.wake()

    def retire(self) -> None:
        """Its threads end soon, a scan at its next file."""
        self._stop.set()
        self.jobs.wake()
        self._ending.start()

    def join(self, until: float) -> None:
        """Waits for its end after ``retire``; ``until`` is on the monotonic clock."""
        self._ending.join(max(0, until - time.monotonic()))

    def status(self) -> dict[str, Any]:
        age = None if self._scanned is None else round(time.monotonic() - self._scanned, 1)
        return {
            "vault": self.vault.name,
            "stale": self.vault.index.is_stale(),
            "scans": self._scans,
            "scanned_seconds_ago": age,
            "problem": self._problem,
            "jobs": [standing.to_dict() for standing in self.jobs.standings],
        }

    # -- threads ---------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        roots = [root for collection in self.vault.collections for root in collection.folders]
        self._scan()
        if not self._is_watching:
            return
        for _ in due(roots, self._debounce, self._log.write, self._stop):
            self._scan()

    def _scan(self) -> None:
        self.scanning = True
        try:
            report = self.vault.index.sync(progress=self._go_on)
        except Stopped:
            return
        except Exception as error:  # noqa: BLE001 (what fails now may work at the next look)
            self._problem = str(error) if isinstance(error, HearthError | OSError) else type(error).__name__
            self._log.failure(f"scan of vault {self.vault.name}", error)
            return
        finally:
            self.scanning = False
        self._scans += 1
        self._scanned = time.monotonic()
        self._problem = "; ".join(report.problems[:3]) or None
        if report.touched or report.moved:
            self.vault.index.checkpoint()
            self.jobs.wake()

    def _go_on(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise Stopped

    def _work(self) -> None:
        try:
            self.vault.recall(_WARMING)
        except (HearthError, OSError) as error:
            self._log.failure(f"warming vault {self.vault.name}", error)
        self.jobs.loop()

    def _end(self) -> None:
        for thread in self._threads:
            thread.join()
        try:
            self.durability.settle()
            self.vault.index.checkpoint()
        except (HearthError, OSError) as error:
            self._log.failure(f"closing vault {self.vault.name}", error)
        self._leave()


_GOODBYE_SECONDS = 3.0
# Seconds between attempts to open a vault.
_REOPEN_SECONDS = 60.0
# How often the files of issue trackers are looked at.
_BEADS_SECONDS = 5.0


def all_jobs() -> tuple[BackgroundJob, ...]:
    return (
        capturing(),
        syncing_beads(),
        embedding(),
        relating(),
        reading_names(),
        noticing(),
        consolidating(),
        dreaming(),
        profiling(),
        summarising(),
        synthesising(),
        reflecting(),
        noting(),
        naming_threads(),
        curating(),
    )


class Followers:
    """Thread-safe. Follows every vault that the pool opens, from ``start`` to ``close``; ``tick`` opens those that are
    wanted, and anew those whose settings changed."""

    def __init__(self, pool: VaultPool, jobs: Callable[[], Sequence[BackgroundJob]] = all_jobs) -> None:
        self.pool = pool
        self._jobs = jobs
        self._lock = threading.Lock()
        self._followers: dict[OpenVault, Follower] = {}
        self._wanted: dict[str, float] = {}
        self._opener: threading.Thread | None = None
        self._all = False
        self._settled = 0.0
        self._looked = 0.0

    def start(self) -> None:
        self.pool.follow(self._begin)

    def want(self, names: Iterable[str]) -> None:
        """Opens these vaults soon, and again after each change of the settings, in a thread of its own."""
        with self._lock:
            for name in names:
                self._wanted.setdefault(name, 0.0)

    def want_all(self) -> None:
        """As ``want`` for every vault of the settings, also of those that come later."""
        self._all = True

    def tick(self) -> None:
        """Called about twice a second."""
        now = time.monotonic()
        before = self.pool.former_settings
        with suppress(ConfigError):  # the pool says which; the former ones hold
            if self.pool.settings() is not before:
                with self._lock:
                    self._wanted = dict.fromkeys(self._wanted, 0.0)
        if self._all:
            self.want(vault_names(self.pool.former_settings.loaded.config))
        if now - self._settled >= SETTLE_SECONDS:
            self._settled = now
            for follower in self._present():
                # Whoever wrote to the journal: a turn may have ended, or a client handed one over.
                if follower.durability.settle():
                    follower.wake()
        if now - self._looked >= _BEADS_SECONDS:
            self._looked = now
            for follower in self._present():
                with suppress(HearthError, OSError):  # the job says it
                    if not follower.vault.index.is_stale() and follower.vault.beads.count_changed():
                        follower.wake()
        if (self._opener is None or not self._opener.is_alive()) and self._due():
            self._opener = threading.Thread(target=self._open_wanted, name="hearth-open", daemon=True)
            self._opener.start()

    def wake(self, name: str) -> None:
        """Lets the jobs of an open vault look what there is to do now."""
        for follower in self._present():
            if follower.vault.name == name:
                follower.wake()

    @property
    def working(self) -> bool:
        return any(follower.jobs.working for follower in self._present())

    def status(self) -> list[dict[str, Any]]:
        return [follower.status() for follower in self._present()]

    def close(self) -> None:
        """Ends the following, and gives scans and jobs a moment to end."""
        ending = self._present()
        self.pool.follow(None)
        until = time.monotonic() + _GOODBYE_SECONDS
        for follower in ending:
            follower.join(until)

    # -- details ---------------------------------------------------------------------------------------------------

    def _begin(self, opened: OpenVault) -> Follower:
        self.pool.join(opened)
        follower = Follower(opened, self._jobs(), self.pool.log, lambda: self._end(opened))
        with self._lock:
            self._followers[opened] = follower
            self._wanted[opened.name] = 0.0
        follower.start()
        return follower

    def _end(self, opened: OpenVault) -> None:
        with self._lock:
            del self._followers[opened]
        self.pool.leave(opened)

    def _present(self) -> list[Follower]:
        """Those of vaults that are not being closed."""
        with self._lock:
            return [follower for opened, follower in self._followers.items() if opened.follower is follower]

    def _due(self) -> list[str]:
        """The vaults that are to be opened now."""
        now = time.monotonic()
        with self._lock:
            return [name for name, at in self._wanted.items() if at <= now and not self.pool.is_current(name)]

    def _open_wanted(self) -> None:
        for name in self._due():
            try:
                with self.pool.use(name, former=True):
                    continue
            except NotFound:
                self.pool.log.write(f"vault {name} is no longer configured")
                self.pool.drop(name)
                with self._lock:
                    self._wanted.pop(name, None)
            except Exception as error:  # noqa: BLE001 (the other vaults are to be followed all the same)
                with self._lock:
                    self._wanted[name] = time.monotonic() + _REOPEN_SECONDS
                self.pool.log.failure(f"opening vault {name}", error)
