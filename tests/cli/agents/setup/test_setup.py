"""``hearth setup``: hooks in the settings of hosts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.hosts import HOSTS, host
from hearth.hosts.command import is_ours

Hearth = Callable[..., Any]

OTHERS = {
    "claude-code": '{\n    "model": "opus", // mine\n    "hooks": {\n        "Stop": [{ "hooks": [{"type": "command", '
    '"command": "say done"}] }]\n    },\n    "z": [1,2]\n}',
    "codex": '{"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]}]}}',
    "gemini": '{\r\n\t"theme": "dark",\r\n\t"hooks": {},\r\n}\r\n',
    "qwen": '{\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},\n  "$version": 4\n}',
    "cursor": '{ "version": 1,\n  "hooks": { "stop": [ { "command": "say done" } ] } }\n\n',
}


def file_of(home: Path, name: str) -> Path:
    return Path(host(name).settings(str(home), {}))


def write(home: Path, name: str, text: str) -> Path:
    file = file_of(home, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8"))
    return file


def commands(value: Any) -> list[str]:
    """Every command of ours, wherever in the settings."""
    if isinstance(value, dict):
        mine = [value["command"]] if is_ours(value) else []
        return mine + [found for item in value.values() for found in commands(item)]
    return [found for item in value for found in commands(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", list(HOSTS))
def test_a_new_file_gets_every_hook_and_goes_away_with_them(hearth: Hearth, home: Path, name: str) -> None:
    result = hearth("setup", name)
    assert result.code == 0, result.err
    file = file_of(home, name)
    assert str(file) in result.out
    hooks = [item.hook for item in host(name).registrations]
    found = commands(json.loads(file.read_text("utf-8")))
    assert [[hook for hook in hooks if f"stub.py {hook} --host {name};" in line] for line in found] == [
        [hook] for hook in hooks
    ]
    assert file.stat().st_mode & 0o777 == 0o600
    assert hearth("setup", name, "--remove").code == 0
    assert not file.parent.exists()


@pytest.mark.parametrize("options", [(), ("--no-bootstrap",)], ids=["plain", "without"])
@pytest.mark.parametrize("name", list(HOSTS))
def test_removal_leaves_settings_byte_for_byte_as_they_were(
    hearth: Hearth, home: Path, name: str, options: tuple[str, ...]
) -> None:
    file = write(home, name, OTHERS[name])
    file.chmod(0o640)
    for _ in range(2):
        assert hearth("setup", name, *options).code == 0
    assert Path(f"{file}.before-hearth").read_bytes() == OTHERS[name].encode("utf-8")
    assert hearth("setup", name, "--remove").code == 0
    assert file.read_bytes() == OTHERS[name].encode("utf-8")
    assert file.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("name", list(HOSTS))
def test_twice_is_once_and_writes_nothing(hearth: Hearth, home: Path, name: str) -> None:
    file = write(home, name, OTHERS[name])
    hearth("setup", name)
    before = (file.read_bytes(), file.stat().st_ino)
    again = hearth("setup", name)
    assert (file.read_bytes(), file.stat().st_ino) == before
    assert again.out.startswith("nothing to change in ")


@pytest.mark.parametrize("name", list(HOSTS))
def test_what_was_edited_meanwhile_stays_when_ours_goes(hearth: Hearth, home: Path, name: str) -> None:
    file = write(home, name, "{}")
    hearth("setup", name)
    file.write_text(file.read_text("utf-8").replace("{", '{"mine": true,', 1), encoding="utf-8")
    result = hearth("setup", name, "--remove")
    left = json.loads(file.read_text("utf-8"))
    assert left.pop("version", 1) == 1
    assert left == {"mine": True}
    assert "before-hearth" in result.out, "the backup that could not come back is named"


def test_the_briefing_comes_at_first_and_stays_away_once_dropped(hearth: Hearth, home: Path) -> None:
    def briefed() -> bool:
        return any("session-bootstrap" in line for line in commands(json.loads(file.read_text("utf-8"))))

    file = file_of(home, "claude-code")
    seen = []
    for options in ((), (), ("--no-bootstrap",), (), ("--bootstrap",)):
        assert hearth("setup", "claude-code", *options).code == 0
        seen.append(briefed())
    assert seen == [True, True, False, False, True]


def test_hooks_is_another_name_for_claude_code(hearth: Hearth, home: Path) -> None:
    hearth("setup", "hooks")
    before = file_of(home, "claude-code").read_bytes()
    assert hearth("setup", "claude-code").out.startswith("nothing to change")
    assert file_of(home, "claude-code").read_bytes() == before


def test_an_installation_that_moved_is_renewed_in_its_place(hearth: Hearth, home: Path) -> None:
    write(home, "claude-code", OTHERS["claude-code"])
    hearth("setup", "claude-code")
    file = file_of(home, "claude-code")
    now = file.read_text("utf-8")
    stub = str(Path(host.__code__.co_filename).parents[1] / "stub.py")
    assert stub in now
    file.write_text(now.replace(stub, "/old/lib/python3.11/site-packages/hearth/stub.py"), encoding="utf-8")
    hearth("setup", "claude-code")
    assert file.read_text("utf-8") == now
    file.write_text(now.replace(stub, "/old/lib/python3.11/site-packages/hearth/stub.py"), encoding="utf-8")
    hearth("setup", "claude-code", "--remove")
    assert file.read_text("utf-8") == OTHERS["claude-code"]


@pytest.mark.parametrize("name", list(HOSTS))
def test_a_dry_run_shows_the_difference_and_changes_nothing(hearth: Hearth, home: Path, name: str) -> None:
    secret = "ghp_" + "x7Kq9ZbT2mWc4RvN8sLp3HdY6gJf1AeU5oQi"
    text = json.dumps({"env": {"GITHUB_TOKEN": secret}}, indent=2)
    file = write(home, name, text)
    result = hearth("setup", name, "--dry-run")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[:2] == [f"--- {file}", f"+++ {file}"]
    assert sum("stub.py" in line for line in lines if line.startswith("+")) >= 4
    assert secret not in result.out
    assert file.read_text("utf-8") == text and [entry.name for entry in file.parent.iterdir()] == [file.name]
    hearth("setup", name)
    before = file.read_bytes()
    removal = hearth("setup", name, "--remove", "--dry-run").out.splitlines()
    assert sum("stub.py" in line for line in removal if line.startswith("-")) >= 4
    assert file.read_bytes() == before


def test_a_dry_run_for_a_file_that_is_not_there_makes_none(hearth: Hearth, home: Path) -> None:
    result = hearth("setup", "codex", "--dry-run")
    assert result.out.startswith("--- /dev/null\n")
    assert not (home / ".codex").exists()


@pytest.mark.parametrize("name", list(HOSTS))
@pytest.mark.parametrize(
    ("text", "place"), [('{\n  "a": tru\n}', ":2:8: "), ("[]", ":1:1: "), ('{"a": 1\n', ":2:1: "), ("\xff", ":1:1: ")]
)
def test_a_broken_file_is_an_error_with_line_and_column_and_stays(
    hearth: Hearth, home: Path, name: str, text: str, place: str
) -> None:
    file = write(home, name, "")
    file.write_bytes(text.encode("latin-1"))
    for options in ((), ("--remove",), ("--dry-run",)):
        result = hearth("setup", name, *options)
        assert result.code == 2
        assert f"hearth: {file}{place}" in result.err
        assert file.read_bytes() == text.encode("latin-1")
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_symlinked_settings_stay_a_link_and_the_backup_lies_beside_the_file(hearth: Hearth, home: Path) -> None:
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir(parents=True)
    real.write_text("{}\n", encoding="utf-8")
    link = file_of(home, "claude-code")
    link.parent.mkdir(parents=True)
    link.symlink_to(os.path.relpath(real, link.parent))
    assert hearth("setup", "claude-code").code == 0
    assert link.is_symlink() and commands(json.loads(real.read_text("utf-8")))
    assert (real.parent / "claude.json.before-hearth").read_text("utf-8") == "{}\n"
    hearth("setup", "claude-code", "--remove")
    assert link.is_symlink() and real.read_text("utf-8") == "{}\n"


def test_links_in_a_circle_are_an_error(hearth: Hearth, home: Path) -> None:
    link = file_of(home, "claude-code")
    link.parent.mkdir(parents=True)
    link.symlink_to(link)
    result = hearth("setup", "claude-code")
    assert result.code == 5 and "correct the link" in result.err


def test_a_byte_order_mark_stays(hearth: Hearth, home: Path) -> None:
    file = write(home, "gemini", '\ufeff{"a": 1}')
    hearth("setup", "gemini")
    assert file.read_bytes().startswith(b"\xef\xbb\xbf{")
    hearth("setup", "gemini", "--remove")
    assert file.read_bytes() == b'\xef\xbb\xbf{"a": 1}'


def test_the_folders_that_the_environment_names_are_used(
    hearth: Hearth, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "cc"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "cx"))
    for name in ("claude-code", "codex"):
        assert hearth("setup", name).code == 0
    assert (tmp_path / "cc" / "settings.json").exists() and (tmp_path / "cx" / "hooks.json").exists()
    assert not home.exists() or list(home.iterdir()) == []


def test_a_project_has_settings_of_its_own(hearth: Hearth, home: Path, tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / "deep").mkdir()
    os.chdir(root / "deep")
    for name in HOSTS:
        result = hearth("setup", name, "--project")
        assert result.code == 0 and "keep it out of git" in result.err
        assert commands(json.loads(Path(host(name).project_settings(str(root))).read_text("utf-8")))
        assert not file_of(home, name).exists()
    assert (root / ".claude" / "settings.local.json").exists()


def test_the_home_folder_is_no_project(hearth: Hearth, home: Path) -> None:
    os.chdir(home)
    result = hearth("setup", "claude-code", "--project")
    assert result.code == 2 and "is no project" in result.err


def test_a_second_installation_is_named(hearth: Hearth, home: Path, tmp_path: Path) -> None:
    write(home, "claude-code", '{"enabledPlugins": {"hearth@hearth": true, "other@x": true}}')
    assert "claude plugin uninstall hearth@hearth" in hearth("setup", "claude-code").err
    assert str(file_of(home, "claude-code")) in hearth("setup", "claude-code", "--project").err
    assert "claude plugin uninstall" in hearth("setup", "claude-code", "--remove").err
    assert str(tmp_path / "work") in hearth("setup", "cursor").err, "Cursor reads the hooks of Claude Code, too"


def test_a_plugin_that_is_off_is_no_second_installation(hearth: Hearth, home: Path) -> None:
    write(home, "claude-code", '{"enabledPlugins": {"hearth@hearth": false}}')
    assert "twice" not in hearth("setup", "claude-code").err


@pytest.mark.parametrize(
    "line",
    [
        "/opt/audit/log-prompt.sh; hearth-hook context-surfacing --host claude-code",
        "logger ran /usr/bin/hearth hook feedback-loop && mine --important",
    ],
)
def test_commands_of_others_that_name_us_stay(hearth: Hearth, home: Path, line: str) -> None:
    entry = {"hooks": [{"type": "command", "command": line}]}
    file = write(home, "claude-code", json.dumps({"hooks": {"UserPromptSubmit": [entry]}}))
    assert hearth("setup", "claude-code").code == 0
    assert entry in json.loads(file.read_text("utf-8"))["hooks"]["UserPromptSubmit"]
    file.write_text(file.read_text("utf-8") + "\n", encoding="utf-8")
    assert hearth("setup", "claude-code", "--remove").code == 0
    assert json.loads(file.read_text("utf-8")) == {"hooks": {"UserPromptSubmit": [entry]}}


def test_codex_says_what_is_left_to_do(hearth: Hearth, home: Path) -> None:
    assert "type /hooks" in hearth("setup", "codex").err
    assert "type /hooks" not in hearth("setup", "codex", "--remove").err


def test_a_vault_without_notes_is_mentioned(hearth: Hearth, home: Path, notes: Path) -> None:
    assert "hearth bootstrap PATH" in hearth("setup", "claude-code").err
    hearth("bootstrap", str(notes))
    assert "hearth bootstrap PATH" not in hearth("setup", "claude-code").err


def test_that_conversations_are_kept_is_said_with_the_way_to_keep_none(hearth: Hearth, home: Path, notes: Path) -> None:
    hearth("bootstrap", str(notes))
    [said] = hearth("setup", "claude-code").err.splitlines()
    assert said.startswith("conversations are kept")
    hearth(*said.partition(": hearth ")[2].split())
    assert hearth("setup", "claude-code").err == ""


def test_json_says_what_happened(hearth: Hearth, home: Path) -> None:
    file = write(home, "codex", "{}")
    told = json.loads(hearth("setup", "codex", "--json").out)
    assert (told["file"], told["changed"], told["backup"]) == (str(file), True, f"{file}.before-hearth")
    assert told["diff"].startswith("---") and any("/hooks" in note for note in told["notes"])
    assert json.loads(hearth("setup", "codex", "--json", "--dry-run").out)["changed"] is False
