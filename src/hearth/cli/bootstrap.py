"""``hearth bootstrap`` and ``init``: from a folder of notes to answers in one command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import click

from hearth.app.folders import add_folder, prepare_vault
from hearth.cli import index, options, output
from hearth.cli.agents import setup
from hearth.cli.index import fill_gently, sync
from hearth.cli.installation import places
from hearth.cli.models import offer
from hearth.cli.session import CommandSession, pass_session
from hearth.config import edit
from hearth.core.document import EXTERNAL
from hearth.core.memory import SURFACES
from hearth.disk.project import Provenance
from hearth.ports import Collection, Filter
from hearth.vault.vault import Vault


@click.command()
@options.json_flag
@pass_session
def init(session: CommandSession, as_json: bool) -> None:
    """Create the folders and an empty configuration; existing files stay."""
    chosen = session.settings()
    prepare_vault(chosen)
    found = places(chosen)
    if as_json:
        output.say_json({name: str(place) for name, place in found.items()})
    else:
        output.say_rows((name, str(found[name])) for name in ("config", "data", "cache"))
        output.say("next: hearth bootstrap PATH, with the folder of your notes")


_NEXT = """\
next:
  hearth query "a question about your notes"
  hearth status"""
_CONNECT = "  hearth setup claude-code   (or codex, gemini, qwen, cursor: agents then get what is relevant to a prompt)"


@click.command()
@click.argument("path")
@click.option("--name", help="The collection's name [default: from the folder's].")
@click.option("--pattern", help='Files to include: comma-separated globs [default: "**/*.md"].')
@click.option("--skip-embed", is_flag=True, help="Offer no model and don't retry failed fragments.")
@click.option(
    "--setup",
    "agents",
    metavar="NAMES",
    help="Connect agents, comma-separated: claude-code, codex, gemini, qwen, cursor, mcp; none skips the question.",
)
@options.json_flag
@pass_session
def bootstrap(session: CommandSession, path: str, agents: str | None, as_json: bool, **given: Any) -> None:
    """Set up a folder of notes in one go: init, collection add, update, embed. Running it again is harmless."""
    wanted_agents = None if agents is None else setup.names(agents)
    chosen = session.settings()
    prepare_vault(chosen)
    fields = {"pattern": given["pattern"]} if given["pattern"] else {}
    folder = add_folder(chosen, path, given["name"], fields)
    found, new = folder.name, folder.new
    with session.vault() as vault:
        report = sync(vault, session)
        if new and folder.provenance.trust == "mine" and (clipped := _count_clipped(vault, found)):
            folder = folder._replace(provenance=Provenance("external", clipped))
            edit.set_value(chosen.folders, f"{edit.key_of(chosen.vault.name, found)}.trust", "external")
        if not given["skip_embed"]:
            fill_gently(vault, session)
        status = vault.status()
        chosen_as = next(one for one in vault.collections if one.name == found)
    if new and folder.provenance.trust == "external":
        chosen_as = replace(chosen_as, surface="asked")
        edit.set_value(chosen.folders, f"{edit.key_of(chosen.vault.name, found)}.surface", chosen_as.surface)
    if as_json:
        counts = {"documents": status.documents, "fragments": status.fragments}
        output.say_json(
            {"collection": found, "new": new, "trust": folder.provenance.trust, "surface": chosen_as.surface}
            | {**counts, "update": report.to_dict()}
        )
        _connect(session, wanted_agents or (), as_json=True)
        return
    own = report.collections.get(found, report)
    output.say(f"collection {found}: {replace(own, seconds=report.seconds).summarize()}")
    output.say(f"{output.plural(status.documents, 'document')}, {output.plural(status.fragments, 'fragment')} indexed")
    if shown_trust := folder.show():
        output.say(shown_trust)
    output.say(_tell_surface(chosen.vault.name, chosen_as))
    index.tell_other_notes(chosen.vault.name, found, own.other_notes, chosen_as.pattern)
    index.warnings(report)
    documents = next((state.documents for state in status.collections if state.name == found), 0)
    if not given["skip_embed"]:
        offer(session)
    connected = wanted_agents if wanted_agents is not None else setup.choose_agents(session)
    _connect(session, connected, as_json=False)
    output.say(
        (_NEXT if connected else f"{_NEXT}\n{_CONNECT}") if documents else _nothing_in(chosen.vault.name, chosen_as)
    )


def _connect(session: CommandSession, agents: Iterable[str], *, as_json: bool) -> None:
    """With JSON, what is said of it goes to stderr."""
    if not as_json:
        setup.connect(session, agents)
        return
    with output.printing_on(output.Screen(output.err(), output.err(), output.environ())):
        setup.connect(session, agents)


def _nothing_in(vault: str, collection: Collection) -> str:
    """What to do about a folder without notes."""
    return (
        f"no file of it fits {collection.pattern!r}, so there is nothing to ask yet\nnext:\n"
        "  put notes there: searches see them by themselves\n"
        f'  or take in other files: hearth config set {edit.key_of(vault, collection.name)}.pattern "**/*.txt"'
    )


def _count_clipped(vault: Vault, collection: str) -> str:
    """Where most of its documents are saved from the web: how many; else nothing."""
    found = vault.documents(Filter(collections=(collection,)))
    clipped = sum(stored.document.trust == EXTERNAL for stored in found)
    return f"{clipped} of {len(found)} files are saved pages" if 2 * clipped > len(found) else ""


_WHEN = {
    "project": "for any prompt in its folder; elsewhere only if the prompt asks",
    "asked": "only if the prompt asks",
    "always": "for any prompt",
    "never": "for no prompt",
}


def _tell_surface(vault: str, collection: Collection) -> str:
    """For which prompts hooks bring the collection up, and how to change that."""
    others = " | ".join(one for one in SURFACES if one != collection.surface)
    key = f"{edit.key_of(vault, collection.name)}.surface"
    return (
        f"hooks bring its notes {_WHEN[collection.surface]} (surface: {collection.surface})\n"
        f"  to change that: hearth config set {key} {others}"
    )
