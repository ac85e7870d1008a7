from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth import app
from hearth.engine.vault import Vault

NOTES = {
    "bread.md": "# Rye bread\n\nRye bread needs a sour starter and eighteen hours of patience.\n",
    "boats.md": "# Boats\n\nThe dinghy leaks at the transom; caulk it before the regatta in Kiel.\n",
    "trees.md": "# Trees\n\nThe pear tree wants pruning in late winter, the quince never.\n",
    "api/limits.md": "# Limits\n\nThe function parse_header in src/proxy/headers.py refuses over 64 headers.\n",
    "MEMORY.md": "# Memory\n\nAda prefers tabs over spaces.\n",
    "memory/2026-03-05.md": "# Thursday\n\nThe new router is called wolpertinger.\n",
}


class House:
    """A vault over a workspace of notes."""

    def __init__(self, home: Path) -> None:
        self.home, self.notes, self.data = home, home / "work", home / "data"
        for path, text in NOTES.items():
            self.write(path, text)
        folders = {"config": home / "config", "data": self.data, "cache": home / "cache", "state": home / "state"}
        self.environ = {f"HEARTH_{name.upper()}_DIR": str(path) for name, path in folders.items()} | {"HOME": str(home)}
        (home / "config").mkdir()
        self._open: Vault | None = None
        self.configure("")

    def configure(self, settings: str, collections: str = "") -> None:
        self.close()
        text = f"collections:\n  work:\n    path: {self.notes}\n{collections}{settings}"
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

    def write(self, path: str, text: str) -> Path:
        file = self.notes / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def get(self, *arguments: Any) -> dict[str, Any]:
        return self.vault.memory_get(*arguments).to_dict()

    def context(self, message: str, **given: Any) -> dict[str, Any]:
        return self.vault.memory_context(message, **given).to_dict()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "house")
    yield built
    built.close()
