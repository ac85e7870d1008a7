"""``hearth graph``: how documents hang together."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.progress import Progress
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.graph.causal.chains import BOTH, CAUSES, DEEPEST, DIRECTIONS, find_causal_links
from hearth.engine.knowledge.notes.building import build_graph
from hearth.engine.knowledge.notes.notes import tell_note


@click.group()
def graph() -> None:
    """Show how documents hang together."""


@graph.command()
@click.argument("reference", metavar="REF")
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    default=BOTH,
    show_default=True,
    help="causes: what it led to; caused_by: what led to it.",
)
@click.option(
    "--depth", type=click.IntRange(1, DEEPEST), default=5, show_default=True, help="Follow so many relations."
)
@options.json_flag
@pass_session
def causal(session: CommandSession, reference: str, direction: str, depth: int, as_json: bool) -> None:
    """List what led to a document, and what it led to."""
    with session.fresh_vault() as vault:
        found = find_causal_links(vault, reference, direction, depth)
    if as_json:
        output.say_json(found.to_dict())
        return
    for link in found.links:
        place = output.name(f"{link.document.collection}/{link.document.path}")
        way = "effect" if link.direction == CAUSES else "cause"
        output.say(f"{way}  {link.confidence:.2f}  {place}  {output.line(link.document.title)}")
        for step in link.via:
            output.say(f"   {output.line(step.words)}")
        for one in link.evidence:
            if one.words:
                output.say(f"   > {output.line(one.words)}  {output.name(one.place)}:{one.start}")
    if not found.links:
        output.note("nothing certain yet: no sentence names it so; say it: hearth relate CAUSE causal EFFECT")


@graph.command()
@click.argument("reference", metavar="REF")
@options.json_flag
@pass_session
def evolution(session: CommandSession, reference: str, as_json: bool) -> None:
    """Say what a document is about, and what later documents like it added."""
    with session.fresh_vault() as vault:
        found = tell_note(vault, reference)
    if as_json:
        output.say_json(found.to_dict())
        return
    output.say(f"keywords  {output.line(', '.join(found.keywords)) or '-'}")
    output.say(f"tags      {output.line(', '.join(found.tags)) or '-'}")
    output.say(f"context   {output.line(found.context)}")
    output.say(f"read by   {output.line(found.path)}")
    for one in found.versions:
        output.say(f"{one.date}  + {output.line(', '.join(one.added))}  by {output.line(one.title)} #{one.docid}")


@graph.command()
@options.json_flag
@pass_session
def build(session: CommandSession, as_json: bool) -> None:
    """Derive the relations of documents that changed: what they name, what comes next, what is alike.

    A language model, where there is one, reads what some of them are about. The daemon does all of it by itself."""
    with session.fresh_vault() as vault, Progress(session, "relating", "documents") as progress:
        done = build_graph(vault, progress)
    if as_json:
        output.say_json(done.to_dict())
        return
    relations, notes = done.relations, done.notes
    output.say(f"{output.plural(relations.documents, 'document')} related")
    for kind in sorted(relations.added.keys() | relations.removed.keys()):
        output.say(f"  {kind}: {relations.added[kind]:,} added, {relations.removed[kind]:,} removed")
    if relations.missing:
        output.note(f"{output.plural(relations.missing, 'document')} wait for vectors; run: hearth embed")
    if notes.read or notes.waiting:
        left = f", {notes.waiting:,} waiting" if notes.waiting else ""
        output.say(f"{output.plural(notes.read, 'document')} read by the language model{left}")
    if done.summed_up:
        output.say(f"{output.plural(done.summed_up, 'file')} about entities summed up")
    for why in notes.missing:
        output.note(f"not read: {output.line(why)}")
