"""Whether a reranker can tell an answer from a text about the same thing, and what its scores are worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from importlib.resources import files

from hearth.core.errors import BadReply, Remedy
from hearth.core.lazy import dataclass
from hearth.ports import RerankCheck, Reranker
from hearth.recall.ranking.bm25 import fit, log_odds, platt_probability

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
class _Scores:
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
    found: dict[str, _Scores] = {}
    for case in golden():
        own = found.setdefault(case.language, _Scores())
        first, *rest = asked(reranker, case.question, (case.answer, *case.others))
        own.answers.append(log_odds(first))
        own.others.extend(map(log_odds, rest))
    every = [value for own in found.values() for value in (*own.answers, *own.others)]
    if max(every) - min(every) < _LIKE_ONE:
        return RerankCheck(at, 0.5, 0.0, None, "it gives every text the same score")
    areas = {language: area(own.answers, own.others) for language, own in found.items()}
    auc = sum(areas[name] * own.pairs for name, own in found.items()) / sum(own.pairs for own in found.values())
    read = [own for language, own in found.items() if areas[language] >= MIN_AUC] or list(found.values())
    answers, others = [v for own in read for v in own.answers], [v for own in read for v in own.others]
    curve = fit(answers, others)
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


def asked(reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
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
