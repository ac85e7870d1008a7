"""What a vault needs, and what a curation came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from hearth.lazy import dataclass

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
