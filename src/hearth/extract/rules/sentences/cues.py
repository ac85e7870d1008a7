"""Which cues a sentence holds, in nine languages; the table is ``cues.txt`` beside this file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hearth.text.language import detect

LANGUAGES = ("en", "es", "de", "fr", "pt", "it", "ru", "zh", "ja")
# Written without spaces: a cue may stand anywhere.
_UNSPACED = frozenset({"zh", "ja"})
NAMES = (
    "decide", "adopt", "prefer", "promise", "will", "confirm", "self", "have", "think", "correct", "always", "maybe",
    "ask", "idle", "world", "me", "we", "pron", "day", "due",
)  # fmt: skip
_LATIN = LANGUAGES[:6]
_SHORT = 200
_MOST = 600
"""Characters of a sentence that are looked at."""


def cues(sentence: str, language: str) -> frozenset[str]:
    """The names of the cues that the sentence holds."""
    # Lowered once: patterns that ignore case take twice the time.
    text = sentence[:_MOST].lower()
    return frozenset(name for name, pattern in patterns(language).items() if pattern.search(text) is not None)


def language_of(text: str) -> str:
    """One of ``LANGUAGES``; a few words without a stop word are in the Latin language of most cues, else English."""
    found = detect(text, default="")
    if not found and len(text) <= _SHORT:
        return max(_LATIN, key=lambda language: (len(cues(text, language)), language == "en"))
    return found if found in LANGUAGES else "en"


@cache
def patterns(language: str) -> dict[str, re.Pattern[str]]:
    """By name of the cue."""
    return {name: re.compile(_alternatives(parts, language)) for name, parts in _table()[language].items()}


def _alternatives(parts: list[str], language: str) -> str:
    start = "" if language in _UNSPACED else r"(?<!\w)"
    joined = "|".join(parts).replace("~", r"\w*").replace(" ?", r"\s?").replace(" ", r"\s+")
    return f"{start}(?:{joined})"


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    table: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "cues.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = table.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, pattern = line.partition(" ")
            section.setdefault(name, []).append(pattern)
    return table
