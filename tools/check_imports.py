"""Refuses imports inside functions, but on the cold paths that docs/ARCHITECTURE.md names, and names there that no
import needs any more. Refuses patterns and dataclasses that are made whenever their module loads."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_SECTION = re.compile(r"^## Cold paths$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (`[^|]+) \|", re.MULTILINE)
_NAME = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Import:
    """``module`` is relative to the package's folder; ``library`` is the first part of what is imported."""

    module: str
    line: int
    library: str


def inner_imports(file: Path, module: str) -> Iterator[Import]:
    found: dict[int, Import] = {}
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"), module)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.ImportFrom):
                found[node.lineno] = Import(module, node.lineno, (node.module or ".").partition(".")[0])
            elif isinstance(node, ast.Import):
                found[node.lineno] = Import(module, node.lineno, node.names[0].name.partition(".")[0])
    return iter(found.values())


def eager(file: Path, module: str) -> Iterator[str]:
    """What a process pays for whether it uses it or not."""
    tree = ast.parse(file.read_text(encoding="utf-8"), module)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    later = {inner for function in functions for statement in function.body for inner in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node not in later and ast.unparse(node.func) == "re.compile":
            yield f"{module}:{node.lineno}: compiles a pattern whenever it loads; take hearth.lazy.regex"
        elif isinstance(node, ast.ImportFrom) and ast.unparse(node).startswith("from dataclasses import dataclass"):
            yield f"{module}:{node.lineno}: writes all methods whenever it loads; take hearth.lazy.dataclass"


def named(page: str) -> list[str]:
    """Libraries, modules (``x/y.py``) and folders (``x/``) of the section's tables."""
    section = _SECTION.search(page)
    return [name for row in _ROW.findall(section[1]) for name in _NAME.findall(row)] if section else []


def fits(name: str, one: Import) -> bool:
    if name.endswith("/"):
        return one.module.startswith(name)
    return name in (one.module, one.library)


def problems(package: Path, page: str) -> Iterator[str]:
    names = named(page)
    used: set[str] = set()
    for file in sorted(package.rglob("*.py")):
        module = file.relative_to(package).as_posix()
        if module != "lazy.py":
            yield from eager(file, module)
        for one in inner_imports(file, module):
            fitting = [name for name in names if fits(name, one)]
            used.update(fitting)
            if not fitting:
                yield f"{one.module}:{one.line}: imports {one.library} inside a function; import it at the top"
    for name in names:
        if name not in used:
            yield f"{name} is named as a cold path, but nothing is imported inside a function there; take it out"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="?", type=Path, default=ROOT / "src" / "hearth")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "ARCHITECTURE.md")
    given = parser.parse_args(arguments)
    found = list(problems(given.package, given.page.read_text(encoding="utf-8")))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
