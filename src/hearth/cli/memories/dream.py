"""``hearth dream`` and ``reflect``: promotion into MEMORY.md, and what the last weeks were about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import click

from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import UsageError
from hearth.operations.arguments import Referring
from hearth.operations.consolidation import Reflect
from hearth.pages.dream.fragments import Key
from hearth.pages.dream.reflector import PeriodTheme, Reflection
from hearth.pages.dream.report import RULES, DreamStatus, Dreamt, Explanation
from hearth.pages.dream.themes import Mention, Recurrence

_agent = click.option(
    "--agent", metavar="NAME", help="An agent with its own page [default: the page of all other agents]."
)

_PART = "beside daily files folders of notes take part with dream: true (hearth config set collections.NAME.dream true)"


@click.group(invoke_without_command=True)
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@_agent
@click.option("--take-over", is_flag=True, help="Let this machine write MEMORY.md from now on.")
@click.option("--approve", "--agree", "agree", is_flag=True, help="Approve the pending removals.")
@options.json_flag
@click.pass_context
def dream(
    context: click.Context, dry_run: bool, agent: str | None, take_over: bool, agree: bool, as_json: bool
) -> None:
    """Promote what answers used repeatedly into MEMORY.md; remove what became false.

    It counts the last 30 days, different questions and different days. Once a day; one undo reverts a night."""
    if context.invoked_subcommand is not None:
        if dry_run or agent or take_over or agree or as_json:
            name = context.invoked_subcommand
            raise UsageError(f"options go behind {name}; --dry-run, --take-over and --approve are for a night")
        return
    if dry_run and (take_over or agree):
        raise UsageError("--dry-run changes nothing; leave --take-over and --approve out")
    with context.ensure_object(CommandSession).fresh_vault() as vault:
        done = vault.dream.of(agent).dream(apply=not dry_run, take_over=take_over, agreed=agree)
    if as_json:
        output.say_json(done.to_dict())
    else:
        _say(done, agent)


@dream.command()
@_agent
@options.json_flag
@pass_session
def status(session: CommandSession, agent: str | None, as_json: bool) -> None:
    """Show what was recorded, which machine writes MEMORY.md, and what prevents the next night."""
    with session.fresh_vault() as vault:
        found = vault.dream.of(agent).status()
    if as_json:
        output.say_json(found.to_dict())
    else:
        _say_status(found, agent)


@dream.command()
@taking(Referring, ".reference=ref")
@_agent
@options.json_flag
@pass_session
def explain(session: CommandSession, reference: str, agent: str | None, as_json: bool) -> None:
    """Show the signals and score of a document's fragments, and what each lacks."""
    with session.fresh_vault() as vault:
        found = vault.dream.of(agent).explain(reference)
    if as_json:
        output.say_json([one.to_dict() for one in found])
        return
    for one in found:
        _say_fragment(one)
    if not found:
        output.note(f"no eligible fragment of it was found or used in the last 30 days; {_PART}")


@dream.command()
@click.argument("key", metavar="KEY")
@pass_session
def allow(session: CommandSession, key: str) -> None:
    """Let a fragment that you deleted from the page be promoted again."""
    with session.fresh_vault() as vault:
        output.say(f"{output.name(vault.dream.allow(key))} may be promoted again")


def _say(done: Dreamt, agent: str | None) -> None:
    night = done.night
    output.say(
        f"night of {night.day}: light {len(night.light)}, themes {len(night.themes)}, patterns {len(night.patterns)}"
    )
    for one in done.put:
        output.say(f"promote {one.total:.2f} {output.line(one.fragment.short or one.fragment.text)}")
    for successor in done.successors:
        output.say(f"promote in its place {output.line(successor.short or successor.text)}")
    for text, why in done.left.values():
        output.say(f"leave {output.line(text)}: {output.line(why)}")
    _say_waiting(done.waiting, agent)
    for one in night.refused:
        output.say(f"not yet {one.total:.2f} {output.line(one.fragment.text)}: {'; '.join(one.lacks)}")
    if not (night.light or night.patterns or night.refused or done.put):
        output.note(f"no eligible fragment was found or used in the last 30 days; {_PART}")
    if done.problem is not None:
        output.warn(f"nothing was written: {output.line(done.problem)}")
    elif not done.applied:
        output.note(f"nothing was changed; to apply: hearth dream{f' --agent {agent}' if agent else ''}")
    if done.told_by.startswith(f"{RULES},"):
        output.note(f"told by {output.line(done.told_by)}")
    if done.edited_by.startswith(f"{RULES},"):
        output.note(f"worded by {output.line(done.edited_by)}")
    if done.run is not None:
        output.note(f"to undo: hearth undo --run {done.run}")


