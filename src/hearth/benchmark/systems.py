"""Systems under test, Hearth by recipe beside BM25 and grep, and the vault that a case is indexed into."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from hearth.benchmark.measures import BenchQuestion, Case, Window
from hearth.core.document import FileState
from hearth.core.errors import Unavailable, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.query import MAX_RESULTS, Query, Recall
from hearth.ports import Collection, Files, Filter, StoredDocument, StoredFragment, Walk
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.packing import FRAGMENT_OVERHEAD, pack
from hearth.text.language import stop_words
from hearth.text.lines import estimate_tokens
from hearth.vault.vault import Vault

# What undated notes are dated and asked at: a fresh checkout must not change a score.
FIXED_AT = 1_700_000_000_000


class Ranker(Protocol):
    """A baseline: fragment ids, best first."""

    def search(self, text: str, limit: int) -> list[int]: ...


class Workbench(Protocol):
    """Where cases are indexed. ``fingerprint`` names what the content of an index depends on."""

    @property
    def fingerprint(self) -> str: ...
    def open(self, corpus: Path) -> Vault:
        """An empty throw-away vault over a folder."""

    def size(self) -> int:
        """Bytes on disk of all vaults opened so far; exact once they are closed."""

    def bm25(self, fragments: Iterable[tuple[int, str]], stop_words: frozenset[str]) -> Ranker: ...


@dataclass(frozen=True)
class Subject:
    """``at`` is ms UTC; ``sizes`` maps the paths that hold gold to their number of lines; ``seconds`` is what
    indexing took, vectors included."""

    case: Case
    vault: Vault
    at: int
    sizes: Mapping[str, int]
    documents: int
    fragments: int
    seconds: float

    def find_time(self, asked: BenchQuestion) -> int:
        return self.at if asked.at is None else asked.at


@dataclass(frozen=True)
class Undated:
    """``Files`` whose times say nothing; implements ``ports.Files``."""

    inner: Files

    def walk(self, collection: Collection) -> Walk:
        walk = self.inner.walk(collection)
        return replace(walk, files={path: _drop_date(file) for path, file in walk.files.items()})

    def read(self, collection: Collection, file: FileState) -> bytes:
        return self.inner.read(collection, file)

    def state(self, collection: Collection, disk_path: bytes) -> FileState | None:
        state = self.inner.state(collection, disk_path)
        return None if state is None else _drop_date(state)


def _drop_date(file: FileState) -> FileState:
    return file._replace(mtime_ns=FIXED_AT * 1_000_000)


def prepare(case: Case, open_vault: Callable[[Path], Vault]) -> Subject:
    """Indexes a case. Raises ``UsageError`` for gold that names no document of the case, ``Unavailable`` where the
    model that was asked for can't embed: figures of another would be mistaken for its own."""
    vault = open_vault(case.corpus)
    started = time.perf_counter()
    replace(vault.index.syncer, files=Undated(vault.core.files)).run(vault.collections)
    embedded = vault.index.embed()
    if embedded.error is not None:
        vault.close()
        raise Unavailable(embedded.error)
    seconds = time.perf_counter() - started
    documents = [stored.document for stored in vault.documents(Filter(include_hidden=True))]
    known = {document.path for document in documents}
    for asked in case.questions:
        for gold in asked.gold:
            if gold.path not in known:
                vault.close()
                raise UsageError(f"question {asked.id!r} of {case.name}: {case.corpus} holds no {gold.path!r}")
    authored = [document.authored_at for document in documents if document.authored_at is not None]
    with vault.store.read() as reader:
        fragments = reader.statistics().fragments
    return Subject(
        case=case,
        vault=vault,
        at=max(authored) + DAY_MS if authored else FIXED_AT,
        sizes=_sizes(case),
        documents=len(documents),
        fragments=fragments,
        seconds=seconds,
    )


def strangers(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, BenchQuestion]]:
    """Each question with gold beside the next subject by name, cyclic, which holds no answer to it; none where a
    subject is alone."""
    in_order = sorted(subjects, key=lambda subject: subject.case.name)
    for subject, following in zip(in_order, [*in_order[1:], *in_order[:1]], strict=True):
        if following is not subject:
            yield from ((following, asked) for asked in subject.case.questions if asked.gold)


def _sizes(case: Case) -> dict[str, int]:
    paths = {gold.path for asked in case.questions for gold in asked.gold}
    return {path: _lines((case.corpus / path).read_bytes()) for path in paths}


def _lines(data: bytes) -> int:
    """Lines of a file; a newline at its end begins none."""
    return data.count(b"\n") + (not data.endswith(b"\n"))


_WORD = regex(r"\w+")


