"""What a run of ``mine`` or ``import`` did, or would do: one report for both, with the same figures in a dry run."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any, Literal

from hearth.core.lazy import dataclass
from hearth.text.lines import plural

MAX_LISTED = 100
"""Problems that a report spells out; it always counts all."""
_PLACE_CHARS, _REASON_CHARS = 200, 300

Outcome = Literal["taken", "merged", "known"]


@dataclass
class ImportReport:
    """``taken`` counts documents that are new, ``merged`` those to which something was added, ``known`` those that are
    there already, ``events`` changes of state. ``skipped`` counts by reason what was left out; ``without_place`` counts
    by name the fields for which Hearth has no place; ``dropped_times`` counts times that can't be right or have no
    offset. ``by_source`` says of each source how many documents were taken, merged or known."""

    run: str | None = None
    dry_run: bool = False
    taken: int = 0
    merged: int = 0
    known: int = 0
    events: int = 0
    redacted: int = 0
    dropped_times: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    without_place: Counter[str] = field(default_factory=Counter)
    by_source: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, outcome: Outcome, source: str) -> None:
        """One document of a source."""
        setattr(self, outcome, getattr(self, outcome) + 1)
        self.by_source.setdefault(source, Counter())[outcome] += 1

    def recount(self, was: Outcome, source: str, now: Outcome | None = None) -> None:
        """Another outcome for one document that was counted, or none."""
        setattr(self, was, getattr(self, was) - 1)
        self.by_source.setdefault(source, Counter())[was] -= 1
        if now is not None:
            self.count(now, source)

    def skip(self, reason: str, place: str | None = None, detail: str = "") -> None:
        """Something left out for a ``reason`` that many may share; with a ``place`` it is listed, too."""
        self.skipped[reason] += 1
        if place is not None and len(self.problems) < MAX_LISTED:
            why = (detail or reason).removeprefix(f"{place}: ").removeprefix(f"{place} ")
            self.problems.append(f"{_shorten(place)}: {why[:_REASON_CHARS]}")

    def lack_place(self, name: str, found: object) -> None:
        """A field of a source for which Hearth has no place, where it says something."""
        if found:
            self.without_place[name] += 1

    @property
    def changed(self) -> bool:
        """Whether there is anything to undo."""
        return bool(self.taken or self.merged or self.events)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        numbers = ("taken", "merged", "known", "events", "redacted", "dropped_times")
        return {
            "run": self.run if self.changed and not self.dry_run else None,
            "dry_run": self.dry_run,
            **{name: getattr(self, name) for name in numbers},
            "skipped": dict(self.skipped.most_common()),
            "without_place": dict(self.without_place.most_common()),
            "by_source": {name: dict(+counts) for name, counts in sorted(self.by_source.items())},
            "problems": list(self.problems),
        }


def describe(report: ImportReport, noun: str = "document") -> list[str]:
    """The report as lines for people."""
    verb = "would take in" if report.dry_run else "taken in"
    lines = [f"{verb}: {plural(report.taken, noun)}"]
    lines += [f"  {name}: {_list(counts)}" for name, counts in sorted(report.by_source.items())]
    if report.merged:
        lines.append(f"added to: {plural(report.merged, noun)} already there")
    if report.known:
        lines.append(f"already there: {plural(report.known, noun)}")
    if report.events:
        lines.append(f"changes of state: {report.events:,}")
    if report.skipped:
        lines.append(f"skipped: {_list(report.skipped)}")
    if report.without_place:
        lines.append(f"fields without a place here: {_list(report.without_place)}")
    if report.dropped_times:
        lines.append(f"times dropped (impossible, in the future, or without an offset): {report.dropped_times:,}")
    if report.redacted:
        lines.append(f"secrets taken out: {report.redacted:,}")
    if report.changed and not report.dry_run:
        lines.append(f"take it back with: hearth undo --run {report.run}")
    return lines


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in (+counts).most_common())


def _shorten(place: str) -> str:
    return place if len(place) <= _PLACE_CHARS else f"…{place[1 - _PLACE_CHARS :]}"
