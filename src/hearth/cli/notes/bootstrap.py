"""``hearth bootstrap``: from a folder of notes to answers in one command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import click

from hearth.cli import options, output, streams
from hearth.cli.notes import changes
from hearth.cli.notes.embed import fill_gently
from hearth.cli.notes.folder import added
from hearth.cli.notes.init import prepare
from hearth.cli.notes.update import sync
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.setup import connect
from hearth.config import edit
from hearth.engine.indexing.shelves import list_shelves
from hearth.engine.vault import Vault

_NEXT = """\
next:
  hearth query "a question about your notes"
  hearth status"""
_CONNECT = "  hearth setup claude-code   (or codex, gemini, cursor: agents then get what bears on a prompt)"


@click.command()
@click.argument("path")
@click.option("--name", help="The collection's name; else made from the folder's.")
@click.option("--pattern", help='Which files: globs between commas (else "**/*.md").')
@click.option("--skip-embed", is_flag=True, help="Don't try again fragments that could not be embedded.")
@click.option(
    "--setup",
    "agents",
    metavar="NAMES",
    help="Connect agents, with commas between: claude-code, codex, gemini, cursor, mcp; none asks nothing.",
)
@options.json_flag
@pass_session
def bootstrap(session: CommandSession, path: str, agents: str | None, as_json: bool, **given: Any) -> None:
    """Set up a folder of notes in one go: init, collection add, update, embed. Running it again is harmless."""
    wanted_agents = None if agents is None else connect.names(agents)
    chosen = session.settings()
    prepare(chosen)
    fields = {"pattern": given["pattern"]} if given["pattern"] else {}
    found, new = added(chosen, path, given["name"], fields)
    with session.vault() as vault:
        report = sync(vault, session)
        shelves = _find_shelves(vault, found) if new else []
        reference = "" in shelves
        if not given["skip_embed"]:
            fill_gently(vault, session)
        status = vault.status()
        wanted = next(one.pattern for one in vault.collections if one.name == found)
    if reference:
        edit.set_value(chosen.folders, f"{edit.key_of(chosen.vault.name, found)}.surface", "false")
    if as_json:
        counts = {"documents": status.documents, "fragments": status.fragments}
        output.say_json(
            {"collection": found, "new": new, "surface": not reference, **counts, "update": report.to_dict()}
        )
        _connect(session, wanted_agents or (), as_json=True)
        return
    own = report.collections.get(found, report)
    output.say(f"collection {found}: {replace(own, seconds=report.seconds).said()}")
    output.say(f"{output.plural(status.documents, 'document')}, {output.plural(status.fragments, 'fragment')} indexed")
    if reference:
        output.say(
            f"none of its files has a date, so {found} counts as reference: searches find it, hooks don't bring it up\n"
            f"  hearth config set {edit.key_of(chosen.vault.name, found)}.surface true"
        )
    elif shelves:
        output.say(
            f"nothing in {', '.join(map(output.line, shelves))} has a date, so that counts as reference: searches find "
            f"it, hooks don't bring it up\n"
            f"  hearth config set {edit.key_of(chosen.vault.name, found)}.surface true"
        )
    changes.warnings(report)
    held = next((state.documents for state in status.collections if state.name == found), 0)
    connected = wanted_agents if wanted_agents is not None else connect.asked(session)
    _connect(session, connected, as_json=False)
    output.say(
        (_NEXT if connected else f"{_NEXT}\n{_CONNECT}") if held else _nothing_in(chosen.vault.name, found, wanted)
    )


def _connect(session: CommandSession, agents: Iterable[str], *, as_json: bool) -> None:
    """With JSON, what is said of it goes to stderr."""
    if not as_json:
        connect.connect(session, agents)
        return
    with streams.printing_on(streams.Screen(streams.err(), streams.err(), streams.environ())):
        connect.connect(session, agents)


def _nothing_in(vault: str, collection: str, pattern: str) -> str:
    """What to do about a folder without notes."""
    return (
        f"no file of it fits {pattern!r}, so there is nothing to ask yet\nnext:\n"
        "  put notes there: searches see them by themselves\n"
        f'  or take in other files: hearth config set {edit.key_of(vault, collection)}.pattern "**/*.txt"'
    )


def _find_shelves(vault: Vault, collection: str) -> list[str]:
    """The folders of a collection that count as reference, empty for all of it."""
    with vault.store.read() as reader:
        return [folder for name, folder in list_shelves(reader) if name == collection]
