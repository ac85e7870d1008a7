"""Full and failing disks: loud at once, whole afterwards."""

from __future__ import annotations

import itertools
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from hearth.core.document import docid
from hearth.core.errors import Unavailable
from hearth.core.files import locked
from hearth.core.journal import Draft
from hearth.disk.collections import DiskFiles
from hearth.guard.secrets import redaction as secrets
from hearth.journal import Clock, Journal
from hearth.ports import Collection, Filter
from hearth.store.sqlite.store import SqliteStore
from hearth.vault.history import History
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.sync import Syncer

NOW = 1_900_000_000_000
_NUMBERS = itertools.count()


class Faults:
    """Counts the operations of one kind and makes the n-th fail, once or from then on."""

    def __init__(self, kind: str, error: str) -> None:
        self.kind, self.error = kind, error
        self.at = 0
        self.sticky = False
        self.seen = 0
        self.hits = 0

    def arm(self, at: int, *, sticky: bool) -> None:
        self.at, self.sticky, self.seen, self.hits = at, sticky, 0, 0

    def disarm(self) -> None:
        self.at = 0

    def pass_(self, kind: str) -> None:
        if kind != self.kind:
            return
        self.seen += 1
        if self.at and (self.seen == self.at or (self.sticky and self.seen > self.at)):
            self.hits += 1
            if self.error == "full":
                raise apsw.FullError("injected: no space left")
            error = apsw.IOError("injected: input/output error")
            error.extendedresult = getattr(apsw, self.error)
            raise error


class FaultyVfs(apsw.VFS):
    """The system's own files but for the faults."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.name = f"faulty-{next(_NUMBERS)}"
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: Any) -> apsw.VFSFile:
        return FaultyFile(self.faults, name, flags)


class FaultyFile(apsw.VFSFile):
    def __init__(self, faults: Faults, name: Any, flags: Any) -> None:
        self._faults = faults
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        self._faults.pass_("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._faults.pass_("sync")
        super().xSync(flags)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._faults.pass_("read")
        return super().xRead(amount, offset)

    def xTruncate(self, size: int) -> None:
        self._faults.pass_("truncate")
        super().xTruncate(size)


class Bench:
    """A folder of notes whose index lies on a disk that can fail."""

    def __init__(self, home: Path, vfs: str | None) -> None:
        self.home, self.vfs = home, vfs
        self.notes = home / "notes"
        self.notes.mkdir(parents=True)
        self.collections = [Collection("notes", str(self.notes))]
        self.journal = Journal(home / "journal", "aaaaaaaaaa", Clock(lambda: NOW), str)
        self.pinned: set[str] = set()

    def store(self, name: str = "index.sqlite", *, faulty: bool = True) -> SqliteStore:
        return SqliteStore(self.home / "cache" / name, "1", vfs=self.vfs if faulty else None)

    def sync(self, store: SqliteStore) -> None:
        history = History(self.journal, store)
        lock = self.home / "sync.lock"
        Syncer(store, DiskFiles(), Analyzer(secrets.redact), history, lambda: NOW, lambda: locked(lock)).run(
            self.collections, force=True
        )

    def write(self, number: int, version: int) -> None:
        text = f"# Note {number}\n\nversion{version} of subject{number}\n\n" + f"word{version} basalt amber " * 40
        (self.notes / f"n{number}.md").write_text(text, encoding="utf-8")

    def pin(self, number: int) -> None:
        name = docid("notes", f"n{number}.md")
        self.journal.append([Draft("pin", name, f"n{number}.md", None, {})])
        self.pinned.add(name)


def workload(bench: Bench) -> None:
    """Create, fill, change, remove, pin, check, rebuild and swap: what a vault does to its index."""
    with closing(bench.store()) as store:
        for number in range(6):
            bench.write(number, 0)
        bench.sync(store)
        bench.write(1, 1)
        bench.pin(1)
        (bench.notes / "n2.md").unlink(missing_ok=True)
        bench.sync(store)
        with closing(bench.store("side.sqlite")) as side:
            bench.sync(side)
        store.replace_with(bench.home / "cache" / "side.sqlite")
        bench.write(3, 2)
        bench.sync(store)


@contextmanager
def closing(store: SqliteStore) -> Iterator[SqliteStore]:
    try:
        yield store
    finally:
        store.close()


def survives(bench: Bench) -> None:
    """Opened by the system's own means: whole, and one sync away from the files and the journal."""
    with closing(bench.store(faulty=False)) as store:
        bench.sync(store)
        assert store.check() == []
        with store.read() as reader:
            stored = {d.document.path: d for d in list(reader.each_document(Filter(include_hidden=True)))}
            assert set(stored) == {file.name for file in bench.notes.iterdir()}
            for name, found in stored.items():
                text = (bench.notes / name).read_text(encoding="utf-8")
                assert "".join(part.text for part in reader.fragments_of(found.id)).split()[-3:] == text.split()[-3:]
            assert {d.document.docid for d in stored.values() if d.state.pinned} == bench.pinned
    assert [file.name for file in (bench.home / "cache").iterdir() if "corrupt" in file.name] == []


