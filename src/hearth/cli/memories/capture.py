"""``hearth capture``: what sessions said, kept by itself; look at it, do it now, take it back."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hearth.capture.batches import CaptureBatch, CaptureReport, Waiting
from hearth.cli import index, options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants


@click.group(no_args_is_help=True)
def capture() -> None:
    """Capture what sessions with agents said: run it now, show what waits and what was kept, undo it."""


@capture.command("run")
@click.argument("name", required=False, metavar="[SESSION]")
@click.option("--all", "everything", is_flag=True, help="Include sessions that are not due yet.")
@options.json_flag
@pass_session
def run(session: CommandSession, name: str | None, everything: bool, as_json: bool) -> None:
    """Capture what is due, or everything that waits of one session."""
    with session.vault() as vault:
        done = vault.capture.run(everything=everything, session=name)
        session.catch_up(vault)
    output.say_json(done.to_dict()) if as_json else say_report(done)
    if done.problems:
        raise click.exceptions.Exit(1)


@click.group(no_args_is_help=True)
def memory() -> None:
    """Update memory as other programs' commands do."""


@memory.command("index")
@options.json_flag
@pass_session
def index_all(session: CommandSession, as_json: bool) -> None:
    """Read folders and sessions at once: `hearth update`, then `hearth capture run --all`."""
    with session.vault() as vault:
        report = index.sync(vault, session)
        done = vault.capture.run(everything=True)
        session.catch_up(vault)
    if as_json:
        output.say_json(report.to_dict() | {"capture": done.to_dict()})
    else:
        output.say(report.summarize())
        index.warnings(report)
        say_report(done)
    if done.problems:
        raise click.exceptions.Exit(1)


@capture.command("status")
@options.json_flag
@pass_session
def status(session: CommandSession, as_json: bool) -> None:
    """Show which sessions wait to be captured, and until when."""
    with session.vault() as vault:
        found, now = vault.capture.status(), vault.clock()
    if as_json:
        output.say_json(found.to_dict())
        return
    kept = "conversations and memories" if found.conversations else "memories"
    output.say(f"capture {found.mode}: keeps {kept}" if found.mode != "off" else "capture is off")
    for fault in found.faults:
        output.warn(f"{fault}; fix capture.patterns")
    for one in found.waiting:
        turns = output.plural(one.turns, "turn")
        output.say(f"{one.session}  {turns} since {instants.show(one.since)}, {_until(one.due_at, now)}")
    if found.unread:
        batches = output.plural(found.unread, "batch")
        output.say(f"{batches} captured by rules; the language model will read them again")
    for transcript in found.passed_over:
        lines = output.plural(transcript.lines, "line")
        output.warn(
            f"session {transcript.session}: {lines} of {output.name(transcript.transcript)} could not be read in full, "
            f"the first at byte {transcript.offset:,} ({transcript.reason})"
        )
    if not found.waiting:
        output.note("nothing waits")


@capture.command("show")
@click.argument("name", required=False, metavar="[SESSION]")
@options.limit
@options.json_flag
@pass_session
def show(session: CommandSession, name: str | None, limit: int, as_json: bool) -> None:
    """List what was captured, latest first, of one session or of all."""
    with session.fresh_vault() as vault:
        found = vault.capture.show(name, limit)
        waiting = [] if found else [one for one in vault.capture.status().waiting if one.session.startswith(name or "")]
    if as_json:
        output.say_json({"pieces": [batch.to_dict() for batch in found]})
        return
    for batch in found:
        _say_batch(batch)
    if waiting:
        output.note(f"nothing captured yet; {_wait(waiting)}: hearth capture run --all does it now")
    elif not found:
        output.note("nothing captured yet; it begins once a host's hooks run: hearth setup claude-code")


@capture.command("undo")
@click.argument("reference", metavar="SESSION|PIECE")
@options.json_flag
@pass_session
def undo(session: CommandSession, reference: str, as_json: bool) -> None:
    """Forget what was captured of a session or one batch; hearth restore brings it back.

    From a memory shared with other sessions, only this session's part is removed."""
    with session.fresh_vault() as vault:
        done = vault.capture.undo(reference)
    if as_json:
        output.say_json({"changed": [change.to_dict() for change in done]})
        return
    for change in done:
        output.say(f"{change.action} {output.name(change.path)} #{change.docid}")


def _until(due_at: int | None, now: int) -> str:
    if due_at is None:
        return "waiting for more turns or its end"
    return f"waits for {instants.show(due_at)}" if due_at > now else "is due: hearth capture run"


def _wait(waiting: Sequence[Waiting]) -> str:
    turns = sum(one.turns for one in waiting)
    sessions = output.plural(len(waiting), "session")
    return f"{output.plural(turns, 'turn')} of {sessions} {'waits' if turns == 1 else 'wait'}"


def say_report(done: CaptureReport) -> None:
    output.say(
        f"{output.plural(done.turns, 'turn')} of {output.plural(done.sessions, 'session')} captured, "
        f"{output.plural(len(done.documents), 'document')} written"
    )
    if done.taken_back:
        output.note(
            f"{output.plural(done.taken_back, 'turn')} undone in the client: what was captured of it is removed"
        )
    for reason in done.left_out:
        output.warn(f"statement not kept: {reason}")
    for reason in done.unread:
        output.note(f"the rules read this for now; the language model will read it later: {reason}")
    for session, problem in done.problems:
        output.warn(f"session {session}: {problem}")
    if done.waiting:
        output.note(f"{output.plural(done.waiting, 'session')} not due yet: hearth capture status")


def _say_batch(batch: CaptureBatch) -> None:
    output.say(f"{batch.session}  {instants.show(batch.at)}  batch {batch.id}")
    for stored in batch.documents:
        document = stored.document
        state = stored.state
        hidden = " (forgotten)" if state.forgotten else " (not yet approved)" if state.pending else ""
        output.say(f"  {document.content_type}: {output.line(document.title)}  {output.name(document.path)}{hidden}")
