from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.journal import Clock, Journal

START = 1_700_000_000_000


class Wall:
    """A wall clock that stands still unless moved."""

    def __init__(self) -> None:
        self.ms = START

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def open_journal(folder: Path, wall: Wall) -> Callable[..., Journal]:
    def build(machine: str = "aaaaaaaaaa", **options: int) -> Journal:
        return Journal(folder, machine, Clock(wall), lambda text: text.replace("Hunter2!", "[redacted]"), **options)

    return build
