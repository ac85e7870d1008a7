"""The fields of an event's payload, read and checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from hearth.core.journal import Event
from hearth.core.lazy import regex

_INSTANT_END = 2**53
TEXT_LENGTH = 1024
_DOCID = regex(r"[0-9A-Za-z_-]{1,64}")
_COMMENTS = frozenset(("reason", "actor", "run", "was", "after", "was_along", "undoes", "reinstates", "more"))


class MalformedPayload(ValueError):
    """The payload does not fit its kind; the message names the field."""


def read_text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= TEXT_LENGTH:
        raise MalformedPayload(f"{name} is not a text of 1 to {TEXT_LENGTH} characters")
    return value


def read_day(data: Mapping[str, Any], name: str) -> str:
    """A local date, YYYY-MM-DD."""
    day = read_text(data, name)
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError as error:
        raise MalformedPayload(f"{name} is not a date") from error


def check_docid(value: Any, name: str) -> str:
    if not isinstance(value, str) or _DOCID.fullmatch(value) is None:
        raise MalformedPayload(f"{name} is not a docid")
    return value


def read_doc(event: Event) -> str:
    return check_docid(event.doc, "doc")


def read_whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if type(value) is not int or not 0 <= value < _INSTANT_END:
        raise MalformedPayload(f"{name} is not a whole number from 0 to 2**53")
    return value


def read_details(event: Event, *known: str) -> dict[str, Any]:
    """The payload without remarks and without ``known`` fields."""
    return {name: value for name, value in event.data.items() if name not in _COMMENTS and name not in known}


def read_table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    if not isinstance(value, dict):
        raise MalformedPayload(f"{name} is not a table")
    return value


def is_given(data: Mapping[str, Any], name: str) -> bool:
    """Whether a field is there and not null; it must be there, since null takes a value back."""
    if name not in data:
        raise MalformedPayload(f"{name} is missing")
    return data[name] is not None


def read_occasion(event: Event) -> str:
    """What makes a use distinct: its turn, else its key, else the event."""
    if event.data.get("session") is not None:
        turn = event.data.get("turn")
        return json.dumps([read_text(event.data, "session"), turn if turn is None else read_text(event.data, "turn")])
    return read_text(event.data, "key") if "key" in event.data else event.id


def read_documents(event: Event) -> list[str]:
    """The event's own document and those of ``docs``, without repetition."""
    others = event.data.get("docs", [])
    if not isinstance(others, list):
        raise MalformedPayload("docs is not a list")
    own = [] if event.doc is None else [event.doc]
    docs = sorted({check_docid(doc, "docs") for doc in [*own, *others]})
    if not docs:
        raise MalformedPayload("it names no document")
    return docs
