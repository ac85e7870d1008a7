"""``hearth remember``: a memory, written as a file that can be read and edited."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.memories import given
from hearth.cli.session import CommandSession, pass_session
from hearth.model.memory import Remembered

_DONE = {
    "written": "written",
    "duplicate": "duplicate, nothing written:",
    "revised": "revised",
    "merged": "merged into",
    "appended": "appended to",
    "set aside": "set aside, since the file was edited meanwhile:",
    "retired": "nothing written, since it was so and is no longer:",
}


@click.command()
@click.argument("words", nargs=-1, metavar="TEXT")
@click.option("--type", "content_type", metavar="TYPE", default="note", help="What it is; else note.")
@click.option("--title", metavar="TEXT", help="Its title; else its heading or first sentence.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be given several times.")
@click.option("--project", metavar="NAME", help="The project that it is about; else none, or a hand-off's own.")
@click.option("--subject", metavar="TEXT", help="What it is about; of one subject there is one preference.")
@click.option("--session", "host_session", metavar="ID", help="The session that it comes from.")
@click.option("--supersedes", multiple=True, metavar="REF", help="A document that it replaces; may be given again.")
@click.option("--confidence", type=float, metavar="0..1", help="How sure it is; below 0.4 it expires after 30 days.")
@options.json_flag
@pass_session
def remember(session: CommandSession, words: tuple[str, ...], as_json: bool, content_type: str, **fields: Any) -> None:
    """Write a memory, or find that it is there already.

    TEXT may stand without quotes; - reads it from standard input. Secrets are taken out before anything is written."""
    fields["session"] = fields.pop("host_session")
    text = given.text(words)
    with session.vault() as vault:
        if content_type == "handoff" and not fields["project"]:
            known = fields["session"] and vault.sessions.project(fields["session"])
            fields["project"] = known or options.project_here(vault)
        done = vault.memories.remember(text, content_type, created_by="cli", **fields)
    say(done, as_json=as_json)


def say(done: Remembered, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    output.say(f"{_DONE[done.action]} {output.name(done.file)} #{done.docid}")
    for other in done.supersedes:
        output.say(f"supersedes #{other}")
    for other in done.asks:
        output.say(f"may contradict #{other}; see hearth review")
    if done.action == "set aside":
        output.warn(f"the new text is in {done.revision}, below the memory folder, and is not searched")
    if done.redacted:
        output.note(f"{output.plural(done.redacted, 'secret')} taken out")
