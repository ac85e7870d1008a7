"""Remedies of the engine in the words of a surface without a shell."""

from __future__ import annotations

import json
import pickle
import re

import pytest

from hearth.core.errors import Guidance, NotFound, Remedy
from hearth.operations.problems import MCP, REST, worded
from hearth.vault.changes import LISTED

SAID = {
    "no document 'x'; hearth list shows all": (LISTED, "multi_get", "GET /documents"),
    "no session 'x'; hearth log lists them": (
        Remedy("log", "sessions", "", " lists them"),
        "session_log",
        "GET /sessions",
    ),
    "a.md is forgotten; restore it first: hearth restore 1a2b": (
        Remedy("restore 1a2b", "restore", "restore it first: "),
        "lifecycle_restore with reference #1a2b",
        "POST /documents/1a2b/restore",
    ),
    "notes/a.md was deleted since it was indexed; run: hearth update": (
        Remedy("update", "again"),
        "search again",
        "search again",
    ),
    "no event 'x'; hearth journal show --json lists them": (
        Remedy("journal show --json", "events", "", " lists them"),
        "events of the answer",
        "events of the answer",
    ),
    "its vectors are not complete; run: hearth embed": (
        Remedy("embed"),
        "a person runs: hearth embed",
        "a person runs: hearth embed",
    ),
    "the vault is empty; add notes with: hearth bootstrap FOLDER": (
        Remedy("bootstrap FOLDER", "fill", "add notes with: "),
        "a person adds notes:",
        "a person adds notes:",
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_a_remedy_is_what_the_surface_has_or_for_a_person(text: str) -> None:
    remedy, *wanted = SAID[text]
    error = NotFound(text.split("; ")[0], remedy)
    assert str(error) == text == str(error.said)
    for surface, part in zip((MCP, REST), wanted, strict=True):
        said = worded(error.said, surface)
        assert part in said
        assert not re.search(r"(?<!a person runs: )(?<!a person adds notes: )\bhearth [a-z]", said)
        assert worded(said, surface) == said


@pytest.mark.parametrize("text", SAID)
def test_a_remedy_that_another_process_wrote_down_is_as_it_was(text: str) -> None:
    said = NotFound(text.split("; ")[0], SAID[text][0]).said
    read = Guidance.unpack(json.loads(json.dumps(Guidance.pack(said))))
    assert read == said and [worded(read, surface) for surface in (MCP, REST)] == [
        worded(said, surface) for surface in (MCP, REST)
    ]
    assert Guidance.unpack(json.loads(json.dumps(Guidance.pack(text)))) == text


def test_a_remedy_stays_behind_other_words_and_between_processes() -> None:
    message = NotFound("it is gone", Remedy("update")).said
    put = Guidance.behind("vector: ", message)
    assert put == "vector: it is gone; run: hearth update"
    assert worded(pickle.loads(pickle.dumps(put)), MCP) == "vector: it is gone; a person runs: hearth update"
    assert Guidance.behind("vector: ", "it is late") == "vector: it is late"


def test_other_texts_stay() -> None:
    for text in ("", "limit is 0; it takes 1 to 50", "the hearth is warm -- it is a good hearth for cats"):
        assert worded(text, MCP) == text
