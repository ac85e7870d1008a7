"""``hearth bootstrap``: from a folder of notes to answers in one command."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.notes import changes
from hearth.cli.notes.embed import fill_gently
from hearth.cli.notes.folder import added
from hearth.cli.notes.init import prepare
from hearth.cli.notes.update import sync
from hearth.cli.session import CommandSession, pass_session
from hearth.config import edit
from hearth.engine.vault import Vault
from hearth.ports import Filter

# A folder of more files without any date is a manual, not a diary.
_REFERENCE_FILES = 2_000
_NEXT = """\
next:
  hearth query "a question about your notes"
  hearth status
  hearth doctor"""


@click.command()
@click.argument("path")
@click.option("--name", help="The collection's name; else made from the folder's.")
@click.option("--pattern", help='Which files: globs between commas (else "**/*.md").')
@click.option("--skip-embed", is_flag=True, help="Don't try again fragments that could not be embedded.")
@options.json_flag
@pass_session
def bootstrap(
    session: CommandSession, path: str, name: str | None, pattern: str | None, skip_embed: bool, as_json: bool
) -> None:
    """Set up a folder of notes in one go: init, collection add, update, embed. Running it again is harmless."""
    chosen = session.settings()
    prepare(chosen)
    fields: dict[str, Any] = {"pattern": pattern} if pattern else {}
    found, new = added(chosen, path, name, fields)
    with session.vault() as vault:
        report = sync(vault, session)
        reference = new and _is_reference(vault, found)
        if not skip_embed:
            fill_gently(vault, session)
        status = vault.status()
    if reference:
        edit.set_value(chosen.folders, f"{edit.key_of(chosen.vault.name, found)}.surface", "false")
    if as_json:
        counts = {"documents": status.documents, "fragments": status.fragments}
        output.say_json(
            {"collection": found, "new": new, "surface": not reference, **counts, "update": changes.row(report)}
        )
        return
    output.say(f"collection {found}: {changes.summary(report)}")
    output.say(f"{output.plural(status.documents, 'document')}, {output.plural(status.fragments, 'fragment')} indexed")
    if reference:
        output.say(
            f"none of its files has a date, so {found} counts as reference: searches find it, hooks don't bring it up\n"
            f"  hearth config set {edit.key_of(chosen.vault.name, found)}.surface true"
        )
    changes.warnings(report)
    output.say(_NEXT)


def _is_reference(vault: Vault, collection: str) -> bool:
    """Whether a collection holds many files of which none is dated."""
    documents = [stored.document for stored in vault.documents(Filter(collections=(collection,)))]
    return len(documents) > _REFERENCE_FILES and all(document.dated_at is None for document in documents)
