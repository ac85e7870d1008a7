"""Journals of several machines give one state, however they are ordered, repeated, cut or merged."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.core.journal import Draft, Event, Folded
from hearth.journal import Clock, Journal, JournalPosition, decode, encode
from hearth.vault.history import primitives, problem
from hearth.vault.payload import KINDS

MACHINES = ("aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc")
DOCS = ("doc1", "doc2", "doc3")

JSON = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=3) | st.lists(st.integers(0, 3))
PAYLOADS = st.fixed_dictionaries(
    {},
    optional={
        "until": st.integers(0, 10**13),
        "value": st.floats(0, 1) | st.none(),
        "by": st.sampled_from(DOCS) | st.none(),
        "at": st.integers(0, 10**13) | st.none(),
        "type": st.sampled_from(("causes", "references")),
        "target": st.sampled_from(DOCS),
        "weight": st.floats(0, 1),
        "tags": st.lists(st.text("xyz", max_size=2), max_size=2),
        "from": st.sampled_from(DOCS),
        "counter": st.integers(0, 3),
        "session": st.sampled_from(("s1", "s2")),
        "turn": st.sampled_from(("t1", "t2")),
        "transcript": st.just("/t.jsonl"),
        "watermark": st.integers(0, 1000),
        "docs": st.lists(st.sampled_from(DOCS), max_size=3),
        "query": st.sampled_from(("q1", "q2")),
        "key": st.text("k", max_size=2),
        "odd": JSON,
    },
)
KIND_NAMES = st.sampled_from((*sorted(KINDS), "unheard-of"))
EVENTS = st.builds(
    Event,
    id=st.integers(0, 10**9).map(lambda n: f"{n:026d}"),
    hlc=st.integers(0, 12),
    at=st.integers(0, 1000),
    machine=st.sampled_from(MACHINES),
    kind=KIND_NAMES,
    doc=st.sampled_from(DOCS) | st.none(),
    path=st.sampled_from(("a.md", "b.md")) | st.none(),
    body_hash=st.sampled_from(("00", "ff")) | st.none(),
    data=PAYLOADS,
)
HISTORIES = st.lists(EVENTS, max_size=30, unique_by=lambda event: event.id)


def fold(events: Iterable[Event]) -> str:
    folded = Folded()
    for event in events:
        folded.apply(primitives(event))
    return folded.dump()


def check_any_order(history: list[Event], seed: int) -> None:
    rng = random.Random(seed)
    expected = fold(history)
    other = [*history, *rng.choices(history, k=len(history))] if history else []
    rng.shuffle(other)
    assert fold(other) == expected
    assert fold(decode(encode(event)) for event in reversed(history)) == expected
    for event in history:
        assert event.kind not in KINDS or (problem(event) is None) == bool(primitives(event))


@settings(max_examples=500, deadline=None)
@given(HISTORIES, st.integers(0, 2**32))
def test_any_order_and_repetition_fold_to_the_same_bytes(history: list[Event], seed: int) -> None:
    check_any_order(history, seed)


@pytest.mark.torture
@pytest.mark.timeout(900)
@settings(max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HISTORIES, st.integers(0, 2**32))
def test_thousands_of_histories_fold_to_the_same_bytes(history: list[Event], seed: int) -> None:
    check_any_order(history, seed)


def random_draft(rng: random.Random) -> Draft:
    kind = rng.choice(sorted(KINDS))
    data: dict[str, Any] = {
        "until": rng.randrange(10**13),
        "value": rng.random(),
        "by": rng.choice(DOCS),
        "type": "causes",
        "target": rng.choice(DOCS),
        "tags": [rng.choice("xyz")],
        "from": rng.choice(DOCS),
        "counter": rng.randrange(3),
        "session": rng.choice(("s1", "s2")),
        "turn": f"t{rng.randrange(3)}",
        "transcript": "/t.jsonl",
        "watermark": rng.randrange(1000),
        "docs": list(DOCS[: 1 + rng.randrange(3)]),
    }
    return Draft(kind, rng.choice(DOCS), rng.choice(("a.md", "b.md", None)), rng.choice(("00", "ff", None)), data)


class Machine:
    """A machine with its own copy of the journal folder, its own wrong clock, and an index that follows both."""

    def __init__(self, folder: Path, name: str, skew: int, rng: random.Random) -> None:
        self.folder, self.name, self.rng = folder, name, rng
        self.now = 1_700_000_000_000 + skew
        self.index, self.position = Folded(), JournalPosition()
        self.restart()

    def restart(self) -> None:
        self.journal = Journal(self.folder, self.name, Clock(self._wall), str, rotate_bytes=3000)

    def _wall(self) -> int:
        self.now += self.rng.randrange(-40, 60)
        return self.now

    def step(self) -> None:
        drafts = [random_draft(self.rng) for _ in range(self.rng.randrange(1, 4))]
        self.journal.append(drafts, durable=False)
        if self.rng.random() < 0.3:
            self.restart()
        if self.rng.random() < 0.5:
            self.follow()
        if self.rng.random() < 0.1:
            self.index, self.position = Folded(), JournalPosition()

    def follow(self) -> None:
        more = True
        while more:
            batch = self.journal.read(self.position, self.rng.randrange(1, 9))
            self.position, more = batch.position, batch.more
            self.index.apply(item for event in batch.events for item in primitives(event))

    def receive(self, other: Machine) -> None:
        """What a sync program does: other machines' files arrive, sometimes only in part."""
        for source in other.folder.glob("*.jsonl"):
            if not source.name.startswith(self.name):
                content = source.read_bytes()
                target = self.folder / source.name
                if not target.exists() or len(content) > target.stat().st_size:
                    whole = self.rng.random() < 0.6
                    target.write_bytes(content if whole else content[: self.rng.randrange(len(content) + 1)])


def check_merge(folder: Path, seed: int, machines: int) -> None:
    rng = random.Random(seed)
    fleet = []
    for index, name in enumerate(MACHINES[:machines]):
        (folder / name).mkdir()
        fleet.append(Machine(folder / name, name, index * rng.choice((0, 1000, 400_000, 10**9)), rng))
    for _ in range(12):
        rng.choice(fleet).step()
        if rng.random() < 0.5:
            rng.choice(fleet).receive(rng.choice(fleet))
    for machine in fleet:
        for other in fleet:
            for source in other.folder.glob(f"{other.name}*"):
                (machine.folder / source.name).write_bytes(source.read_bytes())
        machine.follow()
    dumps = {machine.index.dump() for machine in fleet}
    assert len(dumps) == 1
    again = fleet[0].journal.read(JournalPosition(), 10**6)
    assert again.problems == []
    assert fold(again.events) in dumps
    for name in MACHINES[:machines]:
        own = [event.stamp for event in again.events if event.machine == name]
        assert own == sorted(set(own))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_machines_that_wrote_apart_end_with_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, machines: int
) -> None:
    check_merge(tmp_path_factory.mktemp("fleet"), seed, machines)


@pytest.mark.torture
@pytest.mark.timeout(900)
@settings(max_examples=2000, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 3))
def test_thousands_of_fleets_end_with_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, machines: int
) -> None:
    check_merge(tmp_path_factory.mktemp("fleet"), seed, machines)
