"""What to do next, in the words of a surface: who asks over MCP or REST has no shell.

The engine's messages name commands; those that a tool or route can do name that instead, others are for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MCP = "mcp"
REST = "rest"

_ANY_ID = r"#?([\w-]+)"
_SAME: tuple[tuple[str, str], ...] = (
    (r"is gone since it was indexed; run: hearth update", r"is gone since it was indexed; search again"),
    (r"; hearth journal show(?: --json)? lists (?:all|them)", r"; events of the answer to a change name them"),
    (r"add notes with: hearth bootstrap FOLDER", r"a person adds notes: hearth bootstrap FOLDER"),
    (r"\b(?:run|see|check it|mend it|with): (hearth [a-z])", r"a person runs: \1"),
    (r" --max-bytes ", r" max_bytes "),
)
_OWN: Mapping[str, tuple[tuple[str, str], ...]] = {
    MCP: (
        (r"\bhearth list shows all", r"a search finds it, or multi_get with a glob"),
        (r"\bhearth log lists them", r"session_log lists them"),
        (rf": hearth restore {_ANY_ID}", r": lifecycle_restore with reference #\1 and confirm true"),
        (r"; run: hearth status\b", r"; status says more"),
    ),
    REST: (
        (r"\bhearth list shows all", r"GET /documents lists all"),
        (r"\bhearth log lists them", r"GET /sessions lists them"),
        (rf": hearth restore {_ANY_ID}", r": POST /documents/\1/restore"),
        (r"; run: hearth status\b", r"; GET /collections says more"),
    ),
}
_RULES = {
    surface: tuple((re.compile(pattern), said) for pattern, said in (*own, *_SAME)) for surface, own in _OWN.items()
}


def worded(text: str, surface: str) -> str:
    """For messages of Hearth alone, never for the text of a note."""
    if "hearth " not in text and "--" not in text:
        return text
    for pattern, said in _RULES[surface]:
        text = pattern.sub(said, text)
    return text


def all_worded(texts: Sequence[str], surface: str) -> list[str]:
    return [worded(text, surface) for text in texts]
