"""Slow work done beside the questions: derived from what is missing, so that losing the index loses no job."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import field
from typing import Any

from hearth.core.document import INTERNAL
from hearth.core.errors import HearthError, Unavailable
from hearth.core.files import Log
from hearth.core.lazy import dataclass
from hearth.ports import Filter
from hearth.vault.vault import Vault

# How often it is asked what is missing when nothing says that something is.
LOOK_SECONDS = 300.0
# A failing job waits so long, then twice as long each time.
FIRST_PAUSE = 60.0
LONGEST_PAUSE = 3_600.0
# So long after the last turn of a session nobody is taken to be at work.
IDLE_MS = 600_000
# A night takes seconds, and gives way to whoever comes.
DREAM_IDLE_MS = 300_000


@dataclass(frozen=True, slots=True)
class BackgroundJob:
    """``due`` counts what there is to do, cheaply; ``run`` does it and says what it did. It may be stopped anywhere and
    run again. ``due_in`` gives the seconds until there will be something to do, where a moment decides that."""

    name: str
    due: Callable[[Vault], int]
    run: Callable[[Vault], str]
    due_in: Callable[[Vault], float | None] = lambda vault: None


@dataclass
class Standing:
    """How a job stands. ``not_before`` is on the monotonic clock."""

    job: BackgroundJob
    last: str | None = None
    error: str | None = None
    failures: int = 0
    not_before: float = 0.0
    running: bool = False

    def to_dict(self) -> dict[str, Any]:
        pause = max(0.0, self.not_before - time.monotonic())
        return {
            "job": self.job.name,
            "running": self.running,
            "last": self.last,
            "error": self.error,
            "failures": self.failures,
            "again_in_seconds": round(pause),
        }


@dataclass
class Jobs:
    """The jobs of one vault. ``lease`` is held by one process of the machine at a time and raises ``Unavailable``
    elsewhere; ``stop`` ends the loop after the job that runs."""

    vault: Vault
    jobs: Sequence[BackgroundJob]
    lease: Callable[[], AbstractContextManager[None]]
    log: Log
    stop: threading.Event
    _wake: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.standings = [Standing(job) for job in self.jobs]

    @property
    def working(self) -> bool:
        return any(standing.running for standing in self.standings)

    def wake(self) -> None:
        """Something changed: look what is missing now."""
        self._wake.set()

    def loop(self) -> None:
        while not self.stop.is_set():
            self._wake.clear()
            self.once()
            self._wake.wait(self._pause())

    def once(self) -> None:
        """Every job that is due; one that fails does not keep the others from running."""
        for standing in self.standings:
            if self.stop.is_set():
                return
            if standing.not_before <= time.monotonic():
                self._attempt(standing)

    def _attempt(self, standing: Standing) -> None:
        try:
            if not standing.job.due(self.vault):
                return
            with self.lease():
                standing.running = True
                standing.last = standing.job.run(self.vault)
        except Exception as error:  # noqa: BLE001 (one job must not end the others)
            standing.failures += 1
            standing.error = str(error) if isinstance(error, HearthError) else f"unexpected {type(error).__name__}"
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (standing.failures - 1))
            standing.not_before = time.monotonic() + pause
            self.log.failure(f"job {standing.job.name} of vault {self.vault.name}", error)
        else:
            standing.error, standing.failures = None, 0
        finally:
            standing.running = False

    def _pause(self) -> float:
        waits = [s.not_before - time.monotonic() for s in self.standings if s.not_before > time.monotonic()]
        for standing in self.standings:
            if standing.not_before <= time.monotonic():
                with suppress(HearthError):  # the attempt says it
                    soon = standing.job.due_in(self.vault)
                    waits += [] if soon is None else [soon]
        return max(0.1, min([LOOK_SECONDS, *waits]))


RESTING = 2
"""How many times as long as the model computes embedding in the background takes."""
_LONGEST_REST_S = 5.0


def embedding() -> BackgroundJob:
    """Fragments without a vector. After each batch of a model on this machine it rests as long as that took, so that
    other programs find the processor free."""

    def missing(vault: Vault) -> int:
        if vault.index.is_stale():
            return 0
        with vault.store.read() as reader:
            return sum(space.missing for space in vault.index.upkeep.status(reader))

    def run(vault: Vault) -> str:
        report = vault.index.embed(progress=_rest() if vault.index.upkeep.local else lambda done: None)
        if report.error is not None:
            raise Unavailable(report.error)
        return f"{report.embedded:,} fragments embedded, {report.failed:,} failed"

    return BackgroundJob("embed", missing, run)


def _rest() -> Callable[[int], None]:
    woken = time.monotonic()

    def rest(done: int) -> None:
        nonlocal woken
        time.sleep(min(_LONGEST_REST_S, (RESTING - 1) * (time.monotonic() - woken)))
        woken = time.monotonic()

    return rest


def reading_names() -> BackgroundJob:
    """The names in documents whose text has changed."""

    def due(vault: Vault) -> int:
        if vault.index.is_stale() or not vault.graph.unasked:
            return 0
        with vault.store.read() as reader:
            return vault.graph.names().missing(reader)

    def run(vault: Vault) -> str:
        return f"names read in {vault.graph.names().run():,} documents"

    return BackgroundJob("names", due, run)


def relating() -> BackgroundJob:
    """Relations of documents that changed, once their vectors are there."""

    def run(vault: Vault) -> str:
        done = vault.graph.deriver().run_leased()
        added, removed = done.added.total(), done.removed.total()
        return f"{done.documents:,} documents related: {added:,} rows added, {removed:,} removed"

    return BackgroundJob("relate", lambda vault: vault.graph.missing() if vault.graph.unasked else 0, run)


def noting() -> BackgroundJob:
    """What documents are about, where a language model is asked, once they are related."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() or vault.graph.missing() else vault.knowledge.notes.waiting()

    def run(vault: Vault) -> str:
        done = vault.knowledge.notes.run_leased()
        if done.missing and not done.read:
            raise Unavailable("; ".join(done.missing[:3]))
        return f"{done.read:,} documents read by the language model, {done.waiting:,} waiting"

    def due_in(vault: Vault) -> float | None:
        return 0.0 if due(vault) else None

    return BackgroundJob("notes", due, run, due_in)


