"""``hearth reflect``: what the last weeks were about."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.dream.mentions import Mention, Recurrence
from hearth.engine.dream.reflection import PeriodTheme, Reflection


@click.command()
@click.argument("days", type=click.IntRange(1, 3_650), default=14)
@options.json_flag
@pass_session
def reflect(session: CommandSession, days: int, as_json: bool) -> None:
    """Say what the last DAYS (14) were about: themes, decisions, recurring problems, open questions. Nothing is
    changed."""
    with session.fresh_vault() as vault:
        found = vault.dream.reflector.reflect(days)
    if as_json:
        output.say_json(found.to_dict())
    else:
        _say(found)


def _say(found: Reflection) -> None:
    passages = output.plural(found.passages, "passage")
    output.say(f"{found.first} to {found.last}: {output.plural(found.documents, 'document')}, {passages}")
    parts = (
        ("themes", [line for one in found.themes for line in _theme(one)]),
        ("decisions", [_mention(one) for one in found.decisions]),
        ("recurring problems", [_recurrence(one) for one in found.problems]),
        ("open questions", [_mention(one) for one in found.questions]),
    )
    for title, lines in parts:
        if lines:
            output.say(f"\n{title}")
        for line in lines:
            output.say(f"  {line}")
    if not any(lines for _, lines in parts):
        output.note("nothing certain yet: a theme takes three documents of two days; try more days: hearth reflect 60")
    if found.left_out:
        output.note(f"{found.left_out:,} older documents and passages were left out")
    for place, why in found.skipped:
        output.warn(f"{output.name(place)} could not be read: {output.line(why)}")


def _theme(one: PeriodTheme) -> list[str]:
    head = f"{output.line(one.term)}: {output.plural(one.passages, 'passage')} on {output.plural(one.days, 'day')}"
    return [head, *(f"  {_mention(example)}" for example in one.examples)]


def _recurrence(one: Recurrence) -> str:
    return f"{output.plural(len(one.days), 'day')}  {_mention(one.last)}"


def _mention(one: Mention) -> str:
    return f"{one.day}  {output.line(one.text)}  {output.name(f'{one.place}:{one.line}')}"
