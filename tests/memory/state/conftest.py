from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.house import House as BaseHouse

from hearth.core.document import DocumentState
from hearth.ports import Filter

EVERYTHING = Filter(include_hidden=True)
NOTES = {
    "bread.md": "# Rye bread\n\nRye bread needs a sour starter and eighteen hours of patience.\n",
    "boats.md": "# Boats\n\nThe dinghy leaks at the transom; caulk it before the regatta.\n",
    "trees.md": "# Trees\n\nThe pear tree wants pruning in late winter, the quince never.\n",
}


class House(BaseHouse):
    """With notes and memories; ``share`` puts another machine onto its data."""

    def __init__(self, home: Path, share: House | None = None) -> None:
        super().__init__(home, share.notes if share else home / "notes", data=share.data if share else None)
        if share is None:
            for path, text in NOTES.items():
                self.write(path, text)
        self.configure()

    def found(self, question: str, **given: Any) -> list[str]:
        return [hit.path for hit in self.vault.recall(question, recipe="keyword", **given).hits]

    def state(self, path: str) -> DocumentState:
        return next(d.state for d in self.vault.documents(EVERYTHING) if d.document.path == path)

    def states(self) -> dict[str, DocumentState]:
        return {d.document.path: d.state for d in self.vault.documents(EVERYTHING)}

    def folded(self) -> str:
        with self.vault.store.read() as reader:
            return reader.folded()

    def holding(self, text: str) -> list[str]:
        """Files below data and cache that hold a text, as UTF-8 or UTF-16, in any case."""
        needles = [text.lower().encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be")]
        found = []
        for folder in (self.data, self.cache):
            for name in (Path(top) / name for top, _, names in os.walk(folder) for name in names):
                content = name.read_bytes().lower()
                if any(needle in content for needle in needles):
                    found.append(str(name.relative_to(folder)))
        return sorted(found)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "house")
    yield built
    built.close()


@pytest.fixture
def neighbour(tmp_path: Path, house: House) -> Iterator[House]:
    """Another machine on the same synced folders."""
    built = House(tmp_path / "neighbour", house)
    yield built
    built.close()


@pytest.fixture
def make_house(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], House]:
    """Makes a house of its own for each example of a property."""
    return lambda: House(tmp_path_factory.mktemp("house") / "home")
