"""``hearth update``: the index as the folders are now."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.notes import changes
from hearth.cli.notes.embed import fill_gently
from hearth.cli.notes.embed import row as embed_row
from hearth.cli.progress import Progress
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.indexing.report import SyncReport
from hearth.engine.vault import Vault
from hearth.errors import Unavailable


@click.command()
@click.option("--pull", is_flag=True, help="First run each trusted collection's update command.")
@click.option("--embed", "also_embed", is_flag=True, help="Try again the fragments that could not be embedded.")
@click.option("--force", is_flag=True, help="Let go of vanished documents however many they are.")
@options.json_flag
@pass_session
def update(session: CommandSession, pull: bool, also_embed: bool, force: bool, as_json: bool) -> None:
    """Bring the index up to date with the folders."""
    failures = _pull(session) if pull else []
    with session.vault() as vault:
        report = sync(vault, session, force=force)
        embedded = fill_gently(vault, session) if also_embed else None
    if as_json:
        row = report.to_dict() | ({"embed": embed_row(embedded)} if embedded is not None else {})
        output.say_json(row | ({"pull_failed": failures} if pull else {}))
    else:
        output.say(report.said())
        for one in vault.collections:
            if part := report.collections.get(one.name):
                changes.tell_other_notes(vault.name, one.name, part.other_notes, one.pattern)
        changes.warnings(report)
    if failures:
        raise Unavailable(f"{output.plural(len(failures), 'update command')} did not run: {'; '.join(failures)}")


def sync(vault: Vault, session: CommandSession, *, force: bool = False) -> SyncReport:
    if (other := vault.index.scanning()) is not None:
        output.warn(f"waiting for {other}, which is scanning this vault")
    with Progress(session, "updating") as progress:
        return vault.index.sync(force=force, progress=progress)


def _pull(session: CommandSession) -> list[str]:
    """Runs the update commands; returns why some did not run or failed."""
    from hearth.cli.notes.pull import Trust, execute

    chosen = session.settings()
    trust = Trust(chosen.folders)
    failures = []
    for name, collection in chosen.vault.collections.items():
        if collection.update is None:
            continue
        if not trust.holds(collection.path, collection.update):
            failures.append(f"{name} is not trusted (run: hearth collection trust {name})")
        elif (problem := execute(collection.path, collection.update)) is not None:
            failures.append(f"{name}: {problem}")
    return failures
