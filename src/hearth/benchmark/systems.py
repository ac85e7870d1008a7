"""Systems under test: Hearth by recipe, BM25 over the same fragments, and grep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from hearth.benchmark.measures import BenchQuestion, Window
from hearth.benchmark.subject import Ranker, Subject, Workbench
from hearth.core.lazy import dataclass, regex
from hearth.core.query import MAX_RESULTS, Query, Recall
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.packing import PASSAGE_OVERHEAD, pack
from hearth.text.common_words import stop_words
from hearth.text.lines import estimate_tokens

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
        at = self.subject.asked_at(asked)
        return self.subject.vault.recall(
            Query(asked.text, at=at, limit=limit, budget_tokens=budget, recipe=self.recipe, min_score=0.0)
        )


def _answer(recall: Recall) -> Answer:
    windows = [Window(hit.path, hit.start_line, hit.end_line) for hit in recall.hits]
    tokens = sum(estimate_tokens(hit.text) + PASSAGE_OVERHEAD for hit in recall.hits)
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
    return Answer(windows, sum(estimate_tokens(c.fragment.text) + PASSAGE_OVERHEAD for c in candidates))


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
