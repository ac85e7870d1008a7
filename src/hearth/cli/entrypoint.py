"""The edge of the command line: every way in which a run can end becomes a line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hearth.cli import output, streams
from hearth.cli.output import error_line
from hearth.cli.session import CommandSession
from hearth.core.errors import HearthError

if TYPE_CHECKING:
    from hearth.daemon.address import Address

INTERRUPTED = 130


def run(command: click.Command, arguments: Sequence[str] | None, missing: Address | None = None) -> int:
    """Runs to the end and returns the exit code; never raises but ``SystemExit`` from shell completion. ``missing`` is
    where a daemon is to be started for the next command, if the settings want one."""
    session = CommandSession(missing=missing)
    streams.open_closed()
    streams.tolerate_odd_names()
    try:
        code = attempt(command, arguments, session)
        sys.stdout.flush()
    except BrokenPipeError:
        return streams.leave_quietly()
    except HearthError as error:
        return _fail(error, session)
    except (click.Abort, KeyboardInterrupt):
        return stop(session)
    except OSError as error:
        # What no code knows better: a failing disk can refuse any call.
        return refuse(error, session)
    except Exception as error:  # noqa: BLE001 (the one place where the command line may)
        if session.debug:
            _traceback()
        what = f"{type(error).__name__}: {error}"
        error_line(what if session.debug else f"unexpected {what}; hearth --debug … shows where, hearth doctor checks")
        return 1
    return code


def attempt(command: click.Command, arguments: Sequence[str] | None, session: CommandSession) -> int:
    """The exit code of a command that ended as one does: well, or with an error that people are told."""
    try:
        result = command.main(
            args=None if arguments is None else list(arguments),
            prog_name="hearth",
            complete_var="_HEARTH_COMPLETE",
            standalone_mode=False,
            obj=session,
        )
    except click.exceptions.NoArgsIsHelpError as error:
        output.out().write(error.ctx.get_help() + "\n" if error.ctx is not None else "")
        return error.exit_code
    except click.ClickException as error:
        error_line(_reword(error))
        return error.exit_code
    except HearthError as error:
        return _fail(error, session)
    return result if isinstance(result, int) else 0


def stop(session: CommandSession) -> int:
    """Somebody stopped it: how far it got, and what becomes of that."""
    progress = f" ({session.done} of {session.total} files)" if session.total else ""
    error_line(f"stopped; {session.kept}{progress}")
    return INTERRUPTED


def refuse(error: OSError, session: CommandSession) -> int:
    """The system refused a call: which, and what to do."""
    from hearth.core.files import unavailable

    what = "refused to read or write" if error.filename is None else f"refuses {os.fsdecode(error.filename)}"
    return _fail(unavailable(f"the system {what}", error), session)


def _fail(error: HearthError, session: CommandSession) -> int:
    if session.debug:
        _traceback()
    error_line(str(error))
    return error.exit_code


def _reword(error: click.ClickException) -> str:
    """Click's sentences in the form of ours."""
    if isinstance(error, click.NoSuchOption):
        text = f"no option {error.option_name}{_near_option(error)}; put -- before text that starts with a dash"
    else:
        text = error.format_message().strip().rstrip(".")
        text = text[:1].lower() + text[1:]
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text += f"; see: {error.ctx.command_path} --help"
    return text


def _near_option(error: click.NoSuchOption) -> str:
    from hearth.config.kinds import near

    parameters = error.ctx.command.get_params(error.ctx) if error.ctx is not None else []
    return near(error.option_name, [name for parameter in parameters for name in parameter.opts])


def _traceback() -> None:
    import traceback

    traceback.print_exc()
