"""Fits what the vectors weigh beside the words: ``FUSION.vector`` and ``FUSION.contextual``.

    python bench/fit_fusion.py DATA [--model minilm-int8] [--sets team,notes] [--cases N] [--work FOLDER] [--rows FILE]

Each kind of set (a team's notes, notes on commands, conversations, articles, other languages) is left out in turn: the
others choose the weight, and the kind left out is scored with it. The same is done for reciprocal-rank fusion, with its
constant and weight. What every lane says of every candidate is collected once, so that a weight is tried by arithmetic;
``--rows`` keeps it. Scores are those of the fused order, before any stage. A third of the questions, by a hash of their
ids, is left out of the fit and counted apart. ``--work`` keeps the indexes with their vectors.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from fit_gate import is_aside
from hearth import app
from hearth.benchmark.measures import BenchQuestion, Gold, load
from hearth.benchmark.systems import Subject, prepare
from hearth.cli.questions.bench import lend_models
from hearth.core.query import Query
from hearth.ports import StoredFragment
from hearth.recall import vectors
from hearth.recall.candidates import open_context, read_columns
from hearth.recall.interfaces import Context
from hearth.recall.ranking.weights import FUSION, VOICE
from hearth.recall.recall import find_recipe
from machine import table

EXAMPLES = Path(__file__).parent.parent / "examples"
# What a set is measured by: recall at so many windows.
DEPTH = {"xquad": 1, "locomo": 10, "beam-100k": 10, "scifact": 10}
USUAL_DEPTH = 5
KINDS = ("team", "notes", "engnotes", "examples", "locomo", "beam-100k", "xquad", "scifact")
WEIGHTS = {
    "built-in": (0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.5),
    "model": (0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 1.6, 2.0, 3.0),
}
RANKS = tuple(product((10.0, 30.0, 60.0), (0.5, 1.0, 2.0)))
"""Constants and weights of the vectors' ranks."""
# What a reciprocal rank is raised by where a name or a kind that was asked for speaks for a passage.
NAMED = 1.0


@dataclass
class Asked:
    """One question in one space, with a row for each candidate. ``others`` is what all lanes but the vectors add,
    ``beside`` what they weigh; ``say`` gives the weight of the vectors as a line over the constant that is fitted."""

    set: str
    aside: bool
    hits: Any
    words: Any
    others: Any
    beside: Any
    meaning: Any
    cosines: Any
    found: Any
    voice: Any
    say: tuple[float, float]


def collect(subject: Subject, name: str, space: str) -> Iterator[Asked]:
    recaller = subject.vault.core.recaller
    spaces = recaller.spaces
    assert spaces is not None
    spaces = replace(spaces, strict=True) if space == "model" else replace(spaces, model=None)
    for asked in subject.case.questions:
        if asked.gold and asked.type not in ("name", "alias"):
            query = Query(asked.text, at=subject.find_time(asked), recipe="hybrid")
            with recaller._store.read() as reader:
                context = open_context(query, reader, recaller.settings, None, unasked=False, by_meaning=True)
                if not context.question.empty:
                    aside = is_aside(name, subject.case, asked)
                    yield from _ask(context.with_vectors(spaces), asked, name, aside=aside)


def _ask(context: Context, asked: BenchQuestion, name: str, *, aside: bool) -> Iterator[Asked]:
    lanes = [lane(context) for lane in find_recipe("hybrid").lanes]
    by_lane = {lane.name: list(lane.find()) for lane in lanes}
    fragments = read_columns(context, list(dict.fromkeys(one for found in by_lane.values() for one in found)))
    if not len(fragments):
        return
    votes = {lane.name: votes for lane in lanes if (votes := lane.judge(fragments)) is not None}
    scores = {name: np.array(one.scores) * np.array(one.weights) for name, one in votes.items()}
    weights = {name: np.array(one.weights) for name, one in votes.items()}
    nothing = np.zeros(len(fragments))
    meaning = votes.get("vector")
    yield Asked(
        set=name,
        aside=aside,
        hits=_find_hits(context, asked, fragments.fragments),
        words=np.array(votes["keyword"].scores) if "keyword" in votes else nothing,
        others=sum((one for name, one in scores.items() if name != "vector"), nothing),
        beside=sum((one for name, one in weights.items() if name != "vector"), nothing),
        meaning=nothing if meaning is None else np.array(meaning.scores),
        cosines=nothing if meaning is None else np.array([-1.0 if raw is None else raw for raw in meaning.raw]),
        found=np.isin(fragments.fragments, by_lane["vector"]),
        voice=np.where(fragments.quiet, VOICE, 1.0),
        say=_find_line(context),
    )


