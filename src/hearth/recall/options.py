"""The options of a question, checked: what can't be meant is said, not answered with nothing."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.core.document import VEILS
from hearth.core.errors import NotFound, UsageError
from hearth.core.query import Query
from hearth.core.types import CONTENT_TYPES


def check(query: Query, collections: Iterable[str]) -> None:
    """Raises ``UsageError``, or ``NotFound`` for a collection that is not among those of the vault."""
    if not isinstance(query.text, str):
        raise UsageError(f"a question is text, not {type(query.text).__name__}")
    for name in ("collections", "types", "include"):
        if isinstance(getattr(query, name), str):
            raise UsageError(f"{name} is a tuple of names, not one text; write ({getattr(query, name)!r},)")
    known = set(collections)
    for collection in query.collections:
        if collection not in known:
            raise NotFound(f"no collection {collection!r}; there are: {', '.join(sorted(known)) or 'none'}")
    _among("type", query.types, CONTENT_TYPES)
    _among("include", query.include, VEILS[1:])
    if query.since is not None and query.until is not None and query.since >= query.until:
        raise UsageError("since is not before until, so that nothing lies between them")
    if query.min_score is not None and not 0 <= query.min_score <= 1:
        raise UsageError(f"min_score {query.min_score} is out of range; give a number from 0 to 1")


def _among(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{what} {name!r} is unknown; choose among: {', '.join(known)}")
