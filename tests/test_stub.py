"""The stub: cheap, within its budget, and valid output whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.conftest import HANGS, children

from hearth import hosts
from hearth.core.hook import HOOKS, HookReply
from hearth.daemon.stub import client as stub_client
from hearth.hook import AUTO

STUB = stub_client.__file__.replace("daemon/stub/client.py", "stub.py")
WORK = """
import json, os, sys, time
from hearth.daemon.stub import client as stub_client
def work(name, host, raw, environ, deadline, tell):
    tell({mode!r})
    {body}
    return json.dumps(dict(said=json.loads(raw)["prompt"])), lambda: None
stub_client.BUDGET = 600.0
stub_client.main(["context-surfacing"] + {arguments!r}, work)
"""


def script(body: str = "pass", mode: str = "never", arguments: tuple[str, ...] = ()) -> str:
    """A stub whose engine is ``body``, with all the time that a loaded machine may take."""
    return WORK.format(body=body, mode=mode, arguments=list(arguments))


def imported(home: Any, environ: dict[str, str], program: tuple[str, ...] = (STUB, "context-surfacing")) -> set[str]:
    command = [sys.executable, "-I", "-S", "-X", "importtime", *program]
    done = subprocess.run(command, input=home.prompt(), env=home.environ | environ, capture_output=True, check=True)
    return {line.rsplit("|", 1)[-1].strip() for line in done.stderr.decode().splitlines() if "|" in line}


def test_asking_the_daemon_loads_no_slow_module(indexed_home: Any) -> None:
    indexed_home.daemon()
    slow = {"json", "socket", "re", "enum", "pathlib", "typing", "dataclasses", "subprocess", "signal", "hashlib"}
    names = imported(indexed_home, {})
    assert "hearth.daemon.stub.call" in names
    assert names & (slow | {"site", "threading", "hearth.hook", "hearth.app"}) == set()


def test_the_stub_loads_little_beside_what_a_bare_python_does(indexed_home: Any) -> None:
    # What that costs is measured by bench/hooks.py: 15 ms at most.
    indexed_home.daemon()
    bare = imported(indexed_home, {}, ("-c", "pass"))
    more = imported(indexed_home, {}) - bare
    own = {name for name in more if name.split(".")[0] == "hearth"}
    assert {name.removeprefix("hearth.") for name in own} <= {
        "hearth", "daemon", "daemon.stub", "daemon.address", "daemon.stub.client", "daemon.stub.call",
        "core", "core.errors", "core.paths",
    }  # fmt: skip
    # The last two are of the C part of hashlib and json, which alone are quick to load.
    assert more - own <= {
        "__future__", "_collections_abc", "_socket", "_stat", "genericpath", "os", "posixpath", "select", "stat",
        "_blake2", "_json",
    }  # fmt: skip


ALONE = """
import os, sys, time
before = set(sys.modules)
from hearth import hook
said, after = hook.fall_back(
    {name!r}, "claude-code", sys.stdin.read(), dict(os.environ), time.monotonic() + 60, lambda mode: None
)
assert after()
loaded = set(sys.modules) - before
print(bool(said), "numpy" in loaded, sum(name.startswith("hearth") for name in loaded), len(loaded))
"""


@pytest.mark.parametrize(
    ("name", "event", "speaks", "own", "every"),
    [
        ("context-surfacing", {"hook_event_name": "UserPromptSubmit"}, True, 240, 330),
        ("session-bootstrap", {"hook_event_name": "SessionStart", "source": "startup"}, False, 320, 430),
        ("feedback-loop", {"hook_event_name": "Stop"}, False, 260, 350),
        ("session-end", {"hook_event_name": "SessionEnd"}, False, 260, 350),
        ("precompact-extract", {"hook_event_name": "PreCompact"}, False, 260, 350),
    ],
)
def test_an_event_answered_without_the_daemon_loads_no_more_modules_than_are_known_of(
    home: Any, name: str, event: dict[str, str], speaks: bool, own: int, every: int
) -> None:
    # Somebody waits while they load: before a number is raised, look who imports the new ones, and why.
    if speaks:
        home.index()
    # Where there is nothing to read, the second time finds all in order.
    for session in ("s1", "s2"):
        raw = home.prompt(session=session, **event)
        command = [sys.executable, "-c", ALONE.format(name=name)]
        environ = home.environ | {"HEARTH_DAEMON_MODE": "never"}
        found = subprocess.run(command, input=raw, env=environ, capture_output=True, check=True, timeout=HANGS)
    said, numpy, ours, all_of_them = found.stdout.decode().split()
    assert (said, numpy) == (str(speaks), "False")
    assert int(ours) <= own
    assert int(all_of_them) <= every


@pytest.mark.parametrize("host", sorted(hosts.HOSTS))
@pytest.mark.parametrize("name", sorted(HOOKS))
def test_its_empty_output_is_that_of_the_host(host: str, name: str) -> None:
    assert stub_client.empty(name, host) == hosts.host(host).render(name, HookReply())


@pytest.mark.parametrize(("host", "output"), [("claude-code", ""), ("codex", "{}"), ("gemini", "{}"), ("cursor", "")])
def test_disabled_it_prints_the_empty_output_without_looking_at_anything(home: Any, host: str, output: str) -> None:
    found = home.stub("feedback-loop", "--host", host, stdin=home.prompt(), environ={"HEARTH_DISABLE": "1"})
    assert (found.code, found.out, found.err) == (0, output, "")
    assert list(home.runtime.iterdir()) == []


@pytest.mark.parametrize("value", ["", "0"])
def test_an_empty_or_zero_variable_does_not_disable(home: Any, value: str) -> None:
    assert home.script(script(), stdin=home.prompt("x"), environ={"HEARTH_DISABLE": value}).out == '{"said": "x"}'


@pytest.mark.parametrize("stdin", [b"", b"   \n", b"\0" * 100])
def test_without_anything_to_read_it_says_nothing(home: Any, stdin: bytes) -> None:
    assert home.stub(stdin=stdin).context == ""


def test_without_a_name_or_with_odd_arguments_it_says_nothing(home: Any) -> None:
    assert home.stub("--host", stdin=home.prompt()).context == ""
    assert home.stub("--host=codex", "--unknown", stdin=home.prompt()).context == ""


def test_a_host_that_there_is_not_is_named_beside_an_output_that_stays_empty(home: Any) -> None:
    assert {*stub_client.HOSTS, "openclaw"} == {*hosts.HOSTS, *hosts.PLUGINS, AUTO}
    command = [sys.executable, "-I", "-S", STUB, "context-surfacing", "--host", "openclaw", "--no-start"]
    done = subprocess.run(command, input=home.prompt(), env=home.environ, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"no host 'openclaw'" in done.stderr and b"claude-code, codex" in done.stderr


def test_more_than_eight_mebibytes_are_read_to_the_end_and_not_answered(home: Any) -> None:
    assert home.script(script(), stdin=home.prompt("x" * stub_client.MAX_STDIN)).out == ""
    assert home.script(script(), stdin=home.prompt("x" * 4_000_000)).out == json.dumps({"said": "x" * 4_000_000})


def test_a_host_that_never_closes_standard_input_gets_an_empty_output(home: Any) -> None:
    reading, writing = os.pipe()
    try:
        command = [sys.executable, "-I", "-S", STUB, "session-end"]
        done = subprocess.run(command, stdin=reading, env=home.environ, capture_output=True, timeout=100)
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "claude-code session-end: nothing said: the host did not close its input" in home.log()


def test_a_host_that_went_away_is_no_error(home: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", script()]
    done = subprocess.run(command, input=home.prompt(), env=home.environ, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_relative_folders_and_other_wrong_settings_are_no_error(home: Any) -> None:
    assert home.stub(stdin=home.prompt(), environ={"HEARTH_CACHE_DIR": "relative"}).context == ""
    assert home.unhurried_stub(home.prompt(), {"HEARTH_SEARCH_MMR": "perhaps"}).context == ""
    assert "HEARTH_SEARCH_MMR" in home.log()


# -- without a daemon ------------------------------------------------------------------------------------------------


def test_without_a_daemon_a_child_answers_and_is_reaped(home: Any, until: Callable[..., None]) -> None:
    found = home.script(script(), stdin=home.prompt("¿qué? 東京 \U0001f600"))
    assert found.context == "" and json.loads(found.out) == {"said": "¿qué? 東京 \U0001f600"}
    until(lambda: home.processes() == set())  # a scan may still go on


@pytest.mark.parametrize(
    "body",
    [
        "os._exit(1)",
        "os.kill(os.getpid(), 11)",
        "raise RuntimeError('no')",
        "sys.exit(3)",
        "os.write(2, b'noise') and print('more noise', flush=True); 1 / 0",
        "return 'half of it', None",
    ],
)
def test_a_child_that_fails_means_an_empty_output(home: Any, body: str) -> None:
    found = home.script(script(body), stdin=home.prompt())
    if "half" in body:
        assert found.out == "half of it"  # only what comes afterwards failed
        assert home.log() == ""
    else:
        assert found.out == ""
        assert "context-surfacing: nothing said: running without the daemon failed" in home.log()
    assert (found.code, found.err) == (0, "")


def test_a_reason_for_saying_nothing_reaches_the_log_though_the_time_ends_before_it_is_written(home: Any) -> None:
    code = """
