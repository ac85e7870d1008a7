"""What a night did or would do, and how dreaming stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from hearth.core.lazy import dataclass
from hearth.pages.dream.passage import DreamPassage, Key
from hearth.pages.dream.phases import Night
from hearth.pages.dream.score import DreamScore

RULES = "rules"
"""Who tells a night without a language model."""


def show_key(key: Key) -> str:
    return f"{key[0]}:{key[1]}"


@dataclass(frozen=True, slots=True)
class Dreamt:
    """``put`` are what was promoted, or would be where not ``applied``, and ``successors`` what took the place of what
    was replaced; ``left`` holds statement and reason. ``problem`` says why nothing was written. ``run`` is what
    ``undo`` takes back, ``None`` where the page is as it was; ``told_by`` who wrote the night's account, the rules or a
    model by its name, and why not the model; ``edited_by`` who worded it, likewise. ``waiting`` would leave if a person
    agreed."""

    applied: bool
    night: Night
    put: tuple[DreamScore, ...]
    successors: tuple[DreamPassage, ...]
    left: Mapping[Key, tuple[str, str]]
    problem: str | None = None
    run: str | None = None
    told_by: str = RULES
    edited_by: str = RULES
    waiting: Mapping[Key, tuple[str, str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        night = self.night
        return {
            "dry_run": not self.applied,
            "day": night.day,
            "light": len(night.light),
            "themes": [
                {"tag": one.tag, "name": one.name or one.tag, "passages": len(one.passages), "days": one.days}
                for one in night.themes
            ],
            "patterns": [{"key": show_key(one.key), "text": one.text} for one in night.patterns],
            "promoted": [row(one) for one in self.put],
            "successors": [{"key": show_key(one.key), "text": one.text} for one in self.successors],
            "left": _reasons(self.left),
            "waiting": _reasons(self.waiting),
            "refused": [row(one) for one in night.refused],
            "problem": self.problem,
            "run": self.run,
            "told_by": self.told_by,
            "edited_by": self.edited_by,
        }


@dataclass(frozen=True, slots=True)
class DreamStatus:
    """``writer`` is the machine that writes ``file``; ``nights`` those of the last thirty days, newest first, ``run``
    the last that can be undone; ``waiting`` would leave if a person agreed."""

    file: str
    writer: str | None
    mine: bool
    passages: int
    signals: int
    items: int
    promoted: int
    nights: tuple[str, ...]
    run: str | None
    problem: str | None
    waiting: Mapping[Key, tuple[str, str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "file": self.file,
            "writer": self.writer,
            "this_machine_writes": self.mine,
            "passages": self.passages,
            "signals": self.signals,
            "items": self.items,
            "promoted": self.promoted,
            "nights": list(self.nights),
            "run": self.run,
            "problem": self.problem,
            "waiting": _reasons(self.waiting),
        }


@dataclass(frozen=True, slots=True)
class Explained:
    """A passage, how it stands now, and what became of it before (``None``: nothing)."""

    score: DreamScore
    state: str | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        signals = [
            {"kind": one.kind, "day": one.day, "value": one.value, "question": one.question}
            for one in self.score.passage.signals
        ]
        parts = {name: round(value, 4) for name, value in self.score.parts.items()}
        return {**row(self.score), "parts": parts, "signals": signals, "state": self.state}


def _reasons(found: Mapping[Key, tuple[str, str]]) -> list[dict[str, str]]:
    return [{"key": show_key(key), "text": text, "why": why} for key, (text, why) in found.items()]


def row(one: DreamScore) -> dict[str, Any]:
    passage = one.passage
    return {
        "key": show_key(passage.key),
        "text": passage.text,
        "shortened": passage.short or None,
        "source": f"{passage.place}#L{passage.line}",
        "score": round(one.total, 4),
        "lacks": list(one.lacks),
        "tags": list(passage.tags),
    }
