"""Whatever happens to the daemon, the vault or the folders, a hook ends well and the host sees no error."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import HANGS, PATIENT, UNHURRIED, children, until

from hearth.core.files import locked
from hearth.daemon.stub import client as stub_client

Until = Callable[..., None]
STUB = stub_client.__file__.replace("daemon/stub/client.py", "stub.py")
HOSTILE = [
    b"not json",
    b"[1, 2]",
    b'"text"',
    b"{" * 100_000,
    b"[" * 100_000,
    b'{"prompt": "\\ud800\\udfff \\u0000"}',
    b'{"session_id": "s", "prompt": "\xff\xfe\x00"}',
    b'{"session_id": {}, "prompt": []}',
    b'{"session_id": "s", "hook_event_name": "Stop", "prompt": "x"}',
    b'{"session_id": "../../etc", "transcript_path": "/dev/zero", "cwd": "\\u0000", "prompt": "what did we decide?"}',
    b'{"output": "',
    b'{"busy": true}\n{"output": "x"}\n',
]  # fmt: skip


def answers(home: Any, **variables: str) -> bool:
    """Whether a prompt is answered, be it late; where a daemon ends a hook may say nothing, so it has five tries."""
    for _ in range(5):
        found = home.unhurried_stub(home.prompt(session=f"s{time.monotonic_ns()}"), variables)
        if "joins matter more" in found.context:
            return True
        print(found, home.log(), home.log("daemon.log"))  # noqa: T201 (shown where the test fails)
    return False


@pytest.mark.parametrize("stdin", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_hostile_input_is_answered_with_nothing_by_the_work_itself(home: Any, stdin: bytes, host: str) -> None:
    found = home.stub("feedback-loop", "--host", host, stdin=stdin, environ={"HEARTH_DAEMON_MODE": "never"})
    assert (found.code, found.err, found.out) == (0, "", "{}" if host == "codex" else "")


def test_hostile_input_does_not_hurt_the_daemon(indexed_home: Any) -> None:
    indexed_home.daemon()
    for stdin in [*HOSTILE, indexed_home.prompt("x" * 10_000_000)]:
        context = indexed_home.stub(stdin=stdin).context
        assert context == "" or context.startswith("<vault-routing>")
    assert answers(indexed_home)
    assert indexed_home.status()["requests"]["failed"] == 0


def test_a_long_paste_is_answered_after_cutting_it(indexed_home: Any) -> None:
    """The request to the daemon is limited to a mebibyte; the host's input to eight."""
    indexed_home.daemon()
    long = indexed_home.prompt(tool_input={"content": "lorem ipsum " * 200_000})
    assert 1 << 20 < len(long) < stub_client.MAX_STDIN
    assert "joins matter more" in indexed_home.stub(stdin=long).context
    assert indexed_home.status()["requests"]["malformed"] == 0


def test_garbage_on_the_socket_is_refused_and_the_daemon_goes_on(indexed_home: Any) -> None:
    indexed_home.daemon()
    rng = random.Random(7)
    lines = [b"", b"\n", b"null\n", b"{}\n", b"[" * 50_000 + b"\n", b'{"op": "hook"}\n', rng.randbytes(5_000) + b"\n"]
    lines += [b"x" * 2_000_000, b'{"op": ["hook"], "version": {}}\n']
    for line in lines:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(indexed_home.address.socket)
            try:
                connection.sendall(line)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except OSError:
                continue
    assert answers(indexed_home)
    assert indexed_home.status()["requests"]["failed"] == 0


def test_callers_that_hang_up_at_any_point_leave_nothing_behind(indexed_home: Any) -> None:
    indexed_home.daemon()
    before = indexed_home.status()["descriptors"]
    for number in range(60):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(indexed_home.address.socket)
        if number % 3:
            connection.send(b'{"op": "status"')
        if number % 3 == 2:
            connection.send(b"}\n")
        connection.close()
    assert answers(indexed_home)
    assert indexed_home.status()["descriptors"] <= before + 6


# -- the daemon ------------------------------------------------------------------------------------------------------


