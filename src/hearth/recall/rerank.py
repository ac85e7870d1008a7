"""The reranker as recall uses it, and whether it tells relevant from irrelevant."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from hearth.core.document import Curve
from hearth.core.errors import BadReply, Guidance, HearthError, Remedy, Unavailable
from hearth.core.instants import DAY_MS, HOUR_MS
from hearth.core.lazy import dataclass
from hearth.core.query import Query
from hearth.core.timeout import Timeout
from hearth.ports import Clock, RerankCache, RerankCheck, Reranker, StoredFragment
from hearth.recall.ranking.candidate import Candidate, apply_answers
from hearth.recall.ranking.snippet import Nearness, best_window
from hearth.recall.ranking.weights import RERANK, log_odds, platt_probability
from hearth.text.lines import estimate_tokens
from hearth.text.terms import terms
from hearth.vault.canary import fit_curve

# Of models that answer at random one in a hundred gets so far; MiniLM, which knows little Spanish, has 0.91.
MIN_AUC = 0.75
# Mean probability of the answers above that of the other texts. At random 0.1, MiniLM has 0.5.
MIN_MARGIN = 0.2
_LIKE_ONE = 1e-6
_DOCTOR = Remedy("doctor", lead="see: ")


@dataclass(frozen=True, slots=True)
class Golden:
    """A question, its answer, and texts that share words with it but don't answer."""

    language: str
    question: str
    answer: str
    others: tuple[str, ...]


@dataclass(slots=True)
class _HealthScores:
    """Log-odds of one language's texts."""

    answers: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)

    @property
    def pairs(self) -> int:
        return len(self.answers) * len(self.others)