def naming_threads() -> BackgroundJob:
    """What sessions talked about, where a language model is asked."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() else vault.knowledge.threads.waiting()

    def run(vault: Vault) -> str:
        return f"{vault.knowledge.threads.run():,} threads named"

    def due_in(vault: Vault) -> float | None:
        return None if vault.index.is_stale() else vault.knowledge.threads.due_in()

    return BackgroundJob("threads", due, run, due_in)


def noticing() -> BackgroundJob:
    """What follows from memories whose writer could not see to it: it was killed, or they were imported or edited."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() else vault.memories.follow.count_left()

    def run(vault: Vault) -> str:
        done = vault.memories.follow.catch_up()
        if done.problems:
            raise Unavailable("; ".join(done.problems[:3]))
        return f"{done.documents:,} documents looked at: {done.supersedes:,} superseded, {done.asks:,} to review"

    def due_in(vault: Vault) -> float | None:
        return 0.0 if due(vault) else None

    return BackgroundJob("notice", due, run, due_in)


def is_idle(vault: Vault, least: int) -> bool:
    """Whether nobody was at work for ``least`` ms: no turn of a session or, where none is known yet, no memory
    was written. A daemon that the first session starts knows of it only a moment later."""
    now = vault.clock()
    if known := vault.sessions.recent(1):
        return now - known[0].last >= least
    with vault.store.read() as reader:
        return not reader.find_documents(Filter(collections=(INTERNAL,), since=now - least + 1, at=now), 1)


def consolidating() -> BackgroundJob:
    """What was said several times, weekly and after many new memories, while nobody talks to an agent."""

    def due(vault: Vault) -> int:
        if vault.index.is_stale() or vault.capture.due() or not vault.truth.consolidator.due():
            return 0
        return is_idle(vault, IDLE_MS)

    def run(vault: Vault) -> str:
        done = vault.truth.consolidator.run_leased()
        return f"{len(done.changes):,} changes, run {done.run}" if done.run else "nothing to consolidate"

    return BackgroundJob("consolidate", due, run)


