"""What tests share: a clean environment, a count of steps, and a home with notes, the stub and the daemon as real
processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hearth import stub as stub_module
from hearth.app import open_vault
from hearth.daemon.client import ask
from hearth.daemon.stub.address import Address, address
from hearth.engine.vault import Vault

STUB = str(stub_module.__file__)
# Before a program that asks the daemon, where an answer is what matters, however slow the machine is at the moment.
PATIENT = f"""
import sys
sys.path.append({STUB[: -len("/hearth/stub.py")]!r})
from hearth.daemon.stub import client as stub_client
from hearth.daemon.stub import call
stub_client.BUDGET = call.PATIENCE = 60.0
stub_client.BUDGETS = {{}}
"""
# Seconds after which a process hangs, whatever else the machine does.
HANGS = 100.0
# What a terminal, a locale or a zone says of itself; no result may depend on where the tests run.
_SURROUNDINGS = (
    "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LANG", "LANGUAGE", "LINES", "NO_COLOR",
    "PY_COLORS", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TZ",
)  # fmt: skip
for _name in [name for name in os.environ if name in _SURROUNDINGS or name.startswith("LC_")]:
    del os.environ[_name]
time.tzset()
NOTE = "# PostgreSQL over MongoDB\n\nWe chose PostgreSQL over MongoDB for the larder because joins matter more.\n"
QUESTION = "Why did we choose PostgreSQL over MongoDB for the larder?"


@dataclass
class Printed:
    code: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """What was injected, empty for nothing; the process ended as hosts want it."""
        assert (self.code, self.err) == (0, ""), self
        if not self.out:
            return ""
        found = json.loads(self.out).get("hookSpecificOutput", {}).get("additionalContext", "")
        return str(found)


class Home:
    """``environ`` is for processes started from here; every one of them is ended with the test."""

    def __init__(self, folder: Path, runtime: Path) -> None:
        self.folder = folder
        self.runtime = runtime
        self.notes = folder / "notes"
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("HEARTH_", "CLAUDE", "XDG_")) and key != "PYTEST_CURRENT_TEST"
        }
        folders = {f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in ("config", "data", "cache", "state")}
        self.environ = kept | folders | {"HOME": str(folder / "home"), "XDG_RUNTIME_DIR": str(runtime)}
        self.running: list[subprocess.Popen[bytes]] = []

    # -- notes -----------------------------------------------------------------------------------------------------

    def configure(self, text: str = "") -> None:
        (self.folder / "config").mkdir(exist_ok=True)
        collections = f"collections: {{notes: {{path: {self.notes}}}}}\n"
        (self.folder / "config" / "config.yaml").write_text(collections + text, encoding="utf-8")

    def index(self) -> None:
        self.notes.mkdir(exist_ok=True)
        (self.notes / "0001-postgres.md").write_text(NOTE, encoding="utf-8")
        if not (self.folder / "config" / "config.yaml").exists():
            self.configure()
        with open_vault(environ=self.environ) as vault:
            vault.index.sync()

    # -- processes -------------------------------------------------------------------------------------------------

    @property
    def address(self) -> Address:
        return address(self.environ)

    def prompt(self, text: str = QUESTION, session: str = "s1", **more: Any) -> bytes:
        event = {"session_id": session, "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": text}
        return json.dumps(event | more).encode()

    def stub(self, *arguments: str, stdin: bytes = b"", environ: dict[str, str] | None = None, **given: Any) -> Printed:
        """Runs the stub as a host does."""
        command = [sys.executable, "-I", "-S", STUB, *(arguments or ("context-surfacing",))]
        done = subprocess.run(
            command, input=stdin, env=self.environ | (environ or {}), capture_output=True, timeout=HANGS, **given
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
        return Printed(done.returncode, out, err)

    def patient_stub(self, stdin: bytes) -> Printed:
        """The stub with all the time in the world."""
        return self.script(PATIENT + "stub_client.main(['context-surfacing'])", stdin=stdin)

    def patient_hook(self, stdin: bytes, folder: Path) -> Printed:
        """``hearth hook`` from a folder, with all the time in the world."""
        code = "from hearth.cli import main\nmain(['hook', 'context-surfacing', '--explain'])"
        go = f"import os\nos.chdir({str(folder)!r})\n"
        return self.script(go + PATIENT + code, stdin=stdin, environ={"PWD": "/"})

    def script(self, code: str, *, stdin: bytes = b"", environ: dict[str, str] | None = None) -> Printed:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=stdin,
            env=self.environ | (environ or {}),
            capture_output=True,
            timeout=HANGS,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
        return Printed(done.returncode, out, err)

    def hearth(self, *arguments: str, stdin: bytes = b"", **variables: str) -> Printed:
        done = subprocess.run(
            [sys.executable, "-m", "hearth", *arguments],
            input=stdin,
            env=self.environ | variables,
            capture_output=True,
            timeout=HANGS,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
        return Printed(done.returncode, out, err)

    def spawn(self, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        """A Python that is ended after the test, if it still runs."""
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=self.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.running.append(process)
        return process

    def daemon(self, **variables: str) -> subprocess.Popen[bytes]:
        """A daemon that answers, as a child of this process."""
        process = self.spawn("-m", "hearth", "daemon", "run", **variables)
        until(lambda: self.status() is not None and bool(self.status()["vaults"]))
        until(lambda: self.status()["vaults"][0]["scans"] > 0)
        return process

    def start_old(self, version: str = "0.0.1") -> subprocess.Popen[bytes]:
        """A daemon of another version, by what it says of itself."""
        code = f"import hearth; hearth.__version__ = {version!r}; from hearth.cli import main; main(['daemon', 'run'])"
        process = self.spawn("-c", code)
        until(lambda: self.status() is not None)
        return process

    def vault(self) -> Vault:
        """In this process."""
        return open_vault(environ=self.environ)

    def status(self) -> Any:
        return ask(self.address, "status")

    def log(self, name: str = "hooks.log") -> str:
        file = self.folder / "state" / name
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def processes(self) -> set[int]:
        """Every process with this home in its environment."""
        mark = f"HEARTH_CACHE_DIR={self.folder}/cache".encode()
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.add(int(folder.name))
            except OSError:
                continue
        return found

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
        until(self._end_processes)

    def _end_processes(self) -> bool:
        """Kills what runs, and what a process that waited for another's end started meanwhile; whether none is left."""
        left = self.processes()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left


def until(condition: Callable[[], object], seconds: float = HANGS) -> None:
    """Waits for what another process is to bring about."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.01)


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python ``work`` runs in this thread: what it costs, whatever else the machine does. The inside
    of C code is not counted."""
    counted = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal counted
        counted += event == "line"
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(former)
    return counted


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    # The name of a socket is limited to about 100 bytes, which a test's own folder may exceed.
    runtime = Path(tempfile.mkdtemp(prefix="hearth-", dir="/tmp"))
    made = Home(tmp_path, runtime)
    (tmp_path / "home").mkdir()
    yield made
    made.end()
    shutil.rmtree(runtime)


@pytest.fixture
def indexed_home(home: Home) -> Home:
    """One note, which answers ``QUESTION``."""
    home.index()
    return home


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., None]:
    return until


@pytest.fixture(name="steps")
def steps_fixture() -> Callable[[Callable[[], object]], int]:
    return steps