class GrepBaseline:
    """Counts distinct words of the question per fragment, case ignored, parts of words included; ties keep the order
    of the fragments. Implements ``Ranker``."""

    def __init__(self, fragments: Iterable[tuple[int, str]], stop_words: frozenset[str]) -> None:
        self._fragments = [(identity, text.lower()) for identity, text in fragments]
        self._stop = stop_words
        self._holding: dict[str, list[int]] = {}

    def search(self, text: str, limit: int) -> list[int]:
        words = dict.fromkeys(_WORD.findall(text.lower()))
        words = {word: None for word in words if word not in self._stop} or words
        counts: Counter[int] = Counter()
        for word in words:
            counts.update(self._places(word))
        best = sorted(counts, key=lambda place: (-counts[place], place))[:limit]
        return [self._fragments[place][0] for place in best]

    def _places(self, word: str) -> list[int]:
        found = self._holding.get(word)
        if found is None:
            found = self._holding[word] = [n for n, (_, text) in enumerate(self._fragments) if word in text]
        return found


NAME = "hearth"
"""What reports call the vault itself, beside the baselines."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Windows, best first, and the tokens that they cost a reader, what a renderer adds included; how sure the system
    is that the best one answers, and whether it says so."""

    windows: list[Window]
    tokens: int
    confidence: float = 0.0
    confident: bool = False


class BenchSystem(Protocol):
    """Something that answers the questions of one subject."""

    @property
    def name(self) -> str: ...
    @property
    def recipe(self) -> str: ...
    def top(self, asked: BenchQuestion, limit: int) -> Answer: ...
    def packed(self, asked: BenchQuestion, budget: int) -> Answer:
        """The best context of that many tokens."""


@dataclass(frozen=True)
class Hearth:
    """The vault itself, as users ask it, but without the cut: a ranking is compared with other whole rankings."""

    subject: Subject
    recipe: str
    name: str = NAME

    def top(self, asked: BenchQuestion, limit: int) -> Answer:
        return _answer(self._ask(asked, limit, None))

    def packed(self, asked: BenchQuestion, budget: int, limit: int = MAX_RESULTS) -> Answer:
        return _answer(self._ask(asked, limit, budget))

    def _ask(self, asked: BenchQuestion, limit: int, budget: int | None) -> Recall:
        at = self.subject.find_time(asked)
        return self.subject.vault.recall(
            Query(asked.text, at=at, limit=limit, budget_tokens=budget, recipe=self.recipe, min_score=0.0)
        )


def _answer(recall: Recall) -> Answer:
    windows = [Window(hit.path, hit.start_line, hit.end_line) for hit in recall.hits]
    tokens = sum(estimate_tokens(hit.text) + FRAGMENT_OVERHEAD for hit in recall.hits)
    return Answer(windows, tokens, recall.confidence, recall.confident)


@dataclass(frozen=True)
class Baseline:
    """A ranking of the subject's fragments, packed as Hearth packs its own."""

    name: str
    ranker: Ranker
    fragments: dict[int, StoredFragment]
    documents: dict[int, StoredDocument]
    recipe: str = ""

    def top(self, asked: BenchQuestion, limit: int) -> Answer:
        return _tell(self._rank(asked, limit))

    def packed(self, asked: BenchQuestion, budget: int) -> Answer:
        return _tell(pack(self._rank(asked, MAX_RESULTS), budget)[0])

    def _rank(self, asked: BenchQuestion, limit: int) -> list[Candidate]:
        found = [self.fragments[identity] for identity in self.ranker.search(asked.text, limit)]
        return [Candidate(fragment, self.documents[fragment.document], 0.0) for fragment in found]


def _tell(candidates: Sequence[Candidate]) -> Answer:
    windows = [Window(c.document.document.path, c.fragment.start_line, c.fragment.end_line) for c in candidates]
    return Answer(windows, sum(estimate_tokens(c.fragment.text) + FRAGMENT_OVERHEAD for c in candidates))


def baselines(subject: Subject, workbench: Workbench) -> list[BenchSystem]:
    """``bm25`` and ``grep`` over the fragments of a subject, without the stop words of its languages."""
    with subject.vault.store.read() as reader:
        fragments = {fragment.id: fragment for fragment in reader.fragments_after(0, subject.fragments)}
        documents = reader.documents(sorted({fragment.document for fragment in fragments.values()}))
        languages = reader.statistics().languages
    table = stop_words()
    known = [table[language] for language in languages if language in table] or [table["en"]]
    stop = frozenset().union(*known)
    texts = [(fragment.id, fragment.text) for fragment in fragments.values()]
    return [
        Baseline("bm25", workbench.bm25(texts, stop), fragments, documents),
        Baseline("grep", GrepBaseline(texts, stop), fragments, documents),
    ]
