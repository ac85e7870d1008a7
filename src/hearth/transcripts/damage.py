"""What is left to read of a line that is no JSON object, and of one that is too long to be held."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hearth.core.lazy import dataclass, regex

LONGEST_STRING = 1024 * 1024
"""Bytes kept of a text in a line over the limit; nothing of data, as which base64 of over 4 KiB counts."""
_SAMPLE = 4096
_RECORD = regex(r'\{\s*"')
_DATA = regex(rb"[A-Za-z0-9+/=_:;,-]*+")
# A line that shows one of these is no prompt, whatever is lost of it.
_NO_PROMPT = regex(
    rb'"type":\s*"(?:assistant|tool_result|tool_use|thinking|attachment|progress|system|agent_message|agentMessage'
    rb'|function_call|function_call_output|custom_tool_call|custom_tool_call_output|reasoning|token_count)"'
    rb'|"toolUseResult"|"role":\s*"assistant"'
)


@dataclass(frozen=True, slots=True)
class Salvage:
    """``records`` are the whole objects of a line, ``lost`` tells the text before each of them, and after the last:
    one more than there are objects."""

    records: tuple[dict[str, Any], ...]
    lost: tuple[str, ...]


def salvage(text: str, is_record: Callable[[dict[str, Any]], bool]) -> Salvage:
    """Every whole record of a damaged line, whatever stands before, between or after them. An object inside a record
    that is cut is none. The work is bounded by the length of the line."""
    decoder = json.JSONDecoder(strict=False)
    records: list[dict[str, Any]] = []
    lost: list[str] = []
    budget = 8 * len(text) + 65_536
    done = at = 0
    while budget > 0 and (found := _RECORD.search(text, at)):
        start = found.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            budget -= 4_096 + (len(text) if error.msg.startswith("Unterminated") else error.pos) - start
            at = start + 1
            continue
        except (ValueError, RecursionError):
            budget -= 65_536
            at = start + 1
            continue
        budget -= end - start
        at = end
        if isinstance(value, dict) and is_record(value) and not _is_inside(text, start, end):
            records.append(value)
            lost.append(text[done:start])
            done = end
    return Salvage(tuple(records), (*lost, text[done:]))


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether an object stands where another one, which is cut, holds a value."""
    before, after = text[max(0, start - 64) : start].rstrip(), text[end : end + 64].lstrip()
    return before[-1:] in (":", "[", ",") and after[:1] in (",", "]", "}") and before[-1:] != ""


def may_hold_prompt(data: bytes) -> bool:
    """Whether what was lost may have been what a person typed."""
    return _NO_PROMPT.search(data) is None


class LineShortener:
    """Fed with a line in chunks of any size, keeps all of it but the rest of its longest strings, and at most ``most``
    bytes. ``is_over`` says that even that was too much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[bytes] = []
        self._size = 0
        self._string: bytearray | None = None
        self._is_data = False
        self._escaped = False
        self.is_over = False

    def feed(self, data: bytes) -> None:
        at = 0
        while at < len(data) and not self.is_over:
            if self._string is None:
                quote = data.find(b'"', at)
                end = len(data) if quote < 0 else quote + 1
                self._keep(data[at:end])
                if quote >= 0:
                    self._string, self._is_data, self._escaped = bytearray(), False, False
                at = end
            else:
                at = self._feed_string(data, at)

    def line(self) -> bytes:
        if self._string is not None:
            self._keep(bytes(self._string))
        return b"".join(self._kept)

    def _feed_string(self, data: bytes, start: int) -> int:
        """Gives the place after what belongs to the string."""
        at = start
        if self._escaped and at < len(data):
            at += 1
            self._escaped = False
        while True:
            quote = data.find(b'"', at)
            end = len(data) if quote < 0 else quote
            slashes = 0
            while end - slashes > at and data[end - slashes - 1] == 0x5C:
                slashes += 1
            if quote < 0 or slashes % 2 == 0:
                break
            at = quote + 1
        self._hold(data[start:end])
        if quote < 0:
            self._escaped = slashes % 2 == 1
            return len(data)
        assert self._string is not None
        self._keep(_whole_escapes(bytes(self._string)) + b'"')
        self._string = None
        return end + 1

    def _hold(self, part: bytes) -> None:
        text = self._string
        assert text is not None
        if self._is_data:
            return
        checked = len(text) >= _SAMPLE
        text += part[: LONGEST_STRING - len(text)]
        if not checked and len(text) >= _SAMPLE and _DATA.fullmatch(text[:_SAMPLE]):
            self._is_data = True
            text.clear()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._most:
            self.is_over = True
            self._kept.clear()
        elif part:
            self._kept.append(part)


def _whole_escapes(string: bytes) -> bytes:
    """Without an escape that was cut at its end."""
    tail = string[-8:]
    slash = tail.rfind(b"\\")
    if slash < 0:
        return string
    run = len(tail[: slash + 1]) - len(tail[: slash + 1].rstrip(b"\\"))
    needed = 6 if tail[slash + 1 : slash + 2] == b"u" else 2
    if run % 2 == 1 and len(tail) - slash < needed:
        return string[: len(string) - (len(tail) - slash)]
    return string
