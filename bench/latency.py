"""Latency of recall at growing sizes: warm by recipe, a cold command line, memory, and what bounding the match costs.

    python bench/latency.py --sizes 10000,100000 --cache /tmp/hearth-bench
    python bench/latency.py --memory --sizes 100000     resident memory of a warm process, step by step

The cost of the keyword lane is bounded by matching rare terms first; ``kept`` is the share of the full OR's ten best
that the bounded match keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from hearth.core.instants import DAY_MS
from hearth.core.query import Query
from hearth.models.static import StaticEmbedder
from hearth.ports import EVERYTHING, Reader, TermRow, WantedTerm
from hearth.recall import lexicon
from hearth.recall.interfaces import RankingSettings
from hearth.recall.question import Language, ask
from hearth.recall.ranking.weights import count_occurrences, list_terms, relevance
from hearth.recall.recall import Recaller
from hearth.vault.ledger import Space, Spaces
from indexing import KILOBYTE, write_notes
from machine import describe, fresh, hearth, percentile, rss_mb, table
from samples.synthetic import START, Corpus, Vocabulary, build, vocabulary_of

AT = START + 1_100 * DAY_MS
WARM = 20
# Notes of a kilobyte make about three.
FRAGMENTS_PER_NOTE = 3


def main() -> None:
    options = _options()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.memory:
        print_memory(options.cache, sizes, options)
        return
    rows, results = [], []
    for size in sizes:
        corpus: Corpus = fresh(build, options.cache, size, options.embed_up_to)
        result = fresh(measure, corpus, options.queries, options.recipes.split(","), options.compared)
        if size <= options.cold_up_to:
            result["cold_cli_ms"] = cold(corpus, options.cold)
        result["built_s"] = [corpus.index_seconds, corpus.vector_seconds, corpus.graph_seconds]
        results.append(result)
        for recipe, (p50, p95) in result["recipes"].items():
            rows.append([f"{size:,}", recipe, f"{p50:.1f}", f"{p95:.1f}", f"{result['kept']:.2f}",
                         f"{result['rss_mb']:.0f}", f"{result.get('cold_cli_ms', 0):.0f}"])  # fmt: skip
        if corpus.index_seconds:
            index, vectors, graph = result["built_s"]
            print(f"built {size:,}: index {index:.0f} s, vectors {vectors:.0f} s, graph {graph:.0f} s", flush=True)
    print(table(["fragments", "recipe", "p50 ms", "p95 ms", "kept", "RSS MB", "cold CLI ms"], rows))
    if options.json:
        options.json.write_text(json.dumps({"machine": describe(), "sizes": results}, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of fragments (default: %(default)s)")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "hearth-bench")
    parser.add_argument("--recipes", default="keyword,semantic,hybrid", help="(default: %(default)s)")
    parser.add_argument("--queries", type=int, default=200, help="questions per recipe (default: %(default)s)")
    parser.add_argument("--compared", type=int, default=20, help="questions put to the full OR (default: %(default)s)")
    parser.add_argument("--cold", type=int, default=7, help="cold runs of the command (default: %(default)s)")
    parser.add_argument("--cold-up-to", type=int, default=10_000, help="largest size for cold runs")
    parser.add_argument("--embed-up-to", type=int, default=100_000, help="larger sizes get random vectors")
    parser.add_argument("--memory", action="store_true", help="resident memory instead of times")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


def recaller(corpus: Corpus) -> Recaller:
    embedder = StaticEmbedder()
    return Recaller(corpus.open(), Spaces(Space(lambda: embedder)), RankingSettings())


def measure(corpus: Corpus, queries: int, recipes: list[str], compared: int) -> dict[str, Any]:
    """p50 and p95 in ms by recipe, memory, and the share kept of the full OR's ten best."""
    questions = Vocabulary(vocabulary_of(corpus.fragments)).questions(queries)
    answer = recaller(corpus)
    timings: dict[str, tuple[float, float]] = {}
    for recipe in recipes:
        for text in questions[:WARM]:
            answer(Query(text, at=AT, recipe=recipe))
        taken = []
        for text in questions:
            started = time.perf_counter()
            answer(Query(text, at=AT, recipe=recipe))
            taken.append((time.perf_counter() - started) * 1000)
        timings[recipe] = (percentile(taken, 0.5), percentile(taken, 0.95))
    memory = rss_mb()
    with corpus.open().read() as reader:
        shares = [kept(text, reader) for text in questions[:compared]]
    return {
        "fragments": corpus.fragments,
        "recipes": timings,
        "rss_mb": memory,
        "kept": sum(shares) / len(shares) if shares else 1.0,
    }


