"""``hearth entities``: who or what a name names."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.graph.entities import describe
from hearth.model import instants


@click.command()
@click.argument("words", metavar="NAME", nargs=-1, required=True)
@options.limit
@options.json_flag
@pass_session
def entities(session: CommandSession, words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show who or what a name names: its other names, where it is mentioned, and in whose company."""
    with session.fresh_vault() as vault:
        found = describe(vault, options.text_or_stdin(words), limit)
    if as_json:
        output.say_json(found.to_dict())
        return
    if found.name is None:
        for name in found.candidates:
            output.say(output.line(name))
        several = "several go by this name; ask for one of them"
        output.note(several if found.candidates else "nothing found: no passage holds this name")
        return
    also = f", also {', '.join(map(output.line, found.aliases))}" if found.aliases else ""
    output.say(f"{output.line(found.name)} ({found.type}{also}), on {output.plural(found.total, 'line')}")
    for one in found.mentions:
        place = output.name(f"{one.collection}/{one.path}")
        output.say(f"  {instants.show_date_or_none(one.date)} {place}:{one.line}  {output.line(one.words)}")
    if found.company:
        output.say("in the company of")
    for other in found.company:
        told = f"{output.plural(other.together, 'passage')}, {other.lift:.1f} times as often as anywhere"
        output.say(f"  {output.line(other.name)} ({other.type}): {told}")
