"""The daemon keeps no memory that it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Free blocks below one that is in use: the C library keeps them until it is asked to give them back.
SCRIPT = """
import resource
from pathlib import Path
from hearth.daemon.run import watch_memory
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
give_back = watch_memory()
give_back(True)
blocks = [bytearray(50_000) for _ in range(2_000)]
del blocks[:-1]
kept = resident()
give_back(True)
assert resident() > kept - 10_000_000
give_back(False)
assert resident() < kept - 50_000_000, (kept, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="as glibc does it")
def test_what_is_free_is_given_back_once_nothing_is_done() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