def print_memory(cache: Path, sizes: list[int], options: argparse.Namespace) -> None:
    """Bare, with the engine imported, and after questions by every recipe."""
    for size in sizes:
        corpus: Corpus = fresh(build, cache, size, options.embed_up_to)
        steps = [("bare interpreter of this benchmark", fresh(rss_mb))]
        steps += fresh(_remembering, corpus, options.queries, options.recipes.split(","))
        print(table(["process", "RSS MB"], [[what, f"{mb:.0f}"] for what, mb in steps]))


def _remembering(corpus: Corpus, queries: int, recipes: list[str]) -> list[tuple[str, float]]:
    questions = Vocabulary(vocabulary_of(corpus.fragments)).questions(queries)
    steps = [("engine imported, questions made", rss_mb())]
    answer = recaller(corpus)
    for recipe in recipes:
        for text in questions:
            answer(Query(text, at=AT, recipe=recipe))
        steps.append((f"after {queries} {recipe} questions", rss_mb()))
    return steps


def kept(text: str, reader: Reader) -> float:
    """The share of the full OR's ten best fragments, by the keyword lane's own score, that the bounded match finds."""
    question = ask(Query(text, at=AT), Language())
    statistics = reader.statistics()
    bounded = lexicon.look_up(question, reader, statistics)
    # How rare each is matters to the plan alone; that it may stand prominently is looked up.
    every = tuple(WantedTerm(TermRow("", term, 0, 1), weight=word.idf) for word in bounded.words for term in word.ids)

    def best(known: lexicon.Lexicon, limit: int) -> set[int]:
        found = reader.match(known.plan, EVERYTHING, limit)
        scored = []
        for posting in reader.postings(found, EVERYTHING):
            if known.words:
                length = posting.length / statistics.mean_length
                occurrences = count_occurrences(posting.packed, list_terms(known.words))
                judged = relevance(occurrences, length, known.words, known.mass)
                scored.append((judged.score, -posting.fragment))
        return {-fragment for _, fragment in sorted(scored, reverse=True)[:10]}

    wanted = best(replace(bounded, plan=every), statistics.fragments)
    return len(wanted & best(bounded, lexicon.MATCHED)) / len(wanted) if wanted else 1.0


def cold(corpus: Corpus, runs: int) -> float:
    """Median wall time in ms of ``hearth query`` in a fresh process, over notes of as many fragments, none changed."""
    with tempfile.TemporaryDirectory(prefix="hearth-cold-") as work:
        write_notes(Path(work) / "notes", corpus.fragments // FRAGMENTS_PER_NOTE, KILOBYTE)
        names = ("CONFIG", "DATA", "CACHE", "STATE")
        environ = {**os.environ, "HOME": work, **{f"HEARTH_{name}_DIR": f"{work}/{name.lower()}" for name in names}}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        environ["HEARTH_DAEMON_MODE"] = "never"
        subprocess.run(hearth("bootstrap", f"{work}/notes"), env=environ, capture_output=True, check=True)
        taken = []
        for text in Vocabulary(20_000).questions(runs):
            started = time.perf_counter()
            done = subprocess.run(hearth("query", text, "--json"), env=environ, capture_output=True, text=True)
            taken.append((time.perf_counter() - started) * 1000)
            if done.returncode not in (0, 1):
                raise SystemExit(f"hearth query failed: {done.stderr.strip()}")
        return percentile(taken, 0.5)


if __name__ == "__main__":
    main()
