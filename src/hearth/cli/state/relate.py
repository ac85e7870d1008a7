"""``hearth relate`` and ``unrelate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state.change import remarks, say, signed
from hearth.engine.graph.graph import STATABLE

_KIND = click.Choice(STATABLE)


def _relating(name: str, text: str) -> click.Command:
    def command(session: CommandSession, source: str, kind: str, target: str, as_json: bool, **given: Any) -> None:
        with session.fresh_vault() as vault:
            done = getattr(vault.graph, name)(source, kind, target, **signed(given))
        say(done, as_json=as_json)

    command.__doc__ = text
    arguments: tuple[Callable[[Any], Any], ...] = (
        click.argument("source", metavar="REF"),
        click.argument("kind", metavar="TYPE", type=_KIND),
        click.argument("target", metavar="REF"),
    )
    built: Callable[..., Any] = remarks(command)
    for argument in reversed(arguments):
        built = argument(built)
    return click.command()(pass_session(built))


relate = _relating("relate", f"Say how a document is related to another. TYPE is one of: {', '.join(STATABLE)}.")
unrelate = _relating("unrelate", "Say that a document is not related to another in this way, whoever says so.")
