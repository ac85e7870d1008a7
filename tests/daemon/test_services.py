"""The service files say exactly what is to run, whatever the names are."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.cli.agents import daemon

PYTHON = "/opt/my venv/bin/python3"
ENVIRON = {"HEARTH_DATA_DIR": '/home/me/100% "notes" $HOME \\x', "HEARTH_CONFIG_DIR": "/c"}
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


def unit(text: str) -> dict[str, list[tuple[str, str]]]:
    """Sections of a unit file, keys in order."""
    found: dict[str, list[tuple[str, str]]] = {}
    section = ""
    for line in text.splitlines():
        if header := re.fullmatch(r"\[(\w+)\]", line):
            section = header[1]
            found[section] = []
        elif line:
            key, _, value = line.partition("=")
            found[section].append((key, value))
    return found


def words(value: str, *, command: bool) -> list[str]:
    """As systemd reads a row of quoted words: escapes, then ``%`` specifiers, then ``$`` in commands."""
    found = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r'"((?:[^"\\]|\\.)*)"', value)]
    found = [word.replace("%%", "%") for word in found]
    return [word.replace("$$", "$") for word in found] if command else found


def test_the_daemon_stays_and_comes_back_after_a_failure() -> None:
    service = unit(daemon.systemd(PYTHON, ENVIRON, ["default"])[daemon.DAEMON])
    rows = dict(service["Service"])
    assert words(rows["ExecStart"], command=True) == [PYTHON, "-P", "-m", "hearth", "daemon", "run", "--stay"]
    assert (rows["Restart"], service["Install"]) == ("on-failure", [("WantedBy", "default.target")])


def test_no_file_of_the_working_folder_is_run(tmp_path: Path) -> None:
    (tmp_path / "dataclasses.py").write_text("raise SystemExit('mine')\n", encoding="utf-8")
    agent = plistlib.loads(daemon.launchd(sys.executable, {}, [])["io.hearth.daemon.plist"].encode())
    command = agent["ProgramArguments"]
    command = [*command[: command.index("hearth") + 1], "version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_vault_is_scanned_and_embedded_once_a_day() -> None:
    files = daemon.systemd(PYTHON, {}, ["default", "work"])
    embed = unit(files[daemon.EMBED])["Service"]
    commands = [words(value, command=True) for key, value in embed if key == "ExecStart"]
    assert commands == [
        [PYTHON, "-P", "-m", "hearth", "--vault", vault, "update", "--embed"] for vault in ("default", "work")
    ]
    assert dict(embed)["Type"] == "oneshot"
    timer = unit(files[daemon.TIMER])
    assert dict(timer["Timer"])["OnCalendar"] == "daily"
    assert dict(timer["Timer"])["Persistent"] == "true"
    assert timer["Install"] == [("WantedBy", "timers.target")]


@given(NAMES, NAMES)
def test_odd_names_reach_systemd_as_they_are(folder: str, program: str) -> None:
    files = daemon.systemd(f"/{program}", {"HEARTH_DATA_DIR": f"/{folder}"}, ["default"])
    for name in (daemon.DAEMON, daemon.EMBED):
        rows = unit(files[name])["Service"]
        settings = [words(value, command=False) for key, value in rows if key == "Environment"]
        assert settings == [[f"HEARTH_DATA_DIR=/{folder}"]]
        assert all(words(value, command=True)[0] == f"/{program}" for key, value in rows if key == "ExecStart")


def test_launchd_gets_the_same_as_property_lists() -> None:
    files = daemon.launchd(PYTHON, ENVIRON, ["default", "work"])
    lists = {name: plistlib.loads(text.encode()) for name, text in files.items()}
    assert {f"{found['Label']}.plist" for found in lists.values()} == set(files)
    main = lists["io.hearth.daemon.plist"]
    assert main["ProgramArguments"] == [PYTHON, "-P", "-m", "hearth", "daemon", "run", "--stay"]
    assert (main["RunAtLoad"], main["KeepAlive"]) == (True, {"SuccessfulExit": False})
    embed = lists["io.hearth.embed.work.plist"]
    assert embed["ProgramArguments"] == [PYTHON, "-P", "-m", "hearth", "--vault", "work", "update", "--embed"]
    assert set(embed["StartCalendarInterval"]) == {"Hour", "Minute"}
    assert all(found["EnvironmentVariables"] == ENVIRON for found in lists.values())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for name, text in daemon.systemd("/bin/true", ENVIRON, ["default", "work"]).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    units = [str(tmp_path / name) for name in (daemon.DAEMON, daemon.EMBED, daemon.TIMER)]
    command = ["systemd-analyze", "--user", "verify", *units]
    environ = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
