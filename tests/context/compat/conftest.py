from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.house import House as BaseHouse

NOTES = {
    "bread.md": "# Rye bread\n\nRye bread needs a sour starter and eighteen hours of patience.\n",
    "boats.md": "# Boats\n\nThe dinghy leaks at the transom; caulk it before the regatta in Kiel.\n",
    "trees.md": "# Trees\n\nThe pear tree wants pruning in late winter, the quince never.\n",
    "api/limits.md": "# Limits\n\nThe function parse_header in src/proxy/headers.py refuses over 64 headers.\n",
    "MEMORY.md": "# Memory\n\nAda prefers tabs over spaces.\n",
    "memory/2026-03-05.md": "# Thursday\n\nThe new router is called wolpertinger.\n",
}


class House(BaseHouse):
    """A vault over a workspace of notes."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, home / "work", "work")
        for path, text in NOTES.items():
            self.write(path, text)
        self.configure()

    def get(self, *arguments: Any) -> dict[str, Any]:
        return self.vault.compat.get(*arguments).to_dict()

    def context(self, message: str, **given: Any) -> dict[str, Any]:
        return self.vault.compat.context(message, **given).to_dict()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "house")
    yield built
    built.close()
