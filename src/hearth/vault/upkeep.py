"""Upkeep of the vector spaces: fills them, watches the model, lets a complete one take over; their status and proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass, library
from hearth.ports import Clock, Embedder, Reader, Store, VectorSpace
from hearth.vault import canary, ledger
from hearth.vault.embedding import MAX_TRIES, Backfill, EmbedReport, Filler, Order, Progress, due
from hearth.vault.ledger import FAILURES, SpaceInfo, Spaces

if TYPE_CHECKING:
    import numpy as np

    from hearth.ports import Bytes
else:
    np = library("numpy")

# Two computations of one vector may round to neighbouring steps.
_STEPS = 1
_SCALES = 1e-3


@dataclass(frozen=True, slots=True)
class Proof:
    """``filler`` knows what models gave; the built-in one, ``static``, is asked again for what is not known."""

    filler: Filler
    static: Callable[[], Embedder]

    def expect(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> int8 vector and scale, where known."""
        cache = self.filler.cache
        found = {} if cache is None else cache.get(space, texts)
        static = self.static()
        fresh = [at for at in range(len(texts)) if at not in found] if space == static.fingerprint else []
        if fresh:
            rows, scales = self.filler.quantize(static.embed([texts[at] for at in fresh], "document"))
            found |= {at: (rows[i], float(scales[i])) for i, at in enumerate(fresh)}
        return found


def same(one: tuple[Bytes, float], other: tuple[Bytes, float]) -> bool:
    """Whether two vectors are equal up to rounding."""
    if one[0].shape != other[0].shape or not np.isclose(one[1], other[1], rtol=_SCALES, atol=0):
        return False
    return bool((np.abs(one[0].astype(np.int16) - other[0]) <= _STEPS).all())


_REASONS = 5


@dataclass(frozen=True, slots=True)
class SpaceStatus:
    """A vector space. ``role``: static, model, filling (a model's, incomplete), doubted (it must not answer) or former
    (its model is no longer configured). ``missing`` fragments are still to be embedded; ``failed`` ones were refused,
    ``reasons`` says why and how often. ``serves``: it answers. ``facts`` were measured of it."""

    name: str
    role: str
    serves: bool
    vectors: int
    missing: int = 0
    failed: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    facts: SpaceInfo | None = None


def status_of(spaces: Spaces, reader: Reader) -> tuple[SpaceStatus, ...]:
    """The static space first. The model is opened for its name; where it can't be, its spaces count as filling."""
    static = spaces.static.load().fingerprint
    known = ledger.read(reader)
    fingerprint = _model_fingerprint(spaces)
    there = reader.spaces()
    found = [_space(reader, there, static, "static", None, own=True)]
    for name in sorted({*known, *there} - {static}):
        facts = known.get(name)
        own = facts is not None and spaces.model is not None and fingerprint in (None, facts.fingerprint)
        found.append(_space(reader, there, name, _role(facts, own=own), facts, own=own))
    if fingerprint is not None and not any(space.facts and space.role != "former" for space in found):
        found.append(SpaceStatus(fingerprint, "filling", False, 0, reader.statistics().fragments))
    return tuple(found)


def _model_fingerprint(spaces: Spaces) -> str | None:
    try:
        return None if spaces.model is None else spaces.model.load().fingerprint
    except FAILURES:
        return None


def _space(
    reader: Reader, there: Mapping[str, VectorSpace], name: str, role: str, facts: SpaceInfo | None, *, own: bool
) -> SpaceStatus:
    space = there.get(name, VectorSpace())
    given_up = {failure.fragment for failure in space.failures if failure.tries >= MAX_TRIES}
    missing = [fragment for fragment in reader.lacking(name) if fragment not in given_up] if own else []
    reasons = Counter(failure.error for failure in space.failures).most_common(_REASONS)
    serves = role == "static" or (own and facts is not None and facts.serves)
    return SpaceStatus(name, role, serves, space.vectors, len(missing), len(space.failures), tuple(reasons), facts)


def _role(facts: SpaceInfo | None, *, own: bool) -> str:
    if facts is None or not own:
        return "former"
    if facts.doubt is not None or facts.spoiled:
        return "doubted"
    return "model" if facts.complete is not None else "filling"


