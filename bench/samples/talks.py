"""Conversations in plain prose with an agent, and what of them should be kept.

``talks_dev.jsonl`` and ``talks_test.jsonl`` hold 30 each, written by somebody who had seen neither rules nor the
sentences that the model is fitted on: ``expect`` says what a careful person would note down, ``forbid`` what nobody
should keep, each by words that a memory of it holds. The first half may be looked at; the second decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearth.capture.rules import extract
from hearth.core.extraction import ExtractedMemory
from hearth.core.transcript import Kind, TranscriptEntry, Turn

FOLDER = Path(__file__).parent
HALVES = ("talks_dev", "talks_test")
START = 1_772_600_000_000
MINUTE = 60_000


def talks(name: str) -> Iterator[dict[str, Any]]:
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def turns(talk: dict[str, Any]) -> list[Turn]:
    found: list[Turn] = []
    for at, said in enumerate(talk["turns"]):
        if said["role"] == "user":
            prompt = TranscriptEntry(Kind.USER, said["text"], at=START + at * MINUTE)
            found.append(Turn(len(found) + 1, prompts=(prompt,)))
        elif found:
            last = found[-1]
            found[-1] = Turn(last.ordinal, prompts=last.prompts, replies=(*last.replies, said["text"]))
    return found


def memories(talk: dict[str, Any]) -> list[ExtractedMemory]:
    """Turn by turn, as a session grows."""
    said = turns(talk)
    pieces = (said[: at + 1] for at in range(len(said)))
    return [one for piece in pieces for one in extract(piece, piece[-1].ordinal - 1).memories]


def holds(memory: ExtractedMemory, wanted: dict[str, Any]) -> bool:
    return any(word.lower() in memory.text.lower() for word in wanted["any"])
