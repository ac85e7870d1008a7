"""What a process keeps of a session between requests changes nothing of what it sends."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context.engine.test_engine import MAIN, Desk
from tests.context.engine.test_generated import turn_of

from hearth.context.engine.assembly import AssembleRequest, Assembly
from hearth.context.engine.engine import ContextEngine

STEPS = [*["say"] * 9, "say elsewhere", "say elsewhere", "wait", "wait", "compact", "compact elsewhere", "reset"]
BUDGETS = (3_000, 20_000, 200_000)


def send(engine: ContextEngine, budget: int) -> Assembly:
    return engine.assemble(MAIN, AssembleRequest(budget, "And now?", window=max(8_000, budget)))


def send_anew(desk: Desk, budget: int) -> Assembly:
    """What a process sends that reads the whole session now, told what the other one has pruned so far."""
    with desk.engine._sessions.open(MAIN) as live:
        pruned = dict(live.pruned)
    engine = desk.open()
    with engine._sessions.open(MAIN) as live:
        live.pruned = pruned
    return send(engine, budget)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32))
def test_a_request_is_answered_as_if_nothing_were_kept(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(dir=tmp_path_factory.getbasetemp()) as folder:
        desk = Desk(Path(folder))
        other = desk.open()
        for number in range(25):
            step, budget = rng.choice(STEPS), rng.choice(BUDGETS)
            engine = other if step.endswith("elsewhere") else desk.engine
            match step.split()[0]:
                case "say":
                    engine.commit(MAIN, f"t{number}", turn_of(rng, number, 30_000))
                case "wait":
                    desk.now.at += 400_000
                case "compact":
                    engine.compact(MAIN, window=16_000)
                case "reset":
                    engine.reset(MAIN)
            anew = send_anew(desk, budget)
            assert send(desk.engine, budget) == anew
            assert send(desk.engine, budget).messages == anew.messages