def test_a_killed_daemon_is_replaced(indexed_home: Any, until: Until) -> None:
    process = indexed_home.daemon()
    process.kill()
    process.wait()
    assert Path(indexed_home.address.socket).exists()  # nobody tidied up
    assert answers(indexed_home)
    until(lambda: indexed_home.status() is not None)
    assert indexed_home.status()["pid"] != process.pid
    assert answers(indexed_home)


def test_a_daemon_killed_while_it_answers_means_no_output(indexed_home: Any) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(indexed_home.address.socket)
    listener.listen()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", STUB, "context-surfacing"],
        env=indexed_home.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(indexed_home.prompt())
    process.stdin.close()
    process.stdin = None
    connection, _ = listener.accept()
    connection.send(b".")
    connection.recv(65536)
    connection.send(b'{"output": "half')
    connection.close()
    listener.close()
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_stopped_daemon_is_gone_around_and_not_replaced(indexed_home: Any) -> None:
    process = indexed_home.daemon()
    process.send_signal(signal.SIGSTOP)
    assert answers(indexed_home)
    assert answers(indexed_home)
    assert indexed_home.processes() == {process.pid}
    assert indexed_home.hearth("daemon", "status").code == 5
    doctor = indexed_home.hearth("doctor").out
    assert f"process {process.pid} is the daemon but does not answer" in doctor
    stopped = indexed_home.hearth("daemon", "stop")
    assert "was killed" in stopped.out
    assert process.wait(20) == -signal.SIGKILL


def test_an_older_daemon_is_asked_to_end_and_replaced(indexed_home: Any, until: Until) -> None:
    old = indexed_home.start_old()
    assert indexed_home.status()["version"] == "0.0.1"
    assert answers(indexed_home)
    # Asking it is given a moment only; where that was not enough the next hook asks again.
    until(lambda: answers(indexed_home) and old.poll() is not None)
    assert old.wait(20) == 0
    until(lambda: answers(indexed_home) and (indexed_home.status() or {}).get("version") not in (None, "0.0.1"))
    assert answers(indexed_home)


def test_a_newer_daemon_is_left_alone(indexed_home: Any) -> None:
    newer = indexed_home.start_old("99.0")
    assert answers(indexed_home)
    assert newer.poll() is None
    assert indexed_home.processes() == {newer.pid}


def test_other_settings_in_the_environment_are_answered_without_the_daemon(indexed_home: Any) -> None:
    process = indexed_home.daemon()
    assert answers(indexed_home, HEARTH_SEARCH_MMR="false")
    assert indexed_home.status()["requests"]["answered"] >= 1
    assert process.poll() is None and indexed_home.processes() == {process.pid}


def test_a_stale_socket_file_is_replaced(indexed_home: Any, until: Until) -> None:
    path = indexed_home.address.socket
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
    assert answers(indexed_home)
    until(lambda: indexed_home.status() is not None)
    assert answers(indexed_home)
    assert Path(path).stat().st_mode & 0o777 == 0o600


def test_a_file_in_the_place_of_the_socket_costs_the_daemon_only(indexed_home: Any, until: Until) -> None:
    Path(indexed_home.address.socket).write_text("mine", encoding="utf-8")
    assert answers(indexed_home)
    until(lambda: not indexed_home.processes())  # what the hook started has given up
    refused = indexed_home.hearth("daemon", "run")
    assert refused.code == 5 and "is not a socket of Hearth" in refused.err
    assert Path(indexed_home.address.socket).read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a socket of another user")
def test_a_socket_of_another_user_is_not_told_anything(indexed_home: Any) -> None:
    path = indexed_home.address.socket
    code = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
os.setgid(65534), os.setuid(65534)
listener.listen()  # the kernel tells callers who did this
print("up", flush=True)
connection, _ = listener.accept()
try:
    connection.send(b".")
    print(len(connection.recv(65536)), flush=True)
except OSError:
    print(0, flush=True)
