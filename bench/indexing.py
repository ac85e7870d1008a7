"""Indexing: cold documents a second with vectors, a scan in which nothing changed, and the parts that make it up.

    python bench/indexing.py --documents 10000

The ratio is the time of indexing over that of reading the same files and inserting their raw text into a SQLite
table, in the same run: what no indexer can go below.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from hearth import app
from hearth.markdown.fragments import fragment
from machine import describe, table
from samples.synthetic import Vocabulary

KILOBYTE = 1_024


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="hearth-indexing-", dir=options.work) as work:
        folder = Path(work) / "notes"
        texts = write_notes(folder, options.documents, options.size)
        baseline = timed(lambda: _copied(folder, Path(work) / "raw.sqlite"))
        with app.open_folder(folder, Path(work) / "vault") as vault:
            profile = cProfile.Profile()
            if options.profile:
                profile.enable()
            cold = timed(vault.index.sync)
            profile.disable()
            embed = timed(lambda: vault.index.embed(force=True))
            rescans = sorted(timed(vault.index.sync) for _ in range(5))
            fragments = vault.status().fragments
        cut = timed(lambda: [fragment(text) for text in texts])
        megabytes = sum(len(text.encode()) for text in texts) / 2**20
    result = {
        "documents": options.documents,
        "fragments": fragments,
        "docs_per_s": options.documents / cold,
        "vectors_per_s": fragments / embed,
        "rescan_s": rescans[len(rescans) // 2],
        "fragmenting_mb_per_s": megabytes / cut,
        "ratio_to_raw_insert": cold / baseline,
    }
    print(table(["measure", "value"], [[name, f"{value:,.2f}"] for name, value in result.items()]))
    if options.profile:
        pstats.Stats(profile).sort_stats(options.profile).print_stats(45)
    if options.json:
        figures: dict[str, Any] = {"machine": describe(), "indexing": result}
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000, help="files to make (default: %(default)s)")
    parser.add_argument("--size", type=int, default=KILOBYTE, help="bytes of each (default: %(default)s)")
    parser.add_argument("--work", type=Path, help="folder for the files (default: the system's temporary folder)")
    parser.add_argument("--profile", choices=("cumtime", "tottime"), help="print where the time of the cold run goes")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


def write_notes(folder: Path, count: int, size: int) -> list[str]:
    """Notes with frontmatter, two headings and paragraphs, of about ``size`` bytes; their texts."""
    rng = np.random.default_rng(3)
    vocabulary = Vocabulary(20_000)
    texts = []
    for number in range(count):
        words = vocabulary.document(rng, [size // 5])[0]
        day = f"2024-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
        head = f"---\nauthored_at: {day}\ntags: [{words[0]}, {words[1]}]\n---\n"
        sentences = [" ".join(words[at : at + 12]).capitalize() + "." for at in range(8, len(words), 12)]
        half = len(sentences) // 2
        body = [f"# {' '.join(words[2:7])}", " ".join(sentences[:half]), f"## {' '.join(words[7:9])}"]
        text = (head + "\n\n".join([*body, " ".join(sentences[half:])]))[: size - 1] + "\n"
        path = folder / f"{number % 97:02d}" / f"note-{number:06d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        texts.append(text)
    return texts


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _copied(folder: Path, target: Path) -> None:
    connection = apsw.Connection(str(target))
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE raw (path TEXT PRIMARY KEY, body TEXT)")
    with connection:
        for path in sorted(folder.rglob("*.md")):
            connection.execute("INSERT INTO raw VALUES (?, ?)", (str(path), path.read_text(encoding="utf-8")))
    connection.close()


if __name__ == "__main__":
    main()
