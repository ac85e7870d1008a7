"""Models, the caches of what they gave, and the search among their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from hearth.core.document import Curve
from hearth.core.lazy import dataclass
from hearth.ports.stored import Rows

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hearth.ports.stored import Bytes, Vectors


T = TypeVar("T", bound="BaseModel")


class Llm(Protocol):
    """A language model that answers with values. ``name`` is who answers, as people may read it."""

    @property
    def name(self) -> str: ...
    def complete(self, prompt: str, schema: type[T]) -> T:
        """The answer as ``schema`` has it. Raises ``Unavailable`` (not to be had now, the budget included) or
        ``BadReply`` (nothing that fits, after several attempts within one deadline)."""

    def close(self) -> None:
        """Lets go of connections and memory; a later call takes them again."""


class Embedder(Protocol):
    """Texts to unit vectors. Raises ``Unavailable`` (try later) or ``BadReply`` (NaN, wrong width or count).

    ``curve`` is ``None`` where nobody measured the model: its space then measures it. ``contextual`` models read word
    order and negation, a bag of words does not."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def dimensions(self) -> int:
        """Width of the vectors. A model that has to be asked for it may raise as ``embed`` does."""

    @property
    def curve(self) -> Curve | None: ...
    @property
    def contextual(self) -> bool: ...

    def embed(self, texts: Sequence[str], role: Literal["document", "query"]) -> Vectors:
        """float32 (n, dimensions), unit length, in order; a text that the model can't represent gives a zero row."""

    def coverage(self, text: str) -> float:
        """How well the model knows the text's language, in [0, 1]."""


class Reranker(Protocol):
    """A second look at a question and its best fragments. Raises ``Unavailable`` or ``BadReply``."""

    fingerprint: str

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        """float32 (n,) in [0, 1], in order: how well each text answers the query; only their order is comparable
        between models."""


@dataclass(frozen=True, slots=True)
class RerankCheck:
    """What is known of a reranker's health. ``at`` is when it was checked, ``resting`` until when it is left alone
    after a ``failure``; both ms UTC. ``auc`` and ``margin`` tell how well it separates the golden pairs, ``problem``
    why that is not enough; ``curve`` turns the log-odds of a score into the probability that the text answers."""

    at: int
    auc: float | None = None
    margin: float | None = None
    curve: Curve | None = None
    problem: str | None = None
    resting: int = 0
    failure: str | None = None


class RerankCache(Protocol):
    """Scores that a reranker gave before, by its fingerprint, question and text, and its last check. A cache that
    fails knows nothing and says why in ``problem``; it never raises."""

    @property
    def problem(self) -> str | None: ...
    def get(self, model: str, question: str, texts: Sequence[str]) -> dict[int, float]:
        """Position in ``texts`` -> score."""

    def put(self, model: str, question: str, scores: Mapping[str, float]) -> None:
        """Keeps the score of each text; the oldest make room."""

    def checked(self, model: str) -> RerankCheck | None: ...
    def note(self, model: str, check: RerankCheck) -> None: ...
    def clear(self) -> bool:
        """Erases all scores for good; ``False`` where that failed."""


class EmbeddingCache(Protocol):
    """Vectors that were computed before, by space and text. A cache that fails knows nothing; it never raises."""

    def get(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> (int8 vector, scale)."""

    def put(self, space: str, vectors: Mapping[str, tuple[Bytes, float]]) -> None: ...
    def trim(self) -> int: ...
    def keep(self, texts: Iterable[str]) -> bool:
        """Erases the vectors of all other texts for good; ``False`` where that failed."""

    def check(self, *, deep: bool = False) -> str | None:
        """What is damaged, by looking at some of the entries, or ``deep`` at all; ``None`` where nothing is found."""

    def empty(self) -> None:
        """Begins anew, whatever is in the way."""


class VectorIndex(Protocol):
    """Nearest fragments of one space: exact, or approximate candidates rescored exactly."""

    def search(self, query: Vectors, count: int, rows: Rows | None) -> list[tuple[int, float]]:
        """(fragment id, cosine), best first, of the admitted documents."""

    def scores(self, query: Vectors, fragments: Sequence[int]) -> dict[int, float]:
        """Cosines of the given fragments; those without a vector are absent."""

    def __len__(self) -> int: ...
