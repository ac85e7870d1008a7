"""What programs write: memories, notes of the day, a diary."""

from __future__ import annotations

from typing import Any

from hearth.model.memory import MAX_LINE_CHARS, MAX_SUPERSEDED, MAX_TAG_CHARS, MAX_TAGS, MAX_TEXT_BYTES, Remembered
from hearth.model.types import CONTENT_TYPES, DEFAULT_TYPE, Merge
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.shapes import INSTANT, TEXT, listed, obj, ref
from hearth.server.schema import choice, text, texts, whole

_WRITTEN = [name for name, kind in CONTENT_TYPES.items() if kind.merge is not Merge.NEVER and name != "daily"]
_GIVEN = ("title", "tags", "subject", "project", "session", "supersedes")


def _remember(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.memories.remember(asked["text"], asked["type"], **asked.given(*_GIVEN)))


def _note(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.memories.note(asked["text"]))


def _diary_write(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.memories.write_diary(asked["text"], asked["topic"], asked["agent"]))


def _diary_read(asked: Asked) -> dict[str, Any]:
    found = asked.vault.memories.read_diary(asked["limit"], agent=asked["agent"], topic=asked["topic"])
    return {"entries": [entry.to_dict() for entry in found]}


def _row(done: Remembered) -> dict[str, Any]:
    """Without the place on the disk."""
    return {name: value for name, value in done.to_dict().items() if name != "file"}


_TEXT = text("The text. Markdown.", longest=MAX_TEXT_BYTES)
_AGENT = text("Whose diary.", longest=MAX_LINE_CHARS)

ROUTES = (
    Route(
        "remember",
        "POST",
        "/memories",
        "Write a memory, or find that it is there. Searchable at once, on the disk before the answer.",
        _remember,
        ref("Written"),
        body={
            "text": _TEXT,
            "type": choice("What kind of memory.", _WRITTEN, DEFAULT_TYPE),
            "title": text("A title; else made from the text.", longest=MAX_LINE_CHARS),
            "tags": texts("Tags.", longest=MAX_TAG_CHARS, most=MAX_TAGS),
            "subject": text("What it is about: a later memory about it revises this one.", longest=MAX_LINE_CHARS),
            "project": text("Which project it belongs to.", longest=MAX_LINE_CHARS),
            "session": text("The session it comes from.", longest=MAX_LINE_CHARS),
            "supersedes": texts("Documents that it replaces.", longest=4_096, most=MAX_SUPERSEDED),
        },
        required=("text",),
    ),
    Route(
        "note",
        "POST",
        "/notes",
        "Add a text to the file of the day.",
        _note,
        ref("Written"),
        body={"text": _TEXT},
        required=("text",),
    ),
    Route(
        "diary_write",
        "POST",
        "/diary",
        "Keep an entry of an agent's diary.",
        _diary_write,
        ref("Written"),
        body={
            "text": _TEXT,
            "topic": text("What it is about.", longest=MAX_LINE_CHARS),
            "agent": _AGENT | {"default": "agent"},
        },
        required=("text",),
    ),
    Route(
        "diary_read",
        "GET",
        "/diary",
        "The newest entries of the diary, newest first.",
        _diary_read,
        obj(
            {
                "entries": listed(
                    obj({"docid": TEXT, "path": TEXT, "at": INSTANT, "agent": TEXT, "topic": TEXT, "text": TEXT})
                )
            }
        ),
        query={
            "limit": whole("At most so many.", 1, 100, 10),
            "agent": _AGENT,
            "topic": text("Only about this.", longest=MAX_LINE_CHARS),
        },
        reads=True,
    ),
)
