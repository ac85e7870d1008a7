"""What may be trusted of what is remembered: only their own words, and what is still true.

    python bench/trust.py [--only handover,month,remember,statements,profile] [--most N] [--details]
    python bench/trust.py --set pasted=FILE --set lasting=FILE --set reversals=FILE [--part read|aside]

Everything goes through the command line and the hooks of a host, as a person and their agent use them. The inputs stand
in ``bench/samples/trust`` and are invented. A set is a file of JSON lines; of its rows a third, by a hash of the set's
name and the row's id, is put aside: it is counted and never shown.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from machine import table
from trust_checks import handover, month, profile, remember, sets, statements
from trust_checks.table import Options, Row

PARTS: dict[str, Callable[[Options], Iterator[Row]]] = {
    "handover": handover.measure,
    "month": month.measure,
    "remember": remember.measure,
    "statements": statements.measure,
    "profile": profile.measure,
    "sets": sets.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    wanted = given.only.split(",") if given.only else ["sets"] if named else [part for part in PARTS if part != "sets"]
    if unknown := (set(wanted) - set(PARTS)) | (set(named) - set(sets.SETS)):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    options = Options(given.most, {name: Path(file) for name, file in named.items()}, given.part)
    with ThreadPoolExecutor(given.jobs) as pool:
        rows = [row for found in pool.map(lambda part: _measure(part, options), wanted) for row in found]
    print(table(["measure", "count", "figure", "goal", "reached"], [row.cells() for row in rows]))
    for row in rows if given.details else []:
        print("\n".join([f"\n{row.measure}:", *(f"  {case}" for case in row.failed)]) if row.failed else "", end="")


def _measure(part: str, options: Options) -> list[Row]:
    begun = time.monotonic()
    rows = list(PARTS[part](options))
    print(f"{part}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return rows


if __name__ == "__main__":
    main()
