"""``hearth surface``: what the hooks would show, for hosts without hooks."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path

import click

from hearth import app
from hearth.cli import options, output
from hearth.cli.memories import given
from hearth.cli.session import CommandSession, pass_session
from hearth.model.host.hook import HookEvent, PromptSubmitted, SessionStarted

_MAX_STDIN = 8 * 1024 * 1024
# Nobody waits for a reply here as hosts do.
_DEADLINE_MS = 10_000


@click.command()
@click.argument("words", nargs=-1, metavar="[PROMPT]")
@click.option("--context", "hook", flag_value="context-surfacing", default=True, help="What bears on a prompt.")
@click.option("--bootstrap", "hook", flag_value="session-bootstrap", help="What a new session is told.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the prompt from standard input.")
@click.option("--session", "name", help="The session: what it was shown is not shown again.")
@options.json_flag
@pass_session
def surface(
    session: CommandSession, words: tuple[str, ...], hook: str, from_stdin: bool, name: str | None, as_json: bool
) -> None:
    """Print the block that the hooks would put before an agent, or nothing.

    Without --session nothing is written down."""
    host, here = "command-line", str(Path.cwd())
    who = name or uuid.uuid4().hex
    event: HookEvent
    if hook == "context-surfacing":
        prompt = sys.stdin.read(_MAX_STDIN) if from_stdin else given.text(words)
        event = PromptSubmitted(host=host, session=who, cwd=here, prompt=prompt)
    else:
        event = SessionStarted(host=host, session=who, cwd=here)
    with session.fresh_vault() as vault:
        handled = app.hooks(vault, session.settings().loaded.config).answer(hook, event, _DEADLINE_MS)
        reply = handled.reply
        if as_json:
            output.say_json({"context": reply.context, "reason": reply.reason})
        elif reply.context is not None:
            output.say(reply.context)
        sys.stdout.flush()
        if name is not None:
            handled.after()