from time import monotonic
from hearth.daemon.stub.client import StubRun
run = StubRun("context-surfacing", "claude-code", monotonic() + 60)
run.say_nothing("the daemon is busy")
run.say_nothing("no answer in time")
run.keep()
"""
    assert home.script(code).out == ""
    assert "context-surfacing: nothing said: the daemon is busy" in home.log()
    assert "no answer in time" not in home.log()


@pytest.mark.parametrize("body", ["time.sleep(3_600)", "exec('while True: pass')"])
def test_work_that_hangs_is_cut_off_at_the_budget(home: Any, body: str, until: Callable[..., None]) -> None:
    # Where even the mode is told too late a daemon starts, as the settings want it.
    code = script(body, arguments=(stub_client.NO_START,)).replace("context-surfacing", "session-end")
    found = home.script(code, stdin=home.prompt())
    assert (found.code, found.out, found.err) == (0, "", "")
    until(lambda: home.processes() == set())  # a scan may still go on
    assert "session-end: nothing said: no answer in time" in home.log()


def test_what_is_recorded_afterwards_does_not_hold_up_the_output(home: Any) -> None:
    body = f"return 'out', lambda: (os.read(os.open({str(home.folder / 'gate')!r}, os.O_RDONLY), 1), None)[1]"
    os.mkfifo(home.folder / "gate")
    process = subprocess.Popen(
        [sys.executable, "-c", script(body)], env=home.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(home.prompt())
    process.stdin.close()
    assert process.stdout.read() == b"out"  # to the end of the file, while the child still waits
    (home.folder / "gate").write_bytes(b"x")
    assert process.wait(20) == 0
    process.stdout.close()


def test_at_most_two_work_at_a_time_and_the_others_say_nothing(home: Any) -> None:
    """The third is started while two are known to hold the slots."""
    os.mkfifo(home.folder / "gate")
    (home.folder / "in").mkdir()
    enter = f"open({str(home.folder / 'in')!r} + '/' + str(os.getpid()), 'w').close()"
    wait = f"os.read(os.open({str(home.folder / 'gate')!r}, os.O_RDWR), 1)"
    holding = script(f"{enter}; {wait}")
    with children() as start:
        command, pipe = [sys.executable, "-c", holding], subprocess.PIPE
        held = [start(command, env=home.environ, stdin=pipe, stdout=pipe) for _ in range(2)]
        for process in held:
            assert process.stdin is not None
            process.stdin.write(home.prompt("x"))
            process.stdin.close()
        while len(list((home.folder / "in").iterdir())) < 2:
            assert all(process.poll() is None for process in held)
        assert home.script(script(), stdin=home.prompt("x")).out == ""
        assert "no daemon answers, and 2 other hooks are already running without one" in home.log()
        gate = os.open(home.folder / "gate", os.O_RDWR)
        os.write(gate, b"xx")
        for process in held:
            assert process.stdout is not None
            assert process.wait(HANGS) == 0
            assert process.stdout.read() == b'{"said": "x"}'
        os.close(gate)
    done = home.script(script(), stdin=home.prompt("x"))
    assert done.out == '{"said": "x"}', (done, home.log())


# -- starting a daemon -----------------------------------------------------------------------------------------------


def test_the_first_hook_answers_by_itself_and_starts_the_daemon_that_answers_the_next(
    indexed_home: Any, until: Callable[..., None]
) -> None:
    first = indexed_home.patient_stub(indexed_home.prompt())
    assert "joins matter more" in first.context
    until(lambda: indexed_home.status() is not None and indexed_home.status()["vaults"])
    second = indexed_home.patient_stub(indexed_home.prompt(session="s2"))
    assert "joins matter more" in second.context
    assert indexed_home.status()["requests"]["answered"] > 0
    daemon = indexed_home.status()["pid"]
    assert indexed_home.processes() == {daemon}
    assert os.getsid(daemon) != os.getsid(0)
    assert Path(f"/proc/{daemon}/cwd").readlink() == Path("/")


def test_a_daemon_that_a_hook_started_has_all_three_streams(indexed_home: Any, until: Callable[..., None]) -> None:
    indexed_home.stub(stdin=indexed_home.prompt())
    until(lambda: indexed_home.status() is not None)
    folder = Path(f"/proc/{indexed_home.status()['pid']}/fd")
    streams = [str((folder / str(number)).readlink()) for number in range(3)]
    said = str(indexed_home.folder / "state" / "daemon.err")
    assert streams == ["/dev/null", said, said]
    opened = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # a daemon opens and closes files as it goes
            opened.append(str(file.readlink()))
    assert said in opened and not any("start.lock" in name for name in opened)


@pytest.mark.parametrize("mode", ["never", "external"])
def test_the_mode_says_who_starts_the_daemon(indexed_home: Any, mode: str, until: Callable[..., None]) -> None:
    indexed_home.configure(f"daemon: {{mode: {mode}}}\n")
    assert "joins matter more" in indexed_home.patient_stub(indexed_home.prompt()).context
    until(lambda: indexed_home.processes() == set())  # a scan may still go on
    assert not list(indexed_home.runtime.glob("*.start.lock"))


LATE = """
import os, signal, time
from hearth.daemon.stub import client as stub_client
def work(*given):
    {body}
