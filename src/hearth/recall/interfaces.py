"""What lanes and stages are, what all those of one question share, and the ranking settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from hearth.core.lazy import dataclass, regex
from hearth.core.query import Conversation, Query
from hearth.memory.reviews import Doubts
from hearth.ports import Reader, Statistics, StoredDocument
from hearth.recall.lexicon import Lexicon, look_up
from hearth.recall.question import Language, Question, ask
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.gate import is_eligible
from hearth.recall.ranking.weights import RERANK
from hearth.recall.vectors import QuestionVectors, embed
from hearth.vault.ledger import Spaces

if TYPE_CHECKING:
    from hearth.recall.rerank import Rerank


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """``half_lives`` in days by content type, ``None`` for never; ``contexts`` maps collection and folder to what is
    said of them; ``scoring`` is ``relevance`` or ``composite``; ``surfaces`` says of each
    collection for which prompts it is brought up; ``min_score`` is that of questions that name none. ``weights`` are a
    person's own: of the lanes ``keyword`` and ``vector`` times the fitted ones, of composite scoring ``relevance``,
    ``recency`` and ``confidence`` in place of the known ones."""

    language: Language = field(default_factory=Language)
    half_lives: Mapping[str, float | None] = field(default_factory=dict)
    temporal_decay: bool = True
    mmr: bool = True
    mmr_weight: float = 0.8
    contexts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scoring: str = "relevance"
    surfaces: Mapping[str, str] = field(default_factory=dict)
    min_score: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def folder_context(self, collection: str, path: str) -> str | None:
        """The context that the settings give the closest folder above a document."""
        texts = self.contexts.get(collection, {})
        found = [folder for folder in texts if f"/{path}".startswith(f"/{folder.strip('/')}/".replace("//", "/"))]
        return texts[max(found, key=len)] if found else None

    def surfaced(self) -> tuple[str, ...]:
        """The collections that may be brought up unasked if only some may; empty if all may."""
        shown = tuple(name for name, when in self.surfaces.items() if when != "never")
        return () if len(shown) == len(self.surfaces) else shown

    def is_reference(self, collection: str) -> bool:
        """Whether the collection is reference material."""
        return self.surfaces.get(collection) in ("asked", "never")


@dataclass(frozen=True, slots=True)
class Context:
    """What all lanes and stages of one question share. ``emphasis`` maps index terms to their worth when choosing a
    part of a text. ``vectors`` is ``None`` where meaning does not count, and ``missing`` says why; ``by_meaning`` says
    whether it was wanted."""

    query: Query
    question: Question
    lexicon: Lexicon
    emphasis: Mapping[str, float]
    reader: Reader
    statistics: Statistics
    settings: RankingSettings
    doubts: Doubts
    rerank: Rerank | None = None
    vectors: QuestionVectors | None = None
    missing: tuple[str, ...] = ()
    by_meaning: bool = False

    @property
    def min_score(self) -> float | None:
        """The least score of an answer, where the question or the settings name one."""
        return self.settings.min_score if self.query.min_score is None else self.query.min_score

    @property
    def place(self) -> Conversation:
        """Where the question comes from. A question from outside a conversation is for all projects."""
        return self.query.conversation or Conversation(other_projects=True)

    @property
    def conversation(self) -> Conversation:
        return self.query.conversation or Conversation()

    def keep_visible(self, documents: Iterable[StoredDocument]) -> Iterator[StoredDocument]:
        """The documents that the filters admit and that may be shown in this conversation."""
        allowed = self.reader.rows(self.question.within)
        for stored in documents:
            if (allowed is None or allowed.admits(stored.id)) and is_eligible(stored, self.query.at, self.place):
                yield stored

    def nearness(self, texts: Sequence[str], about: str = "") -> list[float] | None:
        """Cosines of texts, indexed or not, to the question or to the text that it is ``about``; ``None`` where meaning
        does not count."""
        return None if self.vectors is None else self.vectors.nearness(texts, about)

    def with_vectors(self, spaces: Spaces | None) -> Context:
        """Raises what ``vectors.embed`` raises."""
        asked = replace(self.query, text=self.question.gist)
        vectors, missing = embed(asked, spaces, self.reader, self.lexicon.native)
        return replace(self, vectors=vectors, missing=(*self.missing, *missing), by_meaning=True)


# Without colons no word of it is an operator.
_WORD = regex(r"[^\s:]+")


def weigh_terms(
    query: Query, lexicon: Lexicon, language: Language, reader: Reader, statistics: Statistics
) -> dict[str, float]:
    """Index term -> worth when choosing a part of a text: words of the question count whole, of the intent in part."""
    if not query.intent:
        return lexicon.idf_by_term
    intent = replace(query, text=" ".join(_WORD.findall(query.intent)))
    hinted = look_up(ask(intent, language), reader, statistics).idf_by_term
    return {term: RERANK.hint * worth for term, worth in hinted.items()} | lexicon.idf_by_term


@dataclass(frozen=True, slots=True)
class CandidateColumns:
    """Fragments as the index has them, before their texts are read, as parallel lists. ``occurrences`` count the
    question's terms, ``lengths`` are relative to the mean, and ``quiet`` marks fragments in which only an assistant or
    the frontmatter speaks."""

    fragments: Sequence[int]
    documents: Sequence[int]
    lengths: Sequence[float]
    occurrences: Sequence[Mapping[int, float]]
    quiet: Sequence[bool]
    packed: Sequence[bytes]

    def __len__(self) -> int:
        return len(self.fragments)


class Vote(NamedTuple):
    """``score``, calibrated to [0, 1], counts ``weight`` in the fused score; ``raw`` is what the lane measured,
    ``None`` where it has nothing to show. What ``leads`` is read before anything else, whatever its score."""

    score: float = 0.0
    weight: float = 0.0
    raw: float | None = None
    leads: bool = False


class Votes(NamedTuple):
    """A lane's votes on fragments, as parallel lists; no fragment leads if ``leads`` is empty."""

    scores: Sequence[float]
    weights: Sequence[float]
    raw: Sequence[float | None]
    leads: Sequence[bool] = ()

    @staticmethod
    def collect(votes: Iterable[Vote]) -> Votes | None:
        columns = tuple(zip(*votes, strict=True))
        return Votes(*columns) if columns else None


