"""``hearth setup openclaw``: puts the plugin into OpenClaw's settings and slots, or takes it out again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from hearth import hosts
from hearth.app import Settings
from hearth.cli import options
from hearth.cli.agents import launcher
from hearth.cli.session import CommandSession, is_terminal, pass_session
from hearth.core.errors import Conflict, UsageError
from hearth.settings_files import openclaw
from hearth.settings_files.file import install, remove
from hearth.settings_files.jsonc import MISSING, value_at

MANIFEST = "openclaw.plugin.json"


@click.command("openclaw")
@click.option("--memory", "mode", flag_value="memory", help="Memory slot: recall, tools, capture and flush (default).")
@click.option(
    "--engine",
    "mode",
    flag_value="engine",
    help="Context engine slot: recall, tools and committed turns; OpenClaw's own memory stays on.",
)
@click.option("--both", "mode", flag_value="both", help="Both slots.")
@click.option("--replace", is_flag=True, help="Take a slot from another plugin; --remove gives it back.")
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@click.option("--remove", "removes", is_flag=True, help="Remove what this command installed and restore the slots.")
@options.json_flag
@pass_session
def setup_openclaw(session: CommandSession, mode: str | None, as_json: bool, **given: bool) -> None:
    """Install the plugin in OpenClaw: recall, tools and capture in place of its own memory."""
    settings = session.settings()
    file, dry_run = file_of(settings), given["dry_run"]
    lock = launcher.lock(settings)
    asks = not (dry_run or as_json) and sys.stdin.isatty() and is_terminal()
    if given["removes"]:
        if mode is not None:
            raise UsageError(f"--{mode} goes with installing the plugin, not with --remove")
        change = remove(file, openclaw.edits_of(file, {}), lock, dry_run=dry_run)
        done, notes = "the plugin was taken out of OpenClaw", ["restart its gateway: openclaw gateway restart"]
    else:
        found = openclaw.read(file)
        chosen = mode or openclaw.present_mode(found) or _ask_mode(found, asks)
        for slot, nobody in openclaw.SLOTS[chosen].items():
            _check_slot(file, value_at(found, slot), slot, nobody, replace=given["replace"], asks=asks)
        named = launcher.vault(session, settings)
        wanted = entry(launcher.variables(settings), named, chosen)
        change = install(file, openclaw.edits_of(file, wanted, str(plugin_folder())), lock, dry_run=dry_run)
        done, notes = "the plugin was installed in OpenClaw", list(_advice(file, settings))
    launcher.report(change, done, notes if change.changed else [], dry_run=dry_run, as_json=as_json)


def _ask_mode(found: Mapping[str, Any], asks: bool) -> str:
    """``memory`` unless a person wants more: another engine and the host's compaction then stay as they are."""
    taken = value_at(found, openclaw.ENGINE)
    if asks and taken in (MISSING, "legacy"):
        question = (
            "Should OpenClaw also commit each turn to Hearth by its context engine, and try again where that fails"
        )
        return "both" if click.confirm(question, default=False) else "memory"
    return "memory"


def file_of(settings: Settings) -> Path:
    return Path(hosts.dialect("openclaw").settings(launcher.home(settings), settings.environ))


def plugin_folder() -> Path:
    """The plugin's folder, inside the package or in the source tree around it. Raises ``Unavailable``."""
    return launcher.integration("openclaw", "the plugin for OpenClaw")


def tool_names(mode: str) -> list[str]:
    """The plugin's tools in this mode, from its manifest; beside OpenClaw's own memory, two have other names."""
    names: list[str] = json.loads((plugin_folder() / MANIFEST).read_bytes())["contracts"]["tools"]
    left_out = ("memory_search", "memory_get") if mode == "engine" else ("hearth_search", "hearth_get")
    return [name for name in names if name not in left_out]


def entry(variables: Mapping[str, str], vault: str | None, mode: str = "memory") -> dict[str, Any]:
    """The plugin's entry in the settings; its hooks need both switches, to read turns and to add to prompts."""
    program = launcher.server()[:-1]
    config: dict[str, Any] = {"mode": mode, "command": program}
    if variables:
        config["env"] = dict(variables)
    if vault is not None:
        config["vault"] = vault
    hooks = {"allowConversationAccess": True, "allowPromptInjection": True}
    return {"enabled": True, "hooks": hooks, "config": config}


def _check_slot(file: Path, owner: Any, slot: openclaw.Path_, nobody: str, *, replace: bool, asks: bool) -> None:
    """Raises ``Conflict`` where another plugin has the slot."""
    if owner in (MISSING, None, nobody, "none", openclaw.ID) or replace:
        return
    what = "memory" if slot == openclaw.SLOT else "context engine"
    question = f"The plugin {owner} is OpenClaw's {what}. Put Hearth in its place (--remove gives it back)?"
    if asks and click.confirm(question, default=False):
        return
    raise Conflict(f"{file}: the plugin {owner} is the {what}; nothing was changed; with --replace it makes room")


def _advice(file: Path, settings: Settings) -> Iterator[str]:
    yield "restart OpenClaw's gateway, so that it takes effect: openclaw gateway restart"
    yield "whether it reaches the model: hearth doctor openclaw --turn"
    if settings.loaded.config.daemon.mode != "auto":
        yield "daemon.mode keeps the daemon that the plugin asks from starting: hearth config set daemon.mode auto"
    if openclaw.is_denied(openclaw.read(file)):
        yield f"{file} denies the plugin {openclaw.ID} (plugins.deny), so it won't run; take it off that list"
