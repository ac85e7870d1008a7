"""Prints the tests of what changed since a commit, for ``make quick``: those of the rooms that changed files are in.

python tools/changed_tests.py [BASE]        # else main, or HEAD where main is checked out
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]


def changed(root: Path, base: str) -> list[str]:
    """Paths that differ from ``base``, those that git does not know included."""
    listed = _git(root, "diff", "--name-only", base), _git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({path for text in listed for path in text.splitlines()})


def tests_of(paths: Iterable[str], root: Path) -> list[str]:
    """Test files and folders below ``root``, each once."""
    found: set[str] = set()
    for path in map(PurePosixPath, paths):
        if path.parts[:2] == ("src", "hearth"):
            found.add(_nearest(PurePosixPath("tests", *path.parts[2:]), root))
        elif path.parts[0] == "tests" and path.name.startswith("test_") and (root / path).is_file():
            found.add(str(path))
        elif path.suffix == ".md":
            found.add("tests/test_docs.py")
    return sorted(name for name in found if not any(f"{parent}" in found for parent in PurePosixPath(name).parents))


def _nearest(mirror: PurePosixPath, root: Path) -> str:
    """The test of a module, else the folder of its package's tests, else that of its room."""
    file = mirror.with_name(f"test_{mirror.name}")
    if (root / file).is_file():
        return str(file)
    folders = (folder for folder in mirror.parents if folder.parts[1:] and (root / folder).is_dir())
    return str(next(folders, PurePosixPath("tests/test_public_api.py")))


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def main(arguments: Sequence[str]) -> int:
    branch = _git(ROOT, "branch", "--show-current").strip()
    base = arguments[0] if arguments else "HEAD" if branch == "main" else "main"
    print(*tests_of(changed(ROOT, base), ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
