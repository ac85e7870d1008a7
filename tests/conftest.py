"""What tests share: a clean environment, a count of steps, and a home with notes, the stub and the daemon as real
processes."""

from __future__ import annotations

import gc
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pytest
from hypothesis import settings
from tests.box import box, make_box  # noqa: F401 (fixtures)
from tests.forking import RUNS, mark
from tests.recordings import lines, parse, recorded  # noqa: F401 (fixtures)

from hearth import stub as stub_module
from hearth.app import open_vault
from hearth.daemon.address import Address, address
from hearth.daemon.client import ask
from hearth.vault.vault import Vault

STUB = str(stub_module.__file__)
# Before a program that is the stub, where an answer is what matters, however slow the machine is at the moment.
UNHURRIED = f"""
import sys
sys.path.append({STUB[: -len("/hearth/stub.py")]!r})
from hearth.daemon.stub import client as stub_client
stub_client.BUDGET = 60.0
stub_client.BUDGETS = {{}}
"""
# The same where the answer is to be the daemon's.
PATIENT = f"""{UNHURRIED}
from hearth.daemon.stub import call
call.PATIENCE = 60.0
"""
# Seconds after which a process hangs, whatever else the machine does. The limit of pytest-timeout is several times
# this: a test waits for more than one thing, and should fail by its own assertion, after which the others go on.
HANGS = 100.0
# A property takes as long as the machine is loaded. The suite tries the same examples each time, so that it fails for
# what was changed; torture looks for others.
settings.register_profile("hearth", deadline=None, derandomize=True)
settings.register_profile("torture", deadline=None)
settings.load_profile("hearth")
# Examples of a property from which on a run of all tests tries a third.
MANY = 75
# Most of what the suite would wait for is a disk that syncs. A store of files in memory keeps the promises that are
# tested here just as well; it has to hold some gigabytes.
_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 4 * 1024**3
# What a terminal, a locale or a zone says of itself; no result may depend on where the tests run.
_SURROUNDINGS = (
    "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LANG", "LANGUAGE", "LINES", "NO_COLOR",
    "PY_COLORS", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TZ",
)  # fmt: skip
for _name in [name for name in os.environ if name in _SURROUNDINGS or name.startswith("LC_")]:
    del os.environ[_name]
time.tzset()
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _MEMORY_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
# A shell's background ignores Ctrl-C, and so would every process that is started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Where nothing compiled is kept, every process that a test starts compiles Hearth anew, and every worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
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


class Forks:
    """``python -m hearth``, or ``python -c``, where nothing is about how it starts: in a fork of a process that has
    loaded Hearth. Whoever asks while one runs, or wants another Python, gets a process of its own."""

    def __init__(self) -> None:
        self._one = threading.Lock()
        self._ours, theirs = socket.socketpair()
        with theirs:
            script = str(Path(__file__).with_name("forking.py"))
            self._process = subprocess.Popen([sys.executable, script], stdin=theirs)

    def run(
        self,
        arguments: Sequence[str | bytes],
        environ: Mapping[str, str],
        *,
        code: str | None = None,
        stdin: bytes | int = b"",
        folder: Path | None = None,
        umask: int | None = None,
    ) -> tuple[int, bytes, bytes]:
        """Its exit code, and what it printed to both streams. ``stdin`` is what it reads, or a file to read it from;
        ``code`` runs instead of the command."""
        if self._can_be(environ) and self._one.acquire(blocking=False):
            try:
                return self._fork(_said(arguments, environ, folder or Path.cwd(), umask, code=code), stdin)
            finally:
                self._one.release()
        given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
        done = subprocess.run(
            [sys.executable, *(["-m", "hearth", *arguments] if code is None else ["-c", code])],
            env=environ,
            capture_output=True,
            timeout=HANGS,
            cwd=folder,
            umask=-1 if umask is None else umask,
            **given,
        )
        return done.returncode, done.stdout, done.stderr

    def start(
        self, arguments: Sequence[str], environ: Mapping[str, str], *, piped: Collection[int] = ()
    ) -> subprocess.Popen[bytes] | ForkedProcess:
        """One that runs on, with these of its streams at the end of a pipe."""
        if not self._can_be(environ):
            streams = [subprocess.PIPE if number in piped else subprocess.DEVNULL for number in range(3)]
            named = dict(zip(("stdin", "stdout", "stderr"), streams, strict=True))
            return subprocess.Popen([sys.executable, "-m", "hearth", *arguments], env=environ, **named)
        theirs = [os.open(os.devnull, os.O_RDWR) for _ in range(3)]
        ours: list[int | None] = [None] * 3
        for number in piped:
            os.close(theirs[number])
            reading, writing = os.pipe()
            theirs[number], ours[number] = (writing, reading) if number else (reading, writing)
        with self._one:
            self._ask(_said(arguments, environ, Path.cwd(), stays=True), theirs)
            pid = self._number()
        for end in theirs:
            os.close(end)
        return ForkedProcess(pid, self, ours)

    def ending(self, pid: int) -> int | None:
        """The exit code of one that was started, once it has ended."""
        with self._one:
            self._ask({"ended": pid}, [])
            code = self._number()
        return None if code == RUNS else code

    def _can_be(self, environ: Mapping[str, str]) -> bool:
        other = [name for name in environ if name.startswith(("PYTHON", "LC_", "LANG")) and name not in _ANY_PYTHON]
        return not other and environ.get("PYTHONPATH") == os.environ.get("PYTHONPATH")

    def _fork(self, said: Mapping[str, Any], stdin: bytes | int) -> tuple[int, bytes, bytes]:
        with tempfile.TemporaryFile() as given:
            if isinstance(stdin, bytes):
                given.write(stdin)
                given.seek(0)
            pipes = [os.pipe(), os.pipe()]
            streams = [given.fileno() if isinstance(stdin, bytes) else stdin, pipes[0][1], pipes[1][1]]
            self._ask(said, streams)
            pid = self._number()
            for _, end in pipes:
                os.close(end)
            try:
                out, err = _read_to_end([end for end, _ in pipes])
            except BaseException:
                os.killpg(pid, signal.SIGKILL)
                raise
            finally:
                code = self._number()
        return code, out, err

    def _ask(self, said: Mapping[str, Any], streams: list[int]) -> None:
        text = json.dumps(said).encode()
        socket.send_fds(self._ours, [len(text).to_bytes(8, "big")], streams)
        self._ours.sendall(text)

    def _number(self) -> int:
        data = self._ours.recv(8, socket.MSG_WAITALL)
        assert len(data) == 8, "the process that is forked has ended"
        return int.from_bytes(data, "big", signed=True)

    def end(self) -> None:
        self._ours.close()
        self._process.wait()


