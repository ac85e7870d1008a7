"""Vector spaces side by side: the built-in one, which always answers, and that of a configured model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from hearth.core.errors import BadReply, ConfigError, Guidance, NotFound, Remedy, Unavailable
from hearth.core.fragment import Curve
from hearth.core.lazy import dataclass
from hearth.core.timeout import Timeout
from hearth.ports import Embedder, PositionReader
from hearth.vault import ledger
from hearth.vault.ledger import SpaceInfo

if TYPE_CHECKING:
    from hearth.ports import Vectors

FAILURES = (Unavailable, BadReply, NotFound, ConfigError)
"""What a model that is away, broken, unknown or wrongly set up raises; the static space answers then."""

UNMEASURED = Curve(10.0, -5.0)
MODEL_SECONDS = 3.0
"""What a model may take for a question without a deadline; with one, a third of it."""


@dataclass(frozen=True)
class Space:
    """An embedder that answers at once. ``load`` opens it on first use."""

    load: Callable[[], Embedder]

    def question(self, text: str) -> Vectors | None:
        """The query's unit vector; ``None`` where the model knows none of its words."""
        vector = self.load().embed([text], "query")[0]
        return vector if vector.any() else None

    def curve(self) -> Curve:
        """From the space's cosines to the probability that a fragment answers."""
        return self.load().curve or UNMEASURED


@dataclass(frozen=True)
class Model:
    """A model that may be slow, away or broken. ``label`` names it in messages before it is open; ``anew`` opens it
    without what is remembered of it, in case another one answers in its place now."""

    label: str
    load: Callable[[], Embedder]
    anew: Callable[[], Embedder]
    timeout: Timeout = field(default_factory=Timeout)

    def question(self, text: str, known: ledger.Ledger, seconds: float) -> tuple[SpaceInfo, Embedder, Vectors]:
        """The space that answers for the model, and the query's vector in it.

        Raises ``Unavailable`` where no space of it is complete or it takes longer than ``seconds``, ``BadReply`` where
        it answers nonsense.
        """
        if not any(facts.complete for facts in known.values()):
            raise Unavailable(_INCOMPLETE)
        return self.timeout.call(lambda: self._ask(text, known), seconds)

    def _ask(self, text: str, known: ledger.Ledger) -> tuple[SpaceInfo, Embedder, Vectors]:
        from hearth.vault.canary import checked

        embedder = self.load()
        facts = ledger.serving(known, embedder.fingerprint)
        if facts is None:
            doubts = [f.doubt for f in known.values() if f.fingerprint == embedder.fingerprint and f.doubt]
            raise Unavailable(doubts[-1] if doubts else _INCOMPLETE)
        vector = checked(embedder, [text], "query")[0]
        if len(vector) != facts.dimensions:
            raise BadReply(
                f"it gave a vector of {len(vector)} numbers, its stored ones have {facts.dimensions}",
                Remedy("embed"),
            )
        return facts, embedder, vector


_INCOMPLETE = Guidance("its vectors are not complete", Remedy("embed"))


@dataclass(frozen=True)
class Spaces:
    """``strict``: a model that can't answer is an error."""

    static: Space
    model: Model | None = None
    strict: bool = False

    def stored(self, reader: PositionReader) -> list[str]:
        """Names of the spaces whose stored vectors may be compared, best first; needs no model."""
        static = self.static.load().fingerprint
        if self.model is None:
            return [static]
        found = [facts for facts in ledger.read(reader).values() if facts.serves]
        return [*(facts.name for facts in sorted(found, key=lambda facts: -(facts.complete or 0))), static]
