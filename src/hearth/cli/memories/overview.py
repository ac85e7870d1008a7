"""``hearth threads`` and ``hearth topics``: what sessions talked about, and what the notes are about."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.sessions import view
from hearth.model import instants


@click.command()
@click.option("--session", "name", metavar="NAME", help="Only of this session, or the one whose name begins so.")
@options.limit
@options.json_flag
@pass_session
def threads(session: CommandSession, name: str | None, limit: int, as_json: bool) -> None:
    """List what sessions talked about without a pause of 30 minutes, the newest first."""
    with session.fresh_vault() as vault:
        key = None
        if name is not None:
            with vault.store.read() as reader:
                key = view.find(reader, name)
        found = vault.knowledge.overview.threads(limit, key)
    if as_json:
        output.say_json({"threads": [one.to_dict() for one in found]})
        return
    for one in found:
        when = instants.show_date_or_none(one.began)
        place = output.name(f"{one.path}:{one.start_line}-{one.end_line}")
        output.say(f"{when}  {output.line(one.title)}  {one.turns} turns  {place} #{one.docid}")
    if not found:
        output.note("nothing certain yet: no conversation is kept in which you asked for something")


@click.command()
@click.option("--trending", is_flag=True, help="Only what comes up more than usual.")
@options.limit
@options.json_flag
@pass_session
def topics(session: CommandSession, trending: bool, limit: int, as_json: bool) -> None:
    """List the nouns and phrases that several of the newest documents share."""
    with session.fresh_vault() as vault:
        report = vault.knowledge.overview.topics()
    found = [one for one in report.topics if one.trending or not trending][:limit]
    if as_json:
        output.say_json({**report.to_dict(), "topics": [one.to_dict() for one in found]})
        return
    for one in found:
        more = f", trending {one.trend:+.1f}" if one.trending else ""
        output.say(f"{output.line(one.term)}: {one.documents} documents, {one.mentions} mentions{more}")
    if not found:
        usual = trending and report.topics
        output.note("nothing is trending" if usual else "nothing certain yet: a topic takes three documents")
    if report.left_out:
        output.note(f"{report.left_out:,} older documents were not read")