class ForkedProcess:
    """One that runs on in a fork, for those who know the processes of ``subprocess``."""

    def __init__(self, pid: int, forks: Forks, streams: Sequence[int | None]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._forks = forks
        modes = zip(("wb", "rb", "rb"), streams, strict=True)
        self.stdin, self.stdout, self.stderr = [None if end is None else os.fdopen(end, mode) for mode, end in modes]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdout, self.stderr, self.stdin):
            if stream is not None:
                stream.close()
        self.wait()

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._forks.ending(self.pid)
        return self.returncode

    def wait(self, timeout: float = 0) -> int:
        until(lambda: self.poll() is not None, timeout or HANGS)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _said(
    arguments: Sequence[str | bytes],
    environ: Mapping[str, str],
    folder: Path,
    umask: int | None = None,
    *,
    code: str | None = None,
    stays: bool = False,
) -> dict[str, Any]:
    return {
        "arguments": [os.fsdecode(argument) for argument in arguments],
        "code": code,
        "environ": dict(environ),
        "folder": str(folder),
        "umask": umask,
        "stays": stays,
    }


# They say how a process starts, not what it does.
_ANY_PYTHON = ("PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONPATH")  # a path of its own is looked at apart


def _read_to_end(ends: list[int]) -> list[bytes]:
    """What is written to some pipes until all are closed; closes them."""
    found: dict[int, bytes] = dict.fromkeys(ends, b"")
    limit = time.monotonic() + HANGS
    with selectors.DefaultSelector() as selector:
        for end in ends:
            selector.register(end, selectors.EVENT_READ)
        try:
            while selector.get_map():
                ready = selector.select(limit - time.monotonic())
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    chunk = os.read(key.fd, 1 << 16)
                    found[key.fd] += chunk
                    if not chunk:
                        selector.unregister(key.fd)
        finally:
            for end in ends:
                os.close(end)
    return [found[end] for end in ends]


