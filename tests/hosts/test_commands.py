"""The line that a host runs, and how it is known again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hearth.core.hook import HookReply
from hearth.hosts import HOSTS, host
from hearth.hosts.command import Launcher, is_our_server, is_ours, shell

HERE = Launcher("/opt/a b/bin/python", "/opt/a b/lib/hearth/stub.py")


@pytest.mark.parametrize("name", list(HOSTS))
def test_every_entry_is_known_as_ours_and_runs_the_stub_with_its_hook_and_host(name: str) -> None:
    for item in host(name).registrations:
        entry = host(name).handler(item, HERE)
        assert is_ours(entry)
        assert (
            f"exec '/opt/a b/bin/python' -I -S '/opt/a b/lib/hearth/stub.py' {item.hook} --host {name};"
            in entry["command"]
        )
        assert "args" not in entry
        unit = 1000 if name == "gemini" else 1
        assert entry["timeout"] == item.seconds * unit
        assert 0 < item.seconds <= (3 if (name, item.hook) == ("codex", "session-end") else 10)


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/old/venv/bin/python -I -S /old/lib/python3.11/site-packages/hearth/stub.py feedback-loop"},
        {"command": "/usr/bin/python3", "args": ["-I", "-S", "/x/hearth/stub.py", "session-end", "--host", "codex"]},
        {"command": "hearth-hook context-surfacing --host auto"},
        {"command": "/home/ana/.local/bin/hearth-hook session-end"},
        {"command": "hearth hook context-surfacing"},
        {"command": "python3 -m hearth.stub pretool-inject"},
        {"command": "python3 -m hearth hook pretool-inject"},
        {"command": "'/opt/a b/bin/hearth-hook' session-end --host=codex"},
    ],
)
def test_entries_of_former_installations_are_ours(entry: dict[str, object]) -> None:
    assert is_ours(entry)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "hearth-hook session-end",
        {},
        {"command": 7},
        {"command": "say 'open quote"},
        {"command": "echo hearth"},
        {"command": "hearth status"},
        {"command": "python /work/hearth/stub.py"},
        {"command": "python /work/myhearth/stub.py session-end"},
        {"command": "notify --about hearth-hook"},
        {"url": "http://127.0.0.1/hearth/stub.py"},
        {"command": "python -m hearthstone session-end"},
        {"command": "/opt/audit/log-prompt.sh; hearth-hook context-surfacing --host claude-code"},
        {"command": "/opt/audit/log;/bin/hearth-hook context-surfacing"},
        {"command": "logger ran /usr/bin/hearth hook feedback-loop && mine --important"},
        {"command": "hearth-hook feedback-loop && mine"},
        {"command": "hearth-hook feedback-loop&mine"},
        {"command": "hearth-hook feedback-loop | tee log"},
        {"command": "hearth-hook feedback-loop\n/opt/audit.sh"},
        {"command": "hearth-hook feedback-loop --host `audit`"},
        {"command": "time hearth-hook feedback-loop"},
        {"command": "/opt/audit", "args": ["/usr/bin/hearth-hook", "feedback-loop"]},
        {"command": "hearth-hook", "args": ["feedback-loop", {"mine": 1}]},
        {"command": "python audit.py -m hearth.stub session-end"},
        {"command": shell(HERE, "session-end", "codex", "") + "; mine"},
        {"command": shell(HERE, "session-end", "codex", "").replace("exec", "mine; exec")},
        {"command": shell(Launcher("/v/python", "/v/other/stub.py"), "session-end", "codex", "")},
        {"command": "if command -v hearth-hook >/dev/null 2>&1; then mine; exec hearth-hook session-end; fi"},
    ],
)
def test_entries_of_others_are_not_ours(entry: object) -> None:
    assert not is_ours(entry)


def test_a_server_is_ours_by_what_it_runs() -> None:
    assert is_our_server({"command": "/v/bin/hearth", "args": ["mcp"]})
    assert is_our_server({"command": "/v/bin/python", "args": ["-m", "hearth", "mcp", "--vault", "work"]})
    assert is_our_server({"command": "/v/bin/python", "args": ["-P", "-m", "hearth", "mcp"]})
    assert is_our_server({"command": "hearth mcp"})
    for other in (
        None,
        {},
        {"command": "hearth"},
        {"command": "npx", "args": ["hearth", "mcp"]},
        {"url": "http://x/mcp"},
    ):
        assert not is_our_server(other)


def test_the_line_is_the_same_in_every_version_since_codex_has_people_approve_its_bytes() -> None:
    assert shell(Launcher("/v/bin/python", "/v/lib/hearth/stub.py"), "session-end", "codex", "") == (
        "if [ -x /v/bin/python ] && [ -f /v/lib/hearth/stub.py ]; then "
        "exec /v/bin/python -I -S /v/lib/hearth/stub.py session-end --host codex; fi"
    )


@pytest.mark.parametrize("missing", ["python", "stub"])
@pytest.mark.parametrize("empty", ["", "{}"])
def test_a_hook_whose_hearth_is_gone_succeeds_with_the_empty_output(tmp_path: Path, missing: str, empty: str) -> None:
    there = tmp_path / "there is $(false) it's"
    there.write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
    there.chmod(0o755)
    gone = str(tmp_path / "gone")
    launcher = Launcher(gone, str(there)) if missing == "python" else Launcher(str(there), gone)
    line = shell(launcher, "context-surfacing", "codex", empty)
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, empty, "")


def test_the_line_runs_what_it_names(tmp_path: Path) -> None:
    python, stub = tmp_path / "a 'python'", tmp_path / "stub.py"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    stub.write_text("", encoding="utf-8")
    line = shell(Launcher(str(python), str(stub)), "session-end", "gemini", "{}")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["-I", "-S", str(stub), "session-end", "--host", "gemini"]


def test_the_line_falls_back_to_what_the_host_takes_for_nothing() -> None:
    for name in HOSTS:
        for item in host(name).registrations:
            empty = host(name).render(item.hook, HookReply())
            assert (f"else echo '{empty}';" in host(name).handler(item, HERE)["command"]) == bool(empty)
