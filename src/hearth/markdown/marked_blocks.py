"""Blocks of ours in people's files: find them by their marker lines, put them in, take them out. Pure.
``markdown/blocks.py`` hides them from readers.

>>> text = put("# Rules\\n", CONTEXT, "- Use uv")
>>> find(text, CONTEXT).body
'- Use uv'
>>> take_out(text, CONTEXT)
'# Rules\\n'
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Literal

from hearth.core.lazy import dataclass, regex

_HASH_CHARS = 12
_SIGNATURE = regex(r"<!-- hearth:file ([0-9a-f]{12}) -->\n\Z")


@dataclass(frozen=True, slots=True)
class Marks:
    """The marker lines: ``<!-- begin HASH -->`` and ``<!-- end -->``. ``what`` names the block."""

    begin: str
    end: str
    what: str


CONTEXT = Marks("hearth:begin", "hearth:end", "block of this folder's memory")
INSTRUCTIONS = Marks("hearth:instructions", "hearth:instructions:end", "block of instructions")


Action = Literal["written", "removed", "unchanged", "left"]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A change to a file, made or planned; ``reason`` says why it was left."""

    file: Path
    action: Action
    before: str | None = None
    after: str | None = None
    reason: str = ""


class BlockLeft(ValueError):
    """The block is not as we wrote it, so we leave it; the message says why."""


@dataclass(frozen=True, slots=True)
class Block:
    """``start`` and ``stop`` enclose its marker lines, without the last newline."""

    start: int
    stop: int
    body: str


def find(text: str, marks: Marks) -> Block | None:
    """The block as we wrote it. Raises ``BlockLeft`` if it was edited or its markers are not one pair."""
    begins, ends = _find_lines(text, rf"{marks.begin}(?: ([0-9a-f]+))?"), _find_lines(text, marks.end)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        raise BlockLeft(f"its {marks.what} has lost a marker or has one twice; delete what is left of the block")
    body = text[begins[0].end() : ends[0].start()].replace("\r\n", "\n").strip("\n")
    if begins[0][1] != _hash(body):
        raise BlockLeft(f"its {marks.what} was edited; delete the block to have it written anew")
    return Block(begins[0].start(), ends[0].end(), body)


def put(text: str | None, marks: Marks, body: str) -> str:
    """The text with the block: in place of the old one, else at the end. ``None`` is a missing file. Raises
    ``BlockLeft``."""
    body = body.strip("\n")
    rows = [f"<!-- {marks.begin} {_hash(body)} -->", *body.split("\n"), f"<!-- {marks.end} -->"]
    if text is None:
        return "\n".join([*rows, ""])
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(rows)
    found = find(text, marks)
    if found is not None:
        return text[: found.start] + block + text[found.stop :]
    # The new end shows whether the file ended with a newline, so that ``take_out`` restores it.
    return f"{text}{newline}{block}{newline}" if text.endswith("\n") else f"{text}{newline}{newline}{block}"


def take_out(text: str, marks: Marks) -> str | None:
    """The text before ``put``; ``None`` if the file held nothing else. Raises ``BlockLeft``."""
    found = find(text, marks)
    if found is None:
        return text
    before, after = text[: found.start], text[found.stop :]
    if not before and not after.strip():
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    if not after:
        return before.removesuffix(newline).removesuffix(newline)
    return before.removesuffix(newline) + after.removeprefix(newline)


def sign(text: str) -> str:
    """A file of ours, with a last line that reveals edits."""
    body = text.rstrip("\n") + "\n"
    return f"{body}<!-- hearth:file {_hash(body)} -->\n"


def is_signed(text: str) -> bool:
    """Whether ``sign`` wrote it and nobody edited it since."""
    found = _SIGNATURE.search(text)
    return found is not None and found[1] == _hash(text[: found.start()])


def _find_lines(text: str, inside: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"^<!-- {inside} -->(?=\r?$)", text, re.MULTILINE))


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
