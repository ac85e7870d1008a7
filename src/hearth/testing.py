"""Fakes and builders for tests of Hearth and of programs built on it: small, deterministic, no files, no models.

>>> from hearth.store.memory import MemoryStore
>>> store = MemoryStore()
>>> with store.write() as writer:
...     writer.put(record("notes", "a.md", "# Title", "One paragraph."))
True
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hearth.model.curve import Curve
from hearth.model.document import Document, FileState
from hearth.model.fragment import AnalyzedFragment, Fragment, TermCounts
from hearth.model.identity import content_hash, docid
from hearth.ports import DocumentRecord
from hearth.text.terms import terms

if TYPE_CHECKING:
    from hearth.ports import Vectors

START_MS = 1_700_000_000_000
"""14 November 2023, 22:13:20 UTC: when a ``FixedClock`` begins and a built document was written."""

_DOCUMENT_FIELDS = frozenset(field.name for field in fields(Document))


class FixedClock:
    """A clock in ms UTC that stands still unless moved; fits ``ports.Clock``."""

    def __init__(self, ms: int = START_MS) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms

    def advance(self, *, days: float = 0, seconds: float = 0) -> int:
        """Moves on and gives the new time."""
        self.ms += int((days * 86_400 + seconds) * 1000)
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
    return AnalyzedFragment(part, counts, body.total(), part.start_char, len(text.encode()))


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
