"""Text, values and bytes that nobody writes, drawn from a seed; fast, since millions are wanted."""

from __future__ import annotations

import json
import random
from typing import Any

# fmt: off
PIECES = (
    "", " ", "\n", "\r\n", "\t", "\0", "\x1b[2J", "\x7f", "\ufeff", "\u200b", "\u202e", "\ud800", "\udcff",
    "\U0001f600", "e\u0301", "\u0130", "ß", "ﷺ", "你好", "שלום", "मी", "/", "\\", "..", "../../etc/passwd", "~",
    "$HOME", "`id`", "'",
    '"', '"""', "-", "--", "--json", "-n", "=", "%", "%00", "%ff", "#", "#L3", ":", ":-1", "::", "*", "**", "?", "[",
    "]",
    "(", ")", "{", "}", "{{", "<", ">", "&amp;", "&#0;", "</script>", "<system>", "|", "||", "---", "+++", "```", "~~~",
    "> ", "- ", "1. ", "# ", "## User", "[[", "]]", "[a](b)", "![x](http://h/?q=1)", "|a|b|\n|-|-|\n", "AND", "NOT",
    "path:", "tag:", "before:never", "after:2026-13-45", "0", "-1", "1e309", "NaN", "null", "true", "[]", "{}",
    "9" * 400,
    "-" + "9" * 30, "0x10", "2026-02-30", "2026-01-01T25:61", "river", "the larder", "password=hunter2abcXYZ99",
    "AKIAABCDEFGHIJKLMNOP", "a" * 300, "x " * 200, "\\u0000", "\\ud800", "title: ", "date: ", "tags: [", "*a", "&a",
    "!!python/object", "supersedes: ", "---\n", "\n\n",
)
# fmt: on
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**53,
    2**63,
    -(2**64),
    10**400,
    0.0,
    -0.5,
    1e308,
    "",
    "x",
    [],
    {},
    [None],
    [[[]]],
    {"": ""},
    ["a"] * 50,
    "2026-01-01",
    "yesterday",
)  # fmt: skip


def text(rng: random.Random, most: int = 8) -> str:
    return "".join(rng.choices(PIECES, k=rng.randint(1, most)))


def value(rng: random.Random, depth: int = 0) -> Any:
    drawn = rng.random()
    if drawn < 0.4:
        return text(rng, 4)
    if drawn < 0.8 or depth > 3:
        return rng.choice(VALUES)
    if drawn < 0.9:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {text(rng, 2): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def changed(rng: random.Random, given: Any) -> Any:
    """The value with some of its parts replaced, left out or added."""
    if rng.random() < 0.06:
        return value(rng)
    if isinstance(given, dict):
        kept = {key: changed(rng, item) for key, item in given.items() if rng.random() > 0.08}
        if rng.random() < 0.15:
            kept[text(rng, 2)] = value(rng)
        return kept
    if isinstance(given, list):
        return [changed(rng, item) for item in given if rng.random() > 0.08]
    if isinstance(given, str) and rng.random() < 0.3:
        return spoilt(rng, given)
    return given


def spoilt(rng: random.Random, given: str) -> str:
    """The text with pieces put in, taken out or repeated."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(given))
        end = min(len(given), at + rng.randint(0, 12))
        kind = rng.randrange(4)
        if kind == 0:
            given = given[:at] + given[end:]
        elif kind == 1:
            given = given[:end] + given[at:]
        else:
            given = given[:at] + rng.choice(PIECES) + given[end if kind == 3 else at :]
    return given


def dumped(rng: random.Random, given: Any) -> str:
    """As JSON, which in one of eight is spoilt, and in one of two hundred nested beyond all need."""
    said = json.dumps(given, ensure_ascii=rng.random() < 0.5)
    drawn = rng.random()
    if drawn < 0.005:
        depth = rng.choice((500, 5_000))
        return said.replace('"', '{"a":' * depth + '"', 1) if drawn < 0.002 else '[{"a":' * depth + said
    return spoilt(rng, said) if drawn < 0.125 else said


def encoded(rng: random.Random, given: str) -> bytes:
    """In UTF-8, lone surrogates as the bytes that stand for them; some bytes may be others."""
    data = given.encode("utf-8", "surrogatepass")
    if rng.random() < 0.2 and data:
        changed = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        data = bytes(changed)
    return data
