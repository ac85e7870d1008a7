"""A machine whose vault's clock stands still unless it is moved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.house import House

from hearth import app
from hearth.core.document import DocumentState
from hearth.core.memory import NewMemory
from hearth.ports import Filter
from hearth.testing import FixedClock
from hearth.vault.vault import Vault


class Home(House):
    """``share`` puts another machine onto its data."""

    def __init__(self, home: Path, share: Home | None = None) -> None:
        super().__init__(home, share.notes if share else home / "notes", data=share.data if share else None)
        self.clock = FixedClock(1_772_366_400_000)  # 1 March 2026, 12:00 UTC
        self.configure()

    @property
    def vault(self) -> Vault:
        if self._open is None:
            self._open = app.compose(app.settings(environ=self.environ), self.clock)
            self._open.index.sync()
        return self._open

    def remember(self, text: str, content_type: str = "decision", **given: Any) -> str:
        """Writes a memory of which nothing is noticed; gives its docid."""
        return self.vault.memories.writer.remember(NewMemory(text, content_type, **given)).docid

    def found(self, question: str, **given: Any) -> list[str]:
        return [hit.docid for hit in self.vault.recall(question, **given).hits]

    def state(self, docid: str) -> DocumentState:
        with self.vault.store.read() as reader:
            stored = reader.document(docid)
        assert stored is not None
        return stored.state

    def states(self) -> dict[str, DocumentState]:
        every = self.vault.documents(Filter(include_hidden=True))
        return {d.document.docid: replace(d.state, duplicate_count=0) for d in every}
