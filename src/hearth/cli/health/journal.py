"""``hearth journal``: the events that markdown can't carry."""

from __future__ import annotations

from collections import deque
from typing import Any

import click

from hearth import journal as journals
from hearth.app.settings import now_ms
from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.errors import Unavailable
from hearth.core.journal import Event

_SHOWN = 20


@click.group(no_args_is_help=True)
def journal() -> None:
    """Inspect the event journal."""


@journal.command("show")
@click.option("--kind", metavar="KIND", help="Only this kind of event.")
@click.option("--doc", metavar="DOCID", help="Only this document.")
@click.option("--since", metavar="WHEN", help="Since: YYYY-MM-DD, 7d, 2w or an ISO instant.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000),
    default=50,
    show_default=True,
    help="At most this many, newest first.",
)
@options.json_flag
@pass_session
def show(
    session: CommandSession, kind: str | None, doc: str | None, since: str | None, limit: int, as_json: bool
) -> None:
    """Show the newest events of all machines, oldest first."""
    chosen = session.settings()
    start = None if since is None else options.parse_instant(since, "--since", now_ms(), chosen.loaded.zone)
    folder = chosen.vault.data / "journal"
    try:
        events = deque(journals.show(folder, kind=kind, doc=doc, since=start), maxlen=limit)
    except OSError as error:
        raise Unavailable(f"can't read the journal in {folder}: {error.strerror}; check its permissions") from error
    if as_json:
        output.say_json({"events": [_row(event) for event in events]})
        return
    output.say_rows((instants.show(e.at), e.machine, e.kind, e.path or e.doc or "", _data(e)) for e in events)


@journal.command("verify")
@options.json_flag
@click.pass_context
def verify(ctx: click.Context, as_json: bool) -> None:
    """Check every line; exits with 1 if some are damaged."""
    chosen = ctx.ensure_object(CommandSession).settings()
    report = journals.verify(chosen.vault.data / "journal", now_ms())
    problems = [str(problem) for problem in report.problems]
    if as_json:
        output.say_json(
            {
                "events": report.events,
                "files": dict(report.files),
                "kinds": dict(report.kinds),
                "machines": dict(report.machines),
                "ahead": dict(report.ahead),
                "unterminated": list(report.unterminated),
                "problems": problems,
            }
        )
    else:
        files = output.plural(len(report.files), "file")
        machines = output.plural(len(report.machines), "machine")
        output.say(f"{output.plural(report.events, 'event')} of {machines} in {files}")
        for problem in problems[:_SHOWN]:
            output.warn(problem)
        if len(problems) > _SHOWN:
            output.warn(f"and {len(problems) - _SHOWN:,} more problems; --json lists all")
        for machine, count in report.ahead.items():
            output.warn(f"{output.plural(count, 'event')} of {machine} are in the future; set that machine's clock")
    if problems:
        ctx.exit(1)


def _row(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "at": event.at,
        "machine": event.machine,
        "kind": event.kind,
        "doc": event.doc,
        "path": event.path,
        "data": dict(event.data),
    }


def _data(event: Event) -> str:
    return " ".join(f"{key}={value}" for key, value in event.data.items())
