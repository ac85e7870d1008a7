"""Resident memory of a warm process: bare, with the engine imported, and after questions by every recipe.

python bench/memory.py --size 100000 --cache /tmp/hearth-bench
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from machine import fresh, rss_mb, table


def bare() -> float:
    return rss_mb()


def warm(cache: Path, size: int, queries: int) -> list[tuple[str, float]]:
    """Memory in MB after each step."""
    from hearth.model.query import Query
    from latency import AT, recaller
    from samples.synthetic import Vocabulary, build, vocabulary_of

    corpus = build(cache, size, size)
    questions = Vocabulary(vocabulary_of(size)).questions(queries)
    steps = [("engine imported, questions made", rss_mb())]
    answer = recaller(corpus)
    for recipe in ("keyword", "semantic", "hybrid"):
        for text in questions:
            answer(Query(text, at=AT, recipe=recipe))
        steps.append((f"after {queries} {recipe} questions", rss_mb()))
    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000, help="fragments (default: %(default)s)")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "hearth-bench")
    parser.add_argument("--queries", type=int, default=100, help="questions per recipe (default: %(default)s)")
    options = parser.parse_args()
    from samples.synthetic import build

    fresh(build, options.cache, options.size, 100_000)
    steps = [("bare interpreter of this benchmark", fresh(bare))]
    steps += fresh(warm, options.cache, options.size, options.queries)
    print(table(["process", "RSS MB"], [[what, f"{mb:.0f}"] for what, mb in steps]))


if __name__ == "__main__":
    main()