"""
    other = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None and other.stdout.readline() == b"up\n"
        assert answers(indexed_home)
        assert other.stdout.readline() == b"0\n"
    finally:
        other.kill()
        other.communicate()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_runtime_folder_of_another_user_is_not_used(indexed_home: Any) -> None:
    os.chown(indexed_home.runtime, 65534, 65534)
    try:
        assert not indexed_home.address.folder.startswith(str(indexed_home.runtime))
    finally:
        os.chown(indexed_home.runtime, 0, 0)


def test_a_second_daemon_gives_way(indexed_home: Any) -> None:
    first = indexed_home.daemon()
    second = indexed_home.hearth("daemon", "run")
    assert second.code == 5 and "is in use by" in second.err
    assert first.poll() is None and answers(indexed_home)


def test_a_daemon_whose_socket_is_taken_away_ends(indexed_home: Any, until: Until) -> None:
    process = indexed_home.daemon()
    Path(indexed_home.address.socket).unlink()
    assert process.wait(20) == 0
    assert answers(indexed_home)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_it_leaves_nothing(indexed_home: Any, number: int) -> None:
    process = indexed_home.daemon()
    assert answers(indexed_home)
    process.send_signal(number)
    assert process.wait(20) == 0
    assert not Path(indexed_home.address.socket).exists()
    with indexed_home.vault() as vault:
        assert vault.index.check() == []
    log = indexed_home.folder / "cache" / "default" / "index.sqlite-wal"
    assert not log.exists() or log.stat().st_size == 0


# -- vault and folders -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [True, False])
def test_a_vault_locked_by_a_long_write_still_answers(indexed_home: Any, runs: bool) -> None:
    if runs:
        indexed_home.daemon()
    code = f"{UNHURRIED}stub_client.main(['context-surfacing'])"
    environ = indexed_home.environ | {"HEARTH_DAEMON_MODE": "never"}
    with (
        indexed_home.vault() as vault,
        vault.store.write(),
        locked(indexed_home.folder / "cache" / "default" / "sync.lock"),
    ):
        if runs:
            assert answers(indexed_home)
            return
        alone = subprocess.Popen(
            [sys.executable, "-c", code], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert alone.stdin is not None and alone.stdout is not None
        with alone.stdin, alone.stdout:
            alone.stdin.write(indexed_home.prompt())
            alone.stdin.close()
            # Closed with the answer. To record what it said, the hook waits for the end of the long write.
            assert b"joins matter more" in alone.stdout.read()
    assert alone.wait(HANGS) == 0


@pytest.mark.parametrize("runs", [True, False])
def test_an_index_that_is_being_replaced_means_nothing_or_an_answer(indexed_home: Any, runs: bool) -> None:
    if runs:
        indexed_home.daemon()
    with locked(indexed_home.folder / "cache" / "default" / "index.lock"):
        found = indexed_home.stub(
            stdin=indexed_home.prompt(), environ=None if runs else {"HEARTH_DAEMON_MODE": "never"}
        )
    assert found.context == ""


def test_a_home_that_can_only_be_read(indexed_home: Any, obedient: Any) -> None:
    folders = [folder for folder in [*indexed_home.folder.rglob("*"), indexed_home.folder] if folder.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        found = indexed_home.stub(stdin=indexed_home.prompt(), **obedient)
        assert (found.code, found.err) == (0, "")
        assert not found.out or json.loads(found.out)
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_no_place_for_a_socket_means_no_output(indexed_home: Any) -> None:
    indexed_home.runtime.chmod(0o777)
    long = indexed_home.folder / ("x" * 100)
    assert indexed_home.stub(stdin=indexed_home.prompt(), environ={"XDG_RUNTIME_DIR": str(long)}).code == 0


def test_a_broken_settings_file_is_told_to_nobody_but_the_log(indexed_home: Any, until: Until) -> None:
    (indexed_home.folder / "config" / "config.yaml").write_text("serch: {}\n", encoding="utf-8")
    assert indexed_home.unhurried_stub(indexed_home.prompt()).context == ""
    assert "serch" in indexed_home.log()
    until(lambda: indexed_home.processes() == set())


def test_settings_that_break_and_heal_while_the_daemon_runs(indexed_home: Any, until: Until) -> None:
    indexed_home.daemon()
    file = indexed_home.folder / "config" / "config.yaml"
    good = file.read_text(encoding="utf-8")
    file.write_text("serch: {}\n", encoding="utf-8")
    until(lambda: indexed_home.status()["problem"])
    assert answers(indexed_home)  # by the settings that held before
    file.write_text(good + "search: {mmr: false}\n", encoding="utf-8")
    until(lambda: not indexed_home.status()["problem"])
    assert answers(indexed_home)


def test_a_new_note_is_surfaced_without_anybody_asking_for_a_scan(indexed_home: Any, until: Until) -> None:
    indexed_home.configure("daemon: {debounce_seconds: 0.1}\n")
    indexed_home.daemon()
    text = "# Rye bread\n\nThe sourdough starter for the rye bread is called Hildegard and lives in the cellar.\n"
    (indexed_home.notes / "bread.md").write_text(text, encoding="utf-8")

    def surfaced() -> bool:
        question = "What is the sourdough starter for the rye bread called?"
        found = indexed_home.stub(stdin=indexed_home.prompt(question, session=f"s{time.monotonic_ns()}"))
        return "Hildegard" in found.context

    until(surfaced)


# -- many ------------------------------------------------------------------------------------------------------------


AS_HOSTS_DO = ["-I", "-S", STUB, "context-surfacing", "--host", "claude-code"]
WITHOUT_A_HURRY = ["-c", f"{PATIENT}stub_client.main(['context-surfacing', '--host', 'claude-code'])"]


def together(home: Any, count: int, how: list[str] = AS_HOSTS_DO) -> list[str]:
    with children() as start:
        processes = []
        for number in range(count):
            data = home.folder / f"in{number}"
            data.write_bytes(home.prompt(session=f"m{number}"))
            with data.open("rb") as stdin, (home.folder / f"out{number}").open("wb") as stdout:
                command = [sys.executable, *how]
                processes.append(start(command, env=home.environ, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE))
        for process in processes:
            _, err = process.communicate(timeout=HANGS)
            assert (process.returncode, err) == (0, b"")
    return [(home.folder / f"out{number}").read_text(encoding="utf-8") for number in range(count)]


@pytest.mark.parametrize("runs", [True, False])
def test_a_hundred_prompts_at_once_are_all_valid(indexed_home: Any, runs: bool, until: Until) -> None:
    if runs:
        indexed_home.daemon()
    else:
        indexed_home.configure("daemon: {mode: never}\n")
    outputs = together(indexed_home, 100)
    found = [json.loads(output) for output in outputs if output]
    assert all("joins matter more" in row["hookSpecificOutput"]["additionalContext"] for row in found)
    # Whoever got nothing within its time says why: alone, two work at a time and a hundred others are in their way. One
    # that sees by itself that no time left says so in its own words.
    until(lambda: indexed_home.log().count("claude-code context-surfacing: ") >= outputs.count(""))
    assert indexed_home.log().count("nothing said: ") <= outputs.count("")
    until(lambda: len(indexed_home.processes()) == int(runs))
    if runs:
        # On a busy machine all hundred may run out of their time; with more of it some are answered.
        assert found or any(together(indexed_home, 100, WITHOUT_A_HURRY))
        counts = indexed_home.status()["requests"]
        assert (counts["failed"], counts["malformed"], counts["dropped"]) == (0, 0, 0)
    assert answers(indexed_home)


def soak(indexed_home: Any, warm: int, count: int) -> None:
    process = indexed_home.daemon()

    def ask(start: int, count: int) -> None:
        for number in range(start, start + count):
            text = f"Why did we choose PostgreSQL over MongoDB, variant {number}?"
            assert indexed_home.stub(stdin=indexed_home.prompt(text, session=f"s{number}")).code == 0

    ask(0, warm)
    before = indexed_home.status()
    ask(warm, count)
    after = indexed_home.status()
    # What follows the last answers has a thread, a connection and a lock until it is done.
    until(lambda: indexed_home.status()["descriptors"] <= before["descriptors"] + 2)
    until(lambda: indexed_home.status()["threads"] <= before["threads"])
    assert after["memory_kib"] <= before["memory_kib"] + 8_192
    assert after["requests"]["failed"] == 0
    assert indexed_home.processes() == {process.pid}


def test_a_hundred_prompts_leave_the_daemon_as_it_was(indexed_home: Any) -> None:
    soak(indexed_home, 30, 100)


@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_ten_thousand_prompts_leave_the_daemon_as_it_was(indexed_home: Any) -> None:
    # What is kept of so many words and names at most is kept by then.
    soak(indexed_home, 5_000, 10_000)
