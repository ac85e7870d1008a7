"""``hearth context`` and ``setup workspace``: what an agent's model is sent, and the files that it reads first."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import click

from hearth.app.folders import add_folder
from hearth.cli import options, output
from hearth.cli.operation import command
from hearth.cli.session import CommandSession, pass_session
from hearth.config.edit import name_of, set_value
from hearth.core.errors import UsageError
from hearth.core.files import make_folder, write_atomically
from hearth.core.lazy import regex
from hearth.core.session import MAIN_AGENT
from hearth.operations import context as operations

_OPERATIONS = (
    operations.PLAN, operations.ASSEMBLE, operations.COMMIT, operations.COMPACT, operations.FLUSH, operations.RESET,
    operations.FIT, operations.SUMMARIZE, operations.MESSAGES,
)  # fmt: skip


@click.group()
def context() -> None:
    """Manage sessions of agents: plan, assemble, commit, compact, flush, reset; fit or summarize a host's own."""


for _operation in _OPERATIONS:
    context.add_command(command(_operation), _operation.name.removeprefix("context_"))


MAIN = "main"
# The other files of a workspace tell the agent how to work, or are no memory at all.
PATTERN = "/MEMORY.md,/USER.md,/memory/**/*.md"
_AGENT = regex(r"[a-z0-9][a-z0-9_-]{0,63}")


@click.command("workspace")
@click.argument("path")
@click.option("--agent", default=MAIN, help="The agent it belongs to; main is every agent without a name.")
@click.option("--name", default=None, help="Its collection's name [default: the folder's].")
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@options.json_flag
@pass_session
def setup_workspace(
    session: CommandSession, path: str, agent: str, name: str | None, dry_run: bool, as_json: bool
) -> None:
    """Create a workspace for an agent: missing files from templates, and a collection of it."""
    if _AGENT.fullmatch(agent) is None:
        raise UsageError(f"{agent[:80]!r} can't be an agent's name; use small letters, digits, - and _")
    folder = Path(path).expanduser().absolute()
    missing = [target for target in _templates() if not (folder / target).exists()]
    if not dry_run:
        make_folder(folder / "memory")
        for target in missing:
            write_atomically(folder / target, _template(target))
        chosen = session.settings()
        # The agent writes there: what it says of itself must not become the user's.
        fields = {"pattern": PATTERN, "surface": "always", "trust": "agent"}
        if any(one.path.resolve() == folder.resolve() for one in chosen.vault.collections.values()):
            fields = {}
        collection = add_folder(chosen, str(folder), name, fields).name
        set_value(chosen.folders, f"agents.{agent}.workspace", str(folder))
    else:
        collection = name or name_of(folder)
    made = [str(folder / target) for target in missing]
    if as_json:
        output.say_json({"agent": agent, "collection": collection, "workspace": str(folder), "made": made})
        return
    for one in made:
        output.say(f"{'would write' if dry_run else 'wrote'} {one}")
    if dry_run:
        output.say(f"would add the collection {collection} for the agent {agent}; nothing was changed")
    else:
        output.say(f"workspace of the agent {agent}: {folder}, collection {collection}; next: hearth update")
        if agent != MAIN_AGENT:
            output.say(f"only this agent sees it; to ask as it: HEARTH_AGENT={agent} hearth query …")


def _templates() -> Iterator[str]:
    return iter(sorted(item.name for item in files("hearth.hosts").joinpath("workspace").iterdir()))


def _template(name: str) -> bytes:
    return files("hearth.hosts").joinpath("workspace", name).read_bytes()
