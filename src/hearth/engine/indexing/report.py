"""What a sync did: one report, which every surface shows in the same words and fields."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any

from hearth.errors import Guidance, Remedy
from hearth.lazy import dataclass
from hearth.ports import Skipped, Walk

OTHER_NOTES = "other_notes."
"""Under this and a collection's name is noted how many notes its pattern leaves out, by the pattern for them."""
COUNTS = ("added", "changed", "moved", "retired", "unchanged")
"""Documents, by what was done about them."""


@dataclass(slots=True)
class SyncReport:
    """What a sync did; ``skipped`` names every file that could not be taken in and why, ``left_out`` counts by reason
    what was not to be, ``held`` says which collections lost too much,
    ``collections`` what was done in each."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    retired: int = 0
    unchanged: int = 0
    fragments: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    held: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0
    # What was found of each collection that was taken in whole.
    walks: dict[str, Walk] = field(default_factory=dict)
    collections: dict[str, SyncReport] = field(default_factory=dict)

    def add(self, name: str, part: SyncReport) -> None:
        """Takes in what was done in one collection."""
        for count in (*COUNTS, "fragments"):
            setattr(self, count, getattr(self, count) + getattr(part, count))
        self.skipped += part.skipped
        self.left_out.update(part.left_out)
        self.walks |= part.walks
        self.held |= part.held
        self.collections[name] = part

    @property
    def other_notes(self) -> dict[str, int]:
        """Pattern -> number of files that it would take in."""
        return {why: count for why, count in sorted(self.left_out.items()) if why.startswith("*.")}

    @property
    def touched(self) -> bool:
        return bool(self.added or self.changed or self.retired)

    def said(self) -> str:
        """One line; zeros are left out."""
        counted = [f"{count:,} {name}" for name in COUNTS if (count := getattr(self, name))]
        left_out = ", ".join(
            f"{why} ({count:,})" for why, count in sorted(self.left_out.items()) if why not in self.other_notes
        )
        done = f"{', '.join(counted) or 'no documents'} in {self.seconds:.1f} s"
        return done + (f"; left out: {left_out}" if left_out else "")

    def remarks(self) -> list[str]:
        """For an answer, what its index lacks."""
        status = Remedy("status", "status")
        return [Guidance(f"collection {name!r} is held: {why}", status) for name, why in self.held.items()]

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """As every surface gives it, with at most so many files left out and problems."""
        skipped = [
            {"collection": one.collection, "path": one.path, "reason": one.reason} for one in self.skipped[:most]
        ]
        return {name: getattr(self, name) for name in (*COUNTS, "fragments")} | {
            "seconds": round(self.seconds, 3),
            "skipped": skipped,
            "skipped_total": len(self.skipped),
            "left_out": dict(self.left_out),
            "held": dict(self.held),
            "problems": self.problems[:most],
        }
