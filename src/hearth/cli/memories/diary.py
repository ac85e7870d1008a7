"""``hearth diary``: what an agent writes down for itself."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.memories import given
from hearth.cli.memories.remember import say
from hearth.cli.session import CommandSession, pass_session
from hearth.model import instants


@click.group(no_args_is_help=True)
def diary() -> None:
    """Write and read an agent's diary."""


@diary.command("write")
@click.argument("words", nargs=-1, metavar="TEXT")
@click.option("--topic", "-t", metavar="TEXT", help="What it is about; else general.")
@click.option("--agent", "-a", metavar="NAME", default="agent", help="Whose diary; else agent.")
@options.json_flag
@pass_session
def write(session: CommandSession, words: tuple[str, ...], topic: str | None, agent: str, as_json: bool) -> None:
    """Keep an entry; - reads it from standard input."""
    text = given.text(words)
    with session.vault() as vault:
        done = vault.memories.write_diary(text, topic, agent)
    say(done, as_json=as_json)


@diary.command("read")
@click.option("--limit", "-n", type=click.IntRange(1, 100), default=10, show_default=True, help="At most so many.")
@click.option("--topic", "-t", metavar="TEXT", help="Only about this.")
@click.option("--agent", "-a", metavar="NAME", help="Only this agent's.")
@options.json_flag
@pass_session
def read(session: CommandSession, limit: int, topic: str | None, agent: str | None, as_json: bool) -> None:
    """Print the newest entries, newest first."""
    with session.fresh_vault() as vault:
        entries = vault.memories.read_diary(limit, agent=agent, topic=topic)
    if as_json:
        output.say_json({"entries": [entry.to_dict() for entry in entries]})
        return
    if not entries:
        output.note("the diary holds nothing of that")
    for at, entry in enumerate(entries):
        lead = "\n" if at else ""
        output.say(f"{lead}{instants.show(entry.at)}  {output.line(entry.agent)}  {output.line(entry.topic)}")
        output.say(output.clean(entry.text))
