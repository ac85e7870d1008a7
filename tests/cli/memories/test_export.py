"""``hearth export -o``: a file that is there whole, and stays."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_an_export_and_its_name_are_on_the_disk_before_it_is_said(
    hearth: Callable[..., Any], vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[int, int]] = []
    sync = os.fsync

    def watched(handle: int) -> None:
        status = os.fstat(handle)
        synced.append((status.st_ino, status.st_size))
        sync(handle)

    (tmp_path / "out").mkdir()
    monkeypatch.setattr(os, "fsync", watched)
    target = tmp_path / "out" / "all.jsonl"
    assert hearth("export", "-o", str(target)).code == 0
    assert (target.stat().st_ino, target.stat().st_size) in synced
    assert (tmp_path / "out").stat().st_ino in [number for number, _ in synced]
