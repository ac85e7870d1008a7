"""The vectors and models of one vault, loaded when first used."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.settings import Settings, VaultLocks
from hearth.models.chosen import ChosenModels, KnownModel
from hearth.ports import Clock, Embedder, Store
from hearth.recall.routing import Interpreter
from hearth.store.sqlite.caches import SqliteEmbeddings, SqliteReranks
from hearth.vault import ledger
from hearth.vault.spaces import Model, Space, Spaces

if TYPE_CHECKING:
    from hearth.llm.documents import QuestionReader
    from hearth.llm.reader import ModelReader
    from hearth.ports import Bytes, Vectors
    from hearth.recall.expansion import Expander
    from hearth.recall.rerank import Rerank
    from hearth.vault.upkeep import Upkeep


class VaultModels:
    """``clock`` tells the present moment, ms UTC."""

    def __init__(self, chosen: Settings, store: Store, locks: VaultLocks, clock: Clock) -> None:
        self._chosen = chosen
        self._config = chosen.loaded.config
        self._cache = chosen.vault.cache
        self._store = store
        self._locks, self._clock = locks, clock
        self._embedder: Embedder | None = None
        self._reranks: SqliteReranks | None = None
        self._reader: ModelReader | None = None
        self._models = ChosenModels(self._config, chosen.key, self._recall_model, Path(chosen.folders.cache))
        self.embeddings = SqliteEmbeddings(self._cache / "embeddings.sqlite", self._config.embedding.cache_entries)

    # -- vectors ---------------------------------------------------------------------------------------------------

    def embedder(self) -> Embedder:
        if self._embedder is None:
            from hearth.models.static import StaticEmbedder

            self._embedder = StaticEmbedder()
        return self._embedder

    # -- models ----------------------------------------------------------------------------------------------------

    def spaces(self) -> Spaces:
        given = self._config.embedding
        static = Space(self.embedder)
        if given.provider == "static":
            return Spaces(static)
        label = given.model or given.url or given.provider
        model = Model(label, self._models.embedder, self._models.embedder_anew)
        return Spaces(static, model, strict=given.fallback == "error")

    def _recall_model(self, fingerprint: str) -> KnownModel | None:
        with self._store.read() as reader:
            facts = ledger.newest(ledger.read(reader), fingerprint)
        return None if facts is None else KnownModel(facts.served, facts.dimensions)

    def rerank(self) -> Rerank | None:
        """The second look at the best fragments; nothing of it is loaded where no model is configured."""
        if self._config.rerank.provider == "none":
            return None
        from hearth.recall.rerank import Rerank

        given = self._config.rerank
        return Rerank(self._models.reranker, self._clock, self.scores(), extent=(given.windows, given.protect))

    def reader(self) -> ModelReader:
        """What reads sessions by the language model. Raises ``Unavailable`` or ``ConfigError``."""
        if self._reader is None:
            from hearth.app.llm import open_reader

            self._reader = open_reader(self._chosen, self._clock)
        return self._reader

    def interpreter(self) -> Interpreter | None:
        """What says of a question what it asks for, by the language model, where there is one."""
        if self._config.llm.provider == "none":
            return None
        return Interpreter(self.questions, self._clock)

    def questions(self) -> QuestionReader:
        """What reads questions by the language model. Raises as ``reader``."""
        from hearth.llm.documents import QuestionReader

        reader = self.reader()
        return QuestionReader(reader.llm, reader.clean, reader.suspicious)

    def scores(self) -> SqliteReranks:
        """The cache of reranked scores, also where no reranker is configured any more."""
        if self._reranks is None:
            self._reranks = SqliteReranks(self._cache / "reranks.sqlite")
        return self._reranks

    def close(self) -> None:
        self.embeddings.close()
        self._models.close()
        if self._reader is not None:
            self._reader.llm.close()
        if self._reranks is not None:
            self._reranks.close()

    def upkeep(self, spaces: Spaces) -> Upkeep:
        from hearth.vault.embedding import BatchPatience, Filler
        from hearth.vault.upkeep import Upkeep

        given = self._config.embedding.batch
        patience = BatchPatience(given.poll_seconds, 60 * given.timeout_minutes if given.wait else 0)
        filler = Filler(self._store, quantize, self._locks.scan, self.embeddings, patience=patience)
        backfill = lambda embedder: self._models.backfill(embedder, self._cache)  # noqa: E731
        local = self._config.embedding.provider == "onnx"
        return Upkeep(self._store, spaces, filler, self._locks.embed, self._clock, local, backfill)

    def refill(self, side: Store) -> None:
        """Every space of the present index again, a model's from the cache alone; ``embed`` does what is left."""
        from hearth.vault.embedding import Filler
        from hearth.vault.upkeep import refill

        filler = Filler(side, quantize, nullcontext, self.embeddings)
        refill(self._store, filler, self.embedder())


def quantize(vectors: Vectors) -> tuple[Bytes, Vectors]:
    from hearth.models.static import quantize as to_int8

    return to_int8(vectors)


def build_expander(models: VaultModels, wanted: bool, clock: Clock) -> Expander | None:
    """What asks the language model for other words, where the settings want that."""
    if not wanted:
        return None
    from hearth.recall.expansion import Expander

    return Expander(Interpreter(models.questions, clock))
