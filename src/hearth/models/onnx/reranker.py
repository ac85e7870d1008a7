"""A cross-encoder on this machine, as a reranker."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearth.core.errors import BadReply
from hearth.models.onnx import runtime
from hearth.models.onnx.batches import Cutter, TokenWindow, batches, limit_of
from hearth.models.onnx.manifest import Manifest

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]

_MARGIN = 4
"""Tokens kept free: a pair has more special ones than its parts."""


class _Loaded(NamedTuple):
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
        self._ready: _Loaded | None = None

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

    def _load(self) -> _Loaded:
        with self._lock:
            if self._ready is None:
                model, tokenizer = runtime.cross_encoder(self._folder, self._manifest)
                limit = limit_of(self._folder / self._manifest.recipe.model_file)
                self._ready = _Loaded(model, tokenizer, limit)
            return self._ready
