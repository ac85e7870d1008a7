from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearth import app
from hearth.engine.lifecycle.steward import Steward
from hearth.engine.vault import Vault
from hearth.markdown import dates
from hearth.model.document import DocumentState
from hearth.model.event import Event
from hearth.ports import Filter, StoredDocument

DAY = 86_400_000
EVERYTHING = Filter(include_hidden=True)


class House:
    """A machine with notes and memories in real folders, and settings."""

    def __init__(self, home: Path, settings: str = "") -> None:
        self.home, self.notes, self.data = home, home / "notes", home / "data"
        self.cache = home / "cache"
        folders = {"config": home / "config", "data": self.data, "cache": self.cache, "state": home / "state"}
        self.environ = {f"HEARTH_{name.upper()}_DIR": str(path) for name, path in folders.items()} | {"HOME": str(home)}
        self.notes.mkdir(parents=True)
        (home / "config").mkdir()
        self._open: Vault | None = None
        self.configure(settings)

    def configure(self, settings: str, collection: str = "") -> None:
        self.close()
        text = f"collections:\n  notes:\n    path: {self.notes}\n{collection}{settings}"
        (self.home / "config/config.yaml").write_text(text, encoding="utf-8")

    @property
    def vault(self) -> Vault:
        if self._open is None:
            self._open = app.open_vault(environ=self.environ)
            self._open.sync()
        return self._open

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    @property
    def now(self) -> int:
        return self.vault.parts.clock()

    def steward(self, *, days: float = 0, **policy: Any) -> Steward:
        """The vault's own, some days from now, with other settings where given."""
        own = self.vault.parts.steward()
        return replace(own, clock=lambda: self.now + int(days * DAY), policy=replace(own.policy, **policy))

    def remember(self, text: str, type: str = "problem", *, days: float = 200, **given: Any) -> str:  # noqa: A002
        """A memory that was written some days ago; its docid."""
        done = self.vault.remember(text, type, **given)
        self.age(Path(done.file), days)
        return done.docid

    def write(self, path: str, text: str, *, days: float = 200) -> Path:
        file = self.notes / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return self.age(file, days)

    def age(self, file: Path, days: float) -> Path:
        """As if it had been written and left so long ago, dates in its frontmatter included."""

        def earlier(found: re.Match[str]) -> str:
            then = dates.instant(found[2])
            assert then is not None
            return f"{found[1]}{iso(then - int(days * DAY))}"

        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"^((?:authored_at|expires_at): )(\S+)$", earlier, text, flags=re.MULTILINE), "utf-8")
        at = time.time() - days * 86_400
        os.utime(file, (at, at))
        self.vault.sync()
        return file

    def found(self, question: str, **given: Any) -> list[str]:
        return [hit.docid for hit in self.vault.recall(question, recipe="keyword", **given).hits]

    def stored(self, docid: str) -> StoredDocument:
        return next(d for d in self.vault.documents(EVERYTHING) if d.document.docid == docid)

    def states(self) -> dict[str, DocumentState]:
        return {d.document.docid: d.state for d in self.vault.documents(EVERYTHING)}

    def events(self) -> list[Event]:
        """The newest first."""
        return list(self.vault.parts.changer().history.log.newest(own=False))

    def rebuilt(self) -> None:
        """As if the whole cache had been deleted."""
        self.close()
        for file in [*self.cache.rglob("*")]:
            if file.is_file():
                file.unlink()
        self.vault.sync()


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
