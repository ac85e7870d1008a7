"""The plan of a scan, what a scan found, and which files nobody tracks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from hearth.core.document import FileState
from hearth.core.errors import Guidance, Remedy
from hearth.core.lazy import dataclass
from hearth.ports import Collection, Commit, IndexedFile, Skipped, Walk


class Untracked:
    """Implements ``ports.Commits``."""

    def revision(self, collection: Collection) -> str | None:
        return None

    def first(self, collection: Collection) -> Mapping[str, Commit]:
        return {}


# Vanishing files: above both limits a collection holds on to what it had (an unmounted disk, an empty sync folder).
HELD_SHARE = 0.5
HELD_COUNT = 20
# A file changed this recently may change again inside one tick of its file system's clock.
SUSPICIOUS_NS = 2_000_000_000
_EMPTY = "the folder is empty"
_GONE = "files are gone"


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Paths to ``read``; ``gone`` paths were indexed and are not there; ``back`` had vanished and are there again."""

    read: tuple[str, ...]
    gone: tuple[str, ...]
    back: tuple[str, ...]
    unchanged: int


def plan_sync(
    on_disk: Mapping[str, FileState],
    indexed: Mapping[str, IndexedFile],
    now_ns: int,
    *,
    anew: bool = False,
    unreadable: Mapping[str, FileState] = MappingProxyType({}),
) -> SyncPlan:
    """``anew`` has everything read; what was ``unreadable`` and is as it was then is not."""
    read: list[str] = []
    back: list[str] = []
    unchanged = 0
    for path, file in on_disk.items():
        known = indexed.get(path)
        same = (known is not None and known.file == file) or unreadable.get(path) == file
        if anew or not same or abs(now_ns - file.mtime_ns) < SUSPICIOUS_NS:
            read.append(path)
        else:
            unchanged += 1
        if known is not None and known.vanished:
            back.append(path)
    gone = tuple(path for path in indexed if path not in on_disk)
    return SyncPlan(tuple(read), gone, tuple(back), unchanged)


def explain_keeping(lost: int, indexed: int, *, missing: str | None, empty: bool) -> str | None:
    """Why vanished files must not be retired; ``None`` where retiring them is safe."""
    if missing is not None or not lost:
        return missing
    if empty:
        return _EMPTY
    if lost >= HELD_COUNT and lost > HELD_SHARE * indexed:
        return f"{lost} of {indexed} {_GONE}"
    return None


def may_be_forced(reason: str) -> bool:
    """Whether what is held for a reason may be retired by force: not where the folder can't be read."""
    return reason == _EMPTY or reason.endswith(_GONE)


def release(name: str, reason: str) -> str:
    """What helps where a collection is held for a reason."""
    if may_be_forced(reason):
        return "bring the files back; if they were deleted on purpose, run: hearth update --force"
    return f"bring the folder back, or run: hearth collection move {name} PATH, or: hearth collection remove {name}"


COUNTS = ("added", "changed", "moved", "retired", "unchanged")
"""Documents, by what was done about them."""


@dataclass(slots=True)
class SyncReport:
    """What a sync did; ``skipped`` names every file that could not be taken in and why, ``left_out`` counts by reason
    what was not to be, ``faults`` names documents with something wrong in them, ``new_faults`` those of them that were
    read just now, ``held`` says which collections lost too much, ``collections`` what was done in each."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    retired: int = 0
    unchanged: int = 0
    fragments: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    faults: list[Skipped] = field(default_factory=list)
    new_faults: list[Skipped] = field(default_factory=list)
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
        self.new_faults += part.new_faults
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

    def summarize(self) -> str:
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
        """As every surface gives it, with at most so many files left out, faults and problems."""
        skipped, faults = (
            [{"collection": one.collection, "path": one.path, "reason": one.reason} for one in files[:most]]
            for files in (self.skipped, self.faults)
        )
        return {name: getattr(self, name) for name in (*COUNTS, "fragments")} | {
            "seconds": round(self.seconds, 3),
            "skipped": skipped,
            "skipped_total": len(self.skipped),
            "left_out": dict(self.left_out),
            "faults": faults,
            "held": dict(self.held),
            "problems": self.problems[:most],
        }
