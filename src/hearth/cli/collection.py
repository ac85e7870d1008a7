"""``hearth collection``: the folders of notes that a vault holds."""

from __future__ import annotations

import shlex
from typing import Any

import click

from hearth.app.folders import add_folder, find_folder
from hearth.cli import index, options, output
from hearth.cli.index import Trust, sync
from hearth.cli.session import CommandSession, pass_session
from hearth.config import CollectionSettings, edit
from hearth.core.document import SETTINGS
from hearth.core.errors import UsageError
from hearth.core.memory import SURFACES


@click.group(no_args_is_help=True)
def collection() -> None:
    """Add, list, show, set, move, trust and remove folders of notes."""


@collection.command("add")
@click.argument("path")
@click.option("--name", help="Its name [default: from the folder's].")
@click.option("--pattern", help='Files to include: comma-separated globs [default: "**/*.md"].')
@click.option("--exclude", "exclude", multiple=True, metavar="GLOB", help="Files and folders to exclude.")
@click.option(
    "--update", "update", metavar="COMMAND", help="Command that hearth update --pull runs there once you trust it."
)
@click.option("--surface", type=click.Choice(SURFACES), help="For which prompts hooks show it [default: project].")
@click.option("--trust", type=click.Choice(list(SETTINGS)), help="Whose words it holds [default: mine].")
@options.json_flag
@pass_session
def add(session: CommandSession, path: str, name: str | None, as_json: bool, **fields: Any) -> None:
    """Add a folder of notes."""
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in fields.items() if value}
    folder = add_folder(session.settings(), path, name, given)
    if as_json:
        output.say_json({"name": folder.name, "new": folder.new, "trust": folder.provenance.trust})
        return
    if trust := folder.show():
        output.say(trust)
    output.say(f"collection {folder.name} {'added' if folder.new else 'already present'}; next: hearth update")


@collection.command("list")
@options.json_flag
@pass_session
def list_collections(session: CommandSession, as_json: bool) -> None:
    """List the collections."""
    chosen = session.settings()
    trust = Trust(chosen.folders)
    rows = [_row(name, item, trust) for name, item in chosen.vault.collections.items()]
    if as_json:
        output.say_json({"collections": rows})
        return
    output.say_rows(
        (row["name"], row["trust"], row["path"], row["pattern"], f"surface {row['surface']}") for row in rows
    )
    if not rows:
        output.note("no collections; add one with: hearth bootstrap PATH")


@collection.command("show")
@click.argument("name")
@options.json_flag
@pass_session
def show(session: CommandSession, name: str, as_json: bool) -> None:
    """Show one collection's settings."""
    chosen = session.settings()
    row = _row(name, _find(chosen.vault.collections, name), Trust(chosen.folders))
    if as_json:
        output.say_json(row)
    else:
        output.say_rows((key, _show(value)) for key, value in row.items())


@collection.command("set")
@click.argument("name")
@click.argument("settings", nargs=-1, required=True, metavar="KEY=VALUE…")
@options.json_flag
@pass_session
def set_command(session: CommandSession, name: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Change settings of a collection, such as trust=team, and update the index at once."""
    chosen = session.settings()
    _find(chosen.vault.collections, name)
    place = edit.key_of(chosen.vault.name, name)
    for setting in settings:
        key, given, value = setting.partition("=")
        if not given or key == "path":
            raise UsageError(f"{setting!r} is no KEY=VALUE; hearth collection move changes the path")
        edit.set_value(chosen.folders, f"{place}.{key}", value)
    now = session.settings()
    with session.vault() as vault:
        report = sync(vault, session)
    row = _row(name, _find(now.vault.collections, name), Trust(now.folders))
    if as_json:
        output.say_json(row | {"update": report.to_dict()})
        return
    changed = ", ".join(f"{key} {_show(row.get(key, value))}" for key, _, value in (s.partition("=") for s in settings))
    output.say(f"collection {name}: {changed}; {report.collections.get(name, report).summarize()}")


@collection.command("remove")
@click.argument("name")
@options.json_flag
@pass_session
def remove(session: CommandSession, name: str, as_json: bool) -> None:
    """Remove a collection from the vault and the index; its files stay."""
    chosen = session.settings()
    edit.remove_collection(chosen.folders, chosen.vault.name, name)
    with session.vault() as vault:
        report = sync(vault, session)
    if as_json:
        output.say_json({"name": name, "retired": report.retired})
    else:
        output.say(f"collection {name} removed, {output.plural(report.retired, 'document')} retired; its files stay")


@collection.command("move")
@click.argument("name")
@click.argument("path")
@options.json_flag
@pass_session
def move(session: CommandSession, name: str, path: str, as_json: bool) -> None:
    """Tell Hearth where a collection's folder is after you moved or renamed it; pins and other state stay."""
    chosen = session.settings()
    item = _find(chosen.vault.collections, name)
    folder = find_folder(path)
    edit.set_value(chosen.folders, f"{edit.key_of(chosen.vault.name, name)}.path", str(folder))
    with session.vault() as vault:
        report = sync(vault, session)
    if as_json:
        output.say_json({"name": name, "path": str(folder), "former": str(item.path), "update": report.to_dict()})
        return
    output.say(f"collection {name} is {folder} now: {report.collections.get(name, report).summarize()}")
    index.warnings(report)


@collection.command("surface")
@click.argument("name")
@click.argument("when", type=click.Choice(SURFACES))
@options.json_flag
@pass_session
def surface(session: CommandSession, name: str, when: str, as_json: bool) -> None:
    """Set for which prompts hooks show a collection.

    project: for any prompt in its folder or one of its projects, elsewhere only if the prompt asks. asked: only if the
    prompt asks. always: for any prompt. never: for none."""
    chosen = session.settings()
    _find(chosen.vault.collections, name)
    edit.set_value(chosen.folders, f"{edit.key_of(chosen.vault.name, name)}.surface", when)
    if as_json:
        output.say_json({"name": name, "surface": when})
    else:
        output.say(f"collection {name}: surface {when}")


@collection.command("trust")
@click.argument("name")
@click.option("--revoke", is_flag=True, help="Revoke the trust.")
@options.json_flag
@pass_session
def trust_command(session: CommandSession, name: str, revoke: bool, as_json: bool) -> None:
    """Let hearth update --pull run a collection's update command on this machine.

    Any change of the command or of the folder takes the trust away."""
    chosen = session.settings()
    item = _find(chosen.vault.collections, name)
    if item.update is None:
        raise UsageError(
            f"collection {name!r} has no update command; set one: hearth config set collections.{name}.update COMMAND"
        )
    trust = Trust(chosen.folders)
    (trust.revoke if revoke else trust.grant)(item.path, item.update)
    if as_json:
        output.say_json(_row(name, item, trust))
    else:
        output.say(f"{'no longer trusted' if revoke else 'trusted'} in {item.path}: {shlex.join(item.update)}")


def _find(collections: Any, name: str) -> CollectionSettings:
    options.check_names([name], collections, "collection")
    found: CollectionSettings = collections[name]
    return found


def _row(name: str, item: CollectionSettings, trust: Trust) -> dict[str, Any]:
    return {
        "name": name,
        "path": str(item.path),
        "pattern": item.pattern,
        "exclude": list(item.exclude),
        "update": None if item.update is None else list(item.update),
        "update_trusted": item.update is not None and trust.holds(item.path, item.update),
        "trust": item.trust,
        "surface": item.surface,
        "projects": list(item.projects),
        "context": dict(item.context),
    }


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return shlex.join(value) or "-"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text}" for key, text in value.items()) or "-"
    return "-" if value is None else str(value)
