"""Writes ``CLAUDE.md`` and ``AGENTS.md``, the same text, out of ``CONTRIBUTING.md`` and ``docs/ARCHITECTURE.md``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("CLAUDE.md", "AGENTS.md")
_HEAD = """# Working on Hearth

<!-- Written by tools/agent_instructions.py out of CONTRIBUTING.md and docs/ARCHITECTURE.md; change those. -->
"""
_SECTIONS = (
    ("CONTRIBUTING.md", "Set up"),
    ("CONTRIBUTING.md", "Style"),
    ("CONTRIBUTING.md", "Add a test"),
    ("docs/ARCHITECTURE.md", "The map"),
    ("docs/ARCHITECTURE.md", "Layers"),
    ("docs/ARCHITECTURE.md", "What always holds"),
    ("docs/ARCHITECTURE.md", "Words"),
)


def render(root: Path) -> str:
    """The page. Raises ``LookupError`` where a section is gone."""
    return "\n".join([_HEAD, *(_section(root / page, title) for page, title in _SECTIONS)])


def _section(page: Path, title: str) -> str:
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(title)}$.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise LookupError(f"{page.name} has no section {title!r}")
    # Links are relative to the page that they stand in.
    folder = "" if page.parent.name != "docs" else "docs/"
    return re.sub(r"\]\((?![a-z]+:|#)", f"]({folder}", found[0]).rstrip() + "\n"


def main() -> int:
    text = render(ROOT)
    for name in NAMES:
        (ROOT / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
