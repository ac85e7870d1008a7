"""``hearth facts``: what is known of a name."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import moments, options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.graph.facts import DIRECTIONS, MOST_OF_ONE, FactsView, find_facts
from hearth.model.fact import PREDICATES


@click.command()
@click.argument("words", metavar="NAME", nargs=-1, required=True)
@click.option("--predicate", type=click.Choice(PREDICATES), help="Only such facts.")
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    default="both",
    show_default=True,
    help="outgoing: of which it is the subject.",
)
@click.option("--as-of", metavar="WHEN", help="Only what held then.")
@options.limit
@options.json_flag
@pass_session
def facts(
    session: CommandSession,
    words: tuple[str, ...],
    as_of: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """List what is known of a name: what it uses, depends on, runs on, replaced, who owns it, and since when."""
    with session.fresh_vault() as vault:
        now, zone = vault.core.clock(), vault.core.zone
        at = None if as_of is None else moments.parse(as_of, "--as-of", now, zone, end=True) - 1
        name = options.text_or_stdin(words)
        found = find_facts(vault, name, as_of=at, **given)
    if as_json:
        output.say_json(found.to_dict())
        return
    for fact in found.facts:
        output.say(output.line(fact.words))
        place = output.name(f"{fact.collection}/{fact.path}")
        output.say(f"  {place}:{fact.line}  {fact.confidence:.2f}  {output.line(fact.quote)}")
    if found.left_out:
        left = output.plural(found.left_out, "fact")
        output.note(f"not counted: {left} beyond the newest {MOST_OF_ONE} of one document")
    if not found.facts:
        output.note(_explain(found))
    if found.truncated:
        output.note("more passages of notes hold the name than were read: the best of them, and memories")


def _explain(found: FactsView) -> str:
    if found.known:
        return f"nothing found: of {output.plural(found.known, 'fact')} of this name none is as asked for"
    told = "nothing found: no passage states a fact of this name"
    if found.candidates:
        return f"{told}; of these something is: {', '.join(map(output.line, found.candidates))}"
    return f"{told}; like it are: {', '.join(map(output.line, found.alike))}" if found.alike else told
