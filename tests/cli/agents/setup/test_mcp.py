"""``hearth setup mcp``: the server in the settings of clients."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from hearth.cli.agents import launcher as setup_place
from hearth.hosts.clients import CLIENTS, client

Hearth = Callable[..., Any]

FOLDERS = {"HEARTH_CONFIG_DIR", "HEARTH_DATA_DIR", "HEARTH_CACHE_DIR", "HEARTH_STATE_DIR"}


def file_of(home: Path, name: str) -> Path:
    return Path(client(name).file(str(home), {}, sys.platform))


def servers(file: Path, name: str) -> Any:
    read = {"toml": tomllib.loads, "json": json.loads, "yaml": yaml.safe_load}[client(name).kind]
    return read(file.read_text("utf-8"))[client(name).key]


def program(name: str, entry: Any) -> tuple[list[str], Any]:
    """The command line of an entry and its variables, whatever this client calls them."""
    command, arguments, variables = client(name).words
    return (entry[command] if arguments is None else [entry[command], *entry[arguments]]), entry[variables]


@pytest.mark.parametrize("name", list(CLIENTS))
def test_the_server_goes_into_a_new_file_and_the_file_away_with_it(hearth: Hearth, home: Path, name: str) -> None:
    result = hearth("setup", "mcp", "--client", name)
    assert result.code == 0, result.err
    file = file_of(home, name)
    entry = servers(file, name)["hearth"]
    command, variables = program(name, entry)
    assert command[0].startswith("/") and Path(command[0]).exists()
    assert command[-1] == "mcp"
    assert variables.keys() == FOLDERS
    assert entry.get("type") == client(name).more.get("type")
    again = hearth("setup", "mcp", "--client", name)
    assert again.out == f"nothing to change in {file}\n"
    assert hearth("setup", "mcp", "--client", name, "--remove").code == 0
    assert not file.exists()


@pytest.mark.parametrize("name", list(CLIENTS))
def test_removal_leaves_settings_byte_for_byte_as_they_were(hearth: Hearth, home: Path, name: str) -> None:
    text = {
        "toml": '# mine\r\nmodel = "x"\r\n[mcp_servers.other]\r\ncommand = "npx"',
        "json": f'{{\n  // mine\n\t"{client(name).key}": {{"other": {{"command": "npx"}}}}, "z": {{}} }}\n\n',
        "yaml": f"# mine\r\n{client(name).key}:\r\n    # theirs\r\n    other:\r\n        cmd: npx\r\n\r\nz: [1, 2]",
    }[client(name).kind]
    file = file_of(home, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8"))
    assert hearth("setup", "mcp", "--client", name).code == 0
    assert text.split("\n")[0] in file.read_bytes().decode("utf-8")
    assert hearth("setup", "mcp", "--client", name, "--remove").code == 0
    assert file.read_bytes() == text.encode("utf-8")
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("order", [("gemini", "mcp"), ("mcp", "gemini")])
@pytest.mark.parametrize("text", [None, "{}", '{\n  "theme": "dark"\n}'])
def test_hooks_and_server_in_one_file_go_in_any_order(
    hearth: Hearth, home: Path, order: tuple[str, str], text: str | None
) -> None:
    words = {"gemini": ("setup", "gemini"), "mcp": ("setup", "mcp", "--client", "gemini")}
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir(parents=True)
    if text is not None:
        file.write_text(text, encoding="utf-8")
    for name in ("gemini", "mcp"):
        assert hearth(*words[name]).code == 0
    for name in order:
        assert hearth(*words[name], "--remove").code == 0
    assert (file.read_text("utf-8") if file.exists() else None) == text
    assert file.parent.exists() == (text is not None)


def test_a_project_gets_a_file_of_its_own(hearth: Hearth, home: Path, tmp_path: Path) -> None:
    for name, path in (("claude-code", ".mcp.json"), ("vscode", ".vscode/mcp.json"), ("codex", ".codex/config.toml")):
        assert hearth("setup", "mcp", "--client", name, "--project").code == 0
        assert "hearth" in servers(tmp_path / "work" / path, name)
    result = hearth("setup", "mcp", "--client", "claude-desktop", "--project")
    assert result.code == 2 and "Claude Desktop has no settings for a project" in result.err


def test_the_server_of_a_vault_names_it(hearth: Hearth, home: Path) -> None:
    hearth("config", "set", "vaults.work.data", str(home / "work"))
    assert hearth("--vault", "work", "setup", "mcp").code == 0
    assert servers(home / ".claude.json", "claude-code")["hearth"]["args"][-3:] == ["mcp", "--vault", "work"]


def test_a_server_of_others_with_our_name_is_a_conflict(hearth: Hearth, home: Path) -> None:
    file = home / ".claude.json"
    home.mkdir(exist_ok=True)
    file.write_text('{"mcpServers": {"hearth": {"command": "games"}}}', encoding="utf-8")
    result = hearth("setup", "mcp")
    assert result.code == 4 and "mcpServers.hearth runs another program" in result.err
    assert hearth("setup", "mcp", "--remove").out.startswith("nothing to change")


@pytest.mark.parametrize(("name", "text"), [("claude-code", '{\n "a": }'), ("codex", "a = 1\nb = }")])
def test_a_broken_file_is_an_error_with_line_and_column_and_stays(
    hearth: Hearth, home: Path, name: str, text: str
) -> None:
    file = file_of(home, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    result = hearth("setup", "mcp", "--client", name)
    assert result.code == 2 and f"{file}:2:" in result.err
    assert file.read_text("utf-8") == text


def test_json_to_paste_is_printed_and_nothing_is_written(hearth: Hearth, home: Path) -> None:
    result = hearth("setup", "mcp", "--client", "json")
    assert json.loads(result.out)["mcpServers"]["hearth"]["args"][-1] == "mcp"
    assert not home.exists() or list(home.iterdir()) == []
    assert hearth("setup", "mcp", "--client", "json", "--remove").code == 2


@pytest.mark.parametrize(
    ("platform", "environ", "desktop", "code"),
    [
        ("linux", {}, "/h/.config/Claude/claude_desktop_config.json", "/h/.config/Code/User/mcp.json"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json", "/x/Code/User/mcp.json"),
        (
            "darwin",
            {"XDG_CONFIG_HOME": "/x"},
            "/h/Library/Application Support/Claude/claude_desktop_config.json",
            "/h/Library/Application Support/Code/User/mcp.json",
        ),
    ],
)
def test_each_system_has_its_places(platform: str, environ: dict[str, str], desktop: str, code: str) -> None:
    assert client("claude-desktop").file("/h", environ, platform) == desktop
    assert client("vscode").file("/h", environ, platform) == code
    moved = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/k"}
    assert client("claude-code").file("/h", moved, platform) == "/c/.claude.json"
    assert client("claude-code").file("/h", {}, platform) == "/h/.claude.json"
    assert client("codex").file("/h", moved, platform) == "/k/config.toml"


def test_every_client_can_be_chosen(hearth: Hearth) -> None:
    shown = hearth("setup", "mcp", "--help").out
    assert [name for name in (*CLIENTS, "json") if name not in shown] == []


def test_without_the_script_the_server_runs_no_file_of_the_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert setup_place.server() == [str(tmp_path / "python"), "-P", "-m", "hearth", "mcp"]
