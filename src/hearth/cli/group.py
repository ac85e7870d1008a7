"""Groups of commands that are imported when they run, and the options that every command takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import click

from hearth import __version__
from hearth.cli.session import CommandSession

_SHOWN = ("-h", "--help")
ALL = "hearth.all"
"""In a context's ``meta``: whether its help lists all commands."""


class CommandEntry(NamedTuple):
    """Where a command lives, and its line in the overview."""

    module: str
    attribute: str
    help: str


Groups = Mapping[str, Sequence[str]]
"""Names of commands by what they are for."""


class LazyGroup(click.Group):
    """The top-level group: knows its commands by name and line alone until one is asked for; ``former`` names are
    answered and not listed."""

    def __init__(
        self,
        entries: Mapping[str, CommandEntry],
        groups: tuple[Groups, Groups],
        former: Mapping[str, CommandEntry],
        **options: object,
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._entries, self._former = entries, former
        self._everyday, self._everything = groups

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self._entries.get(cmd_name) or self._former.get(cmd_name)
        if entry is None:
            return None if ctx.resilient_parsing else _find_operation(cmd_name)
        command: click.Command = getattr(import_module(entry.module), entry.attribute)
        command.name = cmd_name
        _with_common_options(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from hearth.config.kinds import near

            raise click.UsageError(f"no command {args[0]!r}{near(args[0], list(self._entries))}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Everyday commands by what they are for; all of them for ``hearth help --all``."""
        lines = {name: entry.help for name, entry in self._entries.items()}
        groups = self._everyday
        if ctx.meta.get(ALL):
            more = _more_operations(self._entries)
            lines |= more
            groups = {**self._everything, **({"More": tuple(more)} if more else {})}
        for title, names in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, lines[name]) for name in names])
        if not ctx.meta.get(ALL):
            formatter.write_paragraph()
            formatter.write_text(f"All {len(self._entries)} commands: hearth help --all")


def _more_operations(entries: Mapping[str, CommandEntry]) -> dict[str, str]:
    """Operations that no command covers."""
    from hearth.operations.catalog import operations

    alone = {one.name.replace("_", "-"): one.summary for one in operations().values() if not one.command}
    return {name: summary for name, summary in alone.items() if name not in entries}


def _find_operation(name: str) -> click.Command | None:
    """The command of an operation that this package says nothing of."""
    from hearth.operations.catalog import operations

    found = operations().get(name.replace("-", "_"))
    if found is None:
        return None
    from hearth.cli.operation import command

    made = command(found)
    _with_common_options(made)
    return made


def root(
    entries: Mapping[str, CommandEntry], everyday: Groups, everything: Groups, former: Mapping[str, CommandEntry]
) -> LazyGroup:
    return LazyGroup(
        entries,
        (everyday, everything),
        former,
        name="hearth",
        help="Hearth finds the right fragment in your notes: markdown is the memory, the index is disposable.",
        params=[*_common_options(envvar=True), _version_option()],
        context_settings={"help_option_names": list(_SHOWN), "max_content_width": 120},
        no_args_is_help=True,
    )


def _common_options(*, envvar: bool = False) -> list[click.Option]:
    """Allowed before and after the name of the command."""
    return [
        click.Option(
            ["--vault"],
            metavar="NAME",
            expose_value=False,
            callback=_set_vault,
            help="The vault to use (HEARTH_VAULT; else the vault named default).",
        ),
        click.Option(
            ["--debug"],
            is_flag=True,
            expose_value=False,
            callback=_set_debug,
            envvar="HEARTH_DEBUG" if envvar else None,
            help="Show tracebacks (HEARTH_DEBUG=1).",
        ),
    ]


def _version_option() -> click.Option:
    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            click.echo(f"hearth {__version__}")
            ctx.exit()

    return click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=show, help="Print the version."
    )


def _set_vault(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(CommandSession).vault_name = value


def _set_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(CommandSession).debug = True


def _with_common_options(command: click.Command) -> None:
    """Once per process: commands are module-level objects."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _with_common_options(inner)
        return
    taken = {option for parameter in command.params for option in parameter.opts}
    command.params.extend(option for option in _common_options() if option.opts[0] not in taken)