def _find_line(context: Context) -> tuple[float, float]:
    if context.vectors is None:
        return 0.0, 0.0
    main = context.vectors.main
    if not main.contextual:
        return 0.0, main.trust
    # The weight of a model's space is linear in the constant; a language that it hardly knows has less of it.
    part, spread = _SEEN[-1]
    return main.trust * FUSION.vector * (1 - part), main.trust * spread * part


_SEEN: list[tuple[float, float]] = []
_weigh_space = vectors.weigh_space


def _watch_space(facts: Any, known: float) -> float:
    """Keeps how fluent a model is in the question's language, and how far it tells the vault's passages apart."""
    say = _weigh_space(facts, known)
    full = FUSION.contextual * facts.known_spread - FUSION.vector
    _SEEN.append(((say - FUSION.vector) / full if facts.contextual and full else 0.0, facts.known_spread))
    return say


def _find_hits(context: Context, asked: BenchQuestion, fragments: Sequence[int]) -> Any:
    """Which candidate holds which of the answers."""
    read = context.reader.fragments(list(fragments))
    documents = context.reader.documents(sorted({one.document for one in read.values()}))

    def holds(one: StoredFragment, gold: Gold) -> bool:
        path: str = documents[one.document].document.path
        return path == gold.path and gold.start <= one.end_line and one.start_line <= gold.end

    return np.array([[holds(read[one], gold) for gold in asked.gold] for one in fragments])


# -- scoring --------------------------------------------------------------------------------------------------------


def recall(asked: Asked, scores: Any) -> float:
    """The share of the answers among the first windows."""
    first = np.argsort(-scores * asked.voice, kind="stable")[: DEPTH.get(asked.set, USUAL_DEPTH)]
    return float(asked.hits[first].any(axis=0).mean())


def mix(asked: Asked, weight: float) -> Any:
    """The weighted mean of the lanes."""
    say = asked.say[0] + asked.say[1] * weight
    total = asked.beside + say
    return np.divide(asked.others + say * asked.meaning, total, out=np.zeros(len(total)), where=total > 0)


def rank(asked: Asked, constant: float, weight: float) -> Any:
    """The sum of the reciprocal ranks; a lane ranks what it found."""
    named = asked.others - asked.words * FUSION.keyword > NAMED
    by_words = _reciprocal(asked.words, asked.words > 0, constant)
    return by_words + weight * _reciprocal(asked.cosines, asked.found, constant) + NAMED * named


def _reciprocal(scores: Any, found: Any, constant: float) -> Any:
    order = np.argsort(-np.where(found, scores, -2.0), kind="stable")
    places = np.empty(len(scores))
    places[order] = np.arange(1, len(scores) + 1)
    return np.where(found, 1 / (constant + places), 0.0)


Method = Callable[[Asked], Any]


def score_all(rows: Sequence[Asked], methods: Mapping[str, Method], *, aside: bool) -> dict[str, dict[str, float]]:
    """By method and set."""
    kinds = [kind for kind in KINDS if any(row.set == kind for row in rows)]
    return {
        name: {
            kind: float(np.mean([recall(row, method(row)) for row in rows if row.set == kind and row.aside == aside]))
            for kind in kinds
        }
        for name, method in methods.items()
    }


def choose(scores: Mapping[str, Mapping[str, float]], names: Sequence[str], without: str) -> str:
    """The method that is best on the mean of the kinds but one."""
    return max(names, key=lambda name: sum(value for kind, value in scores[name].items() if kind != without))


