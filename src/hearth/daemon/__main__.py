"""The daemon as ``start`` runs it: by the path of this file, so that it is this Hearth whatever else is installed."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    _root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    sys.path.insert(0, _root)
    import hearth  # noqa: F401

    sys.path.append(sys.path.pop(0))
    from hearth.daemon.run import main

    sys.exit(main(sys.argv[1:]))
