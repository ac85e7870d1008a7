"""The graph and the plans made of questions, by rules alone: prints a table of measures and goals.

    cd bench && python -m graph DATA

DATA holds a folder per set (``hearth bench`` says how one looks); a set that is not there is skipped with a notice.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from graph import causes, classes, joins, names, plans, walks

WALKED = ("locomo", "beam-100k", "notes")
MEASURES = {"entity-extraction": names.measure_names, "beam-100k": plans.measure_plans}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of sets")
    data = parser.parse_args().data
    for own in (joins.measure_joins, classes.measure_classes, causes.measure_causes):
        print(own(), end="\n\n")
    for name, measure in MEASURES.items():
        if (data / name).is_dir():
            print(measure(data / name), end="\n\n")
        else:
            print(f"{name}: not in {data}, skipped", file=sys.stderr)
    for name in WALKED:
        if (data / name).is_dir():
            print(walks.measure_walks(data / name), end="\n\n")


if __name__ == "__main__":
    main()