@cache
def golden() -> tuple[Golden, ...]:
    """The questions of ``golden.tsv``, English and Spanish."""
    lines = files("hearth.recall").joinpath("golden.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return tuple(Golden(language, question, answer, tuple(others)) for language, question, answer, *others in rows)


def examine(reranker: Reranker, at: int) -> RerankCheck:
    """Asks the golden questions; ``problem`` says why the model must not be used. Texts are compared within their
    language, and the curve leaves out a language that the model can't read. Raises what the reranker raises."""
    found: dict[str, _HealthScores] = {}
    for case in golden():
        own = found.setdefault(case.language, _HealthScores())
        first, *rest = score_texts(reranker, case.question, (case.answer, *case.others))
        own.answers.append(log_odds(first))
        own.others.extend(map(log_odds, rest))
    every = [value for own in found.values() for value in (*own.answers, *own.others)]
    if max(every) - min(every) < _LIKE_ONE:
        return RerankCheck(at, 0.5, 0.0, None, "it gives every text the same score")
    areas = {language: area(own.answers, own.others) for language, own in found.items()}
    auc = sum(areas[name] * own.pairs for name, own in found.items()) / sum(own.pairs for own in found.values())
    read = [own for language, own in found.items() if areas[language] >= MIN_AUC] or list(found.values())
    answers, others = [v for own in read for v in own.answers], [v for own in read for v in own.others]
    curve = fit_curve(answers, others)
    margin = _mean([platt_probability(curve, v) for v in answers]) - _mean(
        [platt_probability(curve, v) for v in others]
    )
    problem = None
    if auc < MIN_AUC or margin < MIN_MARGIN or curve.slope <= 0:
        problem = (
            f"it can't tell answers from other texts: right in {auc:.0%} of the test pairs (at least {MIN_AUC:.0%}), "
            f"margin {margin:.2f} (at least {MIN_MARGIN:.2f})"
        )
    return RerankCheck(at, auc, margin, curve, problem)


def score_texts(reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
    """The scores of texts. Raises ``BadReply`` for a wrong count, or a score that is no number in [0, 1]."""
    scores = [float(score) for score in reranker.score(question, texts)]
    if len(scores) != len(texts):
        raise BadReply(f"{reranker.fingerprint} gave {len(scores)} scores for {len(texts)} texts", _DOCTOR)
    bad = next((score for score in scores if not (math.isfinite(score) and -_LIKE_ONE <= score <= 1 + _LIKE_ONE)), None)
    if bad is not None:
        raise BadReply(f"{reranker.fingerprint} gave the score {bad}, not one from 0 to 1", _DOCTOR)
    return [min(1.0, max(0.0, score)) for score in scores]


def area(answers: Sequence[float], others: Sequence[float]) -> float:
    """The share of pairs in which the answer scores higher, ties as half: the area under the ROC curve."""
    wins = sum((answer > other) + 0.5 * (answer == other) for answer in answers for other in others)
    return wins / (len(answers) * len(others))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


_PARTS = 100
"""So many fragments of a document around the one found are considered: a book has thousands."""
ReadParts = Callable[[int], Sequence[StoredFragment]]
"""The fragments of a document."""
# A healthy model is checked again after a day, a useless one, which somebody may repair, after an hour.
HEALTHY_MS = DAY_MS
USELESS_MS = HOUR_MS
# After a failure or a missed deadline searches go on without it for so long, instead of waiting each time.
REST_MS = 60_000
# A person who asks for the check waits longer than a search.
EXAMINE_SECONDS = 60.0
# What was said before a fragment gets this part of the room for a text.
_CONTEXT = 5
# Of a query's deadline a model gets this part.
_SHARE = 3
# A model's scores depend on the hardware and on the batch from about this digit on; there the fused score decides.
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Reranked:
    """The candidates in their new order; or as they were, and ``missing`` says why. ``trace`` is for ``--explain``."""

    pool: list[Candidate]
    trace: Mapping[str, Any]
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class _Scores:
    """Raw scores of all texts, how many were known before, and the curve that gives them a meaning."""

    model: str
    values: Sequence[float]
    known: int
    curve: Curve
    auc: float | None


class _Skipped(HearthError):
    """The model must not be used now."""


class Rerank:
    """The stage. ``load`` opens the model on first use. A question waits ``seconds`` for it, the first one, which also
    opens and checks it, ``first_seconds``. ``extent`` is how many parts of a document are read, and how many first
    places stay as they are. Thread-safe."""

    def __init__(
        self,
        load: Callable[[], Reranker],
        clock: Clock,
        cache: RerankCache | None = None,
        *,
        seconds: float = 5.0,
        first_seconds: float = 15.0,
        extent: tuple[int, int] = (1, 0),
    ) -> None:
        self._load = load
        self._clock = clock
        self._cache = cache
        self._seconds, self._first_seconds = seconds, first_seconds
        self._windows, self._protected = extent
        self._model: Reranker | None = None
        self._check: RerankCheck | None = None
        self._resting: tuple[int, str] = (0, "")
        self._opening = threading.Lock()
        self._timeout = Timeout()

    def __call__(
        self,
        query: Query,
        text: str,
        pool: list[Candidate],
        weights: Mapping[str, float],
        near: Nearness | None = None,
        read_parts: ReadParts | None = None,
    ) -> Reranked:
        """``text`` is the query's without operators. ``weights`` (index term -> worth) and ``near`` choose the part of
        a long text, ``read_parts`` gives further ones of a document. Never raises: whatever keeps the model from
        answering is named in ``missing``."""
        places, texts = choose_texts(pool, min(query.candidates, RERANK.candidates), weights, near)
        own = len(texts)
        further = {} if read_parts is None else self._add_windows(pool[: len(places)], texts, weights, read_parts)
        cut = estimate_tokens(_unquote(text)) > RERANK.question
        trace: dict[str, Any] = {"candidates": len(places), "texts": own, "question_cut": cut}
        trace |= {"windows": len(texts) - own} if self._windows > 1 else {}
        seconds = math.inf if query.deadline_ms is None else query.deadline_ms / 1000 / _SHARE
        try:
            found = self._ask(word_question(text, query.intent, weights), texts, seconds)
        except _Skipped as skipped:
            return Reranked(
                pool, {"answered": False, "why": str(skipped), **trace}, Guidance.behind("rerank: ", skipped.said)
            )
        answers = [round(platt_probability(found.curve, log_odds(value)), _DIGITS) for value in found.values]
        trace |= {"cached": found.known, "hit_rate": round(found.known / max(1, len(texts)), 3), "auc": found.auc}
        trace = {"answered": True, "model": found.model, **trace}
        by_document = {document: max(answers[at] for at in ats) for document, ats in further.items()}
        best = [
            max(answers[place], by_document.get(one.document.id, 0.0)) for place, one in zip(places, pool, strict=False)
        ]
        return Reranked(protect(pool, apply_answers(pool, best), self._protected), trace)

    def _add_windows(
        self, read: Sequence[Candidate], texts: list[str], weights: Mapping[str, float], read_parts: ReadParts
    ) -> dict[int, list[int]]:
        """Further fragments of the documents, first those with most of the question's words, then those nearest to what
        was found, added to ``texts``: by document their places there."""
        own = {one.fragment.id for one in read}
        added: dict[int, list[int]] = {}
        for one in read if self._windows > 1 else ():
            if one.document.id in added:
                continue
            language, at = one.document.document.language, one.fragment.seq

            def rank(part: StoredFragment, language: str = language, at: int = at) -> tuple[float, int, int]:
                worth = math.fsum(weights[term] for term in weights.keys() & set(terms(part.text, language)))
                return -worth, abs(part.seq - at), part.seq

            room = self._windows - sum(other.document.id == one.document.id for other in read)
            chosen = []
            if room > 0:
                near = sorted(read_parts(one.document.id), key=lambda part: abs(part.seq - at))[:_PARTS]
                chosen = sorted((part for part in near if part.id not in own), key=rank)[:room]
            added[one.document.id] = [len(texts) + place for place in range(len(chosen))]
            texts += [best_window(part.text, weights, language, RERANK.text).strip() for part in chosen]
        return {document: places for document, places in added.items() if places}

    def examine(self) -> tuple[str, RerankCheck]:
        """Checks the model anew, whatever is known of it: its fingerprint and what was found. Raises ``HearthError``
        where it can't be opened or asked, or takes longer than ``EXAMINE_SECONDS``."""

        def work() -> tuple[str, RerankCheck]:
            with self._opening:
                model = self._open()
                return model.fingerprint, self._examine(model)

        try:
            found = self._timeout.call(work, EXAMINE_SECONDS)
        except HearthError:
            raise
        except Exception as error:
            raise Unavailable(_describe(error)) from error
        self._resting = (0, "")
        return found

    @property
    def cache_problem(self) -> str | None:
        """Why scores are not kept, where they are not."""
        return None if self._cache is None else self._cache.problem

    # -- where the question waits ----------------------------------------------------------------------------------

    def _ask(self, question: str, texts: Sequence[str], seconds: float) -> _Scores:
        """Raises ``_Skipped``."""
        until, why = self._resting
        if 0 < until - self._clock() <= REST_MS:
            raise _Skipped(why)
        enough = self._first_seconds if self._check is None else self._seconds
        begun = threading.Event()

        def work() -> _Scores:
            begun.set()
            return self._score(question, texts)

        try:
            return self._timeout.call(work, min(seconds, enough))
        except _Skipped:
            raise
        except HearthError as error:
            if not begun.is_set() or (seconds < enough and isinstance(error, Unavailable)):
                # No fault of the model: it is busy, or the question was in a hurry.
                raise _Skipped(error.said) from error
            raise self._fail(error.said) from error
        except Exception as error:
            # A model's library raises what it likes, and the search must go on.
            raise self._fail(_describe(error)) from error

    def _fail(self, why: str) -> _Skipped:
        """Notes a failure, for other processes too."""
        self._resting = (self._clock() + REST_MS, why)
        model = self._model
        if model is not None and self._cache is not None:
            known = self._check or self._cache.checked(model.fingerprint) or RerankCheck(0)
            self._cache.note(model.fingerprint, replace(known, resting=self._resting[0], failure=why))
        return _Skipped(why)

    # -- in a thread of its own ------------------------------------------------------------------------------------

    def _score(self, question: str, texts: Sequence[str]) -> _Scores:
        with self._opening:
            model = self._open()
            check = self._check_model(model)
        if check.curve is None or check.problem is not None:
            raise _Skipped(check.problem or "never checked")
        known = {} if self._cache is None else self._cache.get(model.fingerprint, question, texts)
        left = [at for at in range(len(texts)) if at not in known]
        fresh = dict(zip(left, score_texts(model, question, [texts[at] for at in left]), strict=True)) if left else {}
        if fresh and self._cache is not None:
            self._cache.put(model.fingerprint, question, {texts[at]: score for at, score in fresh.items()})
        scores = {**known, **fresh}
        return _Scores(model.fingerprint, [scores[at] for at in range(len(texts))], len(known), check.curve, check.auc)

    def _open(self) -> Reranker:
        if self._model is None:
            self._model = self._load()
        return self._model

    def _check_model(self, model: Reranker) -> RerankCheck:
        """The last check where it still holds, else a new one. Raises ``_Skipped`` while the model rests."""
        now = self._clock()
        check = self._check
        if check is None and self._cache is not None:
            check = self._cache.checked(model.fingerprint)
            if check is not None and now < check.resting <= now + REST_MS:
                self._resting = (check.resting, check.failure or "failed a moment ago")
                raise _Skipped(self._resting[1])
        if check is None or not _holds(check, now):
            return self._examine(model)
        self._check = check
        return check

    def _examine(self, model: Reranker) -> RerankCheck:
        check = self._check = examine(model, self._clock())
        if self._cache is not None:
            self._cache.note(model.fingerprint, check)
        return check


def protect(before: Sequence[Candidate], after: list[Candidate], count: int) -> list[Candidate]:
    """The first ``count`` as they were; the rest below the last of them, in its new order."""
    kept = list(before[:count])
    if not kept:
        return after
    first = {id(one.fragment) for one in kept}
    least = min(one.score for one in kept)
    rest = [one for one in after if id(one.fragment) not in first]
    return [*kept, *(one.move("protected", one.score * least, f"below the first {count}") for one in rest)]


def choose_texts(
    pool: Sequence[Candidate], count: int, weights: Mapping[str, float], near: Nearness | None = None
) -> tuple[list[int], list[str]]:
    """For the first candidates the place of each one's text, and at most ``count`` texts: each once, its headings and
    what was said before it above the part of it that speaks of the question."""
    places: list[int] = []
    texts: list[str] = []
    known: dict[str, int] = {}
    for candidate in pool:
        fragment, document = candidate.fragment, candidate.document.document
        before = best_window(fragment.context, weights, document.language, RERANK.text // _CONTEXT)
        room = RERANK.text - estimate_tokens(before)
        part = best_window(fragment.text, weights, document.language, room, near).strip()
        key = " ".join(part.casefold().split())
        if key not in known:
            if len(texts) == count:
                break
            known[key] = len(texts)
            above = [name for name in dict.fromkeys((document.title, *fragment.headings)) if name not in part]
            texts.append("\n".join(filter(None, (" > ".join(above), before, part))))
        places.append(known[key])
    return places, texts


def word_question(text: str, intent: str | None, weights: Mapping[str, float]) -> str:
    """The intent, then the question; of either its best part where it is too long for a model."""
    cut = best_window(_unquote(text), weights, "en", RERANK.question)
    hint = best_window(_unquote(intent or ""), weights, "en", RERANK.intent)
    return f"{hint}\n{cut}" if hint else cut


def _holds(check: RerankCheck, now: int) -> bool:
    if check.auc is None:
        return False
    return 0 <= now - check.at < (HEALTHY_MS if check.problem is None else USELESS_MS)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _unquote(text: str) -> str:
    """Without the quotation marks that are operators of a search."""
    return " ".join(text.replace('"', " ").split())
