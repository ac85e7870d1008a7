"""The embedder and the reranker behind a server, and how they are opened."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hearth.config.tree import Embedding, RerankSettings
from hearth.core.document import Curve
from hearth.core.errors import BadReply, ConfigError, Unavailable
from hearth.core.lazy import dataclass
from hearth.models.http import families, transport
from hearth.models.http.client import ModelClient
from hearth.models.http.embedding_codec import EmbeddingCodec, ServedModel
from hearth.models.http.protocol import (
    DOCUMENT,
    QUERY,
    RERANK,
    CallTimeout,
    Embeddings,
    Pace,
    RefusedInput,
    Role,
    Scores,
    Timing,
    Vector,
    model_of,
)
from hearth.models.http.transport import Headers, HttpRequest, Key, ModelAddress, RemoteServer
from hearth.text.lines import estimate_tokens

Vectors = NDArray[np.float32]

BATCH_TOKENS = 50_000
"""Estimated tokens a request: a sixth of what OpenAI takes, under half of Voyage's least."""

_KEPT = 1024
_PROBE = "memory"


class HttpEmbedder:
    """Opening does no network. Thread-safe."""

    fingerprint: str
    """Host and path, model, width asked for, prompt templates; equal ones mean comparable vectors as long as the
    server keeps its model, which each reply is checked for."""

    curve: Curve | None = None
    contextual = True

    def __init__(
        self, speech: EmbeddingCodec, place: ModelAddress, client: ModelClient, patience: dict[Role, CallTimeout]
    ) -> None:
        self.speech = speech
        self.place = place
        self.client = client
        self.fingerprint = speech.fingerprint(place.shown)
        self._patience = patience
        self._most = speech.family.batch
        self._kept: dict[tuple[Role, str], Vector] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"HttpEmbedder({self.fingerprint})"

    @property
    def dimensions(self) -> int:
        """Width of the vectors: from the settings, else learnt from the first reply, for which one word is embedded
        now. Setting it tells the width of vectors that are there already. Raises ``Unavailable`` or ``BadReply``."""
        if self.speech.width is None:
            self._request([_PROBE], "query", self._patience["query"])
        return self.speech.require_width()

    @dimensions.setter
    def dimensions(self, width: int) -> None:
        self.speech.expect(width)

    @property
    def served(self) -> ServedModel | None:
        """Who answers, once known: what a caller may keep and hand to ``open_embedder`` next time."""
        return self.speech.served

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """Vectors (n, dimensions), float32, unit length, in the order of ``texts``; blank texts give rows of zeros.

        Nothing is truncated. One question has shorter time-outs than documents (``patience``). Raises ``Unavailable``
        for what concerns the server and ``BadReply`` for what concerns its replies or single texts. What a failed call
        has already got is kept, so that asking again for the rest costs only the rest.
        """
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        # Somebody waits for one question; several at once are asked by nobody but the canary, perhaps of a server that
        # has to load its model first.
        patience = self._patience[role if len(clean) == 1 else "document"]
        run = _Run(role, patience, self._recall(role, clean))
        try:
            for batch in self._batches([text for text in dict.fromkeys(clean) if text.strip()], run):
                self._fill(batch, run)
        except (Unavailable, BadReply):
            self._keep(run)
            raise
        if run.failed:
            self._keep(run)
            raise next(iter(run.failed.values()))
        made = run.made
        return np.stack([made[text] if text in made else self._zeros() for text in clean]) if clean else self._none()

    def coverage(self, text: str) -> float:
        """1 for text with letters: what languages a server's model knows is not known here."""
        return 1.0 if any(map(str.isalpha, text)) else 0.0

    def close(self) -> None:
        """Closes connections; a later call opens them again."""
        self.client.close()

    # -- batches ---------------------------------------------------------------------------------------------------

    def _batches(self, texts: Sequence[str], run: _Run) -> Iterator[list[str]]:
        """Texts that aren't there yet, by number and estimated tokens; a minute's worth never stops a batch."""
        most_tokens = min(BATCH_TOKENS, self.client.tokens_per_minute or BATCH_TOKENS)
        batch: list[str] = []
        size = 0
        for text in texts:
            if text in run.made:
                continue
            tokens = estimate_tokens(self.speech.rendered(text, run.role))
            if batch and (len(batch) >= self._most or size + tokens > most_tokens):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += tokens
        if batch:
            yield batch

    def _fill(self, batch: list[str], run: _Run) -> None:
        """A batch that is refused is halved until the texts at fault stand alone."""
        try:
            rows = self._request(batch, run.role, run.patience)
        except RefusedInput as refusal:
            if refusal.kind == "count" and len(batch) > 1:
                self._most = max(1, len(batch) // 2)
            else:
                self._prove(run)
            if len(batch) == 1:
                run.failed[batch[0]] = BadReply(f"{refusal} ({_beginning(batch[0])})")
                return
            middle = len(batch) // 2
            self._fill(batch[:middle], run)
            self._fill(batch[middle:], run)
            return
        for text, row in zip(batch, rows, strict=True):
            if isinstance(row, str):
                self._prove(run)
                run.failed[text] = BadReply(f"{self.client.server.name} gave {row} ({_beginning(text)})")
            else:
                run.made[text] = row

    def _prove(self, run: _Run) -> None:
        """Makes sure, once a call, that it is the texts' fault. Raises ``Unavailable`` where one word fails too."""
        if run.proved:
            return
        try:
            (row,) = self._request([_PROBE], run.role, run.patience)
            problem = f"gave {row}" if isinstance(row, str) else ""
        except BadReply as error:
            problem = str(error)
        if problem:
            name = self.client.server.name
            raise Unavailable(f"{name} can't embed a single word: {problem}; check embedding.model and its server")
        run.proved = True

    def _request(self, texts: Sequence[str], role: Role, patience: CallTimeout) -> list[Vector | str]:
        rendered = [self.speech.rendered(text, role) for text in texts]
        sizes = [estimate_tokens(text) for text in rendered]
        self._refuse_overlong(max(sizes))
        request = HttpRequest.of(self.place.url, self.speech.payload(rendered, role))
        return self.client.ask(request, lambda reply: self.speech.rows(reply, rendered), patience, tokens=sum(sizes))

    def _refuse_overlong(self, tokens: int) -> None:
        longest = self.speech.family.longest
        most = longest(self.speech.model or "") if longest else tokens
        if tokens > most:
            raise RefusedInput(
                f"a text of about {tokens} tokens is too long: the model reads {most} and truncates", "length"
            )

    # -- what a failed call has got --------------------------------------------------------------------------------

    def _keep(self, run: _Run) -> None:
        with self._lock:
            kept = self._kept | {(run.role, text): row for text, row in run.made.items()}
            self._kept = dict(list(kept.items())[-_KEPT:])

    def _recall(self, role: Role, texts: Sequence[str]) -> dict[str, Vector]:
        with self._lock:
            found = {text: self._kept.pop((role, text), None) for text in dict.fromkeys(texts)}
        return {text: row for text, row in found.items() if row is not None}

    def _zeros(self) -> Vector:
        return np.zeros(self.dimensions, np.float32)

    def _none(self) -> Vectors:
        return np.zeros((0, self.dimensions), np.float32)


@dataclass(slots=True)
class _Run:
    """One call: what it has made, by text, and which texts failed."""

    role: Role
    patience: CallTimeout
    made: dict[str, Vector]
    failed: dict[str, BadReply] = field(default_factory=dict)
    proved: bool = False


def _beginning(text: str) -> str:
    """Tells which text is meant without showing more than a few words of it."""
    line = " ".join(text.split())
    return f"text of {len(text)} characters that begins {line[:30]!r}"


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
            raise BadReply(
                f"a text of about {max(tokens)} tokens is too long: the reranker reads {longest} and truncates"
            )
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


def open_embedder(
    config: Embedding,
    key: str | None,
    *,
    served: ServedModel | None = None,
    timing: Timing | None = None,
    patience: dict[Role, CallTimeout] | None = None,
) -> HttpEmbedder:
    """The embedder of the settings; ``key`` is what ``config.api_key_env`` holds.

    ``served`` is who answered in an earlier process (``HttpEmbedder.served``): another model under the same address is
    then found at the first reply. Raises ``ConfigError`` for settings that can't work; does no network.
    """
    family = families.embeddings(config.dialect, config.url)
    base = _base(config, family)
    model = config.model or family.model
    if model is not None and "{model}" in family.route:
        model = model.removeprefix("models/")
    if model is None and transport.host(base) == transport.host(families.OPENAI_URL):
        model = families.OPENAI_MODEL
    if model is None and family.needs_model:
        raise ConfigError(f"embedding.model is not set, and {family.name} needs one")
    place = transport.resolve(base, family.version, family.route.format(model=model))
    timing = timing or Timing()
    server = RemoteServer(
        "embedding",
        place.shown,
        Key(key, config.api_key_env),
        Headers(config.headers, "embedding.headers"),
        family.key_header,
        place.loopback,
    )
    # One's own machine bills nobody: only a pace that was set on purpose slows it down.
    unpaced = place.loopback and config.tokens_per_minute == Embedding().tokens_per_minute
    pace = Pace(None if unpaced else config.tokens_per_minute, timing)
    speech = EmbeddingCodec(family, model, config.dimensions, served)
    return HttpEmbedder(
        speech, place, ModelClient(server, pace, timing), patience or {"query": QUERY, "document": DOCUMENT}
    )


def _base(config: Embedding, family: Embeddings) -> str:
    base = config.url or family.base or (families.OPENAI_URL if config.dialect == "openai" else None)
    if base is None:
        raise ConfigError("embedding.url is not set; give the address of the server, such as http://127.0.0.1:8080/v1")
    return base


def open_reranker(
    config: RerankSettings, key: str | None, *, timing: Timing | None = None, patience: CallTimeout = RERANK
) -> HttpReranker:
    """The reranker of the settings; ``key`` is what ``config.api_key_env`` holds.

    Raises ``ConfigError`` for settings that can't work; does no network."""
    family = families.scores(config.dialect, config.url)
    base = config.url or (family.base if config.dialect else None)
    if base is None:
        raise ConfigError("rerank.url is not set; give the address of the server, such as http://127.0.0.1:8080/v1")
    model = config.model or family.model
    place = transport.resolve(base, family.version, family.route)
    timing = timing or Timing()
    server = RemoteServer(
        "rerank",
        place.shown,
        Key(key, config.api_key_env),
        Headers(config.headers, "rerank.headers"),
        loopback=place.loopback,
    )
    return HttpReranker(family, model, place, ModelClient(server, Pace(None, timing), timing), patience)
