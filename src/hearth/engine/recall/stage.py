"""A stage: reorders, thins out or packs what the lanes found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from hearth.lazy import dataclass
from hearth.ranking.stage import Candidate

if TYPE_CHECKING:
    from hearth.engine.recall.context import Context

Select = Callable[["Context", list[Candidate]], list[Candidate]]
"""Leaves out what can't be an answer, in the order that it is given."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates under way, and what is to be told of them: ``reason`` why none is left or they are not
    ``confident`` answers, ``confidence`` in [0, 1] how sure they are, ``missing`` what could not answer, ``trace`` for
    ``--explain``."""

    candidates: list[Candidate]
    reason: str | None = None
    missing: tuple[str, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)
    confident: bool = True
    confidence: float = 1.0

    def hold(self, candidates: list[Candidate], reason: str) -> Pool:
        """With these candidates; ``reason`` is told where there are none."""
        return replace(self, candidates=candidates, reason=self.reason if candidates else reason)


class Stage(Protocol):
    """Called with a pool that is not empty. What differs by recipe are fields of the stage."""

    name: ClassVar[str]

    def applies(self, context: Context) -> bool:
        """Whether this vault has what the stage needs."""
        return True

    def __call__(self, context: Context, pool: Pool) -> Pool: ...
