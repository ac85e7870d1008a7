"""A lane: one way of finding and judging passages, opened for one question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from hearth.ports import Posting
from hearth.ranking.stage import Candidate
from hearth.text.packed import Packed

if TYPE_CHECKING:
    from hearth.engine.recall.context import Context


class IndexedPassage(NamedTuple):
    """A fragment as the index has it, before its text is read. ``length`` is relative to the mean; ``quiet`` where
    only an assistant or the frontmatter speaks."""

    posting: Posting
    terms: Packed
    length: float
    quiet: bool


class Vote(NamedTuple):
    """``score``, calibrated to [0, 1], counts ``weight`` in the fused score; ``raw`` is what the lane measured,
    ``None`` where it has nothing to show. What ``leads`` is read before anything else, whatever its score."""

    score: float = 0.0
    weight: float = 0.0
    raw: float | None = None
    leads: bool = False


class Lane(Protocol):
    """A lane does one or more of these; what it leaves out says nothing."""

    name: ClassVar[str]

    def __init__(self, context: Context) -> None: ...

    def find(self) -> Iterable[int]:
        """Fragments that are worth judging, each once."""
        return ()

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        """One vote a passage, whichever lane found it."""
        return [Vote()] * len(passages)

    def boost(self, candidate: Candidate) -> Candidate:
        """What the lane adds once a passage's document is known."""
        return candidate
