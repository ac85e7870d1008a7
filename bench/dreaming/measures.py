"""What the goals are measured by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dreaming.month import OFTEN, Month
from hearth.pages.dream.fragments import Key


@dataclass
class Tally:
    """Sums over months in which all was asked, and over others in which some was held out."""

    months: int = 0
    promoted: int = 0
    one: int = 0
    two: int = 0
    places: int = 0
    reached: int = 0
    apart: int = 0
    held_out: int = 0
    average: float = 0.0
    ideal: float = 0.0
    often: float = 0.0
    often_average: float = 0.0

    def add(self, month: Month, promoted: Sequence[Key]) -> None:
        keys = set(promoted)
        if month.held:
            self.apart += len(keys)
            self.held_out += sum(key in month.held_out for key in keys)
            self.average += month.average * len(keys)
            self.ideal += _ideal(month, len(keys))
            asked_often = [key for key, asked in month.gold.items() if asked >= OFTEN]
            self.often += sum(key in month.held_out for key in asked_often)
            self.often_average += month.average * len(asked_often)
            return
        self.months += 1
        self.promoted += len(keys)
        self.one += sum(month.gold.get(key, 0) >= 1 for key in keys)
        self.two += sum(month.gold.get(key, 0) >= 2 for key in keys)
        self.places += len(month.places)
        self.reached += sum(bool(place & keys) for place in month.places)

    @property
    def ceiling(self) -> float:
        """The last of the shares for as many passages as were promoted, chosen by knowing which answer most of the
        questions asked: what a month's use can tell at best."""
        return self.ideal / self.average if self.average else 0.0

    @property
    def ceiling_often(self) -> float:
        """The same of all passages that answer three questions asked, however many."""
        return self.often / self.often_average if self.often_average else 0.0

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Gold of a question asked, of two; places of three that were promoted; how much oftener than an average
        passage a promoted one answers what was held out."""
        count = max(1, self.promoted)
        lift = self.held_out / self.average if self.average else 0.0
        return self.one / count, self.two / count, self.reached / max(1, self.places), lift


GOALS = (0.95, 0.70, 0.40, 2.5)
MEASURES = (
    "promoted that is gold of a question asked",
    "of two",
    "gold of three questions that is promoted",
    "held out: answers one, against an average passage",
)


def _ideal(month: Month, count: int) -> float:
    """How many of the ``count`` passages that answer most questions asked answer one held out; of those that answer
    equally many the mean."""
    by_gold: dict[int, list[Key]] = {}
    for key, asked in month.gold.items():
        by_gold.setdefault(asked, []).append(key)
    found, left = 0.0, count
    for asked in sorted(by_gold, reverse=True):
        taken = min(left, len(by_gold[asked]))
        found += taken * sum(key in month.held_out for key in by_gold[asked]) / len(by_gold[asked])
        left -= taken
    return found


def rows(name: str, tally: Tally) -> list[list[str]]:
    return [
        [name, measure, f"{share:.3f}", f">= {goal:.2f}", "yes" if share >= goal else "NO"]
        for measure, share, goal in zip(MEASURES, tally.shares, GOALS, strict=True)
    ]
