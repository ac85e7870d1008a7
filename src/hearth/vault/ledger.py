"""What the index knows of its vector spaces: when each began and became complete, and what was measured of it. The
spaces side by side: the built-in one, which always answers, and that of a configured model."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any

from hearth.core.document import Curve
from hearth.core.errors import BadReply, ConfigError, Guidance, NotFound, Remedy, Unavailable
from hearth.core.lazy import dataclass
from hearth.core.timeout import Timeout
from hearth.ports import Embedder, PositionReader, Store, Writer

if TYPE_CHECKING:
    from hearth.ports import Vectors


ORDER = 0.0003
"""The canary's margin of order from which on a model reads words in their context: MiniLM .008, sums of words 0."""

USUAL_SPREAD = 0.6
"""The spread of a space that was not measured: between MiniLM's for long chats (.4) and notes (.9)."""

_KEY = "spaces"
_CANARY = "canary:"


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """A model's space. Instants are ms UTC.

    ``fingerprint`` is the model's; ``name`` adds a number where the same model was made to start anew. ``complete`` is
    when every fragment first had its vector: from then on the space answers. ``doubt`` is why it must not answer,
    ``spoiled`` that its vectors can't be trusted any more. ``served`` is the name by which a
    server answered. ``margins`` are the canary's at the first use and now,
    ``curve`` was measured by the canary. ``weight`` in [0, 1] is the say of the space, ``measured`` the number of
    fragments when it was weighed. ``spread`` in [0, 1] is how far apart the vault's fragments lie, as a share of how
    far apart the model puts texts about different things; ``None`` where that was not measured.
    """

    name: str
    fingerprint: str
    began: int
    complete: int | None = None
    doubt: str | None = None
    spoiled: bool = False
    dimensions: int = 0
    served: str | None = None
    first_margins: Mapping[str, float] | None = None
    margins: Mapping[str, float] | None = None
    curve: Curve | None = None
    weight: float = 1.0
    measured: int = 0
    spread: float | None = None

    @property
    def serves(self) -> bool:
        return self.complete is not None and self.doubt is None and not self.spoiled

    @property
    def contextual(self) -> bool:
        """Whether the model showed that it reads words in their context: an embedder only says so."""
        return (self.first_margins or {}).get("order", 0.0) >= ORDER

    @property
    def spread_or_usual(self) -> float:
        return USUAL_SPREAD if self.spread is None else self.spread

    @property
    def number(self) -> int:
        _, _, number = self.name.rpartition("#")
        return int(number) if number.isdigit() and self.name != self.fingerprint else 1


def name_of(fingerprint: str, number: int) -> str:
    return fingerprint if number == 1 else f"{fingerprint}#{number}"


Ledger = Mapping[str, SpaceInfo]
"""Facts by name of the space."""


def read(reader: PositionReader) -> dict[str, SpaceInfo]:
    """Facts that this version does not understand are passed over: their space then starts anew."""
    text = reader.meta(_KEY)
    rows = json.loads(text) if text else {}
    found = {}
    for name, row in rows.items():
        try:
            curve = Curve(*row["curve"]) if row.get("curve") else None
            doubt = Guidance.unpack(row["doubt"]) if row.get("doubt") else None
            found[name] = SpaceInfo(name, **{**row, "curve": curve, "doubt": doubt})
        except (TypeError, IndexError):
            continue
    return found


def note(writer: Writer, facts: SpaceInfo) -> None:
    """Adds or replaces the facts of one space."""
    _write(writer, {**read(writer), facts.name: facts})


def save(store: Store, facts: SpaceInfo) -> SpaceInfo:
    """``note`` in a transaction of its own; gives the facts."""
    with store.write() as writer:
        note(writer, facts)
    return facts


def forget(writer: Writer, name: str) -> None:
    """Drops a space with everything that is known of it."""
    writer.drop_space(name)
    _write(writer, {known: facts for known, facts in read(writer).items() if known != name})
    writer.set_meta(_CANARY + name, "")


def _write(writer: Writer, ledger: Ledger) -> None:
    rows: dict[str, Any] = {}
    for name, facts in sorted(ledger.items()):
        row = asdict(replace(facts, curve=None))
        del row["name"]
        row["doubt"] = Guidance.pack(facts.doubt) if facts.doubt else None
        rows[name] = row | {"curve": [facts.curve.slope, facts.curve.intercept] if facts.curve else None}
    writer.set_meta(_KEY, json.dumps(rows))


def newest(ledger: Ledger, fingerprint: str) -> SpaceInfo | None:
    """The last space that was begun for a model."""
    own = [facts for facts in ledger.values() if facts.fingerprint == fingerprint]
    return max(own, key=lambda facts: facts.number, default=None)


def serving(ledger: Ledger, fingerprint: str) -> SpaceInfo | None:
    """The space that answers for a model, if one does."""
    own = [facts for facts in ledger.values() if facts.fingerprint == fingerprint and facts.serves]
    return max(own, key=lambda facts: facts.number, default=None)


# -- the canary's vectors, by which a model is known again -----------------------------------------------------------


def keep_canary(writer: Writer, name: str, vectors: Vectors) -> None:
    import numpy as np

    data = np.asarray(vectors, dtype="<f2").tobytes()
    writer.set_meta(_CANARY + name, json.dumps([len(vectors), base64.b64encode(data).decode("ascii")]))


def canary(reader: PositionReader, name: str) -> Vectors | None:
    """float32 (n, d); ``None`` where none were kept."""
    import numpy as np

    text = reader.meta(_CANARY + name)
    if not text:
        return None
    count, data = json.loads(text)
    return np.frombuffer(base64.b64decode(data), dtype="<f2").astype(np.float32).reshape(count, -1)


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

    def question(self, text: str, known: Ledger, seconds: float) -> tuple[SpaceInfo, Embedder, Vectors]:
        """The space that answers for the model, and the query's vector in it.

        Raises ``Unavailable`` where no space of it is complete or it takes longer than ``seconds``, ``BadReply`` where
        it answers nonsense.
        """
        if not any(facts.complete for facts in known.values()):
            raise Unavailable(_INCOMPLETE)
        return self.timeout.call(lambda: self._ask(text, known), seconds)

    def _ask(self, text: str, known: Ledger) -> tuple[SpaceInfo, Embedder, Vectors]:
        from hearth.vault.canary import checked

        embedder = self.load()
        facts = serving(known, embedder.fingerprint)
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
        found = [facts for facts in read(reader).values() if facts.serves]
        return [*(facts.name for facts in sorted(found, key=lambda facts: -(facts.complete or 0))), static]
