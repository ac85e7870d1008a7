"""``hearth setup``: hooks and the MCP server in the settings of agents, and out of them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hearth.cli import options
from hearth.cli.agents.openclaw import setup_openclaw
from hearth.cli.session import CommandSession, pass_session


@click.group(no_args_is_help=True)
def setup() -> None:
    """Install hooks and the MCP server in an agent's settings, or take them out."""


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        options.json_flag,
        click.option("--project", is_flag=True, help="Use the settings of this project alone, not your own."),
        click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing."),
        click.option("--remove", is_flag=True, help="Take out what this command puts in."),
    ):
        command = option(command)
    return command


def _hooks(name: str, host: str, text: str) -> None:
    """Adds the command that installs the hooks of a host."""

    @setup.command(name, help=text, short_help=text)
    @click.option("--bootstrap/--no-bootstrap", default=None, help="Whether to brief the agent when a session starts.")
    @click.option(
        "--capture-model",
        type=click.Choice(["agent", "configured", "off"]),
        help="Who reads sessions: the agent's own model, the one of the settings, or rules alone.",
    )
    @_common
    @pass_session
    def command(session: CommandSession, bootstrap: bool | None, capture_model: Any, **given: bool) -> None:
        from hearth.cli.setup.hooks import HookSetup, carry_out

        wish = HookSetup(host, bootstrap, given["remove"], given["dry_run"], given["project"], capture_model)
        carry_out(session, wish, as_json=given["as_json"])


_hooks("claude-code", "claude-code", "Install the hooks in Claude Code.")
_hooks("codex", "codex", "Install the hooks in Codex.")
_hooks("gemini", "gemini", "Install the hooks in Gemini CLI.")
_hooks("cursor", "cursor", "Install the hooks in Cursor.")
_hooks("hooks", "claude-code", "The same as claude-code.")
setup.add_command(setup_openclaw)


@setup.command("mcp")
@click.option(
    "--client",
    type=click.Choice(["claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "json"]),
    default="claude-code",
    show_default=True,
    help="Whose settings; json prints an entry to paste.",
)
@_common
@pass_session
def mcp(session: CommandSession, client: str, **given: bool) -> None:
    """Register the MCP server in a client's settings."""
    from hearth.cli.setup.mcp import ServerSetup, carry_out

    wish = ServerSetup(client, given["remove"], given["dry_run"], given["project"])
    carry_out(session, wish, as_json=given["as_json"])
