"""A process that is killed while it keeps turns: nothing that was acknowledged is lost, nothing is kept twice."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.context.engine.test_engine import MAIN, Desk

from hearth.context.engine.assembly import AssembleRequest

_CHILD = """
import sys
from pathlib import Path
from tests.context.engine.test_engine import MAIN, Desk
desk = Desk(Path(sys.argv[1]))
for at in range(int(sys.argv[2]), 100_000):
    desk.say(f"t{at}", f"prompt {at}", "x" * 3_000)
    if at % 7 == 3:
        desk.engine.flush(MAIN, 190_000)
        desk.engine.flushed(MAIN)
    if at % 11 == 5:
        desk.engine.compact(MAIN, window=8_000)
    if at % 17 == 13:
        desk.engine.reset(MAIN)
    print(at, flush=True)
"""


def _kills(folder: Path, times: int) -> None:
    acknowledged = -1
    for number in range(times):
        command = [sys.executable, "-c", _CHILD, str(folder), str(acknowledged + 1)]
        root = Path(__file__).resolve().parents[3]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as child:
            assert child.stdout is not None
            # A different number each time, so that the kill falls into commits, flushes, compactions and resets.
            for _ in range(3 + number % 5):
                line = child.stdout.readline()
                assert line, "the child ended by itself"
            child.kill()
            rest = child.stdout.read().split()
        acknowledged = int(rest[-1] if rest else line)
        desk = Desk(folder)
        said = Counter(one["content"] for one in desk.engine.messages(MAIN) if one["role"] == "user")
        assert set(said.values()) == {1}
        assert {f"prompt {at}" for at in range(acknowledged + 1)} <= set(said)
        # The host does not know whether the last one arrived.
        desk.say(f"t{acknowledged + 1}", f"prompt {acknowledged + 1}", "x" * 3_000)
        acknowledged += 1
        sent = desk.engine.assemble(MAIN, AssembleRequest(10**6)).messages
        # The reset that follows it may have been done, too, and leaves nothing to send.
        was_reset = acknowledged % 17 == 13 and not sent
        assert was_reset or f"prompt {acknowledged}" in [one["content"] for one in sent]


def test_no_turn_is_lost_or_kept_twice(tmp_path: Path) -> None:
    _kills(tmp_path / "sessions", 4)


@pytest.mark.torture
def test_two_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    for part in range(10):
        _kills(tmp_path / f"sessions-{part}", 20)
