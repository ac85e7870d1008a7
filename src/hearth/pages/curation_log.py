"""What a vault needs, what a curation came to, and the report of the last one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, get_args

from hearth.core.instants import DAY_MS, show_date, zone_of
from hearth.core.lazy import dataclass
from hearth.ports import Clock

ActionKind = Literal[
    "checks", "sources", "review", "overdue", "page", "backlog", "duplicates", "sweep", "snooze", "pin"
]
KINDS: tuple[ActionKind, ...] = get_args(ActionKind)
"""The most urgent first; of each there is one action at most."""
REVERSIBLE = frozenset(("duplicates", "sweep", "snooze", "pin"))
MAX_LISTED = 5
"""Details and commands of one action."""


@dataclass(frozen=True, slots=True)
class CurationAction:
    """``said`` is a sentence for people, ``commands`` are what is typed to do it, ``details`` say which documents and
    why; ``docids`` are those that a run changes."""

    kind: ActionKind
    said: str
    commands: tuple[str, ...]
    details: tuple[str, ...] = ()
    docids: tuple[str, ...] = ()

    @property
    def reversible(self) -> bool:
        return self.kind in REVERSIBLE

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "kind": self.kind,
            "said": self.said,
            "commands": list(self.commands),
            "details": list(self.details),
            "docids": list(self.docids),
            "reversible": self.reversible,
        }

    def to_row(self) -> dict[str, Any]:
        """What is kept of it: nothing that documents say or are called, since what is purged must be gone."""
        return {"kind": self.kind, "said": self.said, "commands": list(self.commands)}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> CurationAction:
        """Raises ``KeyError``, ``TypeError`` or ``ValueError`` for what ``to_row`` did not make."""
        return cls(KINDS[KINDS.index(row["kind"])], str(row["said"]), tuple(map(str, row["commands"])))


@dataclass(frozen=True, slots=True)
class Curation:
    """``actions`` are what is to be done ``at`` that moment (ms UTC), the most urgent first; ``done`` says what was
    carried out, and ``run`` is what ``undo_run`` takes back, ``None`` where nothing was."""

    at: int
    actions: tuple[CurationAction, ...]
    done: tuple[str, ...] = ()
    run: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "at": self.at,
            "actions": [one.to_dict() for one in self.actions],
            "done": list(self.done),
            "run": self.run,
        }


EVERY_DAYS = 7
MAX_NUDGES = 3


class CurationFile(Protocol):
    """Beside the index; whoever loses it loses a reminder."""

    def read(self) -> bytes | None: ...
    def write(self, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Nudge:
    """What a session that begins is reminded of: the most urgent actions of a report that is ``days`` old, and how many
    ``more`` there are."""

    actions: tuple[CurationAction, ...]
    more: int
    days: int

    @property
    def overdue(self) -> bool:
        return self.days >= EVERY_DAYS


@dataclass(frozen=True)
class CurationLog:
    file: CurationFile
    clock: Clock
    zone: str

    def put(self, at: int, actions: Sequence[CurationAction]) -> None:
        """Keeps a report of that moment (ms UTC), and whether somebody was reminded today."""
        known = self._load()
        self._save(at, actions, None if known is None else known["nudged"])

    def is_due(self) -> bool:
        """Whether there is no report, or it is a week old."""
        known = self._load()
        return known is None or not 0 <= self.clock() - known["at"] < EVERY_DAYS * DAY_MS

    def nudge(self) -> Nudge | None:
        """What to remind of today; ``None`` where there is no report, nothing in it, or somebody was reminded."""
        known = self._load()
        if known is None or known["nudged"] == self._today():
            return None
        actions, days = known["actions"], max(0, self.clock() - known["at"]) // DAY_MS
        found = Nudge(tuple(actions[:MAX_NUDGES]), max(0, len(actions) - MAX_NUDGES), days)
        return found if found.actions or found.overdue else None

    def remember_nudge(self) -> None:
        """Nobody is reminded again today."""
        known = self._load()
        if known is not None:
            self._save(known["at"], known["actions"], self._today())

    # -- details ---------------------------------------------------------------------------------------------------

    def _today(self) -> str:
        return show_date(self.clock(), zone_of(self.zone))

    def _load(self) -> dict[str, Any] | None:
        """``None`` where there is none that can be read."""
        try:
            row = json.loads(self.file.read() or b"null")
            actions = [CurationAction.of_row(one) for one in row["actions"]]
            return {"at": int(row["at"]), "actions": actions, "nudged": row.get("nudged")}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _save(self, at: int, actions: Sequence[CurationAction], nudged: str | None) -> None:
        report = {"at": at, "actions": [one.to_row() for one in actions], "nudged": nudged}
        self.file.write(json.dumps(report, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
