"""What the process takes, for ``status``: a daemon must not grow."""

from __future__ import annotations

import os
import resource
import sys
import threading
from contextlib import suppress
from pathlib import Path


def footprint() -> dict[str, int]:
    """Resident memory in KiB (the most so far where the system does not tell the present), descriptors, threads."""
    return {"memory_kib": _memory(), "descriptors": _descriptors(), "threads": threading.active_count()}


def _memory() -> int:
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


def _descriptors() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return sum(1 for _ in Path(folder).iterdir())
    return 0
