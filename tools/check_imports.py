"""Refuses imports inside functions, but on the cold paths that docs/ARCHITECTURE.md names, and names there that no
import needs any more. Refuses them there, too, where the module has loaded by itself what the function imports.
Refuses patterns and dataclasses that are made whenever their module loads."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_SECTION = re.compile(r"^## Cold paths$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (`[^|]+) \|", re.MULTILINE)
_NAME = re.compile(r"`([^`]+)`")
# What loads a module by its name.
_LOADERS = frozenset({"__import__", "import_module", "importlib.import_module", "modules"})


@dataclass(frozen=True, slots=True)
class Import:
    """``module`` is relative to the package's folder, ``what`` the dotted name of what is imported; ``inner`` is it
    where a function does it."""

    module: str
    line: int
    what: str
    inner: bool

    @property
    def library(self) -> str:
        return self.what.partition(".")[0] or "."


class Package:
    """The modules below a folder, and what each imports."""

    def __init__(self, folder: Path) -> None:
        self.files = {file.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*.py"))}
        self._names = {_dotted(folder.name, module): module for module in self.files}
        self.trees = {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in self.files.items()}
        self.imports = {module: list(self._imports(tree, module)) for module, tree in self.trees.items()}
        self._loaded: dict[str, frozenset[str]] = {}

    def loads(self, module: str) -> frozenset[str]:
        """All that is loaded once the module is, by dotted names."""
        if module not in self._loaded:
            found: set[str] = set()
            waiting = [name for name, file in self._names.items() if file == module]
            while waiting:
                for name in _with_parents(waiting.pop()):
                    if name not in found:
                        found.add(name)
                        waiting += [
                            one.what for one in self.imports.get(self._names.get(name, ""), ()) if not one.inner
                        ]
            self._loaded[module] = frozenset(found)
        return self._loaded[module]

    def _imports(self, tree: ast.Module, module: str) -> Iterator[Import]:
        for node, inner in _statements(tree.body, inner=False):
            if isinstance(node, ast.Import):
                yield from (Import(module, node.lineno, alias.name, inner) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                source = node.module or ""
                for alias in node.names:
                    whole = f"{source}.{alias.name}"
                    yield Import(module, node.lineno, whole if whole in self._names else source, inner)
            elif ast.unparse(node.func) in _LOADERS:
                yield Import(module, node.lineno, "", inner=True)


def _dotted(package: str, module: str) -> str:
    parts = [package, *module.removesuffix(".py").split("/")]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _statements(
    nodes: Iterable[ast.AST], *, inner: bool
) -> Iterator[tuple[ast.Import | ast.ImportFrom | ast.Call, bool]]:
    """Imports and calls of loaders, each with whether a function does it; not what only a type checker reads, nor what
    stands in for what is lacking."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, inner
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from _statements(node.orelse, inner=inner)
        elif inner or not isinstance(node, ast.ExceptHandler):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in _LOADERS:
                yield node, inner
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _statements(ast.iter_child_nodes(node), inner=inner or function)


def eager(tree: ast.Module, module: str) -> Iterator[str]:
    """What a process pays for whether it uses it or not."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    later = {inner for function in functions for statement in function.body for inner in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node not in later and ast.unparse(node.func) == "re.compile":
            yield f"{module}:{node.lineno}: compiles a pattern whenever it loads; take hearth.core.lazy.regex"
        elif isinstance(node, ast.ImportFrom) and ast.unparse(node).startswith("from dataclasses import dataclass"):
            yield f"{module}:{node.lineno}: writes all methods whenever it loads; take hearth.core.lazy.dataclass"


def named(page: str) -> list[str]:
    """Libraries, modules (``x/y.py``) and folders (``x/``) of the section's tables."""
    section = _SECTION.search(page)
    return [name for row in _ROW.findall(section[1]) for name in _NAME.findall(row)] if section else []


def fits(name: str, one: Import) -> bool:
    if name.endswith("/"):
        return one.module.startswith(name)
    return name in (one.module, one.library)


def problems(folder: Path, page: str) -> Iterator[str]:
    names = named(page)
    used: set[str] = set()
    package = Package(folder)
    for module, found in package.imports.items():
        if module == "core/lazy.py":  # the means to it
            continue
        yield from eager(package.trees[module], module)
        yield from _refused(package, [one for one in found if one.inner], names, used)
    for name in names:
        if name not in used:
            yield f"{name} is named as a cold path, but nothing is imported inside a function there; take it out"


def _refused(package: Package, found: Iterable[Import], names: Sequence[str], used: set[str]) -> Iterator[str]:
    for one in found:
        fitting = [name for name in names if fits(name, one)]
        used.update(fitting)
        what = one.what or "what is asked for"
        if not fitting:
            yield f"{one.module}:{one.line}: imports {what} inside a function; import it at the top"
        elif one.what in package.loads(one.module):
            yield f"{one.module}:{one.line}: {what} is loaded with the module anyway; import it at the top"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="?", type=Path, default=ROOT / "src" / "hearth")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "ARCHITECTURE.md")
    parser.add_argument("--list", action="store_true", help="print every import inside a function, and pass")
    given = parser.parse_args(arguments)
    if given.list:
        _print_list(Package(given.package).imports)
        return 0
    found = list(problems(given.package, given.page.read_text(encoding="utf-8")))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


def _print_list(imports: Mapping[str, Sequence[Import]]) -> None:
    lines = {(one.module, one.line): one.what for found in imports.values() for one in found if one.inner}
    for (module, line), what in lines.items():
        print(f"{module}:{line} {what}")
    print(f"{len(lines)} imports inside functions")


if __name__ == "__main__":
    sys.exit(main())
