"""Histories of two machines that write before their folders have met: nothing is lost, nothing is there twice, and in
the end both hold the same."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.torture import Part, torture
from tests.vault.indexing.test_warm_index import dump

from hearth.app import open_vault
from hearth.core.errors import HearthError
from hearth.vault.vault import Vault

CONFLICT = ".sync-conflict-20260101-120000-ABCDEF{}"
# As Syncthing, iCloud and OneDrive call them.
SPELLINGS = (CONFLICT, " {}", "-DESKTOP-4F2K{}")
DEEDS = ("note", "note", "note", "diary", "remember", "remember", "forget", "pin", "restore", "undo", "scan", "reopen")


class Machine:
    def __init__(self, home: Path, name: str) -> None:
        self.home, self.name = home, name
        self.vault = self._open()

    @property
    def data(self) -> Path:
        return self.home / "data" / "default"

    def _open(self) -> Vault:
        folders = {f"HEARTH_{name.upper()}_DIR": str(self.home / name) for name in ("config", "data", "cache", "state")}
        return open_vault(environ=folders | {"HOME": str(self.home / "home")})

    def reopen(self) -> None:
        self.vault.close()
        self.vault = self._open()

    def rebuild(self) -> None:
        """As if the cache had been deleted."""
        self.vault.close()
        shutil.rmtree(self.home / "cache")
        self.vault = self._open()
        self.vault.index.sync()

    def files(self) -> dict[str, bytes]:
        found = (file for file in self.data.rglob("*") if file.is_file() and file.suffix not in (".lock", ".tmp"))
        return {str(file.relative_to(self.data)): file.read_bytes() for file in found}

    def put(self, path: str, data: bytes | None, changed: int) -> None:
        file = self.data / path
        if data is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        os.utime(file, ns=(changed, changed))


class Pair:
    """Two machines, and a sync program between them that knows what it carried last."""

    def __init__(self, home: Path, rng: random.Random) -> None:
        self.rng = rng
        self.machines = [Machine(home / name, name) for name in ("one", "two")]
        self.carried: dict[str, bytes] = {}
        self.conflicts = 0
        # What each word is, and what must be known of it in the end.
        self.said: dict[str, str] = {}
        self.forgotten: set[str] = set()
        self.moved: set[str] = set()

    def close(self) -> None:
        for machine in self.machines:
            machine.vault.close()

    # -- deeds ---------------------------------------------------------------------------------------------------------

    def act(self, deed: str) -> None:
        machine = self.rng.choice(self.machines)
        vault, word = machine.vault, f"zq{self.rng.randrange(16**12):012x}".translate(_LETTERS)
        match deed:
            case "note":
                vault.memories.note(f"the {word} at noon")
                self.said[word] = deed
            case "diary":
                vault.memories.write_diary(f"A day of {word}", "larder")
                self.said[word] = deed
            case "remember":
                memory = vault.memories.remember(f"The {word} stands in row {len(self.said)}.", "observation")
                self.said[word] = memory.docid
            case "scan":
                vault.index.sync()
            case "reopen":
                machine.reopen()
            case "undo":
                self.moved |= set(self.said)  # whatever it takes back, both machines have to agree
                vault.state.undo()
            case _:
                self._change(vault, deed)

    def _change(self, vault: Vault, deed: str) -> None:
        memories = [word for word, docid in self.said.items() if docid not in ("note", "diary")]
        if not memories:
            return
        word = self.rng.choice(memories)
        getattr(vault.state, deed)(self.said[word])
        if deed == "forget":
            self.forgotten.add(word)
        elif deed == "restore":
            self.moved.add(word)

    # -- what a sync program does --------------------------------------------------------------------------------------

    def carry(self, share: float) -> None:
        """What changed on one side goes to the other; where both changed one wins, and the other becomes a copy. Some
        files come later than others."""
        one, two = (machine.files() for machine in self.machines)
        for path in sorted(one.keys() | two.keys() | self.carried.keys()):
            base, ours, theirs = self.carried.get(path), one.get(path), two.get(path)
            if ours == theirs:
                self._know(path, ours)
            elif self.rng.random() > share:
                continue
            elif ours == base:
                self._settle(path, theirs)
            elif theirs == base:
                self._settle(path, ours)
            else:
                self._conflict(path, ours, theirs)

    def _settle(self, path: str, data: bytes | None) -> None:
        changed = time.time_ns()  # goes along
        for machine in self.machines:
            machine.put(path, data, changed)
        self._know(path, data)

    def _conflict(self, path: str, ours: bytes | None, theirs: bytes | None) -> None:
        kept, other = (ours, theirs) if self.rng.random() < 0.5 else (theirs, ours)
        if kept is None or other is None:  # a change wins over a deletion
            self._settle(path, kept or other)
            return
        self._settle(path, kept)
        name, dot, suffix = path.rpartition(".")
        self.conflicts += 1
        spelling = self.rng.choice(SPELLINGS) if suffix == "md" else CONFLICT
        copy = f"{name}{spelling.format(2 + self.conflicts % 8)}{dot}{suffix}" if name else path + CONFLICT.format("X")
        self._settle(copy, other)

    def _know(self, path: str, data: bytes | None) -> None:
        if data is None:
            self.carried.pop(path, None)
        else:
            self.carried[path] = data

    # -- in the end ----------------------------------------------------------------------------------------------------

    def check(self) -> None:
        for _ in range(3):  # indexing may write: who made the vault, what was seen
            self.carry(1.0)
            for machine in self.machines:
                machine.vault.index.sync()
        held = []
        for machine in self.machines:
            self._find(machine)
            held.append(dump(machine.vault.store))
            machine.rebuild()
            compare(held[-1], dump(machine.vault.store), f"{machine.name}, warm and rebuilt")
        compare(*held, "the machines")

    def _find(self, machine: Machine) -> None:
        for word in self.said:
            hits = machine.vault.recall(word, recipe="keyword").hits
            count = sum(word in hit.snippet for hit in hits)
            if word in self.moved:
                assert count <= 1, f"{machine.name}: {word} is there {count} times"
            else:
                assert count == (word not in self.forgotten), f"{machine.name}: {word} is there {count} times"


_LETTERS = str.maketrans("0123456789abcdef", "bdfghjkmnprtvwxz")
_OF_ONE_MACHINE = ("files", "position", "dates", "collections", "skipped")


def compare(one: dict[str, Any], other: dict[str, Any], who: str) -> None:
    """Without what differs between machines: inodes, and how far each has read."""
    for what, value in one.items():
        assert what in _OF_ONE_MACHINE or value == other[what], f"{who}: {what} differ"


def check_histories(home: Path, seeds: Iterator[Any]) -> int:
    number = 0
    for number, seed in enumerate(seeds, 1):
        place = home / str(number)
        check_history(place, seed)
        shutil.rmtree(place)
    return number


def check_history(home: Path, seed: Any) -> None:
    rng = random.Random(seed)
    pair = Pair(home, rng)
    try:
        unsynced = rng.randint(1, 6)
        for step in range(rng.randint(unsynced, 16)):
            try:
                pair.act(rng.choice(DEEDS))
            except HearthError:
                continue  # refused, as it should be where the state does not fit
            if step >= unsynced and rng.random() < 0.4:
                pair.carry(rng.choice((0.3, 0.7, 1.0)))
        pair.check()
    except BaseException as error:
        error.add_note(f"seed {seed!r}")
        raise
    finally:
        pair.close()


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_two_machines_that_begin_apart_end_alike(tmp_path_factory: Any, seed: int) -> None:
    check_history(tmp_path_factory.mktemp("pair"), seed)


@torture("two machines", parts=20)
def test_two_machines_that_begin_apart_end_alike_in_many_histories(part: Part, tmp_path: Path) -> None:
    part.count(check_histories(tmp_path, (f"{part!r} {number}" for number in range(part.cases))))