def _say_status(found: DreamStatus, agent: str | None) -> None:
    output.say(f"page      {output.name(found.file)}: {output.plural(found.items, 'item')}, {found.promoted} promoted")
    who = "nobody yet" if found.writer is None else f"{found.writer}{' (this machine)' if found.mine else ''}"
    output.say(f"written by {who}")
    output.say(f"signals   {output.plural(found.signals, 'signal')} of {output.plural(found.fragments, 'fragment')}")
    output.say(f"nights    {', '.join(found.nights[:7]) or 'none in 30 days'}")
    _say_waiting(found.waiting, agent)
    if found.run is not None:
        output.note(f"to take the last change of the page back: hearth undo --run {found.run}")
    if found.problem is not None:
        output.warn(output.line(found.problem))


def _say_waiting(waiting: Mapping[Key, tuple[str, str]], agent: str | None) -> None:
    for text, why in waiting.values():
        output.say(f"would leave {output.line(text)}: {output.line(why)}")
    if waiting:
        how = f"hearth dream{f' --agent {agent}' if agent else ''} --approve"
        output.warn(f"{output.plural(len(waiting), 'item')} would be removed at once; to allow it: {how}")


def _say_fragment(one: Explanation) -> None:
    fragment, state = one.score.fragment, f", {one.state}" if one.state else ""
    output.say(f"{one.score.total:.2f} {output.line(fragment.text)}")
    output.say(f"     {fragment.key[0]}:{fragment.key[1]}{state}")
    output.say("     " + ", ".join(f"{name} {value:.2f}" for name, value in one.score.parts.items() if value))
    days = Counter((signal.day, signal.kind) for signal in fragment.signals)
    kinds = [f"{day} {kind}{f' {count} times' if count > 1 else ''}" for (day, kind), count in sorted(days.items())]
    output.say(f"     {', '.join(kinds)}")
    if one.score.lacks:
        output.say(f"     lacks: {'; '.join(one.score.lacks)}")


@click.command()
@taking(Reflect, ".days")
@options.json_flag
@pass_session
def reflect(session: CommandSession, days: int, as_json: bool) -> None:
    """Summarize the last DAYS (14): themes, decisions, recurring problems, open questions. Changes nothing."""
    with session.fresh_vault() as vault:
        found = vault.dream.reflector.reflect(days)
    if as_json:
        output.say_json(found.to_dict())
    else:
        _print_reflection(found)


def _print_reflection(found: Reflection) -> None:
    fragments = output.plural(found.fragments, "fragment")
    output.say(f"{found.first} to {found.last}: {output.plural(found.documents, 'document')}, {fragments}")
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
        output.note("nothing certain yet: a theme needs three documents on two days; try more days: hearth reflect 60")
    if found.left_out:
        output.note(f"{found.left_out:,} older documents and fragments were left out")
    for place, why in found.skipped:
        output.warn(f"{output.name(place)} could not be read: {output.line(why)}")


def _theme(one: PeriodTheme) -> list[str]:
    head = f"{output.line(one.term)}: {output.plural(one.fragments, 'fragment')} on {output.plural(one.days, 'day')}"
    return [head, *(f"  {_mention(example)}" for example in one.examples)]


def _recurrence(one: Recurrence) -> str:
    return f"{output.plural(len(one.days), 'day')}  {_mention(one.last)}"


def _mention(one: Mention) -> str:
    return f"{one.day}  {output.line(one.text)}  {output.name(f'{one.place}:{one.line}')}"
