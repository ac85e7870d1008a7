"""``hearth remember``, ``note`` and ``diary``: text given to be kept."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.memory import Remembered
from hearth.operations.memories import Diary, DiaryEntry, Remember

_DONE = {
    "written": "written",
    "duplicate": "duplicate, nothing written:",
    "revised": "revised",
    "merged": "merged into",
    "appended": "appended to",
    "set aside": "set aside, because the file was edited in the meantime:",
    "retired": "nothing written, because this is no longer true:",
}


@click.command()
@click.argument("words", nargs=-1, metavar="TEXT")
@taking(Remember, "type@content_type title tags=tag project subject session@host_session supersedes")
@click.option("--confidence", type=float, metavar="0..1", help="Confidence; below 0.4 it expires after 30 days.")
@options.json_flag
@pass_session
def remember(session: CommandSession, words: tuple[str, ...], as_json: bool, content_type: str, **fields: Any) -> None:
    """Write a memory, or find that it already exists.

    Quotes around TEXT are optional; - reads it from standard input. Secrets are removed before anything is written."""
    fields["session"] = fields.pop("host_session")
    text = options.read_text(words)
    with session.vault() as vault:
        if content_type == "handoff" and not fields["project"]:
            known = fields["session"] and vault.sessions.project(fields["session"])
            fields["project"] = known or session.find_project(vault)
        elif fields["project"]:
            fields["project"] = session.resolve_project(vault, fields["project"])
        done = vault.memories.remember(text, content_type, created_by="cli", **fields)
    say(done, as_json=as_json)


def say(done: Remembered, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    output.say(f"{_DONE[done.action]} {output.name(done.file)} #{done.docid}")
    for other in done.supersedes:
        output.say(f"supersedes #{other}")
    for other in done.asks:
        output.say(f"may contradict #{other}; see hearth review")
    if done.action == "set aside":
        output.warn(f"the new text is in {done.revision}, below the memory folder, and is not searched")
    if done.redacted:
        output.note(f"{output.plural(done.redacted, 'secret')} removed")


@click.command()
@click.argument("words", nargs=-1, metavar="TEXT")
@options.json_flag
@pass_session
def note(session: CommandSession, words: tuple[str, ...], as_json: bool) -> None:
    """Add a text to today's file, under the current time.

    Quotes around TEXT are optional; - reads it from standard input."""
    text = options.read_text(words)
    with session.vault() as vault:
        done = vault.memories.note(text)
    say(done, as_json=as_json)


@click.group(no_args_is_help=True)
def diary() -> None:
    """Write and read an agent's diary."""


@diary.command("write")
@click.argument("words", nargs=-1, metavar="TEXT")
@taking(DiaryEntry, "topic/t agent/a")
@options.json_flag
@pass_session
def write(session: CommandSession, words: tuple[str, ...], topic: str | None, agent: str, as_json: bool) -> None:
    """Add an entry; - reads it from standard input."""
    text = options.read_text(words)
    with session.vault() as vault:
        done = vault.memories.write_diary(text, topic, agent)
    say(done, as_json=as_json)


@diary.command("read")
@taking(Diary, "limit/n topic/t agent/a")
@options.json_flag
@pass_session
def read(session: CommandSession, limit: int, topic: str | None, agent: str | None, as_json: bool) -> None:
    """Print the newest entries, newest first."""
    with session.fresh_vault() as vault:
        entries = vault.memories.read_diary(limit, agent=agent, topic=topic)
    if as_json:
        output.say_json({"entries": [entry.to_dict() for entry in entries]})
        return
    if not entries:
        output.note("no diary entries match")
    for at, entry in enumerate(entries):
        lead = "\n" if at else ""
        output.say(f"{lead}{instants.show(entry.at)}  {output.line(entry.agent)}  {output.line(entry.topic)}")
        output.say(output.clean(entry.text))