stub_client.main(["session-end"], work)
"""


@pytest.mark.parametrize("body", ["time.sleep(60)", "os._exit(1)", "os.kill(os.getppid(), signal.SIGKILL)"])
def test_a_daemon_is_started_whatever_becomes_of_the_first_answer(
    indexed_home: Any, body: str, until: Callable[..., None]
) -> None:
    """Before anybody could read in the settings that one is wanted: on a loaded machine that takes too long."""
    indexed_home.script(LATE.format(body=body), stdin=indexed_home.prompt())
    until(lambda: indexed_home.status() is not None)
    # Beside it those that were to start one have yet to end.
    until(lambda: indexed_home.processes() == {indexed_home.status()["pid"]})


def test_a_daemon_that_nobody_could_ask_the_settings_for_ends_where_they_do_not_want_it(
    indexed_home: Any, until: Callable[..., None]
) -> None:
    indexed_home.configure("daemon: {mode: never}\n")
    indexed_home.script(LATE.format(body="os._exit(1)"), stdin=indexed_home.prompt())
    until(lambda: list(indexed_home.runtime.glob("*.start.lock")))
    until(lambda: indexed_home.processes() == set())
    assert indexed_home.status() is None and "listening" not in indexed_home.log("daemon.log")


def test_without_a_daemon_a_hook_lets_the_next_one_see_what_is_new(
    indexed_home: Any, until: Callable[..., None]
) -> None:
    indexed_home.configure("daemon: {mode: never}\n")
    (indexed_home.notes / "new.md").write_text("# Pangolins\n\nThe pangolin of Harrow curls up when it rains.\n")
    with apsw.Connection(str(indexed_home.folder / "cache" / "default" / "index.sqlite")) as connection:
        connection.execute("UPDATE collections SET scanned_at = 0")
    question = indexed_home.prompt("What does the pangolin of Harrow do when it rains?")
    assert "curls up" not in indexed_home.stub(stdin=question).context

    def indexed() -> bool:
        with indexed_home.vault() as vault:
            return bool(vault.recall("pangolin").hits)

    until(indexed)
    until(lambda: indexed_home.processes() == set())


def test_many_hooks_at_once_start_one_daemon(indexed_home: Any, until: Callable[..., None]) -> None:
    command = [sys.executable, "-I", "-S", STUB, "context-surfacing"]
    data = indexed_home.folder / "prompt.json"
    data.write_bytes(indexed_home.prompt())
    with children() as start:
        started = []
        for _ in range(8):
            with data.open("rb") as stdin:
                streams = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
                started.append(start(command, env=indexed_home.environ, **streams))
        for process in started:
            out, err = process.communicate(timeout=HANGS)
            assert (process.returncode, err) == (0, b"")
            assert not out or json.loads(out)
    until(lambda: indexed_home.status() is not None)
    # Those that came too late to be it end by themselves.
    until(lambda: indexed_home.processes() == {indexed_home.status()["pid"]})


def test_no_start_leaves_it_at_that(indexed_home: Any) -> None:
    found = indexed_home.unhurried_stub(indexed_home.prompt(), None, stub_client.NO_START)
    assert "joins matter more" in found.context
    assert indexed_home.processes() == set()


def test_the_console_script_is_the_same_stub(home: Any) -> None:
    code = "import sys; sys.argv[1:] = ['feedback-loop', '--host', 'codex']; from hearth.stub import main; main()"
    found = home.script(code, stdin=b"nonsense", environ={"HEARTH_DAEMON_MODE": "never"})
    assert (found.code, found.out, found.err) == (0, "{}", "")
