"""Commands run by the daemon: the same bytes as without one, and the command itself where it can't help."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hearth import __version__
from hearth.cli.remote import ASKED

NOTE = "# PostgreSQL over MongoDB\n\nWe chose PostgreSQL over MongoDB because joins matter more.\n"
QUERY = "why PostgreSQL over MongoDB"
TABLE = [
    *([name, "joins", *more] for name in ("search", "vsearch", "query") for more in ([], ["--json"], ["--full"])),
    *(["query", QUERY, option] for option in ("--md", "--csv", "--files", "--explain")),
    ["query", QUERY, "--json", "--explain", "--full"],
    ["query", "zeppelins moored in a cabin"],
    ["search", "zeppelin", "--csv"],
    ["search", "zeppelin", "--json"],
    ["query", QUERY, "--type", "nonsense"],
    ["query", QUERY, "-c", "nowhere"],
    ["query", QUERY, "--since", "some day"],
    ["query", QUERY, "--json", "--md"],
    ["query", QUERY, "--limit", "0"],
    ["query", QUERY, "--nonsense"],
    ["query"],
    ["query", "--", "-dash"],
    ["--vault", "nowhere", "search", "joins"],
    ["search", "--vault", "work", "joins"],
    ["--vault=work", "query", "zanzibar"],
    ["get", "0001-postgres.md"],
    ["get", "0001-postgres.md:1:1"],
    ["get", "0001-postgres.md", "--json"],
    ["get", "no-such-note.md"],
    ["get"],
]


@pytest.fixture
def two_vaults(home: Any) -> Any:
    (home.folder / "work").mkdir()
    (home.folder / "work" / "odd ü 日本.md").write_text("# Zanzibar\n\nThe zanzibar ledger pays on Friday.\n", "utf-8")
    home.configure(f"vaults: {{work: {{collections: {{files: {{path: {home.folder}/work}}}}}}}}\n")
    home.notes.mkdir()
    (home.notes / "0001-postgres.md").write_text(NOTE, "utf-8")
    for file in (*home.notes.iterdir(), *(home.folder / "work").iterdir()):
        os.utime(file, (1_600_000_000, 1_600_000_000))
    assert home.hearth("update").code == 0
    assert home.hearth("--vault", "work", "update").code == 0
    return home


def timeless(text: str) -> str:
    """Without how long it took, which state of the index it was, and what age makes of a score within seconds."""
    text = re.sub(r'"(took_ms|generation)": [0-9.]+', r'"\1": 0', text)
    return re.sub(r"\d+\.\d{5,}", lambda found: f"{float(found[0]):.4f}", text)


def by_daemon(home: Any, run: Callable[[], Any]) -> Any:
    """What ``run`` gives once the daemon did it: where the machine stands still for a moment the command does it."""
    for _ in range(20):
        before = home.status()["commands"]
        found = run()
        if home.status()["commands"] == before + 1:
            return found
    raise AssertionError("the daemon never did it")


def test_every_form_of_an_answer_is_the_same_byte_for_byte(two_vaults: Any) -> None:
    alone = [two_vaults.hearth(*arguments) for arguments in TABLE]
    two_vaults.daemon()
    asked = [by_daemon(two_vaults, lambda: two_vaults.hearth(*arguments)) for arguments in TABLE]  # noqa: B023 (at once)
    for arguments, one, other in zip(TABLE, alone, asked, strict=True):
        assert timeless(one.out).splitlines() == timeless(other.out).splitlines(), arguments
        assert (one.code, one.out.count("\n"), one.err) == (other.code, other.out.count("\n"), other.err), arguments
    assert {one.code for one in alone} >= {0, 2, 3}


def test_both_streams_keep_their_order(indexed_home: Any) -> None:
    environ = indexed_home.environ | {"HEARTH_DAEMON_MODE": "external"}

    def run() -> bytes:
        command = [sys.executable, "-m", "hearth", "search", "zeppelin", "--csv"]
        return subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True).stdout

    alone = run()
    indexed_home.daemon()
    assert by_daemon(indexed_home, run) == alone and b"nothing found" in alone


def test_a_hand_edit_is_seen_by_the_next_question_that_looks(indexed_home: Any, until: Callable[..., None]) -> None:
    indexed_home.daemon()
    (indexed_home.notes / "new.md").write_text("# New\n\nThe pangolin curls up.\n", "utf-8")
    until(lambda: "new.md" in indexed_home.hearth("search", "pangolin").out)


def test_a_write_by_us_is_seen_by_the_next_question(indexed_home: Any) -> None:
    indexed_home.daemon()
    for number in range(3):
        assert indexed_home.hearth("remember", f"The okapi number {number} sleeps standing.").code == 0
        question = ["search", f"okapi number {number}", "--full"]
        assert question[1] in by_daemon(indexed_home, lambda: indexed_home.hearth(*question)).out  # noqa: B023 (at once)


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["search", "joins", "--debug"], {}),
        (["search", "joins"], {"HEARTH_SEARCH_MMR": "false"}),
        (["search", "joins"], {"TZ": "Asia/Tokyo"}),
        (["search", "joins"], {"HEARTH_DEBUG": "1"}),
        (["search", "--help"], {}),
        (["status"], {}),
    ],
)
def test_what_the_daemon_can_not_do_as_well_is_done_by_the_command_itself(
    indexed_home: Any, arguments: list[str], variables: dict[str, str]
) -> None:
    alone = indexed_home.hearth(*arguments, **variables)
    indexed_home.daemon()
    found = indexed_home.hearth(*arguments, **variables)
    assert found.code == alone.code == 0
    if arguments != ["status"]:
        assert (found.out, found.err) == (alone.out, alone.err)
    assert indexed_home.status()["commands"] == 0


def test_standard_input_is_read_by_the_command_itself(indexed_home: Any) -> None:
    indexed_home.daemon()
    assert "0001-postgres.md" in indexed_home.hearth("search", "-", stdin=b"joins").out
    assert indexed_home.status()["commands"] == 0


def test_a_daemon_that_dies_or_stops_in_the_middle_costs_no_answer(indexed_home: Any) -> None:
    alone = indexed_home.hearth("query", QUERY)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        daemon = indexed_home.daemon()
        os.kill(daemon.pid, signal.SIGSTOP)
        with ThreadPoolExecutor(1) as threads:
            asking = threads.submit(indexed_home.hearth, "query", QUERY)
            if number == signal.SIGKILL:
                os.kill(daemon.pid, number)
            found = asking.result(60)
        assert (found.code, found.out, found.err) == (alone.code, alone.out, alone.err)
        daemon.kill()
        daemon.wait()


def test_what_is_asked_of_the_daemon_loads_neither_the_engine_nor_what_is_slow_to_load(indexed_home: Any) -> None:
    indexed_home.daemon()
    tell = "print(*sorted(sys.modules), file=sys.stderr)"

    def run(code: str = "sys.argv[1:] = ['query', 'joins']; from hearth.cli import main; main(); ") -> set[str]:
        command = [sys.executable, "-c", f"import sys; {code}{tell}"]
        done = subprocess.run(command, env=indexed_home.environ, capture_output=True, text=True, check=True, timeout=60)
        return set(done.stderr.split())

    loaded = by_daemon(indexed_home, run) - run("")
    assert loaded & {"click", "numpy", "apsw", "hearth.app", "hearth.vault", "hearth.recall", "hearth.config"} == set()
    assert (
        loaded & {"re", "json", "enum", "typing", "pathlib", "dataclasses", "contextlib", "hearth.core.lazy"} == set()
    )


def test_the_commands_that_are_asked_are_commands() -> None:
    from hearth.cli.commands import COMMANDS

    assert set(ASKED) <= set(COMMANDS)


# -- the first question starts the daemon ------------------------------------------------------------------------------


def ask(home: Any, **variables: str) -> Any:
    """A question as somebody types it."""
    return home.hearth("query", QUERY, **variables)


def started(home: Any) -> bool:
    """Whether a daemon was ever to be started here."""
    return Path(home.address.file("start.lock")).exists()


def test_the_first_question_starts_the_daemon_that_answers_the_second(indexed_home: Any, until: Any) -> None:
    first = ask(indexed_home, HEARTH_DAEMON_MODE="auto")
    until(lambda: indexed_home.status() is not None and indexed_home.status()["vaults"])
    second = by_daemon(indexed_home, lambda: ask(indexed_home, HEARTH_DAEMON_MODE="auto"))
    assert first.code == 0 and timeless(first.out) == timeless(second.out)
    if sys.platform == "linux":  # its threads share one store of memory
        environ = Path(f"/proc/{indexed_home.status()['pid']}/environ").read_bytes()
        assert b"MALLOC_ARENA_MAX=1" in environ.split(b"\0")


def test_what_needs_no_daemon_starts_none(indexed_home: Any) -> None:
    indexed_home.hearth("status", HEARTH_DAEMON_MODE="auto")
    indexed_home.hearth("query", "--help", HEARTH_DAEMON_MODE="auto")
    assert indexed_home.hearth("query", QUERY, "--nonsense", HEARTH_DAEMON_MODE="auto").code == 2
    assert not started(indexed_home)


@pytest.mark.parametrize("mode", ["never", "external"])
def test_a_mode_that_wants_no_daemon_started_starts_none(indexed_home: Any, mode: str) -> None:
    assert ask(indexed_home, HEARTH_DAEMON_MODE=mode).code == 0
    indexed_home.configure(f"daemon: {{mode: {mode}}}\n")
    command = [sys.executable, "-m", "hearth", "query", QUERY]
    subprocess.run(command, env=indexed_home.environ, stdout=subprocess.DEVNULL, check=True)
    assert not started(indexed_home)


def test_never_asks_no_daemon_that_runs(indexed_home: Any) -> None:
    indexed_home.daemon()
    assert ask(indexed_home, HEARTH_DAEMON_MODE="never").code == 0
    assert indexed_home.status()["commands"] == 0


def test_a_daemon_of_an_older_version_is_replaced(indexed_home: Any, until: Any) -> None:
    old = indexed_home.start_old()
    # Where the machine stands still for a moment it is not asked.
    until(lambda: ask(indexed_home, HEARTH_DAEMON_MODE="auto").code == 0 and old.poll() is not None)
    # Where the older one was slow to end, the next question starts the new one.
    until(lambda: ask(indexed_home, HEARTH_DAEMON_MODE="auto").code == 0 and indexed_home.status() is not None)
    assert indexed_home.status()["version"] == __version__


def test_a_daemon_of_a_newer_version_stays(indexed_home: Any) -> None:
    newer = indexed_home.start_old("999.0.0")
    assert ask(indexed_home, HEARTH_DAEMON_MODE="auto").code == 0
    assert newer.poll() is None and indexed_home.status()["version"] == "999.0.0"
