"""The daemon as ``daemon.start`` runs it: by the path of this file, so that it is this Hearth whatever else is
installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

if __name__ == "__main__":
    _root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    sys.path.insert(0, _root)
    import hearth  # noqa: F401

    sys.path.append(sys.path.pop(0))


def main(arguments: Sequence[str]) -> int:
    """``--lock FD`` and ``--if-auto`` from ``start``; what goes wrong is in the log."""
    lock = int(arguments[1]) if len(arguments) >= 2 and arguments[0] == "--lock" else None
    # Before numpy loads: its products here are small, and starting and waking threads costs more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from hearth.cli.served import begin
    from hearth.daemon.run import Start, run
    from hearth.daemon.start import IF_AUTO
    from hearth.errors import HearthError

    try:
        run(os.environ, Start(lock, IF_AUTO in arguments, commands=begin))
    except (HearthError, OSError):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
