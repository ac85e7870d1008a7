from __future__ import annotations

import ctypes
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hearth.app import open_vault
from hearth.vault.vault import Vault

# prctl(2) and capabilities(7): without these root is bound by permission bits like anybody.
_PR_CAPBSET_DROP = 24
_OVERRIDES = (1, 2)


@dataclass
class Result:
    code: int
    out: str
    err: str

    def plain(self) -> Result:
        """The same, once it is certain that it ended in a planned way."""
        assert self.code >= 0, (self.code, self.err)
        assert "Traceback" not in self.err, self.err
        assert "unexpected" not in self.err, self.err
        return self

    def ok(self) -> Result:
        assert self.plain().code == 0, (self.code, self.err)
        return self

    def one_line(self, code: int) -> str:
        """The only line of an error that ends a command."""
        errors = [text for text in self.plain().err.splitlines() if "warning:" not in text]
        assert (self.code, len(errors)) == (code, 1), (self.code, self.err)
        assert errors[0].startswith("hearth: "), errors
        return errors[0]

    def paths(self) -> list[str]:
        """What a search with ``--json`` found."""
        return [row["path"] for row in json.loads(self.out)["results"]]


# Commands ask the daemon where there is one, and leave none behind.
ASKING = {"HEARTH_DAEMON_MODE": "external"}


class Site:
    """Notes with a marker each, four folders, and Hearth over them in processes of their own."""

    def __init__(self, home: Path, forks: Any) -> None:
        self.home = home
        self._forks = forks
        self.notes = home / "notes"
        self.notes.mkdir()
        self.cache = home / "cache" / "default"
        self.data = home / "data" / "default"
        self.index = self.cache / "index.sqlite"
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("HEARTH_") and key != "PYTEST_CURRENT_TEST"
        }
        folders = {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in ("config", "data", "cache", "state")}
        self.environ = kept | folders | {"HOME": str(home / "home")}
        self.markers: dict[str, str] = {}
        self.running: list[subprocess.Popen[bytes]] = []

    # -- notes -----------------------------------------------------------------------------------------------------

    def write(self, path: str, *key: object, more: str = "") -> Path:
        """A note with the marker of ``key``, remembered as what must be found."""
        word = marker(path, *key)
        file = self.notes / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# About {path}\n\nThe word {word} stands here.\n{more}", encoding="utf-8")
        self.markers[path] = word
        return file

    def plant(self, count: int, start: int = 0, rng: random.Random | None = None) -> None:
        words = ("database", "backup", "friday", "coffee", "river", "index", "memory", "release")
        for number in range(start, start + count):
            more = " ".join((rng or random.Random(number)).choices(words, k=60))
            self.write(f"n{number:04}.md", more=f"\n## Details\n\n{more}\n")

    def contents(self) -> dict[str, bytes]:
        return {str(file.relative_to(self.notes)): file.read_bytes() for file in self.notes.rglob("*.md")}

    # -- processes -------------------------------------------------------------------------------------------------

    def start(self, *arguments: str | bytes, **given: Any) -> subprocess.Popen[bytes]:
        environ = ASKING | self.environ | given.pop("environ", {})
        process = subprocess.Popen(
            [sys.executable, "-m", "hearth", *arguments],
            env=environ,
            stdin=given.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=self.home,
            **given,
        )
        self.running.append(process)
        return process

    def end(self, process: subprocess.Popen[bytes], stdin: bytes | None = None) -> Result:
        try:
            out, err = process.communicate(stdin, timeout=100)
        finally:
            self.kill(process)
        return Result(process.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "replace"))

    def run(self, *arguments: str | bytes, stdin: bytes | None = None, **given: Any) -> Result:
        if given.get("preexec_fn"):
            source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
            return self.end(self.start(*arguments, stdin=source, **given), stdin)
        environ = ASKING | self.environ | given.pop("environ", {})
        code, out, err = self._forks.run(arguments, environ, stdin=stdin or b"", folder=self.home, **given)
        return Result(code, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "replace"))

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """With everything that it started, and without a chance to tidy up."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    # -- afterwards ------------------------------------------------------------------------------------------------

    def vault(self) -> Vault:
        """The vault in this process."""
        return open_vault(environ=self.environ)

    def check(self) -> None:
        """After one more update: the index is whole, agrees with itself, and finds every marker."""
        with self.vault() as vault:
            vault.index.sync()
            assert vault.index.check() == []
            status = vault.status()
            assert status.missing_vectors == 0
            assert status.documents == len(self.markers)
            for path, word in self.markers.items():
                hits = vault.recall(word, recipe="keyword").hits
                assert [hit.path for hit in hits] == [path], word

    def doctor(self) -> None:
        """All checks pass; little free space on the machine that runs the tests is not our concern."""
        result = self.run("doctor", "--json", environ={"HEARTH_DAEMON_MODE": "auto"}).plain()
        found = json.loads(result.out)["findings"]
        assert [row for row in found if row["level"] != "ok" and row["check"] != "disk space"] == []

    def cache_files(self) -> list[str]:
        return sorted(str(file.relative_to(self.cache)) for file in self.cache.rglob("*") if file.is_file())


def marker(*key: object) -> str:
    """A word of letters that is in no other note and that no stemming shortens."""
    digits = hashlib.sha256(repr(key).encode()).digest()[:9]
    return "zq" + "".join("bdfghjkmnprtvwxz"[digit % 16] + "aou"[digit // 16 % 3] for digit in digits) + "k"


@pytest.fixture
def site(tmp_path: Path, forks: Any) -> Iterator[Site]:
    made = Site(tmp_path, forks)
    yield made
    for process in made.running:
        made.kill(process)


@pytest.fixture
def indexed(site: Site) -> Site:
    """Forty notes, indexed as the collection ``notes``."""
    site.plant(40)
    site.run("bootstrap", str(site.notes)).ok()
    return site


def _obey() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in _OVERRIDES:
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


@pytest.fixture
def obedient() -> dict[str, Callable[[], None]]:
    """What to start a process with so that permission bits bind it, though root runs the tests."""
    if os.geteuid() != 0:
        return {}
    if sys.platform != "linux":
        pytest.skip("root can't be bound by permission bits here")
    return {"preexec_fn": _obey}
