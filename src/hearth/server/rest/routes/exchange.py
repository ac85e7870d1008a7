"""A whole vault out and in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hearth.server.rest.route import LINES, Asked, Route
from hearth.server.rest.shapes import TEXTS, WHOLE, obj
from hearth.server.schema import flag

_NUMBERS = ("memories", "files", "events", "unchanged", "kept", "left", "redacted", "skipped")


def _export(asked: Asked) -> Iterator[bytes]:
    return asked.vault.exchange.export(files=asked["files"])


def _import(asked: Asked) -> dict[str, Any]:
    """People's files go nowhere from here: no client names a folder of this machine."""
    assert asked.source is not None
    return asked.vault.exchange.import_(asked.source).to_dict()


ROUTES = (
    Route(
        "export",
        "GET",
        "/export",
        "Everything that a vault knows, as lines of JSON. Without a last line of kind end it is not complete.",
        _export,
        query={"files": flag("With the texts of people's files.", default=True)},
        reads=True,
        media=LINES,
    ),
    Route(
        "import",
        "POST",
        "/import",
        "Take in an export: memories and journal. Nothing that is there is replaced.",
        _import,
        obj({**dict.fromkeys(_NUMBERS, WHOLE), "problems": TEXTS}),
        source=True,
        long=True,
    ),
)