class Lane(Protocol):
    """A lane overrides one or more of these methods."""

    name: ClassVar[str]

    def __init__(self, context: Context) -> None: ...

    def find(self) -> Iterable[int]:
        """The fragments worth judging, each once."""
        return ()

    def judge(self, columns: CandidateColumns) -> Votes | None:
        """One vote for each fragment, whichever lane found it."""
        return None

    def boost(self, candidate: Candidate) -> Candidate:
        """Adjusts a candidate once its document is known."""
        return candidate


Select = Callable[["Context", list[Candidate]], list[Candidate]]
"""Drops candidates that can't be an answer and keeps the order of the rest."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates left. ``reason`` says why there are none or they are not ``confident`` answers, ``confidence`` in
    [0, 1] how likely they answer, ``missing`` which models could not answer; ``trace`` is for ``--explain``."""

    candidates: list[Candidate]
    reason: str | None = None
    missing: tuple[str, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)
    confident: bool = True
    confidence: float = 1.0

    def hold(self, candidates: list[Candidate], reason: str) -> Pool:
        """With these candidates; ``reason`` says why there are none."""
        return replace(self, candidates=candidates, reason=self.reason if candidates else reason)


class Stage(Protocol):
    """Called with a pool that is not empty. Fields of the stage hold what differs by recipe."""

    name: ClassVar[str]

    def applies(self, context: Context) -> bool:
        """Whether this vault has what the stage needs."""
        return True

    def __call__(self, context: Context, pool: Pool) -> Pool: ...
