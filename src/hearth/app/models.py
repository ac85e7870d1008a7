"""The vectors and models that the settings of a vault choose, and what reads and writes by its language model. Each
is loaded when first used; their packages are imported only then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hearth import models
from hearth.app.settings import Settings, VaultLocks, scrub
from hearth.config.tree import Config, Embedding
from hearth.core import instants
from hearth.core.errors import ConfigError, Unavailable
from hearth.core.lazy import dataclass
from hearth.guard.attacks import suspicion
from hearth.guard.fence import clean
from hearth.ports import Clock, Embedder, Reranker, Store
from hearth.recall.candidates import Expander
from hearth.store.sqlite.caches import SqliteEmbeddings, SqliteReranks
from hearth.vault import ledger
from hearth.vault.ledger import Model, Space, Spaces

if TYPE_CHECKING:
    from hearth.llm.documents import NoteReader, QuestionReader
    from hearth.llm.pages import CitedWriter, NightEditor, SessionSummarizer
    from hearth.llm.reader import ModelReader
    from hearth.models.http import HttpEmbedder
    from hearth.models.http.batch import BatchJob
    from hearth.models.structured import StructuredLlm, UsageLedger
    from hearth.ports import Bytes, Llm, Vectors
    from hearth.recall.candidates import Expander
    from hearth.recall.rerank import Rerank
    from hearth.recall.routing import Interpreter
    from hearth.vault.upkeep import Upkeep


USAGE = "llm-usage.json"
"""In the folder of this machine's state, for all vaults."""


def open_llm(chosen: Settings, clock: Clock, most_seconds: int | None = None) -> StructuredLlm:
    """``most_seconds`` ends a call before the settings do.

    Raises ``Unavailable`` where none is configured or its key or program is missing, ``ConfigError``."""
    given = chosen.loaded.config.llm
    if given.provider == "none":
        raise Unavailable("no language model is configured; see llm.provider in the settings")
    key = chosen.key(given.api_key_env)
    if given.api_key_env and key is None:
        raise Unavailable(f"{given.api_key_env} is not set; set it to the API key of the language model")
    from hearth.models.llm import open_llm as opened

    if most_seconds is not None:
        given = replace(given, timeout_seconds=min(given.timeout_seconds, most_seconds))

    return opened(given, key, usage(chosen, clock), chosen.environ)


def usage(chosen: Settings, clock: Clock) -> UsageLedger:
    """What this machine asked of language models, and its budget."""
    from hearth.models.structured import UsageLedger

    zone = instants.zone_of(chosen.loaded.zone)

    def today() -> str:
        return instants.moment(clock(), zone).date().isoformat()

    return UsageLedger(Path(chosen.folders.state) / USAGE, chosen.loaded.config.llm.tokens_per_day, today)


def try_out(chosen: Settings, clock: Clock) -> tuple[str, int]:
    """Who answers a question for one word, and the tokens used today. Raises ``Unavailable`` or ``BadReply``."""
    from pydantic import create_model

    opened = open_llm(chosen, clock)
    try:
        opened.complete("Answer with the word ready, as JSON.", create_model("Ready", word=(str, ...)))
    finally:
        opened.close()
    return opened.name, opened.usage.used().tokens


def open_reader(chosen: Settings, clock: Clock, most_seconds: int | None = None) -> ModelReader:
    """What reads sessions by the model. Raises as ``open_llm``."""
    return _read_with(open_llm(chosen, clock, most_seconds))


def _read_with(llm: Llm) -> ModelReader:
    from hearth.llm.reader import ModelReader

    return ModelReader(llm, lambda text: clean(scrub(text)), lambda text: bool(suspicion(text).labels))


Reading = TypeVar("Reading")


def open_note_reader(reader: ModelReader) -> NoteReader:
    """Reads what documents are about."""
    from hearth.llm.documents import NoteReader

    return _open(reader, NoteReader)


def open_writer(reader: ModelReader) -> CitedWriter:
    """Writes cited sentences."""
    from hearth.llm.pages import CitedWriter

    return _open(reader, CitedWriter)


def open_editor(reader: ModelReader) -> NightEditor:
    """Shortens statements and names groups of them."""
    from hearth.llm.pages import NightEditor

    return _open(reader, NightEditor)


def title_session(reader: ModelReader, said: Sequence[str]) -> str:
    """A few words that say what a session was about. Raises ``Unavailable`` or ``BadReply``."""
    from hearth.llm.pages import title_session as tell

    return tell(reader.llm, reader.clean, reader.suspicious, said)