def list_methods(space: str) -> tuple[dict[str, Method], dict[str, Method]]:
    """Weighted means by the weight of the vectors, and reciprocal ranks by their constant and weight."""
    mixes: dict[str, Method] = {f"{weight:g}": partial(mix, weight=weight) for weight in WEIGHTS[space]}
    ranks: dict[str, Method] = {f"{c:g}/{w:g}": partial(rank, constant=c, weight=w) for c, w in RANKS}
    return mixes, ranks


def show(rows: Sequence[Asked], space: str) -> None:
    now = f"{FUSION.vector if space == 'built-in' else FUSION.contextual:g}"
    mixes, ranks = list_methods(space)
    alone: dict[str, Method] = {"words": lambda row: row.words, "vectors": lambda row: row.cosines}
    read, aside = (score_all(rows, {**alone, **mixes, **ranks}, aside=part) for part in (False, True))
    kinds = list(read["words"])
    counts = [str(sum(row.set == kind and not row.aside for row in rows)) for kind in kinds]
    print(f"\n{space}: recall at {', '.join(f'{DEPTH.get(kind, USUAL_DEPTH)}' for kind in kinds)}")
    lines = [[name, *(f"{one[kind]:.3f}" for kind in kinds), f"{_mean(one):.4f}"] for name, one in read.items()]
    print(table(["method", *kinds, "mean"], [["questions", *counts, ""], *lines]))
    lines = []
    for kind in (*kinds, "none"):
        weight, ranked = choose(read, list(mixes), kind), choose(read, list(ranks), kind)
        shown = [(part, name) for part in (read, aside) for name in (weight, ranked, now, "vectors")]
        lines.append(
            [kind, weight, ranked, *(f"{part[name].get(kind, _mean(part[name])):.3f}" for part, name in shown)]
        )
    print("\nChosen without a kind, and what that gives on it: first of the questions of the fit, then of those aside")
    parts = ("mean", "ranks", "now", "alone")
    print(table(["left out", "weight", "ranks", *parts, *(f"aside: {part}" for part in parts)], lines))


def _mean(by_kind: Mapping[str, float]) -> float:
    return float(np.mean(list(by_kind.values())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="minilm-int8", help="an onnx model that was pulled (default: %(default)s)")
    parser.add_argument("--sets", default=",".join(KINDS), help="(default: %(default)s)")
    parser.add_argument("--cases", type=int, default=100, help="of each set, the first so many (default: all)")
    parser.add_argument("--work", type=Path, help="a folder to keep the indexes in")
    parser.add_argument("--rows", type=Path, help="a file to keep what was collected in, read where it is there")
    options = parser.parse_args()
    vectors.weigh_space = _watch_space
    vectors.MODEL_SECONDS = 300.0  # type: ignore[attr-defined]
    if options.rows is not None and options.rows.is_file():
        rows = pickle.loads(options.rows.read_bytes())
    else:
        with tempfile.TemporaryDirectory(prefix="hearth-fusion-") as work:
            rows = _collect_all(options, options.work or Path(work))
        if options.rows is not None:
            options.rows.write_bytes(pickle.dumps(rows))
    for space, found in rows.items():
        show(found, space)


def _collect_all(options: argparse.Namespace, work: Path) -> dict[str, list[Asked]]:
    rows: dict[str, list[Asked]] = {"built-in": [], "model": []}
    given = {"HEARTH_EMBEDDING_PROVIDER": "onnx", "HEARTH_EMBEDDING_MODEL": options.model}
    for name in options.sets.split(","):
        for case in load(EXAMPLES if name == "examples" else options.data / name)[: options.cases]:
            folder = work / name / case.name
            if not (folder / "cache").is_dir():
                lend_models(folder / "cache")
            subject = prepare(case, partial(app.open_folder, work=folder, given=given))
            for space, found in rows.items():
                found += collect(subject, name, space)
            subject.vault.close()
            print(f"{name}/{case.name}: {subject.fragments} fragments in {subject.seconds:.0f} s", flush=True)
    return rows


if __name__ == "__main__":
    main()