LEAST_SHARE = 0.5
"""The share of fragments that must have a vector before a space takes over, whatever the failures."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """Decides which of the spaces of models answers."""

    store: Store
    spaces: Spaces
    clock: Clock

    def weigh(self, facts: SpaceInfo) -> SpaceInfo:
        """Measures the weight of the space again if the vault has grown or shrunk by a tenth."""
        with self.store.read() as reader:
            count, known = reader.statistics().fragments, ledger.canary(reader, facts.name)
            fresh = facts.spread is not None and abs(count - facts.measured) * 10 <= facts.measured
            if known is None or fresh:
                return facts
            found = canary.weigh(reader, facts.name, known)
        if found is None:
            return facts
        return ledger.save(self.store, replace(facts, weight=found.weight, spread=found.spread, measured=count))

    def take_over(self, facts: SpaceInfo) -> list[str]:
        """Makes a complete space the one that answers; the other models' spaces go, the static one never does."""
        with self.store.read() as reader:
            fragments = reader.statistics().fragments
            if not fragments or due(reader, facts.name, 1):
                return []
            space = reader.spaces().get(facts.name, VectorSpace())
            if space.vectors < LEAST_SHARE * fragments:
                failed = len(space.failures)
                return [f"{facts.name} does not answer yet: {failed:,} of {fragments:,} fragments failed"]
        news = []
        if facts.complete is None:
            ledger.save(self.store, replace(facts, complete=self.clock()))
            news.append(f"{facts.name} is complete and answers from now on")
        return news + self.drop_others(keep=facts.name)

    def drop_others(self, keep: str | None) -> list[str]:
        static = self.spaces.static.load().fingerprint
        with self.store.read() as reader:
            others = ({*reader.spaces(), *ledger.read(reader)}) - {static, keep}
        for name in sorted(others):
            with self.store.write() as writer:
                ledger.forget(writer, name)
        return [f"dropped the vectors of {name}, which no longer answers" for name in sorted(others)]


MODEL_BATCH = 50
"""Texts of one request to a model: what an end at any point costs at most."""

SMALL = 64
"""An update embeds so many new fragments by a model on this machine; more are left to ``hearth embed``."""


