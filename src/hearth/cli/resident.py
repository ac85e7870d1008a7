"""What ``daemon.start`` runs: the daemon, or a scan where none is wanted. By the path of this file, so that it is this
Hearth whatever else is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

if __name__ == "__main__":
    _root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    sys.path.insert(0, _root)
    import hearth  # noqa: F401

    sys.path.append(sys.path.pop(0))

from hearth.app import open_vault, settings
from hearth.app.pool import log_of
from hearth.config import vault_names
from hearth.core.errors import HearthError
from hearth.daemon.intake import take_in
from hearth.daemon.stub.start import IF_AUTO, SCAN


def main(arguments: Sequence[str]) -> int:
    """``--lock FD`` and ``--if-auto``, or ``--scan``, from ``start``; what goes wrong is in the log."""
    # Before numpy loads: its products here are small, and starting and waking threads costs more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    lock = int(arguments[1]) if "--lock" in arguments[:1] else None
    try:
        wanted = IF_AUTO not in arguments or settings().loaded.config.daemon.mode == "auto"
        if SCAN in arguments or not wanted:
            scan(os.environ)
        else:
            _serve(lock)
    except (HearthError, OSError):
        return 1
    return 0


def _serve(lock: int | None) -> None:
    from hearth.cli.served import begin
    from hearth.daemon.run import Start, run

    run(os.environ, Start(lock, commands=begin))


def scan(environ: Mapping[str, str]) -> None:
    """Takes in what hooks left behind, and brings every index up to date whose last scan is older than a few seconds;
    one that can't be is logged."""
    chosen = settings(environ=environ)
    take_in(environ)
    for name in vault_names(chosen.loaded.config):
        try:
            with open_vault(name, environ=environ) as vault:
                vault.index.freshen()
        except (HearthError, OSError) as error:
            log_of(chosen.folders.state).failure(f"scan of vault {name}", error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
