"""Transcripts as hosts write them, for tests that read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.core.transcript import TranscriptEntry
from hearth.transcripts.transcripts import TranscriptParser

DATA = Path(__file__).parent / "transcripts" / "data"


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], bytes]:
    """The bytes of a transcript as a host writes it."""
    return lambda name: (DATA / f"{name}.jsonl").read_bytes()


@pytest.fixture(scope="session")
def lines() -> Callable[..., bytes]:
    """Objects as lines of JSON."""

    def made(*rows: Any) -> bytes:
        return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()

    return made


@pytest.fixture(scope="session")
def parse() -> Callable[[bytes], list[TranscriptEntry]]:
    return lambda data: TranscriptParser().feed(data)
