"""``hearth setup``: connect agents."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from hearth import hosts
from hearth.cli import options, output
from hearth.cli.agents import launcher, setup_hooks, setup_instructions, setup_plugins
from hearth.cli.agents.context import setup_workspace
from hearth.cli.agents.openclaw import setup_openclaw
from hearth.cli.models import offer
from hearth.cli.session import CommandSession, is_terminal, pass_session
from hearth.core.errors import UsageError
from hearth.hosts.clients import CLIENTS


@click.group(no_args_is_help=True)
def setup() -> None:
    """Install hooks and the MCP server in an agent's settings, or remove them."""


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        options.json_flag,
        click.option("--project", is_flag=True, help="Use this project's settings, not your own."),
        click.option("--dry-run", is_flag=True, help="Show what would change without changing it."),
        click.option("--remove", is_flag=True, help="Remove what this command installed."),
    ):
        command = option(command)
    return command


def _hooks(name: str, host: str, text: str) -> None:
    """Adds the command that installs the hooks of a host."""

    @setup.command(name, help=text, short_help=text)
    @click.option("--bootstrap/--no-bootstrap", default=None, help="Brief the agent when a session starts, or not.")
    @click.option(
        "--capture-model",
        type=click.Choice(["agent", "configured", "off"]),
        help="What reads sessions: the agent's own model, the configured one, or rules alone.",
    )
    @_common
    @pass_session
    def command(session: CommandSession, bootstrap: bool | None, capture_model: Any, **given: bool) -> None:
        wish = setup_hooks.HookSetup(
            host, bootstrap, given["remove"], given["dry_run"], given["project"], capture_model
        )
        setup_hooks.carry_out(session, wish, as_json=given["as_json"])
        _offer_model(session, given)


_hooks("claude-code", "claude-code", "Install the hooks in Claude Code.")
_hooks("codex", "codex", "Install the hooks in Codex.")
_hooks("gemini", "gemini", "Install the hooks in Gemini CLI.")
_hooks("qwen", "qwen", "Install the hooks in Qwen Code.")
_hooks("cursor", "cursor", "Install the hooks in Cursor.")
_hooks("hooks", "claude-code", "The same as claude-code.")
setup.add_command(setup_openclaw)
setup_plugins.add_commands(setup)
setup.add_command(setup_workspace)


@setup.command("mcp")
@click.option(
    "--client",
    type=click.Choice([*CLIENTS, "json"]),
    default="claude-code",
    show_default=True,
    help="Which client; json prints an entry to paste.",
)
@click.option(
    "--profile",
    type=click.Choice(["core", "full"]),
    help="The tools it lists: those most sessions need, or all; else server.mcp_profile.",
)
@_common
@pass_session
def mcp(session: CommandSession, client: str, profile: str | None, **given: bool) -> None:
    """Register the MCP server in a client's settings."""
    wish = setup_plugins.ServerSetup(client, given["remove"], given["dry_run"], given["project"], profile)
    setup_plugins.carry_out(session, wish, as_json=given["as_json"])
    _offer_model(session, given)


def _offer_model(session: CommandSession, given: Mapping[str, bool]) -> None:
    if not (given["as_json"] or given["dry_run"] or given["remove"]):
        offer(session)


@setup.command("instructions")
@click.option("--print", "prints", is_flag=True, help="Print the whole reference for agents, and change nothing.")
@_common
@pass_session
def instructions(session: CommandSession, prints: bool, **given: bool) -> None:
    """Tell agents how to use their memory: a block in CLAUDE.md or AGENTS.md, and a skill.

    The block has at most 40 lines; the skill is the whole reference. Edited blocks and files are left."""
    if prints:
        output.say(setup_instructions.read_skill().rstrip("\n"))
        return
    wish = setup_instructions.Wish(given["project"], given["remove"], given["dry_run"])
    setup_instructions.install_instructions(session, wish, as_json=given["as_json"])


@setup.command("curator")
@_common
@pass_session
def curator(session: CommandSession, **given: bool) -> None:
    """Install the agent that looks after the memory, in Claude Code."""
    wish = setup_instructions.Wish(given["project"], given["remove"], given["dry_run"])
    setup_instructions.install_curator(session, wish, as_json=given["as_json"])


MCP = "mcp"
NONE = "none"
_FIRST = "claude-code"


def names(given: str) -> tuple[str, ...]:
    """Agents, and whether their MCP server: ``claude-code,mcp``. Raises ``UsageError``."""
    found = tuple(dict.fromkeys(part.strip().lower() for part in given.split(",") if part.strip()))
    known = (*hosts.HOSTS, MCP, NONE)
    for name in found:
        if name not in known:
            raise UsageError(f"--setup {name!r} is unknown; choose among, with commas between: {', '.join(known)}")
    if not found or (NONE in found and len(found) > 1):
        raise UsageError(f"--setup takes {NONE}, or some of: {', '.join(known[:-1])}")
    return () if found == (NONE,) else found


def connect(session: CommandSession, wanted: Iterable[str]) -> None:
    """Installs what is named; the MCP server alone goes into Claude Code."""
    wanted = list(wanted)
    agents = [name for name in wanted if name != MCP]
    for name in agents:
        wish = setup_hooks.HookSetup(name, bootstrap=None, remove=False, dry_run=False, project=False)
        setup_hooks.carry_out(session, wish, as_json=False)
    for name in (agents or [_FIRST]) if MCP in wanted else []:
        server = setup_plugins.ServerSetup(name, remove=False, dry_run=False, project=False)
        setup_plugins.carry_out(session, server, as_json=False)


def choose_agents(session: CommandSession) -> tuple[str, ...]:
    """What a person at a terminal wants of the agents that are here and not connected yet; nothing elsewhere."""
    if not (sys.stdin.isatty() and is_terminal()):
        return ()
    settings = session.settings()
    home = launcher.home(settings)
    found: list[str] = []
    for name in hosts.HOSTS:
        host = hosts.host(name)
        file = Path(host.settings(home, settings.environ))
        if not file.parent.is_dir() or setup_hooks.holds_ours(file, setup_hooks.layout(host)):
            continue
        question = f"Connect {host.title}? It then gets relevant notes at the start and with each prompt"
        if click.confirm(question, default=False):
            found += [name, *([MCP] if name in CLIENTS else [])]
    return tuple(dict.fromkeys(found))
