"""Prints the tag-like markers that a host's program holds and that the fence does not know.

    python tools/markers.py PROGRAM_OR_FOLDER…

A marker stands in the program as ``<name>`` and ``</name>``, and its name has a separator, or is in capitals: names
without are mostly HTML. What is printed is to be judged by a person and, where it is one, added to
``src/hearth/guard/fence.py``. Reads files of any kind, one at a time.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hearth.guard.fence import clean

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*(?:[-_:][A-Za-z0-9]+)*)(?=[>\s])")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    opened: Counter[str] = Counter()
    closed: Counter[str] = Counter()
    for file in _files(parser.parse_args().programs):
        for found in _TAG.finditer(file.read_bytes()):
            (closed if found[1] else opened)[found[2].decode()] += 1
    for name in sorted(opened.keys() & closed.keys()):
        told = "-" in name or "_" in name or name.isupper()
        if told and f"</{name}>" in clean(f"</{name}>"):
            print(f"{name}\t{opened[name]}\t{closed[name]}")


def _files(programs: list[Path]) -> Iterator[Path]:
    for program in programs:
        yield from (sorted(file for file in program.rglob("*") if file.is_file()) if program.is_dir() else [program])


if __name__ == "__main__":
    main()
