"""Messages of the engine in the words of a surface without a shell."""

from __future__ import annotations

import re

import pytest

from hearth.server.hints import MCP, REST, worded

SAID = {
    "no document 'x'; hearth list shows all": ("multi_get", "GET /documents"),
    "no session 'x'; hearth log lists them": ("session_log", "GET /sessions"),
    "a.md is forgotten; bring it back first: hearth restore 1a2b": (
        "lifecycle_restore with reference #1a2b",
        "POST /documents/1a2b/restore",
    ),
    "notes/a.md is gone since it was indexed; run: hearth update": ("search again", "search again"),
    "collection 'notes' is held: gone; run: hearth status": ("; status says", "GET /collections"),
    "there is no event 'x'; hearth journal show --json lists them": ("events of the answer", "events of the answer"),
    "its vectors are not complete; run: hearth embed": ("a person runs: hearth embed", "a person runs: hearth embed"),
    "the vault is empty; add notes with: hearth bootstrap FOLDER": ("a person adds notes:", "a person adds notes:"),
    "9 bytes is over --max-bytes 5": ("over max_bytes 5", "over max_bytes 5"),
}


@pytest.mark.parametrize("text", SAID)
def test_a_hint_is_what_the_surface_has_or_for_a_person(text: str) -> None:
    for surface, wanted in zip((MCP, REST), SAID[text], strict=True):
        said = worded(text, surface)
        assert wanted in said
        assert not re.search(r"(?<!a person runs: )(?<!a person adds notes: )\bhearth [a-z]", said)
        assert worded(said, surface) == said


def test_other_texts_stay() -> None:
    for text in ("", "limit is 0; it takes 1 to 50", "the hearth is warm -- it is a good hearth for cats"):
        assert worded(text, MCP) == text
