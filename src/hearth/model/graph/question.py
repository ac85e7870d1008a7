"""What a question asks for."""

from __future__ import annotations

from typing import Literal

from hearth.lazy import dataclass

QuestionClass = Literal["why", "when", "entity", "what"]


@dataclass(frozen=True, slots=True)
class ClassChoice:
    """``why`` is the wording that decided, or who did; empty where nothing spoke."""

    asked: QuestionClass
    why: str = ""
