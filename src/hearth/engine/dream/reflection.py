"""What the last weeks were about."""

from __future__ import annotations

from typing import Any

from hearth.dream.mentions import Mention, Recurrence
from hearth.lazy import dataclass

MAX_SHOWN = 10
"""Of each kind."""


@dataclass(frozen=True, slots=True)
class PeriodTheme:
    """``term`` is as people wrote it most; ``examples`` are the newest passages."""

    term: str
    passages: int
    days: int
    examples: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Reflection:
    """Of ``days`` local dates from ``first`` to ``last``. ``left_out`` counts documents and passages for which there
    was no room, ``skipped`` are documents that could not be read, by place and reason."""

    days: int
    first: str
    last: str
    documents: int
    passages: int
    themes: tuple[PeriodTheme, ...]
    decisions: tuple[Mention, ...]
    problems: tuple[Recurrence, ...]
    questions: tuple[Mention, ...]
    left_out: int = 0
    skipped: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "days": self.days,
            "first": self.first,
            "last": self.last,
            "documents": self.documents,
            "passages": self.passages,
            "themes": [
                {
                    "term": one.term,
                    "passages": one.passages,
                    "days": one.days,
                    "examples": [_row(mention) for mention in one.examples],
                }
                for one in self.themes
            ],
            "decisions": [_row(one) for one in self.decisions],
            "problems": [{**_row(one.last), "times": len(one.mentions), "days": one.days} for one in self.problems],
            "questions": [_row(one) for one in self.questions],
            "left_out": self.left_out,
            "skipped": [{"document": place, "problem": why} for place, why in self.skipped],
        }


def _row(one: Mention) -> dict[str, Any]:
    return {"text": one.text, "docid": one.key[0], "place": one.place, "line": one.line, "day": one.day}
