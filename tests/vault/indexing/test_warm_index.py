"""The index says what the files, the settings and the journal say, whatever it has been through."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.house import House
from tests.torture import Part, torture

from hearth import app
from hearth.core.document import INTERNAL, docid
from hearth.core.journal import Draft
from hearth.disk.collections import DiskFiles
from hearth.guard.secrets import redaction as secrets
from hearth.journal import Clock, Journal
from hearth.models.static import StaticEmbedder, quantize
from hearth.ports import Collection, Commit, Store
from hearth.store.sqlite.store import SqliteStore
from hearth.vault.embedding import Filler
from hearth.vault.history import History, read_position
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.audit import Auditor
from hearth.vault.indexing.sync import Syncer
from hearth.vault.upkeep import Proof

NAMES = ("a.md", "b.md", "deep/a.md", "deep/2024-03-05.md", "Bread.md", "deep/bread.md", "decisions/0001.md")
HEADS = (
    "",
    "date: 2022-01-02\n",
    "supersedes: a.md\n",
    "supersedes: bread\n",
    "supersedes: '[[b]]'\n",
    "supersedes: work/a.md\n",
    "trust: external\n",
    "tags: [red]\ncontent_type: decision\n",
    "date: {{date}}\n",
)
BODIES = (
    "Amber.\n",
    "# Rye\n\nSee [[bread]] and [b](b.md).\n",
    "See [[a]], [up](../b.md) and [[0001]].\n",
    "Date: 2023-04-05\n\nBasalt, [[2024-03-05]].\n",
    "",
)
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pin", {}),
    ("unpin", {}),
    ("forget", {}),
    ("unforget", {}),
    ("archive", {}),
    ("snooze", {"until": 10**13}),
    ("purge", {"scope": "index"}),
    ("purge", {"scope": "file"}),
    ("purge", {"at": None}),
    ("referenced", {"session": "s", "turn": "t"}),
)
# Of the engine's files: ids, places, and what sync programs and people add to names.
IDS = ("0" * 15 + "1", "0" * 15 + "2")
MEMORIES = (
    *(f"agent/notes/tea-{identity}{more}.md" for identity in IDS for more in ("", " (1)", "-LAPTOP-9QX")),
    f"agent/notes/milk-{IDS[0]}.md",
    "agent/notes/larder.md",
    "agent/deeper/by-hand.md",
    "user/entities/person-anna.md",
    "user/entities/person-anna-maria.md",
    "user/entities/person-anna (1).md",
    "daily/2026-01-01.md",
    "daily/2026-01-01 2.md",
)  # fmt: skip
OURS, THEIRS = "aaaaaaaaaa", "bbbbbbbbbb"


class Repository:
    """Implements ``ports.Commits``: what was committed of the notes, and when first."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.commits = 0
        self.firsts: dict[str, Commit] = {}

    def revision(self, collection: Collection) -> str | None:
        return str(self.commits) if self.commits and collection.root == self.root else None

    def first(self, collection: Collection) -> dict[str, Commit]:
        return dict(self.firsts) if collection.root == self.root else {}


