"""The rows of the table, and what a part has to know of them."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "trust"


@dataclass(frozen=True)
class Options:
    """``most`` cases of a part at most, else as many as it takes by itself; ``sets`` are files by their names, of which
    ``part`` is read, as it is of those in ``data``; ``gardens`` are folders of notes."""

    most: int | None = None
    sets: dict[str, Path] = field(default_factory=dict)
    part: str = "all"
    data: Path | None = None
    gardens: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Row:
    """``goal`` compares with ``count / of``, or with what was ``measured`` otherwise: ``<= 0.03``, ``>= 0.9``; empty
    where the figure is reported alone."""

    measure: str
    count: int
    of: int
    goal: str = ""
    failed: tuple[str, ...] = ()
    measured: float | None = None

    @property
    def figure(self) -> float:
        if self.measured is not None:
            return self.measured
        return self.count / self.of if self.of else 0.0

    @property
    def reached(self) -> str:
        if not self.goal or not self.of:
            return ""
        sign, _, number = self.goal.partition(" ")
        met = self.figure >= float(number) if sign == ">=" else self.figure <= float(number)
        return "yes" if met else "no"

    def cells(self) -> list[str]:
        return [self.measure, f"{self.count} of {self.of}", f"{self.figure:.3f}", self.goal, self.reached]


def is_aside(name: str, key: object) -> bool:
    """Whether a row of a set is of the third that is put aside, which is counted and never shown."""
    return int(hashlib.sha256(f"{name}/{key}".encode()).hexdigest(), 16) % 3 == 0


def is_in(part: str, name: str, key: object) -> bool:
    """``part`` is ``all``, ``read`` or ``aside``."""
    return part == "all" or is_aside(name, key) == (part == "aside")


def spread(name: str, rows: list[Any], most: int | None) -> list[Any]:
    """At most so many of them, all where nothing is said: shuffled, and always the same."""
    order = sorted(range(len(rows)), key=lambda at: hashlib.sha256(f"{name}/{at}".encode()).digest())
    return [rows[at] for at in order[:most]]


def read_table(name: str) -> list[dict[str, str]]:
    lines = [line for line in (SAMPLES / name).read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines; a line that begins with ``#`` is a remark."""
    for line in file.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield json.loads(line)


def groups(rows: list[Any], size: int) -> Iterator[list[Any]]:
    for at in range(0, len(rows), size):
        yield rows[at : at + size]
