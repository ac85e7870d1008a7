"""``hearth entities``, ``facts`` and ``graph``: who, what and how documents are related."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import remarks, signed, taking
from hearth.cli.session import CommandSession, Progress, pass_session
from hearth.core import instants
from hearth.graph import naming
from hearth.graph.chains import CAUSES, find_causal_links
from hearth.graph.entities import describe, list_entities
from hearth.graph.facts import MOST_OF_ONE, FactsView, find_facts
from hearth.graph.naming import NamesChanged
from hearth.operations.arguments import Referring
from hearth.operations.entities import EntityName, FactsOf, NameStatement
from hearth.operations.relations import CausesOf
from hearth.pages.document_notes import tell_note
from hearth.pages.note_taking import build_graph
from hearth.vault.changes import Remarks


class _EntityGroup(click.Group):
    """What is no subcommand is a name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with suppress(click.UsageError):  # an option that the list has not
            named_none = not self.commands["list"].make_parser(ctx).parse_args(list(args))[1]
            args = ["list", *args] if named_none and not set(args) & set(ctx.help_option_names) else args
        named = [arg for arg in args if arg not in ctx.help_option_names]
        if len(named) == len(args) and args and args[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.commands.get(cmd_name, self.commands["show"])


@click.group(cls=_EntityGroup)
def entities() -> None:
    """Show an entity; merge, alias or split names.

    hearth entities NAME shows it (hearth entities show NAME, if the name is also a subcommand); without a name it lists
    entities.
    """


@entities.command("list")
@taking(EntityName, "type@kind query limit/n")
@options.json_flag
@pass_session
def list_all(session: CommandSession, kind: str | None, query: str | None, limit: int, as_json: bool) -> None:
    """List the entities that most documents mention."""
    with session.fresh_vault() as vault:
        found = list_entities(vault, kind, query or "", limit)
    if as_json:
        output.say_json(found.to_dict())
        return
    for one in found.entities:
        also = f", also {', '.join(map(output.line, one.aliases))}" if one.aliases else ""
        what = f"{output.line(one.entity.name)} ({one.entity.type}{also})"
        output.say(f"{what}, in {output.plural(one.documents, 'document')}")
    if not found.entities:
        output.note("nothing certain yet: no fragment shows what a name is; --query NAME finds any name")
    if found.unread:
        output.note(f"{output.plural(found.unread, 'document')} still to be read for names; ask again")


@entities.command()
@click.argument("words", metavar="NAME", nargs=-1, required=True)
@taking(EntityName, "limit/n")
@options.json_flag
@pass_session
def show(session: CommandSession, words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show an entity: its other names, facts, mentions and related entities."""
    with session.fresh_vault() as vault:
        found = describe(vault, options.text_or_stdin(words), limit)
    if as_json:
        output.say_json(found.to_dict())
        return
    if found.name is None:
        for name in found.candidates:
            output.say(output.line(name))
        like = f"; like it are: {', '.join(map(output.line, found.alike))}" if found.alike else ""
        several = "several entities have this name; choose one"
        output.note(several if found.candidates else f"nothing found: no fragment holds this name{like}")
        return
    also = f", also {', '.join(map(output.line, found.aliases))}" if found.aliases else ""
    output.say(f"{output.line(found.name)} ({found.type}{also}), on {output.plural(found.total, 'line')}")
    for statement in found.synthesis:
        sources = ", ".join(f"#{docid}" for docid in statement.sources) or "your own words"
        output.say(f"  {output.line(statement.text)}  {sources}")
    for fact in found.facts:
        ended = "" if fact.until is None else f" until {fact.until}"
        output.say(f"  since {fact.date}{ended}: {output.line(fact.text)}  {output.name(fact.path)}:{fact.line}")
    for one in found.mentions:
        place = output.name(f"{one.collection}/{one.path}")
        output.say(f"  {instants.show_date_or_none(one.date)} {place}:{one.line}  {output.line(one.words)}")
    if found.company:
        output.say("mentioned with")
    for other in found.company:
        beside = f"{output.plural(other.together, 'fragment')}, {other.lift:.1f} times as often as anywhere"
        output.say(f"  {output.line(other.name)} ({other.type}): {beside}")


@entities.command()
@taking(NameStatement, ".name .of=into@into")
@remarks
@pass_session
def merge(session: CommandSession, name: str, into: str, as_json: bool, **metadata: Any) -> None:
    """Treat NAME as INTO from now on."""
    with session.fresh_vault() as vault:
        _say(naming.merge(vault, name, into, Remarks(**signed(metadata))), as_json=as_json)


@entities.command()
@taking(NameStatement, ".name .of=alias@alias")
@remarks
@pass_session
def alias(session: CommandSession, name: str, alias: str, as_json: bool, **metadata: Any) -> None:
    """Add another name for an entity, even one that your notes don't contain."""
    with session.fresh_vault() as vault:
        _say(naming.alias(vault, alias, name, Remarks(**signed(metadata))), as_json=as_json)


@entities.command()
@taking(NameStatement, ".name *references=ref of=as@of")
@remarks
@pass_session
def split(
    session: CommandSession, name: str, references: tuple[str, ...], of: str | None, as_json: bool, **metadata: Any
) -> None:
    """Separate a name from others it was merged with; with REF and --as, say that it means a namesake there."""
    with session.fresh_vault() as vault:
        remarks = Remarks(**signed(metadata))
        _say(naming.split(vault, name, remarks, of=of, references=references), as_json=as_json)


def _say(done: NamesChanged, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    means = "itself alone" if done.of == done.name else output.line(done.of)
    where = f" in {output.plural(len(done.documents), 'document')}" if done.documents else ""
    output.say(f"{done.action}: {output.line(done.name)} means {means}{where}")
    if done.events:
        output.note(f"to undo: hearth undo {done.events[-1]}")


@click.command()
@taking(FactsOf, "*name@words predicate direction as_of limit/n")
@options.json_flag
@pass_session
def facts(
    session: CommandSession,
    words: tuple[str, ...],
    as_of: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """List facts about a name: what it uses, depends on, runs on, replaced, who owns it, and since when."""
    with session.fresh_vault() as vault:
        now, zone = vault.core.clock(), vault.core.zone
        at = None if as_of is None else options.parse_instant(as_of, "--as-of", now, zone, end=True) - 1
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
        output.note("more fragments of notes hold the name than were read: the best of them, and memories")


def _explain(found: FactsView) -> str:
    if found.known:
        return f"nothing found: of {output.plural(found.known, 'fact')} of this name none is as asked for"
    message = "nothing found: no fragment states a fact of this name"
    if found.candidates:
        return f"{message}; found in the index: {', '.join(map(output.line, found.candidates))}"
    return f"{message}; like it are: {', '.join(map(output.line, found.alike))}" if found.alike else message


@click.group()
def graph() -> None:
    """Show how documents are related."""


@graph.command()
@taking(CausesOf, ".reference=ref direction depth")
@options.json_flag
@pass_session
def causal(session: CommandSession, reference: str, direction: str, depth: int, as_json: bool) -> None:
    """List a document's causes and effects."""
    with session.fresh_vault() as vault:
        found = find_causal_links(vault, reference, direction, depth)
    if as_json:
        output.say_json(found.to_dict())
        return
    for link in found.links:
        place = output.name(link.document.place)
        way = "effect" if link.direction == CAUSES else "cause"
        output.say(f"{way}  {link.confidence:.2f}  {place}  {output.line(link.document.title)}")
        for step in link.via:
            output.say(f"   {output.line(step.words)}")
        for one in link.evidence:
            if one.words:
                output.say(f"   > {output.line(one.words)}  {output.name(one.place)}:{one.start}")
    if not found.links:
        output.note("nothing certain yet: no sentence states a cause; state one: hearth relate CAUSE causal EFFECT")


@graph.command()
@taking(Referring, ".reference=ref")
@options.json_flag
@pass_session
def evolution(session: CommandSession, reference: str, as_json: bool) -> None:
    """Show what a document is about, and what later documents like it added."""
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
    """Derive the relations of changed documents: links, order in time, similarity.

    A configured language model also describes some of them. The daemon does all this by itself."""
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
