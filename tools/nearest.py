"""A project's modules, its changed lines, and which tests are nearest to a module, found without running anything."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

_FILE = re.compile(r"^\+\+\+ b/(.*)$")
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_FAR = 3
"""Steps of imports from a module to a test."""


class Project:
    """``src`` and ``tests`` below ``root``; paths are relative to it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """The Python files that are given or below a folder given."""
        absolute = [path if path.is_absolute() else self.root / path for path in paths]
        missing = [str(path) for path in absolute if not path.exists()]
        if missing:
            raise SystemExit(f"no such file or folder: {', '.join(missing)}")
        found = {file for path in absolute for file in ([path] if path.is_file() else path.rglob("*.py"))}
        return sorted(file.relative_to(self.root) for file in found)

    def changed(self, base: str) -> dict[Path, set[int]]:
        """The lines of files in ``src`` that are not as in the commit ``base``."""
        command = ["git", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--relative", base, "--", "src"]
        text = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout
        lines: dict[Path, set[int]] = defaultdict(set)
        file = Path()
        for line in text.splitlines():
            if found := _FILE.match(line):
                file = Path(found[1])
            elif (found := _HUNK.match(line)) and file.suffix == ".py":
                start, count = int(found[1]), int(found[2] or 1)
                lines[file].update(range(start, start + count))
        return {file: numbers for file, numbers in lines.items() if numbers and (self.root / file).is_file()}

    def module(self, file: Path) -> str:
        """The name that a file below ``src`` is imported by."""
        parts = file.relative_to("src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def nearest(self, file: Path) -> Iterator[tuple[str, ...]]:
        """Sets of tests, the nearest first: those that import the module or are named like it, or else the ones that
        import what imports it; then all of its package, and of one deep inside others those of the one around it."""
        name = self.module(file)
        near = self._reached(name)
        mirrored = {test for test in self._tests if _mirrors(test, name)}
        if near | mirrored:
            yield tuple(sorted(map(str, near | mirrored)))
        parts = name.split(".")[1:-1]
        while parts and not (self.root / "tests" / Path(*parts)).is_dir():
            parts.pop()
        if parts:
            yield (str(Path("tests", *parts)),)
        if len(parts) > 2:
            yield (str(Path("tests", *parts[:-1])),)

    def _reached(self, name: str) -> set[Path]:
        names = {name}
        for _ in range(_FAR):
            tests = {test for test, imported in self._tests.items() if names & imported}
            if tests:
                return tests
            names |= {module for module, imported in self._modules.items() if names & imported}
        return set()

    @cached_property
    def _modules(self) -> dict[str, set[str]]:
        files = (file.relative_to(self.root) for file in (self.root / "src").rglob("*.py"))
        return {self.module(file): self._imports(file) for file in files}

    @cached_property
    def _tests(self) -> dict[Path, set[str]]:
        files = (file.relative_to(self.root) for file in (self.root / "tests").rglob("test_*.py"))
        return {file: self._imports(file) for file in files}

    def _imports(self, file: Path) -> set[str]:
        """The modules that a file imports, wherever in it; relative ones are not looked at."""
        found: set[str] = set()
        for node in ast.walk(ast.parse((self.root / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        return found


def _mirrors(test: Path, name: str) -> bool:
    """Whether a test is in the folder of a module and has its name."""
    *folders, last = name.split(".")[1:] or [name]
    return list(test.parts[1:-1]) == folders and test.stem in (f"test_{last}", f"test_{'_'.join([*folders, last])}")