def inject(home: Callable[[], Path], kind: str, error: str, step: int) -> int:
    """Runs the workload with every ``step``-th operation failing, once and for good; returns how many faults hit."""
    faults = Faults(kind, error)
    vfs = FaultyVfs(faults)
    faults.arm(0, sticky=False)
    workload(Bench(home(), vfs.name))
    total, hits = faults.seen, 0
    assert total
    for sticky in (False, True):
        for at in range(1, total + 1, step):
            bench = Bench(home(), vfs.name)
            faults.arm(at, sticky=sticky)
            try:
                workload(bench)
            except Unavailable as failure:
                assert str(bench.home) in str(failure) and "\n" not in str(failure)
            except SystemError as failure:  # how apsw reports an error of a Python VFS while a backup ends
                assert isinstance(failure.__cause__, apsw.Error)
            hits += bool(faults.hits)
            faults.disarm()
            survives(bench)
    return hits


KINDS = [
    ("write", "full"),
    ("write", "SQLITE_IOERR_WRITE"),
    ("sync", "SQLITE_IOERR_FSYNC"),
    ("read", "SQLITE_IOERR_READ"),
    ("truncate", "SQLITE_IOERR_TRUNCATE"),
]


@pytest.fixture
def homes(tmp_path: Path) -> Callable[[], Path]:
    numbers = itertools.count()
    return lambda: tmp_path / f"home-{next(numbers)}"


# What fails while a connection is thrown away has nobody to be raised to.
quiet = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@quiet
@pytest.mark.parametrize(("kind", "error", "step"), [(*KINDS[0], 29), (*KINDS[2], 7), (*KINDS[3], 41)])
def test_an_index_survives_a_disk_that_fails(homes: Callable[[], Path], kind: str, error: str, step: int) -> None:
    assert inject(homes, kind, error, step) > 0


@quiet
@pytest.mark.torture
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("kind", "error"), KINDS)
def test_an_index_survives_every_failure_of_the_disk(homes: Callable[[], Path], kind: str, error: str) -> None:
    assert inject(homes, kind, error, 1) > 0


# -- the command line --------------------------------------------------------------------------------------------------


def limited(kilobytes: int) -> Callable[[], None]:
    """Python ignores the signal, so that a write over the limit fails like one on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))


@pytest.mark.parametrize("kilobytes", [0, 250])
def test_an_update_that_may_write_too_little_says_so_in_one_line(site: Any, kilobytes: int) -> None:
    site.plant(40)
    site.run("bootstrap", str(site.notes)).ok()
    site.plant(300, start=40)
    before = site.contents()
    site.run("update", preexec_fn=limited(kilobytes)).one_line(5)
    assert site.contents() == before
    site.check()


def test_a_search_that_may_write_nothing_still_answers(indexed: Any) -> None:
    path, word = next(iter(indexed.markers.items()))
    indexed.write("n0001.md", "anew")
    result = indexed.run("search", "--json", word, preexec_fn=limited(0)).ok()
    assert result.paths() == [path]


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small file system can't be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_cache_disk_is_named_and_costs_nothing(site: Any) -> None:
    site.plant(20)
    with small_disk(site.home / "cache", 700):
        site.run("bootstrap", str(site.notes)).ok()
        old = dict(site.markers)
        site.plant(600, start=20)
        assert "disk is full" in site.run("update").one_line(5)
        path, word = next(iter(old.items()))
        assert site.run("search", "--json", word).ok().paths() == [path]
        filler = site.cache / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1024))
        searches = [site.start("search", "--json", word) for _ in range(3)]
        assert [site.end(search).ok().paths() for search in searches] == [[path]] * 3
        filler.unlink()
        for number in range(20, 620):
            site.markers.pop(f"n{number:04}.md")
            (site.notes / f"n{number:04}.md").unlink()
        site.check()


def test_a_full_data_disk_leaves_the_journal_readable(site: Any) -> None:
    site.plant(20)
    with small_disk(site.home / "data", 16):
        site.run("bootstrap", str(site.notes)).ok()
        with site.vault() as vault:
            log = vault.index.syncer.history.log
            kept = []
            with pytest.raises(Unavailable, match="free some space"):
                for number in range(1000):
                    name = docid("notes", f"n{number % 20:04}.md")
                    kept += log.append([Draft("pin", name, f"n{number % 20:04}.md", None, {})])
        assert len(kept) > 10
        site.check()
        with site.vault() as vault:
            assert vault.status().states["pinned"] == min(20, len(kept))
