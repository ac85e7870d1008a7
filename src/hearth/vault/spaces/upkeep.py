"""Upkeep of the vector spaces: fills them, watches the model, and lets a complete one take over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import Clock, Embedder, Reader, SpaceReader, Store
from hearth.vault.spaces import calibration, canary, ledger
from hearth.vault.spaces.backfill import Backfill
from hearth.vault.spaces.embedding import EmbedReport, Filler, Order, Progress, due
from hearth.vault.spaces.ledger import SpaceInfo
from hearth.vault.spaces.spaces import FAILURES, Spaces
from hearth.vault.spaces.status import SpaceStatus, status_of

LEAST_SHARE = 0.5
"""Of the fragments, what must have a vector of a space that takes over, whatever the failures."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """Decides which of the spaces of models answers."""

    store: Store
    spaces: Spaces
    clock: Clock

    def weigh(self, facts: SpaceInfo) -> SpaceInfo:
        """The weight of the space, anew where the vault has grown or shrunk by a tenth since."""
        with self.store.read() as reader:
            count, known = reader.statistics().fragments, ledger.canary(reader, facts.name)
            if known is None or abs(count - facts.measured) * 10 <= facts.measured:
                return facts
            found = calibration.weight(reader, facts.name, known)
        return facts if found is None else ledger.save(self.store, replace(facts, weight=found, measured=count))

    def take_over(self, facts: SpaceInfo) -> list[str]:
        """Makes a complete space the one that answers; the other models' spaces go, the static one never does."""
        with self.store.read() as reader:
            fragments = reader.statistics().fragments
            if not fragments or due(reader, facts.name, 1):
                return []
            if reader.vector_count(facts.name) < LEAST_SHARE * fragments:
                failed = len(reader.failures(facts.name))
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

    def _few(self, reader: SpaceReader, name: str) -> bool:
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
            static = [name for name in reader.spaces() if name not in models]
            count = max((reader.vector_count(name) for name in static), default=0)
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
        curve = calibration.by_canary(reading, canary.read(static), static.curve) if static.curve else None
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
        cache, texts = self.filler.cache, canary.known_by()
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
            enough = writer.vector_count(facts.name) >= LEAST_SHARE * writer.statistics().fragments
            ledger.note(writer, facts if enough else replace(facts, complete=None))
            if vectors is not None:
                ledger.keep_canary(writer, facts.name, vectors)
