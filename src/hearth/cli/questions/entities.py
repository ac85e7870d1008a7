"""``hearth entities``: who or what a name names, and what you say of names."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.engine.graph import naming
from hearth.engine.graph.entities import describe
from hearth.engine.graph.listing import list_entities
from hearth.engine.graph.naming import NamesChanged
from hearth.engine.state.changes import Remarks
from hearth.model import instants
from hearth.model.graph.entity import ENTITY_TYPES


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
    """Show who or what a name names, or say that two names mean the same, or one several.

    hearth entities NAME shows it; a name that is also a subcommand: hearth entities show NAME. Without a name it lists
    those in most documents.
    """


@entities.command("list")
@click.option("--type", "kind", type=click.Choice(ENTITY_TYPES), help="Only such entities.")
@click.option("--query", metavar="TEXT", default="", help="Only those whose names hold it.")
@options.limit
@options.json_flag
@pass_session
def list_all(session: CommandSession, kind: str | None, query: str, limit: int, as_json: bool) -> None:
    """List who and what the notes name, those in most documents first."""
    with session.fresh_vault() as vault:
        found = list_entities(vault, kind, query, limit)
    if as_json:
        output.say_json(found.to_dict())
        return
    for one in found.entities:
        also = f", also {', '.join(map(output.line, one.aliases))}" if one.aliases else ""
        what = f"{output.line(one.entity.name)} ({one.entity.type}{also})"
        output.say(f"{what}, in {output.plural(one.documents, 'document')}")
    if not found.entities:
        output.note("nothing certain yet: no passage tells what a name is; with --query NAME any name is found")
    if found.unread:
        output.note(f"{output.plural(found.unread, 'document')} still to be read for names; ask again")


@entities.command()
@click.argument("words", metavar="NAME", nargs=-1, required=True)
@options.limit
@options.json_flag
@pass_session
def show(session: CommandSession, words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show who or what a name names: its other names, where it is mentioned, and in whose company."""
    with session.fresh_vault() as vault:
        found = describe(vault, options.text_or_stdin(words), limit)
    if as_json:
        output.say_json(found.to_dict())
        return
    if found.name is None:
        for name in found.candidates:
            output.say(output.line(name))
        like = f"; like it are: {', '.join(map(output.line, found.alike))}" if found.alike else ""
        several = "several go by this name; ask for one of them"
        output.note(several if found.candidates else f"nothing found: no passage holds this name{like}")
        return
    also = f", also {', '.join(map(output.line, found.aliases))}" if found.aliases else ""
    output.say(f"{output.line(found.name)} ({found.type}{also}), on {output.plural(found.total, 'line')}")
    for told in found.synthesis:
        sources = ", ".join(f"#{docid}" for docid in told.sources) or "your own words"
        output.say(f"  {output.line(told.text)}  {sources}")
    for fact in found.facts:
        ended = "" if fact.until is None else f" until {fact.until}"
        output.say(f"  since {fact.date}{ended}: {output.line(fact.text)}  {output.name(fact.path)}:{fact.line}")
    for one in found.mentions:
        place = output.name(f"{one.collection}/{one.path}")
        output.say(f"  {instants.show_date_or_none(one.date)} {place}:{one.line}  {output.line(one.words)}")
    if found.company:
        output.say("in the company of")
    for other in found.company:
        beside = f"{output.plural(other.together, 'passage')}, {other.lift:.1f} times as often as anywhere"
        output.say(f"  {output.line(other.name)} ({other.type}): {beside}")


@entities.command()
@click.argument("name")
@click.argument("into", metavar="INTO")
@change.remarks
@pass_session
def merge(session: CommandSession, name: str, into: str, as_json: bool, **said: Any) -> None:
    """Say that two names of your notes mean the same: NAME is INTO from now on."""
    with session.fresh_vault() as vault:
        _say(naming.merge(vault, name, into, Remarks(**change.signed(said))), as_json=as_json)


@entities.command()
@click.argument("name")
@click.argument("alias", metavar="ALIAS")
@change.remarks
@pass_session
def alias(session: CommandSession, name: str, alias: str, as_json: bool, **said: Any) -> None:
    """Say by what other name somebody or something goes, whether your notes hold it or not."""
    with session.fresh_vault() as vault:
        _say(naming.alias(vault, alias, name, Remarks(**change.signed(said))), as_json=as_json)


@entities.command()
@click.argument("name")
@click.argument("references", metavar="[REF]...", nargs=-1)
@click.option("--as", "of", metavar="NAME", help="The namesake's own name, in the documents REF.")
@change.remarks
@pass_session
def split(
    session: CommandSession, name: str, references: tuple[str, ...], of: str | None, as_json: bool, **said: Any
) -> None:
    """Say that a name means itself alone and is no part of another; or, with REF and --as, a namesake's in there."""
    with session.fresh_vault() as vault:
        remarks = Remarks(**change.signed(said))
        _say(naming.split(vault, name, remarks, of=of, references=references), as_json=as_json)


def _say(done: NamesChanged, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    means = "itself alone" if done.of == done.name else output.line(done.of)
    where = f" in {output.plural(len(done.documents), 'document')}" if done.documents else ""
    output.say(f"{done.action}: {output.line(done.name)} means {means}{where}")
    if done.events:
        output.note(f"to take it back: hearth undo {done.events[-1]}")
