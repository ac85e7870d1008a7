"""Refuses what has grown too large to read at once: modules, functions, classes, ports, and the settings.

A class may have 15 methods, a port (a Protocol below ``ports``) 8. Methods are the functions that a class itself
defines; not counted are names with two underscores on both sides, overloads, cached properties, which are fields that
are filled when first read, and properties that only return a field.
Settings are the keys that ``config/tree.py`` describes, each once, however many places can hold it.

``--top`` prints the longest modules and functions; ``--report`` prints all that is too large, with counts, and passes.
"""

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
MAX_CLASS = 15
MAX_PORT = 8
MAX_SETTINGS = 130
SETTINGS = Path("hearth/config/tree.py")
TOP = 10
_LIMITS = {
    "module": (MAX_MODULE, "lines"),
    "function": (MAX_FUNCTION, "lines"),
    "class": (MAX_CLASS, "methods"),
    "port": (MAX_PORT, "methods"),
    "settings": (MAX_SETTINGS, "keys"),
}


@dataclass(frozen=True, slots=True)
class Size:
    """``count`` is in the unit of its ``kind``."""

    kind: str
    place: str
    count: int

    @property
    def over(self) -> bool:
        return self.count > _LIMITS[self.kind][0]

    def __str__(self) -> str:
        limit, unit = _LIMITS[self.kind]
        return f"{self.place}: {self.count} {unit}, over the limit of {limit}; split it"


def sizes(file: Path, shown: str) -> Iterator[Size]:
    """The module, then its functions, docstrings and comments included, decorators not, and its classes."""
    text = file.read_text(encoding="utf-8")
    yield Size("module", shown, len(text.splitlines()))
    for node in ast.walk(ast.parse(text, shown)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Size("function", f"{shown}:{node.lineno} {node.name}", lines)
        elif isinstance(node, ast.ClassDef):
            yield Size(_kind(node, file), f"{shown}:{node.lineno} {node.name}", len(methods(node)))


def methods(node: ast.ClassDef) -> list[str]:
    """The names of the methods that count."""
    defined = (item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
    return [item.name for item in defined if _counts(item)]


def settings(tree: Path, shown: str) -> Iterator[Size]:
    """The keys of all classes there; a field that holds another of the classes is no key of its own."""
    defined = [node for node in ast.parse(tree.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]
    names = {node.name for node in defined}
    fields = [item for node in defined for item in node.body if isinstance(item, ast.AnnAssign)]
    keys = [field for field in fields if not names & {getattr(part, "id", None) for part in ast.walk(field.annotation)}]
    yield Size("settings", shown, len(keys))


def measured(roots: Sequence[Path]) -> list[Size]:
    """All sizes below the folders, largest first."""
    found: list[Size] = []
    for root in roots:
        for file in sorted(root.rglob("*.py")):
            found += sizes(file, str(file.relative_to(root.parent)))
        if (root / SETTINGS).is_file():
            found += settings(root / SETTINGS, str((root / SETTINGS).relative_to(root.parent)))
    return sorted(found, key=lambda size: (-size.count, size.place))


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    found = measured(options.folders)
    if options.top:
        _print_top(found)
    over = [size for size in found if size.over and (options.report or size.kind in options.kinds)]
    if options.report:
        _print_report(over)
        return 0
    for size in over:
        print(size, file=sys.stderr)
    return 1 if over else 0


def _kind(node: ast.ClassDef, file: Path) -> str:
    protocol = any(ast.unparse(base).split("[")[0].split(".")[-1] == "Protocol" for base in node.bases)
    return "port" if protocol and "ports" in (file.parent.name, file.stem) else "class"


def _counts(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if function.name.startswith("__") and function.name.endswith("__"):
        return False
    marks = {ast.unparse(mark).split("(")[0].split(".")[-1] for mark in function.decorator_list}
    if marks & {"overload", "cached_property"}:
        return False
    return not (marks & {"property", "setter"} and _only_returns_a_field(function))


def _only_returns_a_field(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A docstring aside; the ``...`` of a protocol is one, too."""
    body = [item for item in function.body if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
    if not body:
        return True
    [first, *rest] = body
    field = first.value if isinstance(first, ast.Return) else None
    while isinstance(field, ast.Attribute):
        field = field.value
    return not rest and isinstance(first, ast.Return) and isinstance(first.value, ast.Attribute) and _is_self(field)


def _is_self(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _print_top(found: Sequence[Size]) -> None:
    for kind in ("module", "function"):
        print(f"longest {kind}s:")
        for size in [size for size in found if size.kind == kind][:TOP]:
            print(f"{size.count:5}  {size.place}")


def _print_report(over: Sequence[Size]) -> None:
    for kind, (limit, unit) in _LIMITS.items():
        some = [size for size in over if size.kind == kind]
        print(f"{kind}: {len(some)} over {limit} {unit}")
        for size in some:
            print(f"{size.count:5}  {size.place}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / name for name in FOLDERS])
    parser.add_argument("--top", action="store_true", help=f"print the {TOP} longest modules and functions")
    parser.add_argument("--kinds", nargs="+", choices=_LIMITS, default=list(_LIMITS), help="what is refused")
    parser.add_argument("--report", action="store_true", help="print all that is too large, and pass")
    options = parser.parse_args(arguments)
    missing = [str(folder) for folder in options.folders if not folder.is_dir()]
    if missing:
        parser.error(f"no such folder: {', '.join(missing)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