class World:
    """Two folders of notes with one inside the other, the journals of two machines, and an index kept up to date."""

    def __init__(self, home: Path, rng: random.Random) -> None:
        self.home, self.rng = home, rng
        self.now = 1_760_000_000_000
        self.ticks = 10**18
        self.roots = {
            "notes": home / "notes",
            "work": home / "work",
            "inner": home / "notes" / "deep",
            INTERNAL: home / "memory",
        }
        for root in self.roots.values():
            root.mkdir(parents=True, exist_ok=True)
            self.write(root / "keep.md", "Never the last to go.\n")
        self.repository = Repository(str(self.roots["notes"]))
        self.chosen: dict[str, Collection] = {}
        self.choose("notes")
        self.chosen[INTERNAL] = Collection(INTERNAL, str(self.roots[INTERNAL]), origin="engine", trust="agent")
        self.stores = 0
        self.logs = {name: Journal(home / "journal", name, Clock(lambda: self.now), str) for name in (OURS, THEIRS)}
        self.warm = self.store()

    def store(self) -> SqliteStore:
        self.stores += 1
        return SqliteStore(self.home / f"index-{self.stores}" / "index.sqlite", "1")

    # -- changes ---------------------------------------------------------------------------------------------------

    def write(self, file: Path, text: str) -> None:
        """No two writes leave the same time behind."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.touch(file)

    def touch(self, file: Path) -> None:
        self.ticks += self.rng.randrange(1, 10**12)
        os.utime(file, ns=(self.ticks, self.ticks))

    def files(self) -> list[Path]:
        return sorted(path for path in self.home.glob("[nw]*/**/*.md") if path.name != "keep.md")

    def memories(self) -> list[Path]:
        return sorted(path for path in self.roots[INTERNAL].glob("**/*.md") if path.name != "keep.md")

    def remember(self) -> None:
        """A memory, a file that names no id, or one that names another id than its name says."""
        head = self.rng.choice(
            (f"id: {self.rng.choice(IDS)}\nmachine: m\n", f"id: {self.rng.choice(IDS)}\n", "machine: m\n")
        )
        self.write(self.roots[INTERNAL] / self.rng.choice(MEMORIES), f"---\n{head}---\n{self.rng.choice(BODIES)}")

    def copy_memory(self) -> None:
        """As it is, with a line more, or instead of it."""
        if files := self.memories():
            source, target = self.rng.choice(files), self.roots[INTERNAL] / self.rng.choice(MEMORIES)
            self.write(target, source.read_text(encoding="utf-8") + self.rng.choice(("", "By hand.\n")))
            if source != target and self.rng.random() < 0.3:
                source.unlink()

    def drop_memory(self) -> None:
        if files := self.memories():
            self.rng.choice(files).unlink()

    def place(self) -> Path:
        return self.roots[self.rng.choice(("notes", "work"))] / self.rng.choice(NAMES)

    def edit(self) -> None:
        head = self.rng.choice(HEADS)
        body = self.rng.choice(BODIES)
        self.write(self.place(), f"---\n{head}---\n{body}" if head else body)

    def remove(self) -> None:
        if files := self.files():
            self.rng.choice(files).unlink()

    def rename(self) -> None:
        if files := self.files():
            target = self.place()
            target.parent.mkdir(parents=True, exist_ok=True)
            self.rng.choice(files).replace(target)

    def copy(self) -> None:
        if files := self.files():
            self.write(self.place(), self.rng.choice(files).read_text(encoding="utf-8"))

    def touched(self) -> None:
        if files := self.files():
            self.touch(self.rng.choice(files))

    def choose(self, name: str) -> None:
        inner = (str(self.roots["inner"]),) if name == "notes" and "inner" in self.chosen else ()
        self.chosen[name] = Collection(name, str(self.roots[name]), inner_roots=inner)

    def collections(self) -> None:
        name = self.rng.choice(("work", "inner"))
        if name in self.chosen:
            del self.chosen[name]
        else:
            self.choose(name)
        self.choose("notes")

    def setting(self) -> None:
        name = self.rng.choice(sorted(self.chosen.keys() - {INTERNAL}))
        changed: dict[str, Any] = self.rng.choice(
            (
                {"trust": self.rng.choice(("human", "agent", "external"))},
                {"exclude": self.rng.choice(((), ("/a.md",), ("bread.md",), ("deep/",)))},
                {"pattern": self.rng.choice(("**/*.md", "*.md", "deep/*.md,keep.md"))},
                {"context": {"/deep": "what lies deep"}},
            )
        )
        self.chosen[name] = replace(self.chosen[name], **changed)

    def commit(self) -> None:
        self.repository.commits += 1
        root = self.roots["notes"]
        for file in root.glob("**/*.md"):
            if self.rng.random() < 0.5:
                name = str(file.relative_to(root))
                self.repository.firsts.setdefault(name, Commit(self.now, f"writer {self.now % 3}"))
        if self.rng.random() < 0.1:
            self.repository.firsts.clear()

    def event(self) -> None:
        kind, data = self.rng.choice(KINDS)
        path, collection = self.rng.choice(NAMES), self.rng.choice(("notes", "work", "inner"))
        name = docid(collection, path)
        if self.rng.random() < 0.4:
            path = self.rng.choice(MEMORIES)
            name = self.rng.choice((*IDS, docid(INTERNAL, path)))
        with self.warm.read() as reader:
            stored = reader.document(name)
        known = None if stored is None else stored.document.body_hash
        draft = Draft(kind, name, path, known, data)
        self.logs[self.rng.choice((OURS, THEIRS))].append([draft])

    def damage(self) -> None:
        files = sorted((self.home / "journal").glob("*.jsonl"))
        if not files:
            return
        file = self.rng.choice(files)
        data = bytearray(file.read_bytes())
        if not data or self.rng.random() < 0.2:
            file.unlink()
        elif self.rng.random() < 0.3:
            file.write_bytes(data[: self.rng.randrange(len(data))])
        else:
            data[self.rng.randrange(len(data))] ^= 1 + self.rng.randrange(255)
            file.write_bytes(data)

    # -- looking ---------------------------------------------------------------------------------------------------

    def update(self, store: Store) -> None:
        self.now += 3_600_000
        history = History(self.logs[OURS], store)
        analyzer, clock = Analyzer(secrets.redact), lambda: self.now
        syncer = Syncer(store, DiskFiles(), analyzer, history, clock, nullcontext, commits=self.repository)
        syncer.run([self.chosen[name] for name in sorted(self.chosen)])

    def check(self) -> None:
        self.update(self.warm)
        fresh = self.store()
        try:
            self.update(fresh)
            expected, found = dump(fresh), dump(self.warm)
        finally:
            fresh.close()
        for what, value in expected.items():
            assert found[what] == value, what
        history = History(self.logs[OURS], self.warm)
        proof = Proof(Filler(self.warm, quantize, nullcontext), StaticEmbedder)
        chosen = [self.chosen[name] for name in sorted(self.chosen)]
        audit = Auditor(self.warm, DiskFiles(), chosen, Analyzer(secrets.redact), history, proof).run(None)
        assert (audit.problems, audit.behind) == ((), False)


def dump(store: Store) -> dict[str, Any]:
    """All but row numbers and the time of indexing."""
    with store.read() as reader:
        rows = [stored for stored in map(reader.document, sorted(reader.docids())) if stored is not None]
        return {
            "documents": [replace(d.document, indexed_at=0) for d in rows],
            "dates": {d.document.path: d.document.dated_at for d in rows},
            "files": [(d.file, d.vanished, d.problem) for d in rows],
            "states": {d.document.uri: d.state for d in rows},
            "fragments": [[replace(p, id=0, document=0) for p in reader.fragments_of(d.id)] for d in rows],
            "links": {d.document.uri: reader.links(d.document.docid) for d in rows},
            "unlinked": [reader.unlinked(name, 9) for name in reader.collections()],
            "terms": sorted((row.term, row.df, row.strong) for row in reader.terms_with_prefix("", 100_000)),
            "statistics": (reader.statistics().documents, reader.statistics().fragments),
            "collections": [replace(c, scanned_at=0) for c in reader.collections().values()],
            "skipped": reader.skipped(),
            "folded": reader.folded(),
            "position": read_position(reader),
        }


STEPS: tuple[Callable[[World], None], ...] = (
    *[World.edit] * 5, World.remove, World.rename, World.copy, World.touched, World.collections, World.setting,
    World.commit, *[World.event] * 4, World.damage, *[World.remember] * 3, *[World.copy_memory] * 3, World.drop_memory,
)  # fmt: skip
HISTORIES = st.lists(st.tuples(st.integers(0, len(STEPS) - 1), st.booleans()), min_size=1, max_size=25)


def check_history(home: Path, seed: int, steps: list[tuple[int, bool]]) -> None:
    """Each step is followed by an update where the flag says so, or by none."""
    world = World(home, random.Random(seed))
    try:
        for step, updated in steps:
            STEPS[step](world)
            if updated:
                world.update(world.warm)
        world.check()
    finally:
        world.warm.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), steps=HISTORIES)
def test_an_index_kept_up_to_date_is_what_a_rebuild_gives(
    tmp_path_factory: pytest.TempPathFactory, seed: int, steps: list[tuple[int, bool]]
) -> None:
    check_history(tmp_path_factory.mktemp("world"), seed, steps)


def test_the_context_of_a_folder_is_that_of_the_settings_without_reading_a_file_again(tmp_path: Path) -> None:
    house = House(tmp_path, tmp_path / "notes")
    house.write("deep/bread.md", "# Bread\n\nThe sourdough rests for twelve hours.\n")
    seen = []
    for said in ("recipes of the bakery", "what the baker tried", None):
        house.configure(collections="" if said is None else f"    context:\n      /deep: {said}\n")
        with app.open_vault(environ=house.environ) as vault:
            report = vault.index.sync()
            assert (report.added, report.changed) == (0 if seen else 1, 0)
        warm = house.vault.recall("how long does the sourdough rest").hits
        house.rebuilt()
        assert house.vault.recall("how long does the sourdough rest").hits == warm
        seen.append([hit.context for hit in warm])
    house.close()
    assert seen == [["recipes of the bakery"], ["what the baker tried"], [None]]


@torture("warm index", parts=40)
def test_an_index_kept_up_to_date_is_what_a_rebuild_gives_in_ten_thousand_histories(part: Part, tmp_path: Path) -> None:
    rng = part.rng
    for number in range(part.cases):
        seed = rng.randrange(2**32)
        steps = [(rng.randrange(len(STEPS)), rng.random() < 0.5) for _ in range(rng.randint(1, 25))]
        home = tmp_path / str(number)
        home.mkdir()
        try:
            check_history(home, seed, steps)
        except BaseException as error:
            error.add_note(f"{part!r}: seed {seed}, steps {steps}")
            raise
        part.count()
        shutil.rmtree(home)
