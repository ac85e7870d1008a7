"""``hearth completion``: a script for the shell."""

from __future__ import annotations

import click

from hearth.cli import output


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a completion script; put it where your shell reads one."""
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    assert completer is not None
    output.say(completer(ctx.find_root().command, {}, "hearth", "_HEARTH_COMPLETE").source())
