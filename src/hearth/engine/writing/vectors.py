"""Vectors of one document in the built-in space, so that it is found by meaning at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hearth.engine.indexing.analysis import embedding_text
from hearth.errors import BadReply, Unavailable
from hearth.lazy import dataclass
from hearth.ports import Embedder, Store

if TYPE_CHECKING:
    from hearth.ports import Bytes, Vectors


@dataclass(frozen=True)
class OneDocument:
    """What it can't embed now is left to the next update, which fills in what is missing."""

    store: Store
    load: Callable[[], Embedder]
    quantize: Callable[[Vectors], tuple[Bytes, Vectors]]

    def __call__(self, docid: str) -> None:
        with self.store.read() as reader:
            stored = reader.document(docid)
            parts = reader.fragments_of(stored.id) if stored is not None else []
        if stored is None or not parts:
            return
        title = stored.document.title
        try:
            embedder = self.load()
            texts = [embedding_text(part.headings, part.context, part.text, title) for part in parts]
            rows, scales = self.quantize(embedder.embed(texts, "document"))
        except (Unavailable, BadReply):
            return
        with self.store.write() as writer:
            writer.put_vectors(embedder.fingerprint, [part.id for part in parts], list(rows), scales.tolist())
