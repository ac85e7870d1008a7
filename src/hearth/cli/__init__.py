"""The command line: ``main`` is the entry point, ``hearth.cli.commands`` the table of what there is."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script: runs a command and returns the exit code; every error ends in one line on stderr."""
    if sys.platform == "win32":
        return _refuse_windows()
    missing = None
    if arguments is None:
        from hearth.cli import remote

        try:
            code, missing = remote.main()
        except KeyboardInterrupt:
            return _stop()
        if code is not None:
            return code
    if arguments is None:
        # What is loaded stays: looking for garbage among it, now or at the end, is a sixth of a short command. A
        # program that calls this goes on afterwards and keeps its own ways.
        gc.set_threshold(400_000, 20, 100)
    # Before numpy loads: its products here are small, and starting and waking threads costs more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from hearth.cli.commands import cli
    from hearth.cli.entrypoint import run

    try:
        return run(cli, arguments, missing)
    finally:
        if arguments is None:
            gc.freeze()


def _stop() -> int:
    from hearth.cli.entrypoint import stop
    from hearth.cli.session import CommandSession

    return stop(CommandSession())


def _refuse_windows() -> int:
    """Before any module that Windows lacks is imported."""
    from hearth.cli.output import error_line
    from hearth.core import paths
    from hearth.core.errors import UnsupportedPlatform

    try:
        paths.folders(platform=sys.platform)
    except UnsupportedPlatform as error:
        error_line(str(error))
        return error.exit_code
    return 1
