"""MCP clients: where each keeps its servers, and what an entry looks like there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.hosts import claude_code, codex, gemini, plugins

NAME = "hearth"


@dataclass(frozen=True, slots=True)
class Client:
    """``key`` is the table of servers. ``file`` gives the absolute name of the user's file from home, environment and
    platform; ``project`` is relative to a project's folder, ``None`` where the client has no such file."""

    name: str
    title: str
    file: Callable[[str, Mapping[str, str], str], str]
    project: str | None
    key: str = "mcpServers"
    kind: Literal["json", "toml", "yaml"] = "json"
    # What an entry holds besides.
    more: Mapping[str, Any] = field(default_factory=dict)
    # What this client calls the program, its arguments (``None``: both in one list) and its variables.
    words: tuple[str, str | None, str] = ("command", "args", "env")

    def entry(self, command: Sequence[str], variables: Mapping[str, str]) -> dict[str, Any]:
        """What starts our server; ``variables`` name Hearth's folders if they are not the standard ones."""
        program, arguments, environ = self.words
        run = {program: list(command)} if arguments is None else {program: command[0], arguments: list(command[1:])}
        folders = {environ: dict(variables)} if variables else {}
        return {**self.more, **run, **folders}


def client(name: str) -> Client:
    """Raises ``UsageError`` for an unknown client."""
    if name not in CLIENTS:
        raise UsageError(f"no client {name!r}; clients are: {', '.join(CLIENTS)}, or json to paste it yourself")
    return CLIENTS[name]


def _claude_code(home: str, environ: Mapping[str, str], platform: str) -> str:
    """Beside its folder, or inside one that the environment names."""
    return f"{claude_code.folder(home, environ) if environ.get('CLAUDE_CONFIG_DIR') else home}/.claude.json"


def _desktop(home: str, environ: Mapping[str, str], platform: str) -> str:
    return f"{_applications(home, environ, platform)}/Claude/claude_desktop_config.json"


def _vscode(home: str, environ: Mapping[str, str], platform: str) -> str:
    return f"{_applications(home, environ, platform)}/Code/User/mcp.json"


def _applications(home: str, environ: Mapping[str, str], platform: str) -> str:
    if platform == "darwin":
        return f"{home}/Library/Application Support"
    given = environ.get("XDG_CONFIG_HOME", "")
    return given.rstrip("/") if given.startswith("/") else f"{home}/.config"


def _codex(home: str, environ: Mapping[str, str], platform: str) -> str:
    return f"{codex.folder(home, environ)}/config.toml"


def _qwen(home: str, environ: Mapping[str, str], platform: str) -> str:
    return gemini.Qwen().settings(home, environ)


def _opencode(home: str, environ: Mapping[str, str], platform: str) -> str:
    return f"{plugins.folder_of_opencode(home, environ)}/opencode.json"


def _hermes(home: str, environ: Mapping[str, str], platform: str) -> str:
    return plugins.Hermes().settings(home, environ)


def _roo(home: str, environ: Mapping[str, str], platform: str) -> str:
    folder = f"{_applications(home, environ, platform)}/Code/User/globalStorage"
    return f"{folder}/rooveterinaryinc.roo-cline/settings/mcp_settings.json"


def _below_home(path: str) -> Callable[[str, Mapping[str, str], str], str]:
    return lambda home, environ, platform: f"{home}/{path}"


_GEMINI = ".gemini/settings.json"
_CURSOR = ".cursor/mcp.json"
_KIRO = ".kiro/settings/mcp.json"
_STDIO = {"type": "stdio"}
_LOCAL = {"type": "local"}
_GOOSE = {"enabled": True, "type": "stdio", "name": NAME, "timeout": 300}
CLIENTS = {
    item.name: item
    for item in (
        Client("claude-code", "Claude Code", _claude_code, ".mcp.json", more=_STDIO),
        Client("claude-desktop", "Claude Desktop", _desktop, None),
        Client("cursor", "Cursor", _below_home(_CURSOR), _CURSOR),
        Client("vscode", "VS Code", _vscode, ".vscode/mcp.json", key="servers", more=_STDIO),
        Client("codex", "Codex", _codex, ".codex/config.toml", key="mcp_servers", kind="toml"),
        Client("gemini", "Gemini CLI", _below_home(_GEMINI), _GEMINI),
        Client("qwen", "Qwen Code", _qwen, ".qwen/settings.json"),
        Client(
            "opencode",
            "OpenCode",
            _opencode,
            "opencode.json",
            key="mcp",
            more={**_LOCAL, "enabled": True},
            words=("command", None, "environment"),
        ),
        Client("hermes", "Hermes", _hermes, None, key="mcp_servers", kind="yaml"),
        Client(
            "goose",
            "Goose",
            _below_home(".config/goose/config.yaml"),
            None,
            key="extensions",
            kind="yaml",
            more=_GOOSE,
            words=("cmd", "args", "envs"),
        ),
        Client("kiro", "Kiro", _below_home(_KIRO), _KIRO),
        Client(
            "copilot-cli", "Copilot CLI", _below_home(".copilot/mcp-config.json"), None, more={**_LOCAL, "tools": ["*"]}
        ),
        Client("devin-desktop", "Devin Desktop", _below_home(".codeium/windsurf/mcp_config.json"), None),
        Client("cline", "Cline", _below_home(".cline/data/settings/cline_mcp_settings.json"), None),
        Client("zed", "Zed", _below_home(".config/zed/settings.json"), ".zed/settings.json", key="context_servers"),
        Client("roo", "Roo Code", _roo, ".roo/mcp.json"),
        Client("kimi", "Kimi Code", _below_home(".kimi-code/mcp.json"), None),
    )
}