class Home:
    """``environ`` is for processes started from here; every one of them is ended with the test."""

    def __init__(self, folder: Path, runtime: Path, forks: Forks) -> None:
        self._forks = forks
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
        self.running: list[subprocess.Popen[bytes] | ForkedProcess] = []

    # -- notes -----------------------------------------------------------------------------------------------------

    def configure(self, text: str = "") -> None:
        (self.folder / "config").mkdir(0o700, exist_ok=True)
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

    def unhurried_stub(self, stdin: bytes, environ: dict[str, str] | None = None, *options: str) -> Printed:
        """The stub with time for an answer of its own, where the daemon says nothing in its moment."""
        code = f"stub_client.main({['context-surfacing', *options]!r})"
        return self.script(UNHURRIED + code, stdin=stdin, environ=environ)

    def patient_stub(self, stdin: bytes, environ: dict[str, str] | None = None) -> Printed:
        """The stub with all the time in the world."""
        return self.script(PATIENT + "stub_client.main(['context-surfacing'])", stdin=stdin, environ=environ)

    def patient_hook(self, stdin: bytes, folder: Path) -> Printed:
        """``hearth hook`` from a folder, with all the time in the world."""
        code = "from hearth.cli import main\nmain(['hook', 'context-surfacing', '--explain'])"
        go = f"import os\nos.chdir({str(folder)!r})\n"
        return self.script(go + PATIENT + code, stdin=stdin, environ={"PWD": "/"})

    def script(self, code: str, *, stdin: bytes = b"", environ: dict[str, str] | None = None) -> Printed:
        """``python -c``, where much of Hearth may be loaded already."""
        ended, out, err = self._forks.run((), self.environ | (environ or {}), code=code, stdin=stdin)
        return Printed(ended, out.decode("utf-8"), err.decode("utf-8", "replace"))

    def hearth(self, *arguments: str, stdin: bytes = b"", **variables: str) -> Printed:
        """A command. It asks the daemon where there is one, but starts none, unless the settings say something else."""
        settings = self.folder / "config" / "config.yaml"
        said = settings.exists() and "mode:" in settings.read_text(encoding="utf-8")
        environ = ({} if said else {"HEARTH_DAEMON_MODE": "external"}) | self.environ | variables
        code, out, err = self._forks.run(arguments, environ, stdin=stdin)
        return Printed(code, out.decode("utf-8"), err.decode("utf-8", "replace"))

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

    def daemon(self, **variables: str) -> subprocess.Popen[bytes] | ForkedProcess:
        """A daemon that answers."""
        process = self._forks.start(("daemon", "run"), self.environ | variables)
        self.running.append(process)
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
        """Every process with this home in its environment, and every fork that was given it."""
        variable = f"HEARTH_CACHE_DIR={self.folder}/cache".encode()
        name = f"{mark(self.environ)}\n".encode()
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                ours = (folder / "comm").read_bytes() == name and not _is_zombie(folder)
                if ours or variable in (folder / "environ").read_bytes().split(b"\0"):
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
        # One that just became another program has no environment to be seen for a moment.
        time.sleep(0.05)
        until(self._end_processes)

    def _end_processes(self) -> bool:
        """Kills what runs, and what a process that waited for another's end started meanwhile; whether none is left."""
        left = self.processes()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left


def _is_zombie(folder: Path) -> bool:
    return (folder / "stat").read_bytes().rpartition(b") ")[2].startswith(b"Z")


def until(condition: Callable[[], object], seconds: float = HANGS) -> None:
    """Waits for what another process is to bring about."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.01)


@contextmanager
def children() -> Iterator[Callable[..., subprocess.Popen[Any]]]:
    """Starts processes that are ended, and their pipes closed, however the test ends: one that is left running fails
    the whole session and not this test alone."""
    started: list[subprocess.Popen[Any]] = []

    def start(command: Sequence[str], **given: Any) -> subprocess.Popen[Any]:
        started.append(subprocess.Popen(command, **given))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()


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


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    made = Forks()
    yield made
    made.end()


@pytest.fixture
def home(tmp_path: Path, forks: Forks) -> Iterator[Home]:
    # The name of a socket is limited to about 100 bytes, which a test's own folder may exceed.
    runtime = Path(tempfile.mkdtemp(prefix="hearth-", dir="/tmp"))
    made = Home(tmp_path, runtime, forks)
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


# Some fifteen thousand collected tests lie in the way of each run of the garbage collector, and none becomes garbage.
gc.set_threshold(50_000, 20, 100)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Half as many again as there are cores: a sixth of the time workers wait for a process, a server or a disk."""
    if config.option.markexpr == "torture" or not hasattr(os, "sched_getaffinity"):
        return None
    return len(os.sched_getaffinity(0)) * 3 // 2


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    if config.option.markexpr == "torture":
        settings.load_profile("torture")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """``make test`` tries a third of the examples that a property asks for, where they are many; ``make torture`` tries
    all of these properties with all examples."""
    chosen = config.getoption("markexpr")
    if chosen not in ("not torture", "torture"):
        return
    reduced = set()
    for item in items:
        function = getattr(item, "function", None)
        asked = getattr(function, "_hypothesis_internal_use_settings", None)
        if asked is None or function in reduced or asked.max_examples < MANY or item.get_closest_marker("torture"):
            continue
        if chosen == "torture":
            item.add_marker(pytest.mark.torture)
            continue
        function._hypothesis_internal_use_settings = settings(asked, max_examples=asked.max_examples // 3)
        reduced.add(function)
