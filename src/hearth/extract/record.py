"""Reading values out of a parsed line without trusting its shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hearth.lazy import regex
from hearth.model import instants
from hearth.model.host.transcript import Kind, TranscriptEntry

MAX_ASIDE = 4_000
_LONE = regex("[\ud800-\udfff]")


def text_of(value: object) -> str:
    """The text itself, halves of surrogate pairs replaced; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else _LONE.sub("\ufffd", value)


def name_of(value: object) -> str | None:
    """An id or a name: a text that is not empty, at most 1,024 characters."""
    return text_of(value)[:1024] or None


def dict_of(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def blocks_of(content: object) -> Iterator[dict[str, Any]]:
    """A message's content as blocks: a plain text is one block of text."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield block
            elif isinstance(block, str):
                yield {"type": "text", "text": block}


def joined(content: object) -> str:
    """The texts of all blocks, a line each."""
    return "\n".join(found for block in blocks_of(content) if (found := text_of(block.get("text"))))


def shortened(text: str) -> str:
    """At most ``MAX_ASIDE`` characters of a tool's output: its head, and its end, where programs sum up."""
    if len(text) <= MAX_ASIDE:
        return text
    return f"{text[: MAX_ASIDE * 3 // 4 - 3]}\n…\n{text[-MAX_ASIDE // 4 :]}"


def instant(value: object) -> int | None:
    """ISO 8601 as ms UTC; ``None`` where it is none. Without a zone it is taken for UTC."""
    return instants.parse(value) if isinstance(value, str) else None


def as_sidechain(entry: TranscriptEntry) -> TranscriptEntry:
    """The same, said or done by a subagent: no prompt of the session's."""
    return replace(entry, kind=Kind.SIDECHAIN, prompt=None, queued=False)
