"""The inbox: turns that a client handed over, since its host writes no transcript. One JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hearth.extract.machine_text import said
from hearth.extract.record import instant, text_of
from hearth.model import instants
from hearth.model.host.transcript import Kind, Link, Position, TranscriptEntry

TYPES = frozenset({"hearth-turn"})
IGNORED: frozenset[str] = frozenset()
_KINDS = {"user": Kind.USER, "assistant": Kind.ASSISTANT}


def line(role: str, text: str, at: int) -> bytes:
    """One turn as it is kept; ``at`` is ms UTC."""
    record = {"type": "hearth-turn", "role": role, "at": instants.show_exactly(at), "text": text}
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class InboxParser:
    def __init__(self, position: Position) -> None:
        self.cwd = position.cwd
        self.marks: frozenset[str] = frozenset()
        self.leaf: str | None = None

    def link(self, record: dict[str, Any]) -> Link | None:
        """Turns that were handed over are a list."""
        return None

    def knows(self, uid: str) -> bool:
        return True

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]:
        role = record.get("role")
        kind = _KINDS.get(role) if isinstance(role, str) else None
        text = text_of(record.get("text"))
        words = said(text) if kind is Kind.USER else text.strip()
        if kind is not None and words:
            yield TranscriptEntry(kind, words, instant(record.get("at")))