def _open(reader: ModelReader, kind: Callable[[Llm, Callable[[str], str], Callable[[str], bool]], Reading]) -> Reading:
    """With what all of them need to trust no text."""
    return kind(reader.llm, reader.clean, reader.suspicious)


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What is known of a model from before: the name by which its server answered, and the width of its vectors."""

    served: str | None
    dimensions: int


class ChosenModels:
    """``key`` reads the variable that a setting names, ``remembered`` looks a model up by its fingerprint; ``cache`` is
    the cache folder of all vaults. Thread-safe."""

    def __init__(
        self,
        config: Config,
        key: Callable[[str | None], str | None],
        remembered: Callable[[str], KnownModel | None],
        cache: Path,
    ) -> None:
        self._config = config
        self._key = key
        self._remembered = remembered
        self._cache = cache
        self._embedder: Embedder | None = None
        self._opening = threading.Lock()

    def embedder(self) -> Embedder:
        """Raises ``Unavailable`` that says what is missing, ``NotFound`` or ``ConfigError``."""
        with self._opening:
            if self._embedder is None:
                self._embedder = self._open(self._remembered)
            return self._embedder

    def embedder_anew(self) -> Embedder:
        """Opened again and without what is remembered, in case another model answers in its place."""
        with self._opening:
            self.close()
            self._embedder = self._open(lambda fingerprint: None)
            return self._embedder

    def _open(self, remembered: Callable[[str], KnownModel | None]) -> Embedder:
        given = self._config.embedding
        if given.provider == "onnx":
            return models.onnx.open_embedder(given.model, models.onnx.models_folder(self._cache))
        return _http_embedder(given, self._needed_key(given.api_key_env, given.url), remembered)

    def reranker(self) -> Reranker:
        """Raises as ``embedder`` does."""
        given = self._config.rerank
        if given.provider == "onnx":
            return models.onnx.open_reranker(given.model, models.onnx.models_folder(self._cache))
        key = self._needed_key(given.api_key_env, given.url)
        return models.http.open_reranker(given, key)

    def backfill(self, embedder: Embedder, folder: Path) -> BatchJob | None:
        """The provider's batch service with its state in ``folder``, where the settings ask for it. Raises
        ``ConfigError`` where there is none."""
        if not self._config.embedding.batch_api:
            return None
        from hearth.models.http.batch import BatchJob

        if not isinstance(embedder, models.http.HttpEmbedder):
            raise ConfigError("embedding.batch_api needs embedding.provider http; set it to false")
        return BatchJob(embedder, folder)

    def close(self) -> None:
        """A model on a server holds connections; one on this machine has nothing to close."""
        close = getattr(self._embedder, "close", None)
        if close is not None:
            close()

    def _needed_key(self, variable: str | None, url: str | None) -> str | None:
        key = self._key(variable)
        if variable and key is None:
            raise Unavailable(f"the variable {variable} is not set; set it to the key of {url or 'the provider'}")
        return key


def _http_embedder(given: Embedding, key: str | None, remembered: Callable[[str], KnownModel | None]) -> HttpEmbedder:
    from hearth.models.http.embedding_codec import ServedModel

    embedder = models.http.open_embedder(given, key)
    known = remembered(embedder.fingerprint)
    if known is None:
        return embedder
    return models.http.open_embedder(given, key, served=ServedModel(known.served, known.dimensions))


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
        self._llm: StructuredLlm | None = None
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
        return _read_with(self._open_llm())

    def summarizer(self) -> SessionSummarizer:
        """What summarizes sessions that are compacted, by the language model, which is asked briefly: somebody waits.
        Raises as ``reader``."""
        from hearth.llm.pages import CALL_ATTEMPTS, CALL_SECONDS, SessionSummarizer

        return _open(_read_with(self._open_llm().limit(CALL_SECONDS, CALL_ATTEMPTS)), SessionSummarizer)

    def _open_llm(self) -> StructuredLlm:
        if self._llm is None:
            self._llm = open_llm(self._chosen, self._clock)
        return self._llm

    def interpreter(self) -> Interpreter | None:
        """What says of a question what it asks for, by the language model, where there is one."""
        if self._config.llm.provider == "none":
            return None
        from hearth.recall.routing import Interpreter

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
        if self._llm is not None:
            self._llm.close()
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
    from hearth.recall.routing import Interpreter

    return Expander(Interpreter(models.questions, clock))
