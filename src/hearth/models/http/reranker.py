"""Scores passages by a server's reranker, or by a language model's yes or no."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearth.core.errors import BadReply
from hearth.models.http.client import ModelClient
from hearth.models.http.family import Scores
from hearth.models.http.reply import model_of
from hearth.models.http.retry import CallTimeout
from hearth.models.http.transport import HttpRequest, ModelAddress
from hearth.text.lines import estimate_tokens

Vectors = NDArray[np.float32]

_TOLERANCE = 1e-3


class HttpReranker:
    """Opening does no network. Thread-safe."""

    fingerprint: str

    def __init__(
        self, family: Scores, model: str | None, place: ModelAddress, client: ModelClient, patience: CallTimeout
    ) -> None:
        self.fingerprint = f"http:{place.shown}:{model or '-'}:{family.name}"
        self.client = client
        self._patience = patience
        self._family = family
        self._model = model
        self._url = place.url
        self._served: str | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"HttpReranker({self.fingerprint})"

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        """float32 (n,) in [0, 1], in order; blank texts get 0. All requests of a call share one deadline.

        Raw scores become probabilities by the logistic function; any others must lie in [0, 1] already. Raises
        ``Unavailable`` or ``BadReply``.
        """
        scores = np.zeros(len(texts), np.float32)
        if not query.strip():
            return scores
        wanted = [at for at, text in enumerate(texts) if text.strip()]
        until = self.client.now() + self._patience.total
        for start in range(0, len(wanted), self._family.batch):
            part = wanted[start : start + self._family.batch]
            scores[part] = self._request(query, [texts[at] for at in part], until)
        return scores

    def close(self) -> None:
        """Closes connections; a later call opens them again."""
        self.client.close()

    def _request(self, query: str, texts: Sequence[str], until: float) -> list[float]:
        tokens = [estimate_tokens(text) for text in texts]
        longest = self._family.longest
        if longest is not None and max(tokens) > longest:
            raise BadReply(f"a text of about {max(tokens)} tokens is too long: the reranker reads {longest} and cuts")
        request = HttpRequest.of(self._url, self._family.body(query, texts, self._model))
        return self.client.ask(
            request, lambda reply: self._read(reply, len(texts)), self._patience, tokens=sum(tokens), until=until
        )

    def _read(self, reply: Any, count: int) -> list[float]:
        raw = self._family.read(reply, count)
        model = model_of(reply)
        with self._lock:
            if model is not None and model != (self._served or model):
                raise BadReply(
                    f"the server now answers as {model!r}, but as {self._served!r} before; scores of two models can't "
                    "be compared: bring the first back, or set rerank.model to the new one"
                )
            self._served = self._served or model
        if self._family.logits:
            return [_logistic(score) for score in raw]
        beyond = next((score for score in raw if not -_TOLERANCE <= score <= 1 + _TOLERANCE), None)
        if beyond is not None:
            raise BadReply(
                f"the score {beyond:.3g} is not in [0, 1]; for a server of raw scores set rerank.dialect: llama"
            )
        return [min(1.0, max(0.0, score)) for score in raw]


def _logistic(score: float) -> float:
    """1 / (1 + exp(-score)), without overflow."""
    return 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))