def dreaming() -> BackgroundJob:
    """The night, once its time has come, after what is to be consolidated, while nobody talks to an agent."""

    def due(vault: Vault) -> int:
        if vault.index.is_stale() or vault.capture.due() or not vault.dream.due():
            return 0
        # What is to be consolidated waits longer for people to be gone, and a night for that.
        return is_idle(vault, IDLE_MS if vault.truth.consolidator.due() else DREAM_IDLE_MS)

    def run(vault: Vault) -> str:
        nights = [one.dream_leased() for one in vault.dream.every() if one.is_due()]
        if problems := [done.problem for done in nights if done.problem is not None]:
            raise Unavailable("; ".join(problems))
        put = sum(len(done.put) + len(done.successors) for done in nights)
        left = sum(len(done.left) for done in nights)
        runs = "".join(f", run {done.run}" for done in nights if done.run is not None)
        return f"{put:,} promoted, {left:,} left, night of {max((done.night.day for done in nights), default='')}{runs}"

    return BackgroundJob("dream", due, run)


def curating() -> BackgroundJob:
    """What the vault needs of a person, weekly, while nobody talks to an agent. The last of all jobs, so that it comes
    after the night, and also where no night comes about."""

    def due(vault: Vault) -> int:
        if vault.index.is_stale() or vault.capture.due() or not vault.knowledge.curator().due():
            return 0
        return is_idle(vault, IDLE_MS)

    def run(vault: Vault) -> str:
        return f"{len(vault.knowledge.curator().curate().actions):,} actions for a person"

    return BackgroundJob("curate", due, run)


def capturing() -> BackgroundJob:
    """What sessions said and nobody has kept yet."""

    def due(vault: Vault) -> int:
        return not vault.index.is_stale() and vault.capture.due()

    def run(vault: Vault) -> str:
        report = vault.capture.run_leased()
        if report.problems:
            raise Unavailable("; ".join(f"session {session}: {why}" for session, why in report.problems[:3]))
        return f"{report.turns:,} turns of {report.sessions:,} sessions captured"

    def due_in(vault: Vault) -> float | None:
        return None if vault.index.is_stale() else vault.capture.due_in()

    return BackgroundJob("capture", due, run, due_in)


def syncing_beads() -> BackgroundJob:
    """Issues of connected repositories that changed."""

    def run(vault: Vault) -> str:
        reports = [report.to_dict() for report in vault.beads.sync_changed()]
        counts = ", ".join(
            f"{sum(one[name] for one in reports):,} {name}" for name in ("created", "updated", "archived")
        )
        return f"issues of {len(reports):,} repositories: {counts}"

    return BackgroundJob("beads", lambda vault: 0 if vault.index.is_stale() else vault.beads.count_changed(), run)


def profiling() -> BackgroundJob:
    """Who the person is and what they are at, once sessions said something new."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() else vault.profile.due()

    def run(vault: Vault) -> str:
        done = vault.profile.catch_up()
        return f"{len(done.bullets):,} statements, {'rewritten' if done.changed else 'as they were'}"

    return BackgroundJob("profile", due, run)


def summarising() -> BackgroundJob:
    """What projects came to in a week and a month, once sessions said something new."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() else vault.knowledge.summaries.due()

    def run(vault: Vault) -> str:
        return f"{len(vault.knowledge.summaries.catch_up()):,} summaries rewritten"

    return BackgroundJob("summaries", due, run)


def synthesising() -> BackgroundJob:
    """What is known of an entity, once more is, where a language model is asked."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() else vault.knowledge.synthesis.due()

    def run(vault: Vault) -> str:
        return f"{len(vault.knowledge.synthesis.catch_up()):,} entities summed up"

    return BackgroundJob("synthesis", due, run)


def reflecting() -> BackgroundJob:
    """What an agent was told again, where that page is wanted."""

    def due(vault: Vault) -> int:
        return 0 if vault.index.is_stale() else vault.knowledge.identity.due()

    def run(vault: Vault) -> str:
        return f"{len(vault.knowledge.identity.catch_up().bullets):,} reflections"

    return BackgroundJob("identity", due, run)
