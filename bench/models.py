"""Embedders side by side: texts a second, a warm question, the first vector in a fresh process, and memory.

    python bench/models.py static minilm minilm-int8 path:FOLDER

Models are names of the catalogue that were pulled (``hearth models pull``) or ``path:`` and a folder; ``static`` is the
built-in table. Texts are synthetic. Rates count processor time of one thread, so that other work does not disturb.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from hearth.core import paths
from hearth.models.onnx import models_folder, open_embedder
from hearth.models.static import StaticEmbedder
from hearth.ports import Embedder
from machine import describe, fresh, percentile, rss_mb, table
from samples.synthetic import Vocabulary

WORDS = (120, 10)
QUESTIONS = 50
FIRST_VECTOR = "import models; models.embedder({name!r}, {folder!r}).embed(['a question'], 'query')"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--texts", type=int, default=64, help="of each length (default: %(default)s)")
    parser.add_argument("--folder", default=str(models_folder(paths.folders().cache)), help="where models lie")
    parser.add_argument("--cold", type=int, default=5, help="fresh processes (default: %(default)s)")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    rows = []
    for name in given.models:
        rates, question, memory = fresh(measure, name, given.folder, given.texts)
        times = sorted(cold(name, given.folder) for _ in range(given.cold))
        shown = (f"{rate:,.0f}" for rate in rates)
        rows.append([name, *shown, f"{question:.2f}", f"{percentile(times, 0.5):.0f}", f"{memory:.0f}"])
    lengths = (f"{words}-word texts/s" for words in WORDS)
    print(table(["model", *lengths, "question ms", "first vector ms", "RSS MB"], rows))
    print(describe())


def embedder(name: str, folder: str) -> Embedder:
    return StaticEmbedder() if name == "static" else open_embedder(name, Path(folder))


def measure(name: str, folder: str, count: int) -> tuple[list[float], float, float]:
    """Texts a second of processor time by length, the median warm question in ms, and resident memory in MB."""
    import numpy as np

    model = embedder(name, folder)
    vocabulary, rng = Vocabulary(20_000), np.random.default_rng(3)
    model.embed(["a question"], "query")
    rates = []
    for words in WORDS:
        texts = [" ".join(vocabulary.document(rng, [words])[0]) for _ in range(count)]
        started = time.process_time()
        model.embed(texts, "document")
        rates.append(count / (time.process_time() - started))
    taken = []
    for text in vocabulary.questions(QUESTIONS):
        started = time.process_time()
        model.embed([text], "query")
        taken.append((time.process_time() - started) * 1000)
    return rates, percentile(taken, 0.5), rss_mb()


def cold(name: str, folder: str) -> float:
    """Wall time in ms from the start of Python to the first vector."""
    code = FIRST_VECTOR.format(name=name, folder=folder)
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, check=True)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
