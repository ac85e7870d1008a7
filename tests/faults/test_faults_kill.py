"""kill -9 at any point: the next command goes on as if nothing had been."""

from __future__ import annotations

import random
import time
from itertools import count
from typing import Any

import pytest

from hearth.journal import JournalPosition, read
from hearth.model.identity import docid
from hearth.model.journal.event import Draft

COMMANDS = (("update",), ("reindex", "--force"), ("bootstrap",))


def note_state(site: Any, rng: random.Random) -> set[str]:
    """A pin, acknowledged; the ids of the events that must never be lost."""
    path = rng.choice(sorted(site.markers))
    with site.vault() as vault:
        log = vault.index.syncer.history.log
        return {event.id for event in log.append([Draft("pin", docid("notes", path), path, None, {})])}


def journalled(site: Any) -> set[str]:
    return {event.id for event in read(site.data / "journal", JournalPosition(), 1_000_000).events}


def edit(site: Any, rng: random.Random, version: int, numbers: int) -> None:
    """Some notes change, one comes."""
    for number in rng.sample(range(numbers), 12):
        site.write(f"n{number:04}.md", version, more="\n## More\n\n" + "basalt amber river " * rng.randint(5, 400))
    fresh = next(n for n in count(numbers) if f"n{n:04}.md" not in site.markers)
    site.plant(1, start=fresh)


def kill_at_random(site: Any, kills: int, seed: int, numbers: int = 60) -> None:
    """Until so many were killed before they ended by themselves. How long to wait is found out as it goes: it grows
    while all are killed, and shrinks where one was late."""
    rng = random.Random(seed)
    site.plant(numbers)
    site.run("bootstrap", str(site.notes)).ok()
    site.run("reindex", "--force").ok()
    clean = set(site.cache_files())
    acknowledged: set[str] = set()
    killed, longest = 0, 0.7
    for round_ in count():
        if killed == kills:
            break
        assert round_ < 10 * kills, "hardly any was killed in time"
        command = COMMANDS[round_ % len(COMMANDS)]
        if command == ("bootstrap",):
            command = ("bootstrap", str(site.notes))
        edit(site, rng, round_, numbers)
        acknowledged |= note_state(site, rng)
        if round_ % 5 == 4:  # a first build of the index is killed as well
            for file in site.cache.glob("index.sqlite*"):
                file.unlink()
        before = site.contents()
        process = site.start(*command)
        time.sleep(rng.uniform(0.3, 1.05) * longest)
        late = process.poll() is not None
        longest *= 0.8 if late else 1.1
        killed += not late
        site.kill(process)
        site.check()
        assert site.contents() == before
        assert acknowledged <= journalled(site)
        leftovers = [name for name in site.cache_files() if "corrupt" in name or name.endswith(".tmp")]
        assert leftovers == []
    site.run("reindex", "--force").ok()
    left = {name for name in site.cache_files() if not name.endswith(("-wal", "-shm"))}
    assert left <= clean, "killed processes leave nothing that piles up"
    with site.vault() as vault:
        pinned = vault.status().states["pinned"]
    assert pinned > 0
    site.doctor()


def test_a_process_killed_at_any_point_loses_nothing(site: Any) -> None:
    kill_at_random(site, 6, seed=1)


@pytest.mark.torture
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(4))
def test_processes_killed_at_many_points_lose_nothing(site: Any, seed: int) -> None:
    kill_at_random(site, 50, seed=100 + seed)
