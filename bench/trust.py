"""What may be trusted of what is remembered: only their own words, and what is still true.

    python bench/trust.py DATA [--part read|aside] [--garden FOLDER]     the whole table
    python bench/trust.py [--only handover,month,remember,...] [--most N] [--details]
    python bench/trust.py --set pasted=FILE --set lasting=FILE --set reversals=FILE [--part read|aside]

Everything goes through the command line and the hooks of a host, as a person and their agent use them; confidence and
recall are asked as ``hearth bench`` asks. The inputs in ``bench/samples/trust`` are invented, and are measured without
``DATA``. That holds sets which may not be copied: ``pasted/pasted.jsonl``, ``lasting``, ``reversals`` and ``inject``
likewise, ``engnotes``, ``notes``, ``team``, ``locomo`` and ``beam-100k`` as cases of notes and questions; whatever is
missing is named below the table. A garden is any folder of notes, such as a public one that was cloned. Of a set's rows
a third, by a hash of its name and the row's id, is put aside: it is counted and never shown.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from machine import table
from trust_checks import (
    brought,
    confidence,
    handover,
    month,
    pages,
    profile,
    remember,
    sets,
    statements,
    team_notes,
    typed,
)
from trust_checks.table import Options, Row

PARTS: dict[str, Callable[[Options], Iterator[Row]]] = {
    "handover": handover.measure,
    "month": month.measure,
    "remember": remember.measure,
    "statements": statements.measure,
    "profile": profile.measure,
    "pages": pages.measure,
    "sets": sets.measure,
    "typed": typed.measure,
    "inject": brought.measure,
    "garden": brought.measure_gardens,
    "engnotes": team_notes.measure,
    "confidence": confidence.measure,
    "recall": confidence.measure_recall,
}
# Those that need sets or folders of others.
_GIVEN = ("sets", "typed", "inject", "garden", "engnotes", "confidence", "recall")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="the folder of the sets that may not be copied")
    parser.add_argument(
        "--garden", action="append", default=[], type=Path, help="a folder of notes beside which to code"
    )
    parser.add_argument("--only", default="", help=f"parts between commas: {', '.join(PARTS)}")
    parser.add_argument("--most", type=int, help="so many cases of each part at most")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=FILE", help=f"one of {', '.join(sets.SETS)}"
    )
    parser.add_argument("--part", choices=("all", "read", "aside"), default="all", help="which rows of the sets")
    parser.add_argument("--jobs", type=int, default=2, help="so many parts at a time")
    parser.add_argument("--details", action="store_true", help="name each invented case that failed")
    given = parser.parse_args()
    named = dict(one.split("=", 1) for one in given.set)
    if given.data is not None:
        files = {name: given.data / name / f"{name}.jsonl" for name in sets.SETS}
        named = {name: str(file) for name, file in files.items() if file.exists()} | named
    wanted = given.only.split(",") if given.only else _choose(given, named)
    if unknown := (set(wanted) - set(PARTS)) | (set(named) - set(sets.SETS)):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    files = {name: Path(file) for name, file in named.items()}
    options = Options(given.most, files, given.part, given.data, tuple(given.garden))
    with ThreadPoolExecutor(given.jobs) as pool:
        rows = [row for found in pool.map(lambda part: _measure(part, options), wanted) for row in found]
    print(table(["measure", "count", "figure", "goal", "reached"], [row.cells() for row in rows]))
    if given.data is not None:
        for name in missing(given.data):
            print(f"not measured, since {given.data} has none: {name}")
    for row in rows if given.details else []:
        print("\n".join([f"\n{row.measure}:", *(f"  {case}" for case in row.failed)]) if row.failed else "", end="")


def missing(data: Path) -> list[str]:
    """Sets that the table has rows of, and ``data`` does not hold."""
    known = dict.fromkeys((*sets.SETS, typed.SET, "inject", *confidence.SETS, *confidence.RECALL))
    return [name for name in known if not (data / name).is_dir()]


def _choose(given: argparse.Namespace, named: dict[str, str]) -> list[str]:
    """All with a folder of sets; those of the sets that are named; else what is invented, and gardens."""
    if given.data is not None:
        return list(PARTS)
    if named:
        return ["sets"]
    return [part for part in PARTS if part not in _GIVEN or (part == "garden" and given.garden)]


def _measure(part: str, options: Options) -> list[Row]:
    begun = time.monotonic()
    rows = list(PARTS[part](options))
    print(f"{part}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return rows


if __name__ == "__main__":
    main()
