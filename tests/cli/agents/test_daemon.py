"""``hearth daemon``, ``hearth hook``, ``hearth install-service`` and what ``doctor`` says of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.daemon.client import _signal


def findings(home: Any, **variables: str) -> dict[str, dict[str, str]]:
    rows = json.loads(home.hearth("doctor", "--json", **variables).out)["findings"]
    return {row["check"]: row for row in rows}


def test_start_status_and_stop(indexed_home: Any, until: Callable[..., None]) -> None:
    assert "the next hook starts one" in indexed_home.hearth("daemon", "status", HEARTH_DAEMON_MODE="auto").out
    started = indexed_home.hearth("daemon", "start")
    assert started.code == 0 and "is running as process" in started.out
    assert "was running already" in indexed_home.hearth("daemon", "start").out
    process = indexed_home.status()["pid"]
    assert f"process {process}" in started.out
    shown = indexed_home.hearth("daemon", "status").out
    assert f"process      {process}, version" in shown and "embed: nothing to do so far" in shown
    found = json.loads(indexed_home.hearth("daemon", "status", "--json").out)
    assert found["running"] is True and found["daemon"]["pid"] == process
    assert indexed_home.hearth("daemon", "stop").out == "the daemon was stopped\n"
    until(lambda: not indexed_home.processes())
    assert indexed_home.hearth("daemon", "stop").out == "no daemon was running\n"
    assert json.loads(indexed_home.hearth("daemon", "status", "--json").out) == {
        "running": False,
        "socket": indexed_home.address.socket,
        "daemon": None,
    }


def test_a_daemon_that_cannot_start_says_where_to_look(indexed_home: Any) -> None:
    Path(indexed_home.address.socket).write_text("in the way", encoding="utf-8")
    failed = indexed_home.hearth("daemon", "start")
    assert failed.code == 5 and "daemon.log" in failed.err
    assert "already exists" in indexed_home.log("daemon.log")


def test_a_broken_setting_is_said_before_anything_starts(indexed_home: Any) -> None:
    failed = indexed_home.hearth("daemon", "start", HEARTH_DAEMON_MODE="sometimes")
    assert failed.code == 2 and "HEARTH_DAEMON_MODE" in failed.err
    assert indexed_home.processes() == set()


def test_a_hook_by_hand_answers_with_and_without_the_daemon(indexed_home: Any) -> None:
    alone = indexed_home.hearth("hook", "context-surfacing", "--explain", stdin=indexed_home.prompt())
    assert "joins matter more" in alone.out and "answered by this process" in alone.err
    indexed_home.daemon()
    silenced = indexed_home.hearth(
        "hook", "context-surfacing", "--explain", stdin=indexed_home.prompt(), HEARTH_DISABLE="1"
    )
    assert silenced.out == "" and "reason: HEARTH_DISABLE is set" in silenced.err
    asked = indexed_home.hearth("hook", "context-surfacing", "--explain", stdin=indexed_home.prompt(session="s2"))
    assert "joins matter more" in asked.out and "answered by the daemon" in asked.err
    assert "vault default" in asked.err


HASTY = """
from hearth.daemon.stub import client as stub_client
stub_client.BUDGET, stub_client.BUDGETS = 0.0, {}
from hearth.cli import main
main(["hook", "context-surfacing", "--explain"])
"""


def test_a_hook_that_is_explained_has_time_and_says_why_the_daemon_was_passed_over(indexed_home: Any) -> None:
    alone = indexed_home.script(HASTY, stdin=indexed_home.prompt())
    assert "joins matter more" in alone.out and "not by the daemon: none is running" in alone.err
    indexed_home.daemon()
    asked = indexed_home.script(HASTY, stdin=indexed_home.prompt(session="s2"))
    assert "answered by the daemon" in asked.err and "not by" not in asked.err
    other = {"HEARTH_SEARCH_MMR": "false"}
    refused = indexed_home.script(HASTY, stdin=indexed_home.prompt(session="s3"), environ=other)
    assert "joins matter more" in refused.out and "not by the daemon: its HEARTH_ variables differ" in refused.err


@pytest.mark.parametrize("stdin", [b"", b"nonsense", b"{}"])
def test_a_hook_by_hand_ends_well_and_says_what_was_wrong_only_when_asked(indexed_home: Any, stdin: bytes) -> None:
    quiet = indexed_home.hearth("hook", "feedback-loop", "--host", "codex", stdin=stdin)
    assert (quiet.code, quiet.out, quiet.err) == (0, "{}\n", "")
    told = indexed_home.hearth("hook", "feedback-loop", "--host", "codex", "--explain", stdin=stdin)
    assert told.code == 0 and "reason: " in told.err and "none given" not in told.err


def test_a_hook_by_hand_names_a_host_that_there_is_not(indexed_home: Any) -> None:
    told = indexed_home.hearth("hook", "context-surfacing", "--host", "nowhere", stdin=indexed_home.prompt())
    assert (told.code, told.out) == (0, "") and "no host 'nowhere'" in told.err and "codex" in told.err


def test_a_hook_by_hand_names_a_broken_setting(indexed_home: Any) -> None:
    told = indexed_home.hearth("hook", "context-surfacing", "--explain", HEARTH_SEARCH_MMR="perhaps")
    assert (told.code, told.out) == (0, "") and "HEARTH_SEARCH_MMR" in told.err


@pytest.fixture
def two_vaults(indexed_home: Any) -> Path:
    """A second vault, ``work``, of the project whose folder is returned."""
    root = indexed_home.folder / "project"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "fee.md").write_text("# Mooring fee\n\nThe zeppelin mooring fee is paid quarterly.\n", "utf-8")
    indexed_home.configure(f"vaults: {{work: {{roots: [{root}], collections: {{w: {{path: {root}/notes}}}}}}}}\n")
    assert indexed_home.hearth("--vault", "work", "update").code == 0
    return Path(root)


FEE = "when is the zeppelin mooring fee paid?"


@pytest.mark.parametrize("by", ["this process", "the daemon"])
def test_a_hook_by_hand_uses_the_vault_that_is_named(indexed_home: Any, two_vaults: Path, by: str) -> None:
    if by == "the daemon":
        indexed_home.daemon()
    words = ("hook", "context-surfacing", "--explain")
    named = indexed_home.hearth("--vault", "work", *words, stdin=indexed_home.prompt(FEE))
    assert "paid quarterly" in named.out and f"answered by {by}" in named.err and "vault work" in named.err
    unknown = indexed_home.hearth("--vault", "nope", *words, stdin=indexed_home.prompt(FEE, session="s2"))
    assert (unknown.code, unknown.out) == (0, "") and "nope" in unknown.err


@pytest.mark.parametrize("by", ["this process", "the daemon"])
def test_a_hook_by_hand_belongs_to_the_folder_in_which_it_is_run(indexed_home: Any, two_vaults: Path, by: str) -> None:
    if by == "the daemon":
        indexed_home.daemon()
    event = json.dumps({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": FEE}).encode()
    done = indexed_home.patient_hook(event, two_vaults)
    assert done.code == 0
    assert "vault work" in done.err and f"answered by {by}" in done.err


def test_the_status_of_a_vault_is_of_that_vault(indexed_home: Any, two_vaults: Path) -> None:
    indexed_home.daemon()
    assert "default: scanned" in indexed_home.hearth("--vault", "default", "daemon", "status").out
    other = indexed_home.hearth("--vault", "work", "daemon", "status").out
    assert "default" not in other and "not opened so far" in other
    for command in ("status", "start", "stop", "run"):
        refused = indexed_home.hearth("--vault", "nope", "daemon", command)
        assert refused.code != 0 and "vault" in refused.err
    assert indexed_home.status() is not None


def test_a_daemon_that_stays_follows_every_vault_from_the_start(
    indexed_home: Any, two_vaults: Path, until: Callable[..., None]
) -> None:
    indexed_home.spawn("-m", "hearth", "daemon", "run", "--stay")
    until(lambda: indexed_home.status() is not None)
    until(lambda: {row["vault"] for row in indexed_home.status()["vaults"] if row["scans"]} == {"default", "work"})


def test_only_the_first_line_of_the_lock_names_the_process_to_end(indexed_home: Any) -> None:
    victim = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        for text in (
            f"process 999999999\nnoise {victim.pid}",
            f"noise {victim.pid}",
            f"process {victim.pid} {victim.pid}",
            f"process {victim.pid}x",
        ):
            _signal(text, signal.SIGKILL)
        assert victim.stdin is not None
        victim.stdin.close()
        assert victim.wait(20) == 1  # the end of its input, not a signal
    finally:
        victim.kill()
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert other.stdin is not None
    _signal(f"process {other.pid}\nnoise", signal.SIGKILL)
    assert other.wait(20) == -signal.SIGKILL
    other.stdin.close()


# -- doctor ----------------------------------------------------------------------------------------------------------


def test_doctor_sends_a_real_prompt_through_and_starts_no_daemon(indexed_home: Any) -> None:
    found = findings(indexed_home, HEARTH_DAEMON_MODE="auto")
    assert found["daemon"]["message"] == "not running (the next hook starts it)"
    assert (found["hook"]["level"], found["hooks"]["level"]) == ("ok", "ok")
    assert "a prompt was answered in" in found["hook"]["message"]
    assert indexed_home.processes() == set()


def test_doctor_sends_it_through_the_daemon_where_one_runs(indexed_home: Any) -> None:
    indexed_home.daemon()
    before = indexed_home.status()["requests"]["answered"]
    found = findings(indexed_home)
    assert found["daemon"]["level"] == "ok" and "answers in" in found["daemon"]["message"]
    assert indexed_home.status()["requests"]["answered"] >= before + 2  # doctor's look, and the hook
    assert not any(row["level"] == "fail" for row in found.values())


def test_doctor_tells_of_failures_that_no_host_showed(indexed_home: Any) -> None:
    assert indexed_home.unhurried_stub(b"{}", None, "--no-start").code == 0
    row = findings(indexed_home)["hooks"]
    assert row["level"] == "warn" and "names no session" in row["message"]
    assert "hooks.log" in row["fix"]


def test_doctor_tells_that_hooks_are_off(indexed_home: Any) -> None:
    assert "HEARTH_DISABLE" in findings(indexed_home, HEARTH_DISABLE="1")["hook"]["message"]


def test_doctor_tells_of_a_daemon_with_other_settings_and_of_an_old_one(indexed_home: Any) -> None:
    indexed_home.start_old()
    assert "0.0.1" in findings(indexed_home)["daemon"]["message"]
    indexed_home.hearth("daemon", "stop")
    indexed_home.daemon(HEARTH_SEARCH_MMR="false")
    assert "different HEARTH_ variables" in findings(indexed_home)["daemon"]["message"]
    assert "different from those here" in indexed_home.hearth("daemon", "status").out


def test_doctor_misses_a_daemon_that_something_else_should_have_started(indexed_home: Any) -> None:
    row = findings(indexed_home, HEARTH_DAEMON_MODE="external")["daemon"]
    assert (row["level"], row["fix"]) == ("warn", "run: hearth install-service --enable")


# -- services --------------------------------------------------------------------------------------------------------


@pytest.fixture
def systemctl(home: Any) -> dict[str, str]:
    """A ``systemctl`` that writes down how it was called; ``fail`` beside it makes it fail."""
    folder = home.folder / "bin"
    folder.mkdir()
    program = folder / "systemctl"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {folder}/calls\nif [ -e {folder}/fail ]; then echo "no bus" >&2; exit 1; fi\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def calls(home: Any) -> list[str]:
    file = home.folder / "bin" / "calls"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="systemd is Linux's")
def test_units_are_written_enabled_and_removed(home: Any, systemctl: dict[str, str]) -> None:
    folder = home.folder / "home" / ".config" / "systemd" / "user"
    written = home.hearth("install-service", **systemctl)
    assert written.code == 0 and f"wrote {folder / 'hearth.service'}" in written.out
    assert sorted(file.name for file in folder.iterdir()) == [
        "hearth-embed.service",
        "hearth-embed.timer",
        "hearth.service",
    ]
    assert f'"HEARTH_DATA_DIR={home.folder}/data"' in (folder / "hearth.service").read_text(encoding="utf-8")
    assert calls(home) == []
    enabled = home.hearth("install-service", "--enable", **systemctl)
    assert enabled.code == 0 and "is running and starts" in enabled.out
    assert calls(home) == ["--user daemon-reload", "--user enable --now hearth.service hearth-embed.timer"]
    removed = home.hearth("install-service", "--remove", **systemctl)
    assert removed.code == 0 and list(folder.iterdir()) == []
    assert calls(home)[2:] == ["--user disable --now hearth.service hearth-embed.timer", "--user daemon-reload"]
    assert "nothing to remove" in home.hearth("install-service", "--remove", **systemctl).out


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="systemd is Linux's")
def test_a_daemon_in_the_way_of_the_service_is_ended(
    indexed_home: Any, systemctl: dict[str, str], until: Callable[..., None]
) -> None:
    process = indexed_home.daemon()
    enabled = indexed_home.hearth("install-service", "--enable", **systemctl)
    assert enabled.code == 0 and "the running daemon was stopped" in enabled.out
    assert process.wait(20) == 0
    assert calls(indexed_home) == [
        "--user daemon-reload",
        "--user enable --now hearth.service hearth-embed.timer",
        "--user restart hearth.service",
    ]


def test_launchd_forgets_the_former_agents_before_it_takes_the_new_ones(home: Any, systemctl: dict[str, str]) -> None:
    """Its answer for an agent that it does not know is no failure of ours."""
    folder = home.folder / "bin"
    program = folder / "launchctl"
    program.write_text(f'#!/bin/sh\necho "$1" >> {folder}/calls\n[ "$1" != bootout ]\n')
    program.chmod(0o755)
    code = (
        "import sys, types; from hearth.cli import main; from hearth.cli.agents import daemon as module; "
        "module.sys = types.SimpleNamespace(platform='darwin', executable=sys.executable); "
        "sys.exit(main(['install-service', '--enable']))"
    )
    done = home.script(code, environ=systemctl)
    assert (done.code, done.err) == (0, "")
    assert calls(home) == ["bootout", "bootout", "bootstrap", "bootstrap"]


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="systemd is Linux's")
def test_a_systemd_that_refuses_is_named_with_what_it_said(home: Any, systemctl: dict[str, str]) -> None:
    (home.folder / "bin" / "fail").touch()
    failed = home.hearth("install-service", "--enable", **systemctl)
    assert failed.code == 5 and "no bus" in failed.err and "the files are written" in failed.err
    removed = home.hearth("install-service", "--remove", **systemctl)
    assert removed.code == 0 and "no bus" in removed.err and "removed" in removed.out


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="systemd is Linux's")
def test_without_systemd_it_says_what_to_do_instead(home: Any) -> None:
    failed = home.hearth("install-service", "--enable", PATH="/nonexistent")
    assert failed.code == 5 and "hearth daemon run" in failed.err
    assert not (home.folder / "home" / ".config").exists()


def test_enable_and_remove_exclude_each_other(home: Any) -> None:
    assert home.hearth("install-service", "--enable", "--remove").code == 2
