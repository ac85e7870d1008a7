from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.truth.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    built = Home(tmp_path / "home")
    yield built
    built.close()


@pytest.fixture
def neighbour(tmp_path: Path, home: Home) -> Iterator[Home]:
    """Another machine on the same synced folders."""
    built = Home(tmp_path / "neighbour", home)
    yield built
    built.close()
