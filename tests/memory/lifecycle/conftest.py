from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.house import House as BaseHouse

from hearth.core import instants
from hearth.core.document import DocumentState
from hearth.memory.archiver import Archiver
from hearth.ports import Filter, StoredDocument

DAY = 86_400_000
EVERYTHING = Filter(include_hidden=True)


class House(BaseHouse):
    """With memories and settings."""

    def __init__(self, home: Path, settings: str = "") -> None:
        super().__init__(home, home / "notes")
        self.configure(settings)

    @property
    def now(self) -> int:
        return self.vault.clock()

    def archiver(self, *, days: float = 0, **policy: Any) -> Archiver:
        """The vault's own, some days from now, with other settings where given."""
        own = self.vault.lifecycle
        return replace(own, clock=lambda: self.now + int(days * DAY), policy=replace(own.policy, **policy))

    def remember(self, text: str, type: str = "problem", *, days: float = 200, **given: Any) -> str:  # noqa: A002
        """A memory that was written some days ago; its docid."""
        done = self.vault.memories.remember(text, type, **given)
        self.age(Path(done.file), days)
        return done.docid

    def write(self, path: str, text: str, *, days: float = 200) -> Path:
        return self.age(super().write(path, text), days)

    def age(self, file: Path, days: float) -> Path:
        """As if it had been written and left so long ago, dates in its frontmatter included."""

        def earlier(found: re.Match[str]) -> str:
            then = instants.parse_written(found[2])
            assert then is not None
            return f"{found[1]}{iso(then - int(days * DAY))}"

        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"^((?:authored_at|expires_at): )(\S+)$", earlier, text, flags=re.MULTILINE), "utf-8")
        at = time.time() - days * 86_400
        os.utime(file, (at, at))
        self.vault.index.sync()
        return file

    def found(self, question: str, **given: Any) -> list[str]:
        return [hit.docid for hit in self.vault.recall(question, recipe="keyword", **given).hits]

    def stored(self, docid: str) -> StoredDocument:
        return next(d for d in self.vault.documents(EVERYTHING) if d.document.docid == docid)

    def states(self) -> dict[str, DocumentState]:
        return {d.document.docid: d.state for d in self.vault.documents(EVERYTHING)}


def iso(at: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "house")
    yield built
    built.close()


@pytest.fixture
def make_house(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], House]:
    return lambda: House(tmp_path_factory.mktemp("house") / "home")
