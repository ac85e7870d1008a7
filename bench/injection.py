"""The injection guard: which attacks it labels, which ordinary documents it labels by mistake, and how fast it reads.

    python bench/injection.py ~/evaluation/scifact ~/evaluation/beam-100k --passages

Two figures for attacks. *Fitted*: those of ``attacks.py``, made of parts; rules were changed until they found nearly
all of them, so their share says that disguises and languages work. *Held out*: those of ``held_out.py``, worded apart
from the rules, which are never changed for them: what a stranger's attack meets.

Ordinary texts are the folders named, Python's standard library, the documents of installed packages, this project's
documents and ``examples/notes``. A document counts as labelled if any of it is; ``--passages`` judges stretches of
1,200 characters, too, as hooks do, because only short texts can be quarantined. Speed is characters over processor
time.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hearth.guard.attacks import suspicion
from machine import ROOT, commit, describe, table
from samples.attacks import Attack, attacks
from samples.held_out import HELD_OUT

PASSAGE = 1_200
_CODE = frozenset((".py",))
_PROSE = frozenset((".md", ".txt", ".rst"))


def main() -> None:
    options = _options()
    made = list(attacks(options.seed, options.each))
    held_out = [Attack(language, "held out", text) for language, texts in HELD_OUT.items() for text in texts]
    by_disguise = detected(made, lambda attack: attack.disguise)
    by_language = detected(made, lambda attack: attack.language)
    other_words = detected(held_out, lambda attack: attack.language)
    ordinary = [mistaken(name, texts, options) for name, texts in _ordinary(options)]
    if options.json:
        result = {"machine": describe(), "commit": commit(), "attacks": by_disguise, "languages": by_language,
                  "held out": other_words, "ordinary": ordinary}  # fmt: skip
        print(json.dumps(result, indent=1))
        return
    for head, counts in (("disguise", by_disguise), ("language", by_language)):
        rows = [[name, f"{some}/{of}", f"{some / of:.1%}", str(away)] for name, (some, away, of) in counts.items()]
        print(table([head, "labelled", "share", "quarantined"], rows), end="\n\n")
    for name, counts in (("fitted", by_disguise), ("held out", other_words)):
        labelled, away, of = (sum(row[i] for row in counts.values()) for i in range(3))
        print(f"{name}: {of} attacks, {labelled / of:.1%} labelled, {away / of:.1%} quarantined")
    print(
        "held out, by language: "
        + ", ".join(f"{name} {some}/{of}" for name, (some, _, of) in other_words.items())
        + "\n"
    )
    print(
        table(
            ["ordinary text", "texts", "MB", "labelled", "share", "quarantined", "MB/s"],
            [_row(row) for row in ordinary],
        )
    )


def detected(made: Iterable[Attack], key: Any) -> dict[str, list[int]]:
    """By key: labelled, quarantined, all."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for attack in made:
        judged = suspicion(attack.text)
        count = counts[key(attack)]
        count[0] += judged.suspected
        count[1] += judged.quarantine
        count[2] += 1
    return dict(counts)


def mistaken(name: str, texts: Iterable[tuple[str, str]], options: argparse.Namespace) -> dict[str, Any]:
    """How many texts are labelled and quarantined, and megabytes a second."""
    row: dict[str, Any] = {"name": name, "texts": 0, "megabytes": 0.0, "labelled": 0, "quarantined": 0, "seconds": 0.0}
    for place, text in texts:
        if row["megabytes"] * 1e6 + len(text) > options.limit * 1e6:
            continue
        started = time.process_time()
        judged = suspicion(text)
        row["seconds"] += time.process_time() - started
        row["texts"] += 1
        row["megabytes"] += len(text) / 1e6
        row["labelled"] += judged.suspected
        row["quarantined"] += judged.quarantine
        if options.show and judged.suspected:
            print(f"{name}: {place}: {judged}")
    return row


def _ordinary(options: argparse.Namespace) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    installed = Path(sysconfig.get_paths()["purelib"])
    folders = [(Path(folder).name, Path(folder), _PROSE) for folder in options.folders]
    folders += [
        ("standard library", Path(sysconfig.get_paths()["stdlib"]), _CODE | _PROSE),
        ("installed packages", installed, _PROSE),
        ("this project", ROOT / "docs", _PROSE),
        ("examples", ROOT / "examples" / "notes", _PROSE),
    ]
    for name, folder, kinds in folders:
        yield name, _texts(folder, kinds)
        if options.fragments:
            yield f"{name}, passages", _fragments(_texts(folder, kinds))


def _texts(folder: Path, kinds: frozenset[str]) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        below = file.relative_to(folder)
        if (file.suffix in kinds or file.stem == "README") and file.is_file() and "site-packages" not in below.parts:
            yield str(below), file.read_text(encoding="utf-8", errors="replace")


def _fragments(texts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for place, text in texts:
        for start in range(0, len(text), PASSAGE):
            yield f"{place}@{start}", text[start : start + PASSAGE]


def _row(row: dict[str, Any]) -> list[str]:
    texts = max(1, row["texts"])
    speed = row["megabytes"] / row["seconds"] if row["seconds"] else 0.0
    labelled = row["labelled"]
    counts = [f"{row['texts']:,}", f"{row['megabytes']:.1f}", str(labelled), f"{labelled / texts:.2%}"]
    return [row["name"], *counts, str(row["quarantined"]), f"{speed:.1f}"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="folders of ordinary text")
    parser.add_argument("--passages", action="store_true", help="judge stretches of 1,200 characters, too")
    parser.add_argument("--limit", type=float, default=25, help="most megabytes of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=12, help="attacks for each language and disguise")
    parser.add_argument("--show", action="store_true", help="print what is labelled in ordinary text")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
