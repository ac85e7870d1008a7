"""Makes ``src/hearth/text/background.tsv``: how common index terms are in ordinary technical English and prose.

Counts terms in 100-word windows of the docstrings of the standard library and of the documentation files inside
the running environment's packages. Deterministic for one set of installed packages.

    python tools/count_background.py
"""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hearth.text.terms import terms

OUTPUT = Path(__file__).parents[1] / "src/hearth/text/background.tsv"
WINDOW = 100
KEPT = 6_000
MAX_FILES = 6_000


def docstrings(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text


def texts() -> Iterator[str]:
    standard = Path(sysconfig.get_paths()["stdlib"])
    packages = Path(sysconfig.get_paths()["purelib"])
    sources = sorted(p for p in standard.rglob("*.py") if "site-packages" not in p.parts and "test" not in p.parts)
    for path in [*sources, *sorted(packages.rglob("*.py"))][:MAX_FILES]:
        yield "\n".join(docstrings(path))
    for pattern in ("*.md", "*.rst", "METADATA"):
        for path in sorted(packages.rglob(pattern)):
            yield path.read_text(encoding="utf-8", errors="replace")


def main() -> None:
    held: Counter[str] = Counter()
    windows = 0
    for text in texts():
        words = text.split()
        for start in range(0, len(words), WINDOW):
            held.update(set(terms(" ".join(words[start : start + WINDOW]), "en")))
            windows += 1
    kept = [item for item in held.most_common(KEPT) if not item[0].startswith("=") and "\t" not in item[0]]
    rows = [f"{term}\t{count / windows:.5f}" for term, count in kept]
    OUTPUT.write_text(f"# share of {windows} windows of {WINDOW} words\n" + "\n".join(rows) + "\n", encoding="utf-8")
    print(f"{windows} windows, {len(held)} terms, {len(rows)} kept, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
