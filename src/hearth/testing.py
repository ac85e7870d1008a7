"""Fakes and builders for tests of Hearth and of programs built on it: small, deterministic, no models.

>>> store = temporary_store()
>>> with store.write() as writer:
...     writer.put(record("notes", "a.md", "# Title", "One paragraph."))
True
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from hearth.core.document import (
    AnalyzedFragment,
    Curve,
    Document,
    FileState,
    Fragment,
    FragmentTerms,
    TermCounts,
    content_hash,
    docid,
)
from hearth.core.errors import BadReply, Unavailable
from hearth.core.instants import DAY_MS
from hearth.ports import DocumentRecord
from hearth.store.sqlite.store import SqliteStore
from hearth.text.terms import terms

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hearth.ports import Vectors

T = TypeVar("T", bound="BaseModel")

START_MS = 1_700_000_000_000
"""14 November 2023, 22:13:20 UTC: when a ``FixedClock`` begins and a built document was written."""

_DOCUMENT_FIELDS = frozenset(field.name for field in fields(Document))


_IN_MEMORY = "/dev/shm"


def temporary_store() -> SqliteStore:
    """An empty index in a folder of its own, on a file system in memory where there is one; both go with the store."""
    folder = Path(tempfile.mkdtemp(prefix="hearth-", dir=_IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None))
    store = SqliteStore(folder / "index.sqlite", "temporary")
    weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
    return store


class FixedClock:
    """A clock in ms UTC that stands still unless moved; fits ``ports.Clock``."""

    def __init__(self, ms: int = START_MS) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms

    def advance(self, *, days: float = 0, seconds: float = 0) -> int:
        """Moves on and gives the new time."""
        self.ms += int(days * DAY_MS + seconds * 1000)
        return self.ms


class HashEmbedder:
    """Implements ``ports.Embedder``: the mean of one random direction a term, so shared words mean near vectors.

    The directions depend on the terms alone: equal on every machine and in every run.
    """

    def __init__(self, dimensions: int = 64, name: str = "hash") -> None:
        self.fingerprint = f"{name}:{dimensions}:1"
        self.dimensions = dimensions
        self.curve: Curve | None = Curve(8.0, -4.0)
        self.contextual = False

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """float32 (n, dimensions), unit length; zero rows for texts without a term."""
        del role
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for term in sorted(set(terms(text, "en"))):
                row += self._direction(term)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return np.asarray(vectors / lengths, dtype=np.float32)

    def coverage(self, text: str) -> float:
        return 1.0 if any(terms(text, "en")) else 0.0

    def _direction(self, term: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(term.encode("utf-8", "surrogatepass")).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)


class WordReranker:
    """Implements ``ports.Reranker``: the share of the question's words that a text holds, in [0, 0.8].

    Counting words alone fails the health check, so it knows the answers to the check's own questions by heart, and
    those ``given`` to it. ``asked`` holds every question and text that it was given.
    """

    fingerprint = "words:1"

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        from hearth.recall.rerank import golden

        self.answers = {(case.question, case.answer) for case in golden()} | set((given or {}).items())
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        self.asked.append((query, tuple(texts)))
        wanted = set(terms(query, "en"))
        scores = [
            0.9
            if any(query.endswith(question) and answer in text for question, answer in self.answers)
            else 0.8 * len(wanted & set(terms(text, "en"))) / max(1, len(wanted))
            for text in texts
        ]
        return np.asarray(scores, dtype=np.float32)


class ConstantReranker:
    """Implements ``ports.Reranker``: one score for every text, as a model without its last layer gives."""

    fingerprint = "constant:1"

    def __init__(self, score: float = 0.5) -> None:
        self._score = score

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        return np.full(len(texts), self._score, dtype=np.float32)


class InvertedReranker(WordReranker):
    """A ``WordReranker`` that prefers what answers least."""

    fingerprint = "inverted:1"

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        return 1 - super().score(query, texts)


class FailingReranker:
    """Implements ``ports.Reranker``: raises ``error``."""

    fingerprint = "failing:1"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        raise self._error


class StallingReranker(WordReranker):
    """A ``WordReranker`` that waits until ``go`` is set."""

    fingerprint = "stalling:1"

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        self.go.wait()
        return super().score(query, texts)


class ScriptedLlm:
    """Implements ``ports.Llm``: gives one answer after the other, as JSON, or raises it where it is an error; ``asked``
    are the prompts."""

    name = "scripted"

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def complete(self, prompt: str, schema: type[T]) -> T:
        self.asked.append(prompt)
        answer = self.answers.pop(0) if self.answers else BadReply("nothing more to say")
        if isinstance(answer, Exception):
            raise answer
        try:
            return schema.model_validate_json(answer)
        except ValueError as error:
            raise BadReply(f"the reply does not fit: {error}") from error

    def close(self) -> None:
        """Nothing is held."""


class TableModel:
    """Implements ``ports.Embedder``: the built-in table under another name and width, so that texts mean something.

    A test makes it fail while it is in use: ``refused`` words raise ``BadReply``, ``away`` raises ``Unavailable``,
    ``seed`` turns all vectors as another model behind the same name would, ``spoilt`` says what else is wrong with
    them (``nan``, ``alike``, ``wide``), and with ``gate`` every call first waits for the event. ``asked`` counts texts.
    """

    def __init__(self, name: str = "model", dimensions: int = 64) -> None:
        from hearth.models.static import StaticEmbedder

        self._table = StaticEmbedder()
        self.fingerprint = f"{name}:{dimensions}:1"
        self.dimensions = dimensions
        self.curve: Curve | None = None
        self.contextual = False
        self.refused: frozenset[str] = frozenset()
        self.away = False
        self.seed = 0
        self.spoilt: str | None = None
        self.gate: threading.Event | None = None
        self.asked = 0

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """float32 (n, dimensions), unit length; zero rows for texts without a known word."""
        if self.gate is not None:
            self.gate.wait()
        if self.away:
            raise Unavailable(f"{self.fingerprint} is away")
        for word in self.refused:
            if any(word in text for text in texts):
                raise BadReply(f"{self.fingerprint} refuses {word}")
        self.asked += len(texts)
        order = np.random.default_rng(self.seed).permutation(self.dimensions) if self.seed else slice(None)
        vectors = self._table.embed(texts, role)[:, : self.dimensions][:, order]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return self._spoilt(np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32))

    def coverage(self, text: str) -> float:
        return self._table.coverage(text)

    def _spoilt(self, vectors: Vectors) -> Vectors:
        if self.spoilt == "nan":
            return vectors * np.float32(np.nan)
        if self.spoilt == "alike":
            return np.full_like(vectors, self.dimensions**-0.5)
        return np.hstack([vectors, vectors]) if self.spoilt == "wide" else vectors


def document(collection: str = "notes", path: str = "note.md", text: str = "A note.", **given: Any) -> Document:
    """A document as if ``text`` stood in its file; ``given`` are fields of ``Document``."""
    data = text.encode()
    defaults: dict[str, Any] = {
        "docid": docid(collection, path),
        "collection": collection,
        "path": path,
        "title": path.rsplit("/", 1)[-1].removesuffix(".md"),
        "content_type": "note",
        "modified_at": START_MS,
        "indexed_at": START_MS,
        "body_hash": content_hash(data),
        "raw_hash": content_hash(data),
        "size": len(data),
        "language": "en",
    }
    return Document(**{**defaults, **given})


def fragment(text: str, seq: int = 0, **given: Any) -> AnalyzedFragment:
    """A fragment with the terms that the analyzer finds; ``given`` are fields of ``Fragment``.

    It stands at the beginning of its document unless ``given`` says otherwise.
    """
    part = Fragment(
        seq=seq,
        kind="section",
        start_line=1,
        end_line=1 + text.rstrip("\n").count("\n"),
        start_char=0,
        end_char=len(text),
        text=text,
    )
    part = replace(part, **given)
    body = Counter(terms(text, "en"))
    heading = Counter(terms(" ".join(part.headings), "en"))
    counts = {term: TermCounts(body[term], heading[term]) for term in sorted(body.keys() | heading.keys())}
    return AnalyzedFragment(part, FragmentTerms(counts, body.total()), part.start_char, len(text.encode()))


def record(collection: str, path: str, *texts: str, **given: Any) -> DocumentRecord:
    """What a writer puts: a document with a fragment for each text. ``given`` are fields of ``Document`` or of
    ``DocumentRecord``."""
    whole = "\n\n".join(texts)
    of_document = {name: value for name, value in given.items() if name in _DOCUMENT_FIELDS}
    rest = {name: value for name, value in given.items() if name not in _DOCUMENT_FIELDS}
    parts = [fragment(text, seq) for seq, text in enumerate(texts)]
    size = len(whole.encode())
    file = FileState(START_MS * 1_000_000, size, 1, path.encode("utf-8", "surrogateescape"))
    built = document(collection, path, whole, **of_document)
    return replace(DocumentRecord(built, file, parts), **rest)
