"""``hearth log``: the sessions with agents, and what each was shown."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.model import instants
from hearth.model.host.session import Session as Row
from hearth.model.host.session import SessionDetail, ShownDocument


@click.command()
@click.argument("name", required=False, metavar="[SESSION]")
@click.option(
    "-n", "--limit", "--last", type=click.IntRange(1, 1_000), default=20, show_default=True, help="At most so many."
)
@click.option("--here", is_flag=True, help="Only sessions of this folder's project.")
@options.json_flag
@pass_session
def log(session: CommandSession, name: str | None, limit: int, here: bool, as_json: bool) -> None:
    """List the sessions, newest first, or show one turn by turn."""
    with session.fresh_vault() as vault:
        if name is not None:
            detail = vault.sessions.get(name)
            output.say_json(detail.to_dict()) if as_json else _one(detail)
            return
        project = options.project_here(vault) if here else None
        found = vault.sessions.recent(limit, project, empty=False)
    if as_json:
        output.say_json({"sessions": [row.to_dict() for row in found]})
        return
    if found:
        output.say_rows(_cells(row) for row in found)
    else:
        output.note("no sessions yet; they are recorded once a host's hooks run: hearth setup claude-code")


def _cells(row: Row) -> tuple[str, ...]:
    end = "open" if row.ended is None else instants.show(row.ended)
    used = f"{row.referenced:,} of {row.surfaced:,} used"
    turns = output.plural(row.turns, "turn")
    return (row.id, instants.show(row.began), end, row.host or "-", row.project or "-", turns, used, row.summary or "")


def _one(detail: SessionDetail) -> None:
    row = detail.session
    end = "open" if row.ended is None else f"{instants.show(row.ended)} ({output.line(row.ending or 'other')})"
    output.say(f"session {row.id}")
    said = f"#{row.conversation}" if row.conversation else None
    facts = (
        ("host", row.host),
        ("project", row.project),
        ("machine", row.machine),
        ("hand-off", row.summary),
        ("conversation", said),
    )
    for label, value in (*facts, ("began", instants.show(row.began)), ("ended", end)):
        if value:
            output.say(f"  {label}: {output.line(value)}")
    used = f"{row.referenced:,} of {row.surfaced:,} passages used, {row.tokens:,} tokens shown"
    output.say(f"  {output.plural(row.turns, 'turn')}: {used}")
    for file in detail.files:
        output.say(f"  changed {output.name(file)}")
    for turn in detail.turns:
        hooks = f"  {', '.join(map(output.line, turn.hooks))}, {turn.tokens:,} tokens" if turn.shown else ""
        output.say(f"{instants.show(turn.at)}  turn {turn.id}{hooks}")
        for document in turn.shown:
            output.say(f"  {'*' if document.referenced else ' '} {_place(document)}")
    if detail.older:
        output.note(f"details of {output.plural(detail.older, 'older turn')} are kept no longer; the totals count them")


def _place(document: ShownDocument) -> str:
    if document.place is None:
        return f"#{document.docid} (not there any more)"
    lines = ",".join(f"{start}-{end}" for start, end in document.lines)
    return f"{output.name(document.place)}{':' + lines if lines else ''}"
