"""The embedder and the reranker that run here."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearth.core.document import Curve
from hearth.core.errors import BadReply
from hearth.core.lazy import dataclass
from hearth.models.onnx import runtime
from hearth.models.onnx.catalogue import Manifest
from hearth.models.onnx.runtime import Cutter, TokenWindow, batches, coverage, limit_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _LoadedEmbedder:
    """``limit`` is how many tokens are computed together."""

    model: Any
    tokenizer: Tokenizer
    cutters: Mapping[str, Cutter]
    limit: int


class OnnxEmbedder:
    """Fills ``ports.Embedder``. Opening reads a manifest, the first use loads the model. Thread-safe.

    A text longer than ``max_tokens`` is not cut off: its vector is the mean of the vectors of its windows, each
    weighted by its tokens. A caller that cuts by sections gets sharper vectors.
    """

    contextual = True

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        recipe = manifest.recipe
        self.fingerprint = manifest.fingerprint
        self.dimensions = recipe.dimensions
        self.curve: Curve | None = recipe.curve
        self.max_tokens = recipe.max_tokens
        self._folder = folder
        self._manifest = manifest
        self._lock = threading.Lock()
        self._ready: _LoadedEmbedder | None = None

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """Vectors (n, dimensions), float32, unit length, in the order of ``texts``.

        A text without a known token gives a row of zeros. Raises ``Unavailable`` where the model can't be loaded or
        run, ``BadReply`` where it answers NaN, another width or another number of rows.
        """
        loaded = self._load()
        with runtime.running(self._folder):
            found = loaded.cutters[role].windows(texts)
        pieces = [(row, window) for row, windows in enumerate(found) for window in windows]
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for batch in batches(pieces, lambda piece: piece[1].tokens, loaded.limit):
            vectors = self._run(loaded.model, [window.text for _, window in batch])
            for (row, window), vector in zip(batch, vectors, strict=True):
                sums[row] += vector * window.tokens
        return _normalize(sums)

    def coverage(self, text: str) -> float:
        """How well the model knows the text's language, in [0, 1]: see ``coverage.coverage``."""
        loaded = self._load()
        with runtime.running(self._folder):
            return coverage(loaded.tokenizer, text, multilingual=self._manifest.recipe.multilingual)

    def _run(self, model: Any, texts: list[str]) -> Vectors:
        with runtime.running(self._folder):
            rows = list(model.embed(texts, batch_size=len(texts)))
        if len(rows) != len(texts) or any(np.shape(row) != (self.dimensions,) for row in rows):
            shapes = f"{len(rows)} x {np.shape(rows[0])}" if rows else "nothing"
            raise BadReply(
                f"the model in {self._folder} answered {shapes} to {len(texts)} texts, not {self.dimensions} numbers "
                "each",
                runtime.VERIFY,
            )
        vectors = np.asarray(rows, np.float32)
        if not np.isfinite(vectors).all():
            raise BadReply(f"the model in {self._folder} answered NaN or infinity", runtime.VERIFY)
        return _normalize(vectors)

    def _load(self) -> _LoadedEmbedder:
        with self._lock:
            if self._ready is None:
                recipe = self._manifest.recipe
                model, tokenizer = runtime.embedding(self._folder, self._manifest)
                templates = {"document": recipe.document, "query": recipe.query}
                cutters = {role: Cutter(tokenizer, recipe.max_tokens, text) for role, text in templates.items()}
                limit = limit_of(self._folder / recipe.model_file)
                self._ready = _LoadedEmbedder(model, tokenizer, cutters, limit)
            return self._ready


def _normalize(vectors: Vectors) -> Vectors:
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.asarray(vectors / np.where(norms > 0, norms, 1)[:, None], np.float32)


_MARGIN = 4
"""Tokens kept free: a pair has more special ones than its parts."""


class _LoadedReranker(NamedTuple):
    model: Any
    tokenizer: Tokenizer
    limit: int


class _Pair(NamedTuple):
    part: int
    row: int
    query: TokenWindow
    text: TokenWindow

    @property
    def tokens(self) -> int:
        return self.query.tokens + self.text.tokens


class OnnxReranker:
    """Fills ``ports.Reranker``. Opening reads a manifest, the first use loads the model. Thread-safe.

    What is longer than ``max_tokens`` is not cut off: a text scores what its best window scores, and a question that
    takes more than half of them is cut itself, the scores of its windows averaged.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.fingerprint = manifest.fingerprint
        self.max_tokens = manifest.recipe.max_tokens
        self._folder = folder
        self._manifest = manifest
        self._lock = threading.Lock()
        self._ready: _LoadedReranker | None = None

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        """float32 (n,) in [0, 1], in the order of ``texts``; 0 for a text or a question without a known token.

        Raises ``Unavailable`` where the model can't be loaded or run, ``BadReply`` where it answers NaN or another
        number of scores.
        """
        loaded = self._load()
        with runtime.running(self._folder):
            (queries,) = Cutter(loaded.tokenizer, self.max_tokens // 2).windows([query])
            longest = max((window.tokens for window in queries), default=0)
            found = Cutter(loaded.tokenizer, self.max_tokens - longest - _MARGIN).windows(texts)
        pairs = [
            _Pair(part, row, asked, window)
            for part, asked in enumerate(queries)
            for row, windows in enumerate(found)
            for window in windows
        ]
        best = np.zeros((max(1, len(queries)), len(texts)), np.float32)
        for batch in batches(pairs, lambda pair: pair.tokens, loaded.limit):
            for pair, score in zip(batch, self._run(loaded.model, batch), strict=True):
                best[pair.part, pair.row] = max(best[pair.part, pair.row], score)
        return np.asarray(best.mean(axis=0), np.float32)

    def _run(self, model: Any, pairs: Sequence[_Pair]) -> Vectors:
        with runtime.running(self._folder):
            texts = [(pair.query.text, pair.text.text) for pair in pairs]
            logits = np.asarray(list(model.rerank_pairs(texts, batch_size=len(texts))), np.float32)
        if logits.shape != (len(pairs),):
            raise BadReply(
                f"the model in {self._folder} answered {logits.shape} to {len(pairs)} pairs",
                runtime.VERIFY,
            )
        if not np.isfinite(logits).all():
            raise BadReply(f"the model in {self._folder} answered NaN or infinity", runtime.VERIFY)
        # The logistic function in a form that can't overflow.
        return np.asarray(0.5 * (1 + np.tanh(logits / 2)), np.float32)

    def _load(self) -> _LoadedReranker:
        with self._lock:
            if self._ready is None:
                model, tokenizer = runtime.cross_encoder(self._folder, self._manifest)
                limit = limit_of(self._folder / self._manifest.recipe.model_file)
                self._ready = _LoadedReranker(model, tokenizer, limit)
            return self._ready
