"""Synthetic corpora with the statistics of notes: a Zipfian vocabulary, documents with topics, ordinary lengths.

Words of ordinary English (the package's background table) make the head of the vocabulary, invented ones its tail.
Word k is drawn with probability proportional to 1 / (k + 2.7)^1.07 (Mandelbrot's form of Zipf's law; exponents near
1.07 are usual for English prose); three words in ten come from the forty words of the document's topic, so that words
repeat inside a document as they do in real ones.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hearth import app
from hearth.core.document import AnalyzedFragment, Document, FileState, Fragment, FragmentTerms, TermCounts, docid
from hearth.core.instants import DAY_MS
from hearth.markdown import DEFAULT_OVERLAP, DEFAULT_WORDS
from hearth.models.static import StaticEmbedder
from hearth.ports import CollectionState, DocumentRecord
from hearth.store.sqlite.store import SqliteStore
from hearth.store.sqlite.vectors import MIN_VECTORS, HnswFolder
from hearth.text.language import stop_words
from hearth.text.terms import chunk_terms
from hearth.vault.embedding import Filler

FRAGMENTS_PER_DOCUMENT = 5
TOPIC_WORDS = 40
TOPIC_SHARE = 0.3
_DOCUMENTS_PER_BATCH = 500
_VECTORS_PER_BATCH = 20_000
START = 1_600_000_000_000


class Vocabulary:
    """``size`` words, commonest first, with the cumulative probability of each rank."""

    def __init__(self, size: int, seed: int = 1) -> None:
        self.words = _words(size, seed)
        weights = 1.0 / (np.arange(size) + 2.7) ** 1.07
        self.cumulative = np.cumsum(weights / weights.sum())

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        """Ranks of ``count`` random words."""
        found = np.searchsorted(self.cumulative, rng.random(count))
        return np.minimum(found, len(self.words) - 1).astype(np.int64)

    def document(self, rng: np.random.Generator, lengths: list[int]) -> list[list[str]]:
        """Texts of one document as words, one list for each length."""
        topic = self.draw(rng, TOPIC_WORDS)
        texts = []
        for length in lengths:
            ranks = self.draw(rng, length)
            topical = rng.random(length) < TOPIC_SHARE
            ranks[topical] = topic[rng.integers(TOPIC_WORDS, size=int(topical.sum()))]
            texts.append([self.words[rank] for rank in ranks])
        return texts

    def questions(self, count: int, seed: int = 5) -> list[str]:
        """Questions of four to eight words: function words, and words from one document's vocabulary."""
        rng = np.random.default_rng(seed)
        questions = []
        for _ in range(count):
            words = self.document(rng, [int(rng.integers(40, 60))])[0]
            content = [word for word in dict.fromkeys(words) if word not in stop_words()["en"]]
            asked = content[: int(rng.integers(3, 6))]
            questions.append(" ".join(("what", "about", "the", *asked)))
        return questions


def vocabulary_of(fragments: int) -> int:
    """Heaps' law, 60 n^0.5 words for n running words, which a hundred words a fragment make."""
    return int(60 * (100 * fragments) ** 0.5)


