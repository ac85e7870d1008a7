from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.config import Loaded, load
from hearth.core.paths import Folders


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    for name in ("config", "data", "cache", "state"):
        (tmp_path / name).mkdir()
    return Folders(*(str(tmp_path / name) for name in ("config", "data", "cache", "state", "cache")))


@pytest.fixture
def write(folders: Folders) -> Callable[[str], Path]:
    """Writes config.yaml as given and returns it."""

    def write(text: str, name: str = "config.yaml") -> Path:
        file = Path(folders.config, name)
        file.write_bytes(text.encode())
        return file

    return write


@pytest.fixture
def loaded(folders: Folders) -> Callable[..., Loaded]:
    """Loads with an environment of its own, whose home is /home/me."""

    def loaded(environ: dict[str, str] | None = None, **flags: object) -> Loaded:
        named = {key.replace("__", "."): value for key, value in flags.items()}
        return load(folders, {"HOME": "/home/me", **(environ or {})}, named)

    return loaded
