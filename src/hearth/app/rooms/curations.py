"""What the last curation found."""

from __future__ import annotations

from pathlib import Path

from hearth.disk.state_files import DiskCuration
from hearth.pages.curation_log import CurationLog
from hearth.ports import Clock


def build(cache: Path, clock: Clock, zone: str) -> CurationLog:
    return CurationLog(DiskCuration(cache), clock, zone)
