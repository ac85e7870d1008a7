"""``hearth search``, ``vsearch``, ``query``, ``similar`` and ``surface``: one question, several recipes."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from hearth import app
from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.questions import results
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import HearthError
from hearth.core.hook import HookEvent, PromptSubmitted, SessionStarted
from hearth.core.query import Recall
from hearth.operations.search import Search, Similar
from hearth.vault.vault import Vault


def _searching(recipe: str, text: str, *more: Callable[[Any], Any]) -> click.Command:
    """The command that asks by ``recipe``; ``more`` are options of its own."""

    def command(session: CommandSession, words: tuple[str, ...], full: bool, **asked: Any) -> None:
        with session.fresh_vault() as vault:
            here = session.find_project(vault)
            given = {"recipe": recipe, "syntax": recipe == "keyword", "project": here, **_options(vault, **asked)}
            recall = vault.recall(options.text_or_stdin(words), **given)
            show(recall, vault, full=full)
            # A journal that can't be written keeps nobody from an answer.
            with suppress(HearthError, OSError):
                vault.usage.recalled(recall)

    command.__doc__ = text + (_OPERATORS if recipe == "keyword" else _PLAIN)
    for option in reversed((*_OPTIONS, *more)):
        command = option(command)
    return click.command()(pass_session(command))


_PLAIN = " Give - to read TEXT from standard input, and put -- before one that starts with a dash."
_OPERATORS = """ TEXT may hold "an exact phrase", -word, path:, tag:, type:, status:, before: and after: with a date.
Give - to read it from standard input, and put -- before a TEXT that starts with a dash."""


_OPTIONS: list[Callable[[Any], Any]] = [
    taking(
        Search,
        "*query=text@words limit/n collections=collection/c types=type tags=tag paths=path since until as_of min_score "
        "full explain",
    ),
    click.option(
        "--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Fit the answer into this many tokens."
    ),
    options.include,
    options.formats,
]

_intent = taking(Search, "intent")

_recipe = click.option(
    "--recipe",
    type=click.Choice(["hybrid", "plan", "intent"]),
    default="hybrid",
    show_default=True,
    help="plan splits a question that needs several searches or an order in time; intent also follows relations, "
    "depending on what is asked.",
)


def _options(
    vault: Vault,
    collections: tuple[str, ...],
    types: tuple[str, ...],
    since: str | None,
    until: str | None,
    as_of: str | None,
    **others: Any,
) -> dict[str, Any]:
    """The options of the command line as fields of a ``Query``."""
    parts = vault.core
    now, zone = parts.clock(), parts.zone
    return {
        "at": now,
        "collections": options.check_names(collections, [c.name for c in parts.collections], "collection"),
        "types": options.content_types(types),
        "since": None if since is None else options.parse_instant(since, "--since", now, zone),
        "until": None if until is None else options.parse_instant(until, "--until", now, zone, end=True),
        "as_of": None if as_of is None else options.parse_instant(as_of, "--as-of", now, zone, end=True) - 1,
        "budget_tokens": others.pop("budget"),
        **others,
    }


def show(recall: Recall, vault: Vault, *, full: bool) -> None:
    """Prints an answer in the format asked for; why there is none goes to stderr."""
    style = options.style()
    if recall.hits and not recall.confident:  # before what it is about
        doubt = output.line(recall.reason or "no confident answer")
        output.note(f"{doubt[0].upper()}{doubt[1:]}. Closest matches:")
        sys.stderr.flush()
    if style is None:
        results.show(recall, {c.name: c.root for c in vault.collections}, full=full)
    else:
        results.FORMATS[style](recall, full=full)
    if recall.plan is not None and recall.plan.kind == "parts":
        output.note(f"asked in parts: {'; '.join(map(output.line, recall.plan.clauses))}")
    for lane in recall.missing:
        output.warn(f"answered without {lane}")
    if not recall.hits:
        output.note(f"nothing found: {output.line(recall.reason or 'nothing fits')}")


search = _searching("keyword", "Find fragments by their words.")
vsearch = _searching("semantic", "Find fragments by their meaning.")
query = _searching("hybrid", "Find fragments by words and meaning together.", _intent, _recipe)


@click.command()
@taking(Similar, ".reference=ref limit/n")
@click.option("--full", is_flag=True, help="Print whole fragments instead of their beginnings.")
@options.formats
@pass_session
def similar(session: CommandSession, reference: str, limit: int, full: bool) -> None:
    """Find documents similar to a document."""
    with session.fresh_vault() as vault:
        started = time.perf_counter()
        found = tuple(replace(hit, explain=None) for hit in vault.similar(reference, limit))
        took = (time.perf_counter() - started) * 1000
        reason = None if found else "no similar document"
        show(Recall(reference, "similar", found, took, reason=reason, confident=bool(found)), vault, full=full)


_MAX_STDIN = 8 * 1024 * 1024
# Nobody waits for a reply here as hosts do.
_DEADLINE_MS = 10_000


@click.command()
@click.argument("words", nargs=-1, metavar="[PROMPT]")
@click.option(
    "--context", "hook", flag_value="context-surfacing", default=True, help="Preview what a prompt gets (default)."
)
@click.option("--bootstrap", "hook", flag_value="session-bootstrap", help="Preview what a new session gets.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the prompt from standard input.")
@click.option("--session", "name", help="The session, to leave out what it was shown already.")
@options.json_flag
@pass_session
def surface(
    session: CommandSession, words: tuple[str, ...], hook: str, from_stdin: bool, name: str | None, as_json: bool
) -> None:
    """Print the block that hooks would add for a prompt, or why they would add none.

    Records nothing without --session."""
    host, here = "command-line", str(Path.cwd())
    who = name or uuid.uuid4().hex
    event: HookEvent
    if hook == "context-surfacing":
        prompt = sys.stdin.read(_MAX_STDIN) if from_stdin else options.read_text(words)
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
        else:
            output.note(f"nothing would be added ({reply.reason})")
        sys.stdout.flush()
        if name is not None:
            handled.after()
