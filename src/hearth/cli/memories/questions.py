"""``hearth questions``: what sessions left open."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.model import instants

_ONE = click.argument("question", metavar="N")
_STATUSES = ("open", "answered", "dismissed", "lapsed", "all")


@click.group(invoke_without_command=True)
@click.pass_context
def questions(context: click.Context) -> None:
    """List what sessions left open, answer it, or dismiss it: N is its number in the list, or its docid."""
    if context.invoked_subcommand is None:
        context.invoke(listed)


@questions.command("list")
@click.option("--status", type=click.Choice(_STATUSES), default="open", help="Which; else the open ones.")
@options.json_flag
@pass_session
def listed(session: CommandSession, status: str = "open", as_json: bool = False) -> None:
    """List questions, the newest first, then commitments that are overdue."""
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
        output.note("nothing is open" if status == "open" else "nothing of that kind is there")


@questions.command("answer")
@_ONE
@click.argument("words", metavar="[TEXT]", nargs=-1)
@change.remarks
@pass_session
def answer(session: CommandSession, question: str, words: tuple[str, ...], as_json: bool, **said: Any) -> None:
    """Keep the answer to a question as a fact; a commitment that was kept needs no words."""
    with session.fresh_vault() as vault:
        done = vault.knowledge.questions.answer(question, " ".join(words) or None, **change.signed(said))
    change.say(done, as_json=as_json)


@questions.command("dismiss")
@_ONE
@change.remarks
@pass_session
def dismiss(session: CommandSession, question: str, as_json: bool, **said: Any) -> None:
    """Ask a question no more."""
    with session.fresh_vault() as vault:
        done = vault.knowledge.questions.dismiss(question, **change.signed(said))
    change.say(done, as_json=as_json)
