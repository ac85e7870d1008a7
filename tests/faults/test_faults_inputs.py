"""Generated inputs at every way in: an answer or a planned error, whatever it is."""

from __future__ import annotations

import random
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.faults.generated.surfaces import Surface, surfaces
from tests.torture import Part, torture

# Of one fault so many inputs are told.
SHOWN = 3


def put_in(home: Path, seed: object, count: int) -> tuple[Counter[str], list[str]]:
    """How many inputs each way in took, and what was wrong; each input has its own seed, which is told with it."""
    taken: Counter[str] = Counter()
    faults: dict[str, list[str]] = {}
    with surfaces(home) as found:
        for number in range(count):
            own = f"{seed} {number}"
            rng = random.Random(own)
            [surface] = rng.choices(list(found), list(found.values()))
            given = surface.draw(rng)
            taken[surface.name] += 1
            if fault := fault_of(surface, given):
                faults.setdefault(f"{surface.name}: {fault}", []).append(f"seed {own!r}: {given!a:.1500}")
    return taken, [f"{fault} ({len(seen)})\n" + "\n".join(seen[:SHOWN]) for fault, seen in faults.items()]


def fault_of(surface: Surface, given: Any) -> str | None:
    try:
        surface.take(given)
    except Exception as error:  # noqa: BLE001 (what is looked for)
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}: {str(error)!a:.200}"
    return None


def test_any_input_gets_an_answer_or_a_planned_error(tmp_path: Path) -> None:
    taken, faults = put_in(tmp_path, 1, 1_500)
    assert faults == []
    assert sorted(taken) == ["MCP", "REST", "command line", "hooks", "journal", "markdown"]


@torture("inputs", parts=100)
def test_a_million_inputs_get_an_answer_or_a_planned_error(
    part: Part, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL")
    taken, faults = put_in(tmp_path, repr(part), part.cases)
    part.count(taken.total())
    assert faults == []
