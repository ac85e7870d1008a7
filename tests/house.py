"""A machine with a vault over real folders, for tests of whole use cases."""

from __future__ import annotations

from pathlib import Path

from hearth import app
from hearth.core.journal import Event
from hearth.vault.vault import Vault


class House:
    """``collection`` is the name of the one over ``notes``; ``data`` may be another machine's."""

    def __init__(self, home: Path, notes: Path, collection: str = "notes", data: Path | None = None) -> None:
        self.home, self.notes, self.collection = home, notes, collection
        self.data, self.cache = data or home / "data", home / "cache"
        folders = {"config": home / "config", "data": self.data, "cache": self.cache, "state": home / "state"}
        self.environ = {f"HEARTH_{name.upper()}_DIR": str(path) for name, path in folders.items()} | {"HOME": str(home)}
        (home / "config").mkdir(parents=True)
        self.notes.mkdir(parents=True, exist_ok=True)
        self._open: Vault | None = None

    def configure(self, settings: str = "", collections: str = "") -> None:
        self.close()
        text = f"collections:\n  {self.collection}:\n    path: {self.notes}\n{collections}{settings}"
        (self.home / "config/config.yaml").write_text(text, encoding="utf-8")

    @property
    def vault(self) -> Vault:
        if self._open is None:
            self._open = app.open_vault(environ=self.environ)
            self._open.index.sync()
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

    def events(self) -> list[Event]:
        """The newest first."""
        return list(self.vault.state.history.log.newest(own=False))

    def rebuilt(self) -> None:
        """As if the whole cache had been deleted."""
        self.close()
        for file in [*self.cache.rglob("*")]:
            if file.is_file():
                file.unlink()
        self.vault.index.sync()
