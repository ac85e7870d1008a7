"""``hearth uninstall``: what Hearth put into other programs and the system, out again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from hearth import hosts
from hearth.app import Settings
from hearth.cli import output
from hearth.cli.agents import daemon, launcher, setup_hooks, setup_instructions, setup_plugins
from hearth.cli.agents import openclaw as setup_openclaw
from hearth.cli.agents.setup_instructions import edit_curator, edit_instructions
from hearth.cli.session import CommandSession, pass_session
from hearth.config import vault, vault_names
from hearth.core.errors import HearthError, Unavailable, UsageError
from hearth.core.paths import uninstall_command
from hearth.daemon.address import address
from hearth.daemon.client import end
from hearth.daemon.run import running
from hearth.hosts.clients import CLIENTS
from hearth.settings_files import openclaw
from hearth.settings_files.file import Edits, remove


@click.command()
@click.option("--yes", is_flag=True, help="Do it; without this, only show what would be removed.")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed, as without --yes.")
@click.option("--purge", is_flag=True, help="Delete the index and other derived data, too; notes and memories stay.")
@pass_session
def uninstall(session: CommandSession, yes: bool, dry_run: bool, purge: bool) -> None:
    """Remove Hearth's hooks, MCP entries and services everywhere; notes and memories stay.

    Run it inside a project to clean that project's settings, too."""
    settings = session.settings()
    yes = yes and not dry_run
    failures: list[str] = []
    gone = 0
    for what, file, edits in _places(settings):
        try:
            change = remove(file, edits, launcher.lock(settings), dry_run=not yes)
        except HearthError as error:  # one file that is odd keeps nothing else from going
            failures.append(str(error))
            continue
        if change.changed:
            gone += 1
            output.say(f"{'took' if yes else 'would take'} {what} out of {change.file}")
            if yes and change.backup is not None:
                output.say(f"  it was edited meanwhile, so its copy from before Hearth stays: {change.backup}")
    gone += _instructions(settings, failures, yes=yes) + _services(settings, yes=yes) + _daemon(settings, yes=yes)
    output.say("" if gone else "Hearth is not installed in any agent or the system\n")
    if purge:
        gone += _derived(settings, yes=yes)
    _say_what_stays(settings, purged=purge and yes)
    if gone and not yes:
        output.say("nothing was changed; to apply: hearth uninstall --yes")
    if failures:
        raise Unavailable(f"{output.plural(len(failures), 'settings file')} stayed as they are: {'; '.join(failures)}")


def _places(settings: Settings) -> Iterator[tuple[str, Path, Edits]]:
    """Every settings file that may hold something of ours, the user's and this project's."""
    program = launcher.launcher(launcher.variables(settings))
    for name in hosts.HOSTS:
        host = hosts.host(name)
        for file in _both(lambda project: setup_hooks.file_of(host, settings, project=project)):  # noqa: B023
            yield f"the hooks of {host.title}", file, setup_hooks.edits(host, True, str(file), program)
    variables = launcher.variables(settings)
    file = setup_openclaw.file_of(settings)
    if file.exists():
        yield "the plugin of OpenClaw", file, openclaw.edits_of(file, setup_openclaw.entry(variables, None))
    for name in ("opencode", "hermes"):
        for file, edits in setup_plugins.places(name, settings, None):
            if file.exists():
                yield f"the plugin of {hosts.dialect(name).title}", file, edits
    for client in CLIENTS.values():
        entry = client.entry(launcher.server(), launcher.variables(settings))
        for file in _both(lambda project: setup_plugins.file_of(client, settings, project=project)):  # noqa: B023
            yield f"the MCP server of {client.title}", file, setup_plugins.edits(client, entry, str(file))


def _instructions(settings: Settings, failures: list[str], *, yes: bool) -> int:
    """What agents were told about their memory, and the curator."""
    gone = 0
    for project in (False, True):
        wish = setup_instructions.Wish(project, remove=True, dry_run=not yes)
        try:
            edits = [*edit_instructions(settings, wish), *edit_curator(settings, wish)]
        except UsageError:  # no project here
            continue
        except HearthError as error:
            failures.append(str(error))
            continue
        for edit in edits:
            if edit.action == "removed":
                gone += 1
                output.say(f"{'took' if yes else 'would take'} what agents read of Hearth out of {edit.file}")
            elif edit.action == "left":
                output.say(f"left {edit.file}: {edit.reason}")
    return gone


def _both(file_of: Callable[[bool], Path]) -> Iterator[Path]:
    for project in (False, True):
        try:
            file = file_of(project)
        except HearthError:  # no project here, or no settings for one
            continue
        if file.exists():
            yield file


def _services(settings: Settings, *, yes: bool) -> int:
    try:
        system = daemon.system_of(settings)
    except Unavailable:  # neither systemd nor launchd
        return 0
    there = system.there()
    if there and yes:
        daemon.take_out(system)
    elif there:
        output.say(f"would take the service out of {system.folder}")
    return bool(there)


def _daemon(settings: Settings, *, yes: bool) -> int:
    at = address(settings.environ)
    if not yes:
        found = running(at)
        if found is not None:
            output.say(f"would stop the daemon, {found}")
        return found is not None
    ended = end(at)
    if ended is not None:
        output.say(f"the daemon was {ended}")
    return ended is not None


def _derived(settings: Settings, *, yes: bool) -> int:
    """Folders of what can be made again: the index, vectors, models, logs."""
    there = [folder for folder in map(Path, (settings.folders.cache, settings.folders.state)) if folder.is_dir()]
    for folder in there:
        output.say(f"{'deleted' if yes else 'would delete'} {folder}")
        if yes:
            shutil.rmtree(folder)
    return len(there)


def _say_what_stays(settings: Settings, *, purged: bool) -> None:
    config, folders = settings.loaded.config, settings.folders
    vaults = [vault(config, folders, name) for name in vault_names(config)]
    output.say("what stays, because it is yours:")
    for one in vaults:
        output.say(f"  memories and journal of the vault {one.name}: {one.data}")
        for name, item in one.collections.items():
            output.say(f"  notes of the collection {name}: {item.path}")
    output.say(f"  settings: {folders.config}")
    if not purged:
        output.say("safe to delete (--purge does it):")
        output.say(f"  {folders.cache}  {folders.state}")
    output.say(f"then remove the program itself: {uninstall_command()}")
