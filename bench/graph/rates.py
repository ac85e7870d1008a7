"""How many documents a second relations and names are read of, in notes that somebody wrote."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hearth import app
from machine import table

GOAL = 1_000
"""Documents of 1 KB a second, of relations and names together."""
_ROUNDS, _ADDITIONS = 3, 20_000_000


def measure_rates(folder: Path) -> str:
    """The median of three indexes made anew, beside the seconds of 20 million additions in the same run."""
    relating, reading, adding, count = [], [], [], 0
    for _ in range(_ROUNDS):
        adding.append(_time(_add))
        with tempfile.TemporaryDirectory(prefix="hearth-graph-") as work:
            vault = app.open_folder(folder, Path(work))
            vault.index.sync()
            with vault.store.read() as reader:
                count = reader.statistics().documents
            relating.append(_time(vault.graph.build))
            reading.append(_time(vault.graph.names().run))
            vault.close()
    size = sum(file.stat().st_size for file in folder.rglob("*.md")) / count / 1024
    both = statistics.median(one + other for one, other in zip(relating, reading, strict=True))
    rows = [
        ["relations", f"{count / statistics.median(relating):,.0f}", ""],
        ["names", f"{count / statistics.median(reading):,.0f}", ""],
        ["both", f"{count / both:,.0f}", f">= {GOAL:,} {'✓' if count / both >= GOAL else '✗'}"],
        ["20 million additions", f"{statistics.median(adding):.2f} s", ""],
    ]
    return table([f"{count:,} documents of {size:.2f} KB", "a second", "goal"], rows)


def _time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _add() -> int:
    total = 0
    for number in range(_ADDITIONS):
        total += number
    return total
