"""An index of invented memories, for how long it takes to notice what a new one means for them.

Half of them are sentences of ten to sixteen words drawn as ``samples.synthetic`` draws them; the other half tell a
value that somebody or something has one of: where they live, a port, a deadline, a price.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from hearth import app
from hearth.core.document import (
    INTERNAL,
    AnalyzedFragment,
    Document,
    FileState,
    Fragment,
    FragmentTerms,
    TermCounts,
    docid,
)
from hearth.core.instants import DAY_MS
from hearth.core.memory import Memory
from hearth.models.static import StaticEmbedder
from hearth.ports import CollectionState, DocumentRecord
from hearth.store.sqlite.store import SqliteStore
from hearth.store.sqlite.vectors import HnswFolder
from hearth.text.terms import count_terms
from hearth.vault.embedding import Filler
from samples.synthetic import START, Corpus, Vocabulary, fingerprint, vocabulary_of

_BATCH = 500
_CLAIMS = (
    "The {0} service listens on port {1}.",
    "The deadline for the {0} {2} is May {3}.",
    "A {0} {2} costs {1} euros.",
    "The user's {0} lives in {4}.",
    "The {0} {2} runs on {4}.",
    "The budget of the {0} {2} is {1} euros.",
)


class Statements:
    """Text ``number`` is always the same."""

    root = "/memory"

    def __init__(self, size: int) -> None:
        self.size = size
        self.vocabulary = Vocabulary(vocabulary_of(size))
        self.known: dict[int, str] = {}

    def text(self, number: int) -> str:
        if number not in self.known:
            self.known[number] = self._told(number)
        return self.known[number]

    def _told(self, number: int) -> str:
        rng = np.random.default_rng(number)
        words = self.vocabulary.document(rng, [int(rng.integers(10, 17))])[0]
        if number % 2:
            return f"The user {' '.join(words)}."
        figure, day = int(rng.integers(1_000, 65_000)), int(rng.integers(1, 29))
        return _CLAIMS[number // 2 % len(_CLAIMS)].format(words[0], figure, words[1], day, words[2].capitalize())

    def memory(self, number: int) -> Memory:
        identity = docid(INTERNAL, f"facts/{number}.md")
        text = self.text(number)
        return Memory(identity, text, "fact", text[:60], "aaaaaaaaaa", START + number % 1_000 * DAY_MS)

    def record(self, number: int) -> DocumentRecord:
        memory = self.memory(number)
        path, size = f"facts/{number}.md", len(memory.text)
        document = Document(
            memory.id, INTERNAL, path, memory.title, "fact", memory.authored_at, memory.authored_at, f"{number:064x}",
            f"{number:064x}", size, authored_at=memory.authored_at, language="en", origin="engine", trust="agent",
            facts={"machine": memory.machine},
        )  # fmt: skip
        counts = Counter(count_terms(memory.text, "en"))
        part = Fragment(0, "section", 1, 1, 0, size, memory.text, ())
        terms = {term: TermCounts(count, 0, 0) for term, count in counts.items()}
        analyzed = AnalyzedFragment(part, FragmentTerms(terms, len(memory.text.split())), 0, size)
        return DocumentRecord(
            document, FileState(memory.authored_at * 1_000_000, size, number + 1, path.encode()), [analyzed]
        )


def build(cache: Path, size: int) -> Corpus:
    """An index of so many memories below ``cache``, made at most once."""
    folder = cache / f"memories-{size}-{fingerprint()}"
    corpus = Corpus(folder, size)
    if (folder / "complete").exists():
        return corpus
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    store: SqliteStore = corpus.open()
    told = Statements(size)
    for start in range(0, size, _BATCH):
        with store.write() as writer:
            for number in range(start, min(size, start + _BATCH)):
                writer.put(told.record(number))
    with store.write() as writer:
        writer.set_collection(CollectionState(INTERNAL, told.root, START))
    embedder = StaticEmbedder()
    Filler(store, app.quantize, nullcontext).run(embedder)
    with store.read() as reader:
        HnswFolder(folder).build(reader, embedder.fingerprint, lambda count: None)
    store.close()
    (folder / "complete").touch()
    return corpus
