"""``hearth-hook NAME --host HOST``: what a host starts for each event.

Asks the daemon; without one answers in a child process; in doubt says nothing, in the form that the host wants. Ends
with 0 within its budget whatever happens. Hosts start it as ``python -I -S …/hearth/stub.py``, so it finds its package
by its own place, and it is compiled at every start: what can wait stands in ``hearth.daemon``.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    _root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    # First for this one import, so that it is this Hearth, then last, so that nothing beside it hides the library.
    sys.path.insert(0, _root)
    import hearth  # noqa: F401

    sys.path.append(sys.path.pop(0))

from hearth.daemon.stub import client as stub_client


def main() -> None:
    stub_client.main(sys.argv[1:])


if __name__ == "__main__":
    main()