@dataclass(frozen=True)
class Upkeep:
    """``exclusive`` keeps two runs of a model apart, waiting so many seconds (``None``: for ever) for another; it is
    not the scan's lock, since a model may take hours. ``local`` says that the model runs on this machine. ``filler``
    fills the static space, ``backfill`` opens the provider's batch service where it is to be used."""

    store: Store
    spaces: Spaces
    filler: Filler
    exclusive: Callable[[float | None], AbstractContextManager[None]]
    clock: Clock
    local: bool = False
    backfill: Callable[[Embedder], Backfill | None] = lambda embedder: None

    def run(self, *, force: bool = False, progress: Progress = lambda done: None) -> EmbedReport:
        """Fills in what is missing. ``force`` embeds all anew, while the present vectors keep answering.

        Raises ``BadReply`` where the model's vectors mean nothing; that it is away is in the report.
        """
        report = self.static(force=force, progress=progress)
        if self.spaces.model is None:
            report.news += self._takeover.drop_others(keep=None)
            return report
        done = report.embedded
        try:
            with self.exclusive(None):
                report.add(self._model(force=force, progress=lambda count: progress(done + count)))
        except Unavailable as error:
            report.error = error.said
        return report

    def static(self, *, force: bool = False, progress: Progress = lambda done: None) -> EmbedReport:
        return self.filler.run(self.spaces.static.load(), progress=progress, again=force)

    def small(self) -> EmbedReport:
        """After an update: embeds new fragments by a model on this machine, if they are few. Never raises for a model,
        and leaves the work to whoever is at it already."""
        if self.spaces.model is None or not self.local:
            return EmbedReport()
        try:
            with self.store.read() as reader:
                known = ledger.read(reader)
                few = {name for name, facts in known.items() if facts.serves and self._few(reader, name)}
            if not few:
                return EmbedReport()
            embedder = self.spaces.model.load()
            facts = ledger.newest(known, embedder.fingerprint)
            if facts is None or facts.name not in few:
                return EmbedReport()
            with self.exclusive(0):
                return self._filler().fill(Order(embedder, facts.name))
        except FAILURES as error:
            return EmbedReport(error=str(error))

    def _few(self, reader: Reader, name: str) -> bool:
        return 0 < len(due(reader, name, SMALL + 1)) <= SMALL

    @property
    def _takeover(self) -> Takeover:
        return Takeover(self.store, self.spaces, self.clock)

    def _filler(self) -> Filler:
        return replace(self.filler, exclusive=nullcontext, batch=MODEL_BATCH, shared=True)

    def lacks_static(self) -> bool:
        """Asked without loading the table: a scan that finds nothing new costs none."""
        with self.store.read() as reader:
            models = ledger.read(reader)
            counts = (space.vectors for name, space in reader.spaces().items() if name not in models)
            count = max(counts, default=0)
            return count < reader.statistics().fragments

    def status(self, reader: Reader) -> tuple[SpaceStatus, ...]:
        """The static space first. The model is opened for its name; where it can't be, its spaces count as filling."""
        return status_of(self.spaces, reader)

    # -- a model's space -------------------------------------------------------------------------------------------

    def _model(self, *, force: bool, progress: Progress) -> EmbedReport:
        assert self.spaces.model is not None
        embedder = self.spaces.model.anew() if force else self.spaces.model.load()
        facts = self._begin(embedder, force=force)
        try:
            report = self._filler().fill(Order(embedder, facts.name), progress, self.backfill(embedder))
            if report.embedded > report.reused:
                facts = self._watch(embedder, facts)
        except canary.Collapsed as error:
            ledger.save(self.store, replace(facts, doubt=error.said, spoiled=True))
            raise
        if report.error is None:
            report.news += self._takeover.take_over(self._takeover.weigh(facts))
        return report

    def _begin(self, embedder: Embedder, *, force: bool) -> SpaceInfo:
        """The space to fill, its model known to be the one that the space is from."""
        with self.store.read() as reader:
            known = ledger.read(reader)
            facts = ledger.newest(known, embedder.fingerprint)
            vectors = None if facts is None else ledger.canary(reader, facts.name)
        if facts is not None and facts.spoiled and not force:
            raise canary.Collapsed(facts.doubt or "")
        if facts is not None and vectors is not None and not (force and (facts.complete or facts.spoiled)):
            try:
                canary.recognise(embedder, vectors)
            except canary.Collapsed as error:
                if not force:
                    ledger.save(self.store, replace(facts, doubt=error.said))
                    raise
            else:
                if facts.doubt is not None:
                    ledger.save(self.store, facts := replace(facts, doubt=None))
                return facts
        return self._start(embedder, known)

    def _start(self, embedder: Embedder, known: Mapping[str, SpaceInfo]) -> SpaceInfo:
        """A new space, once the canary passes: nothing is written for a model that is of no use."""
        reading = canary.read(embedder)
        canary.judge(reading.margins, None, embedder.fingerprint)
        last = ledger.newest(known, embedder.fingerprint)
        name = self._find_free(embedder.fingerprint, last.number + 1 if last else 1, reading)
        margins = dict(reading.margins)
        static = self.spaces.static.load()
        curve = canary.by_canary(reading, canary.read(static), static.curve) if static.curve else None
        facts = SpaceInfo(
            name, embedder.fingerprint, self.clock(), dimensions=embedder.dimensions, first_margins=margins,
            margins=margins, curve=curve, served=_serve(embedder),
        )  # fmt: skip
        with self.store.write() as writer:
            ledger.note(writer, facts)
            ledger.keep_canary(writer, name, reading.vectors)
        return facts

    def _find_free(self, fingerprint: str, number: int, reading: canary.CanaryReading) -> str:
        """A name under which the cache holds nothing of another model that was served as this one: what the cache has
        outlives the index."""
        cache, texts = self.filler.cache, canary.list_canary_texts()
        rows, scales = self.filler.quantize(reading.vectors)
        while cache is not None:
            found = cache.get(name := ledger.name_of(fingerprint, number), texts)
            try:
                for at, (row, scale) in found.items():
                    canary.compare(row[None, :] * scale, reading.vectors[at : at + 1], fingerprint)
            except canary.Collapsed:
                number += 1
                continue
            cache.put(name, {text: (rows[at], float(scales[at])) for at, text in enumerate(texts)})
            break
        return ledger.name_of(fingerprint, number)

    def _watch(self, embedder: Embedder, facts: SpaceInfo) -> SpaceInfo:
        """After a run: the model still is what it was, by all pairs."""
        reading = canary.read(embedder)
        with self.store.read() as reader:
            known = ledger.canary(reader, facts.name)
        if known is not None:
            canary.compare(reading.vectors, known, embedder.fingerprint)
        canary.judge(reading.margins, facts.first_margins, embedder.fingerprint)
        return ledger.save(self.store, replace(facts, margins=dict(reading.margins)))


def _serve(embedder: Embedder) -> str | None:
    """The name by which a server answered, where the embedder knows one."""
    found = getattr(getattr(embedder, "served", None), "model", None)
    return found if isinstance(found, str) else None


def refill(present: Store, filler: Filler, static: Embedder) -> None:
    """Fills a rebuilt index with every space of the ``present`` one, a model's from the cache alone; ``embed`` does
    what is left. A space of which the cache holds less than half has to become complete again."""
    filler.run(static)
    try:
        with present.read() as reader:
            known = [(facts, ledger.canary(reader, facts.name)) for facts in ledger.read(reader).values()]
    except Unavailable:  # the present index can't be read any more
        return
    for facts, vectors in known:
        filler.fill(Order(static, facts.name, cached=True))
        with filler.store.write() as writer:
            vectors_there = writer.spaces().get(facts.name, VectorSpace()).vectors
            enough = vectors_there >= LEAST_SHARE * writer.statistics().fragments
            ledger.note(writer, facts if enough else replace(facts, complete=None))
            if vectors is not None:
                ledger.keep_canary(writer, facts.name, vectors)
