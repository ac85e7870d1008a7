"""The graph and the plans made of questions, by rules alone: prints a table of measures and goals.

    cd bench && python -m graph DATA
    cd bench && python -m graph DATA --chains           chains of causes in the examples and in DATA, with their lines
    cd bench && python -m graph DATA --statements       statements of profiles with what their sources quote
    cd bench && python -m graph DATA --rates            documents a second that relations and names are read of
    cd bench && python -m graph --fragments 1000000     what following relations costs in a vault of so many

DATA holds a folder per set (``hearth bench`` says how one looks); a set that is not there is skipped with a notice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from graph import bounds, causes, chains, classes, histories, joins, names, plans, profiles, rates, walks

WALKED = ("locomo", "beam-100k", "notes")
CHAINED = ("notes", "scifact", "cranfield", "chunking", "xquad", "locomo")
MEASURES = {
    "entity-extraction": (names.measure_names,),
    "beam-100k": (plans.measure_plans, profiles.measure_profiles),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="folder of sets")
    parser.add_argument("--fragments", type=int, help="measure times, in a synthetic vault of so many fragments")
    parser.add_argument("--chains", action="store_true", help="print chains of causes and nothing else")
    parser.add_argument("--statements", action="store_true", help="print statements of profiles and nothing else")
    parser.add_argument("--rates", action="store_true", help="measure documents a second and nothing else")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "hearth-bench")
    options = parser.parse_args()
    if options.fragments is not None:
        print(bounds.measure_bounds(options.cache, options.fragments), end="\n\n")
        print(bounds.measure_deriving(options.cache, options.fragments))
    if options.chains:
        print(chains.list_chains(options.data, CHAINED))
    elif options.statements:
        print(profiles.list_statements(options.data / "beam-100k"))
    elif options.rates:
        print(rates.measure_rates(options.data / "notes" / "vault"))
    elif options.data is not None:
        _measure_sets(options.data)


def _measure_sets(data: Path) -> None:
    for own in (joins.measure_joins, classes.measure_classes, causes.measure_causes, histories.measure_histories):
        print(own(), end="\n\n")
    for name, measures in MEASURES.items():
        if (data / name).is_dir():
            for measure in measures:
                print(measure(data / name), end="\n\n")
        else:
            print(f"{name}: not in {data}, skipped", file=sys.stderr)
    for name in WALKED:
        if (data / name).is_dir():
            print(walks.measure_walks(data / name), end="\n\n")


if __name__ == "__main__":
    main()