def _words(size: int, seed: int) -> list[str]:
    lines = files("hearth.text").joinpath("background.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line[:1].isalpha()]
    common = [term for term, _ in sorted(rows, key=lambda row: -float(row[1])) if term.isascii() and term.isalpha()]
    known = dict.fromkeys([*sorted(stop_words()["en"])[:120], *common][:size])
    rng = random.Random(seed)
    syllables = [c + v + e for c in "bcdfghjklmnprstvwz" for v in "aeiou" for e in ("", "n", "r", "s", "l")]
    while len(known) < size:
        known["".join(rng.choices(syllables, k=rng.choice((2, 3, 3, 4))))] = None
    return list(known)


@dataclass(frozen=True)
class Corpus:
    """An index on disk, and what making it cost in seconds (0 where it already present)."""

    folder: Path
    fragments: int
    index_seconds: float = 0.0
    vector_seconds: float = 0.0
    graph_seconds: float = 0.0

    @property
    def path(self) -> Path:
        return self.folder / "index.sqlite"

    def open(self) -> SqliteStore:
        return SqliteStore(self.path, fingerprint())


def fingerprint() -> str:
    return app.fingerprint(DEFAULT_WORDS, DEFAULT_OVERLAP)


def build(cache: Path, fragments: int, embed_up_to: int) -> Corpus:
    """An index of so many fragments below ``cache``, made at most once. Up to ``embed_up_to`` fragments get the
    vectors of their texts, above that clustered random vectors of the same width."""
    folder = cache / f"{fragments}-{fingerprint()}"
    corpus = Corpus(folder, fragments)
    done = folder / "complete"
    if done.exists():
        return corpus
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    store = corpus.open()
    started = time.perf_counter()
    _fill(store, fragments)
    indexed = time.perf_counter()
    embedder = StaticEmbedder()
    if fragments <= embed_up_to:
        Filler(store, app.quantize, nullcontext).run(embedder)
    else:
        _fill_vectors(store, embedder)
    embedded = time.perf_counter()
    if fragments >= MIN_VECTORS:
        with store.read() as reader:
            HnswFolder(folder).build(reader, embedder.fingerprint, lambda count: None)
    graphed = time.perf_counter()
    store.close()
    done.touch()
    return Corpus(folder, fragments, indexed - started, embedded - indexed, graphed - embedded)


def _fill(store: SqliteStore, fragments: int) -> None:
    rng = np.random.default_rng(11)
    vocabulary = Vocabulary(vocabulary_of(fragments))
    terms = {word: chunk_terms(word, "en") for word in vocabulary.words}
    documents = fragments // FRAGMENTS_PER_DOCUMENT
    for start in range(0, documents, _DOCUMENTS_PER_BATCH):
        with store.write() as writer:
            for number in range(start, min(documents, start + _DOCUMENTS_PER_BATCH)):
                writer.put(_record(number, vocabulary, terms, rng))
    with store.write() as writer:
        writer.set_collection(CollectionState("notes", "/notes", START))


def _record(
    number: int, vocabulary: Vocabulary, terms: dict[str, tuple[str, ...]], rng: np.random.Generator
) -> DocumentRecord:
    # Windows are cut near their limit; the last one of a document is what was left.
    lengths = [int(n) for n in np.clip(rng.normal(100, 25, FRAGMENTS_PER_DOCUMENT), 12, 160)]
    texts = vocabulary.document(rng, lengths)
    path = f"{number % 97:02d}/note-{number:07d}.md"
    title = " ".join(texts[0][:5])
    authored = START + int(rng.integers(0, 1_000)) * DAY_MS
    document = Document(
        docid=docid("notes", path),
        collection="notes",
        path=path,
        title=title,
        content_type="note",
        modified_at=authored,
        indexed_at=authored,
        body_hash=f"{number:064x}",
        raw_hash=f"{number:064x}",
        size=sum(map(len, map(" ".join, texts))),
        authored_at=authored,
        language="en",
    )
    heading = Counter(term for word in title.split() for term in terms[word])
    parts = []
    at = 0
    for seq, words in enumerate(texts):
        text = " ".join(words)
        body = Counter(term for word in words for term in terms[word])
        counts = {term: TermCounts(count, heading.get(term, 0), 0) for term, count in body.items()}
        counts.update((term, TermCounts(0, count, 0)) for term, count in heading.items() if term not in counts)
        part = Fragment(seq, "section", seq + 1, seq + 1, at, at + len(text), text, (title,))
        parts.append(AnalyzedFragment(part, FragmentTerms(counts, len(words)), at, at + len(text)))
        at += len(text) + 1
    file = FileState(authored * 1_000_000, document.size, number + 1, path.encode())
    return DocumentRecord(document, file, parts)


def _fill_vectors(store: SqliteStore, embedder: StaticEmbedder) -> None:
    """Unit vectors around one centre for each of a thousand topics, as texts of one subject lie together."""
    rng = np.random.default_rng(13)
    centres = rng.normal(size=(1_000, embedder.dimensions)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    after = 0
    while True:
        with store.read() as reader:
            ids = [fragment.id for fragment in reader.fragments_after(after, _VECTORS_PER_BATCH)]
        if not ids:
            return
        after = ids[-1]
        noise = rng.normal(scale=1 / embedder.dimensions**0.5, size=(len(ids), embedder.dimensions))
        vectors = (centres[rng.integers(len(centres), size=len(ids))] + noise).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        levels, scales = app.quantize(vectors)
        with store.write() as writer:
            writer.put_vectors(embedder.fingerprint, ids, list(levels), scales.tolist())
