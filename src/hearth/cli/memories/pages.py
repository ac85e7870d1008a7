"""Pages made from what is remembered: profile, summaries, identity, threads, topics, questions, hand-off."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from hearth.cli import options, output
from hearth.cli.memories import changes
from hearth.cli.memories.dream import reflect
from hearth.cli.operation import remarks, signed, taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.errors import NotFound, Remedy
from hearth.markdown.frontmatter import body_of
from hearth.memory import session_log
from hearth.operations.profile import Listed, ProfileArguments, SummaryQuery
from hearth.operations.relations import ThreadQuery
from hearth.pages.statements import PageReport
from hearth.vault.vault import Vault

if TYPE_CHECKING:
    from hearth.pages.threads import Thread
    from hearth.pages.topics import Topic


@click.command()
@click.argument("action", required=False, metavar="", type=click.Choice(["rebuild"]))
@taking(ProfileArguments, "rebuild")
@options.json_flag
@pass_session
def profile(session: CommandSession, action: str | None, rebuild: bool, as_json: bool) -> None:
    """Show what is known about you, each statement with its source."""
    with session.fresh_vault() as vault:
        page = vault.profile.rebuild() if rebuild or action else vault.profile.read()
        place = f"{vault.profile.writer.memories.root}/{page.path}"
    if as_json:
        output.say_json(page.to_dict())
        return
    if page.docid is None:
        output.note("No profile yet. Run: hearth profile --rebuild")
        return
    _tell(page)
    output.note(f"edit or delete lines in {output.name(place)}: yours stay, deleted ones never return")


@click.command()
@taking(SummaryQuery, "period project limit/n")
@taking(ProfileArguments, "rebuild")
@options.json_flag
@pass_session
def summaries(
    session: CommandSession, period: str | None, project: str | None, rebuild: bool, limit: int, as_json: bool
) -> None:
    """Show summaries of projects by week and month, latest first."""
    with session.fresh_vault() as vault:
        pages = vault.knowledge.summaries
        if rebuild:
            pages.rebuild()
        found = pages.show(period, project)
        place = vault.profile.writer.memories.root
    if as_json:
        output.say_json({"summaries": [one.to_dict() for one in found[:limit]], "total": len(found)})
        return
    for page in found[:limit]:
        output.say(f"{output.line(page.title)}  {output.name(f'{place}/{page.path}')}")
        _tell(page, "  ")
    if not found:
        output.note(
            "nothing certain yet: a summary needs three statements or sessions; run: hearth summaries --rebuild"
        )
    elif len(found) > limit:
        output.note(f"{len(found) - limit} more; -n says how many to show")


@click.command()
@taking(ProfileArguments, "rebuild")
@options.json_flag
@pass_session
def identity(session: CommandSession, rebuild: bool, as_json: bool) -> None:
    """Show corrections that you gave agents more than once."""
    with session.fresh_vault() as vault:
        page = vault.knowledge.identity.rebuild() if rebuild else vault.knowledge.identity.show()
        wanted = vault.knowledge.choices.identity
    if as_json:
        output.say_json(page.to_dict())
        return
    _tell(page)
    if page.docid is None:
        output.note(
            "no correction was given twice" if wanted else "this page is off: hearth config set knowledge.identity true"
        )


def _tell(page: PageReport, indent: str = "") -> None:
    for section in dict.fromkeys(one.section for one in page.bullets):
        output.say(f"{indent}{output.line(section)}")
        for one in page.bullets:
            if one.section == section:
                sources = ", ".join(f"#{docid}" for docid in one.sources)
                source_text = f"{one.date} {sources}" if sources else "your own words"
                output.say(f"{indent}  {output.line(one.text)}  {source_text}")


@click.command()
@taking(ThreadQuery, "session@name limit/n")
@options.json_flag
@pass_session
def threads(session: CommandSession, name: str | None, limit: int, as_json: bool) -> None:
    """List what sessions talked about without a pause of 30 minutes, newest first."""
    with session.fresh_vault() as vault:
        if name is not None:
            # The session log does not know imported conversations.
            with vault.store.read() as reader, suppress(NotFound):
                name = session_log.find(reader, name)
        found = vault.knowledge.overview.threads(limit, name)
    if as_json:
        output.say_json({"threads": [one.to_dict() for one in found]})
        return
    for one in found:
        output.say(_thread(one))
    if not found:
        output.note("nothing certain yet: no conversation is kept in which you asked for something")


def _thread(one: Thread) -> str:
    when = instants.show_date_or_none(one.began)
    place = output.name(f"{one.path}:{one.start_line}-{one.end_line}")
    return f"{when}  {output.line(one.title)}  {output.plural(one.turns, 'turn')}  {place} #{one.docid}"


@click.command()
@click.option("--trending", is_flag=True, help="Only topics that come up more often than usual.")
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
        output.say(_topic(one))
    if not found:
        usual = trending and report.topics
        output.note("nothing is trending" if usual else "nothing certain yet: a topic needs three documents")
    if report.left_out:
        output.note(f"{report.left_out:,} older documents were not read")


def _topic(one: Topic) -> str:
    more = f", trending {one.trend:+.1f}" if one.trending else ""
    return f"{output.line(one.term)}: {one.documents} documents, {one.mentions} mentions{more}"


_FEW = 5


@click.group(invoke_without_command=True)
@options.json_flag
@click.pass_context
def overview(context: click.Context, as_json: bool) -> None:
    """Show the latest threads and topics of notes and sessions. The subcommands show more of each."""
    if context.invoked_subcommand is not None:
        return
    with context.ensure_object(CommandSession).fresh_vault() as vault:
        found, report = vault.knowledge.overview.threads(_FEW, None), vault.knowledge.overview.topics()
    shown = report.topics[:_FEW]
    if as_json:
        output.say_json({"threads": [one.to_dict() for one in found], "topics": [one.to_dict() for one in shown]})
        return
    for title, lines in (("threads", [*map(_thread, found)]), ("topics", [*map(_topic, shown)])):
        if lines:
            output.say(title)
        for line in lines:
            output.say(f"  {line}")
    if not (found or shown):
        output.note("nothing certain yet: a thread takes a captured session, a topic three documents")
    output.note("more: hearth overview threads, topics, summaries or reflect")


for _part in (threads, topics, summaries, reflect):
    overview.add_command(_part)


_ONE = click.argument("question", metavar="N")


@click.group(invoke_without_command=True)
@click.pass_context
def questions(context: click.Context) -> None:
    """List open questions, answer or dismiss them. N is a number in the list or a docid."""
    if context.invoked_subcommand is None:
        context.invoke(listed)


@questions.command("list")
@taking(Listed, "status")
@options.json_flag
@pass_session
def listed(session: CommandSession, status: str = "open", as_json: bool = False) -> None:
    """List questions, newest first, then overdue commitments."""
    with session.fresh_vault() as vault:
        found = vault.knowledge.questions.show(status)
    if as_json:
        output.say_json({"total": len(found), "questions": [one.to_dict() for one in found]})
        return
    for number, one in enumerate(found, 1):
        state = "" if status == one.status else f"{one.status}, "
        when = instants.show_date_or_none(one.asked_at)
        output.say(f"{number}. {output.line(one.text)}  {state}{when} #{one.docid}")
    if not found:
        output.note("nothing is open" if status == "open" else "none of that kind")


@questions.command("answer")
@_ONE
@click.argument("words", metavar="[TEXT]", nargs=-1)
@remarks
@pass_session
def answer(session: CommandSession, question: str, words: tuple[str, ...], as_json: bool, **metadata: Any) -> None:
    """Record the answer to a question as a fact; a kept commitment needs no text."""
    with session.fresh_vault() as vault:
        done = vault.knowledge.questions.answer(question, " ".join(words) or None, **signed(metadata))
    changes.say(done, as_json=as_json)


@questions.command("dismiss")
@_ONE
@remarks
@pass_session
def dismiss(session: CommandSession, question: str, as_json: bool, **metadata: Any) -> None:
    """Close a question for good."""
    with session.fresh_vault() as vault:
        done = vault.knowledge.questions.dismiss(question, **signed(metadata))
    changes.say(done, as_json=as_json)


_LOOKED_AT = 200


@click.command()
@click.argument("name", required=False, metavar="[SESSION]")
@options.json_flag
@pass_session
def handoff(session: CommandSession, name: str | None, as_json: bool) -> None:
    """Print the hand-off of a session, else the latest one of this folder's project, else of any."""
    with session.fresh_vault() as vault:
        docid, other = (_of(vault, name), None) if name is not None else _latest(session, vault)
        if docid is None:
            lists = Remedy("log", "sessions", "", " lists the sessions")
            raise NotFound("no hand-off yet" if name is None else f"no hand-off of {name!r}", lists)
        excerpt = vault.get(f"#{docid}")
    text = body_of(excerpt.text)
    if as_json:
        output.say_json({"docid": docid, "path": excerpt.document.path, "text": text})
    else:
        output.say(text)
    if other is not None:
        output.note(f"of a session of {other}: none of this folder's project has handed its work on yet")


def _of(vault: Vault, name: str) -> str | None:
    return vault.sessions.get(name).session.handoff


def _latest(session: CommandSession, vault: Vault) -> tuple[str | None, str | None]:
    """With whose it is, where it is not this folder's project's."""
    project = session.find_project(vault)
    for within in dict.fromkeys((project, None)):
        for row in vault.sessions.recent(_LOOKED_AT, within):
            if row.handoff:
                return row.handoff, None if row.project in (None, project) else row.project
    return None, None
