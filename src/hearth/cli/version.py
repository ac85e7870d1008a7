"""``hearth version`` and ``completion``."""

from __future__ import annotations

import platform
import sys

import click

from hearth import __version__
from hearth.cli import options, output


@click.command()
@options.json_flag
def version(as_json: bool) -> None:
    """Print the versions of Hearth and Python."""
    python = platform.python_version()
    if as_json:
        output.say_json({"hearth": __version__, "python": python, "platform": sys.platform})
    else:
        output.say(f"hearth {__version__} (Python {python}, {sys.platform})")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a completion script; put it where your shell reads one."""
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    assert completer is not None
    output.say(completer(ctx.find_root().command, {}, "hearth", "_HEARTH_COMPLETE").source())
