"""``hearth version``, ``completion`` and ``help``."""

from __future__ import annotations

import platform
import sys

import click

from hearth import __version__
from hearth.cli import options, output
from hearth.cli.group import ALL


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


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND]")
@click.option("--all", "everything", is_flag=True, help="List all commands, not only the everyday ones.")
@click.pass_context
def show_help(ctx: click.Context, names: tuple[str, ...], everything: bool) -> None:
    """Show the help of Hearth, or of a command."""
    top = ctx.find_root()
    context = click.Context(top.command, info_name=top.info_name, color=top.color)
    context.meta[ALL] = everything
    for name in names:
        group = context.command
        command = group.get_command(context, name) if isinstance(group, click.Group) else None
        if command is None:
            raise click.UsageError(f"no command {' '.join(names)!r}", ctx)
        context = click.Context(command, parent=context, info_name=name)
    output.say(context.get_help())
