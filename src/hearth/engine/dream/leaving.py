"""Leaving: what would go from pages all at once, and waits for a person to agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hearth.dream.passage import Key
from hearth.engine.dream.report import show_key
from hearth.lazy import dataclass

if TYPE_CHECKING:
    from hearth.engine.dream.dreamer import Dreamer


@dataclass(frozen=True, slots=True)
class LeavingItem:
    """A statement on the page of an ``agent``, empty for that of everyone else."""

    agent: str
    key: Key
    text: str
    why: str

    @property
    def command(self) -> str:
        """Lets it go, and what else waits on that page."""
        return f"hearth dream{f' --agent {self.agent}' if self.agent else ''} --agree"

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"key": show_key(self.key), "text": self.text, "why": self.why, "command": self.command}


def find_leaving(dreamer: Dreamer) -> list[LeavingItem]:
    """Of all pages."""
    return [
        LeavingItem(one.agent, key, text, why)
        for one in dreamer.every()
        for key, (text, why) in one.status().waiting.items()
    ]
