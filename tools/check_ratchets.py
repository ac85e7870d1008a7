"""Refuses that the house grows back: counts that may only fall, kept in ``tools/ratchets.toml``.

``--write`` records today's counts where they are lower; comments stay.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path("tools/ratchets.toml")
MEANING = {
    "modules": "modules below src/hearth, packages' __init__ aside",
    "folders": "folders below src/hearth that hold modules",
    "small_modules": "modules under 40 lines",
    "classes": "classes",
    "head_permille": "lines of a module before its first statement that is no import, per thousand of all lines",
    "hook_modules": "modules of ours that a prompt loads where no daemon answers",
    "port_methods": "methods of the index's port",
    "unlimited_finds": "calls of find_documents without a limit",
    "old_words": "names of functions, classes, constants and arguments with a word that the glossary replaces",
    "participles": "functions whose names begin with a participle instead of a verb",
}
# What docs/ARCHITECTURE.md, "Words", calls otherwise: fragment, capture batch, supersede, entity.
_OLD_WORDS = frozenset(
    ("passage", "passages", "piece", "pieces", "retire", "retired", "retires", "retirement", "namesake", "namesakes")
)
_PARTICIPLES = frozenset(
    ("asked", "found", "given", "held", "kept", "known", "left", "made", "said", "seen", "shown", "taken", "told")
)
# What a hook that answers by itself imports.
_HOOK = """
import sys
import hearth.hook, hearth.app, hearth.store.sqlite.store, hearth.context.surfacing
print(sum(name.split(".")[0] == "hearth" for name in sys.modules))
"""


def count(source: Path, python: str) -> dict[str, int]:
    """Today's counts, by the names in ``MEANING``. ``source`` is the folder above the package."""
    package = source / "hearth"
    found = dict.fromkeys(MEANING, 0)
    lines = heads = 0
    for file in sorted(package.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        length = len(text.splitlines())
        lines += length
        heads += _head(tree, length)
        found["classes"] += sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
        if file == package / "ports" / "store.py":
            classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
            found["port_methods"] = sum(isinstance(node, ast.FunctionDef) for one in classes for node in one.body)
        found["unlimited_finds"] += sum(1 for _ in _unlimited(tree))
        for kind, words in _defined(tree):
            found["old_words"] += not _OLD_WORDS.isdisjoint(words)
            found["participles"] += kind == "function" and bool(words) and words[0] in _PARTICIPLES
        if file.name != "__init__.py":
            found["modules"] += 1
            found["small_modules"] += length < 40
    found["folders"] = len({file.parent for file in package.rglob("*.py")})
    found["head_permille"] = round(1000 * heads / lines)
    loaded = subprocess.run(
        [python, "-c", _HOOK], env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True
    )
    found["hook_modules"] = int(loaded.stdout)
    return found


def _head(tree: ast.Module, length: int) -> int:
    for at, node in enumerate(tree.body):
        docstring = at == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        checking = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        if not docstring and not checking and not isinstance(node, ast.Import | ast.ImportFrom):
            return node.lineno - 1
    return length


def _defined(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The kind and the words of each name that a module defines: ``_readPassage_of`` are read, passage and of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "function", _words(node.name)
        elif isinstance(node, ast.ClassDef):
            yield "class", _words(node.name)
        elif isinstance(node, ast.arg):
            yield "argument", _words(node.arg)
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                yield "constant", _words(target.id)


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def _unlimited(tree: ast.Module) -> Iterator[ast.Call]:
    """The limit is the second argument, or has its name."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        limited = len(node.args) > 1 or any(word.arg == "limit" for word in node.keywords)
        if node.func.attr == "find_documents" and not limited:
            yield node


def compare(recorded: Mapping[str, int], today: Mapping[str, int]) -> list[str]:
    """What grew, a line each."""
    return [
        f"{name}: {today[name]}, {recorded[name]} are allowed ({MEANING[name]})"
        for name in MEANING
        if today[name] > recorded[name]
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="the checkout")
    parser.add_argument("--write", action="store_true", help="record counts that fell")
    options = parser.parse_args(arguments)
    file = options.root / RECORD
    recorded: dict[str, int] = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    today = count(options.root / "src", sys.executable)
    if options.write:
        kept = {name: min(today[name], recorded.get(name, today[name])) for name in MEANING}
        body = file.read_text(encoding="utf-8") if file.exists() else ""
        for name, number in kept.items():
            body, found = re.subn(rf"^{name} = \d+$", f"{name} = {number}", body, flags=re.MULTILINE)
            if not found:
                body += f"# {MEANING[name]}\n{name} = {number}\n"
        file.write_text(body, encoding="utf-8")
        return 0
    grown = compare(recorded, today)
    for line in grown:
        print(line, file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
