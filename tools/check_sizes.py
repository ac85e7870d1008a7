"""Refuses modules and functions that have grown too long to read at once; ``--top`` prints the longest."""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "bench", "tools")
MAX_MODULE = 500
MAX_FUNCTION = 60
TOP = 10


@dataclass(frozen=True, slots=True)
class Size:
    """``lines`` of a module or function; ``limit`` is the most it may have."""

    place: str
    lines: int
    limit: int


def sizes(file: Path, shown: str) -> Iterator[Size]:
    """The module, then its functions, docstrings and comments included, decorators not."""
    text = file.read_text(encoding="utf-8")
    yield Size(shown, len(text.splitlines()), MAX_MODULE)
    for node in ast.walk(ast.parse(text, shown)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Size(f"{shown}:{node.lineno} {node.name}", lines, MAX_FUNCTION)


def measured(folders: Sequence[Path]) -> list[Size]:
    """All sizes below the folders, longest first."""
    found = [
        size
        for folder in folders
        for file in sorted(folder.rglob("*.py"))
        for size in sizes(file, str(file.relative_to(folder.parent)))
    ]
    return sorted(found, key=lambda size: (-size.lines, size.place))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / name for name in FOLDERS])
    parser.add_argument("--top", action="store_true", help=f"print the {TOP} longest modules and functions")
    options = parser.parse_args(arguments)
    missing = [str(folder) for folder in options.folders if not folder.is_dir()]
    if missing:
        parser.error(f"no such folder: {', '.join(missing)}")
    found = measured(options.folders)
    if options.top:
        for kind, limit in (("modules", MAX_MODULE), ("functions", MAX_FUNCTION)):
            print(f"longest {kind}:")
            for size in [size for size in found if size.limit == limit][:TOP]:
                print(f"{size.lines:5}  {size.place}")
    over = [size for size in found if size.lines > size.limit]
    for size in over:
        print(f"{size.place}: {size.lines} lines, over the limit of {size.limit}; split it", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
