"""The engine's values as JSON, the same names as everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hearth.model.session import Session, SessionDetail
from hearth.ports import StoredDocument

_SURROGATES = re.compile("[\ud800-\udfff]")


def valid(value: Any) -> Any:
    """The same with every text fit for JSON in UTF-8: file names may hold bytes that are no text."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value) if _SURROGATES.search(value) else value
    if isinstance(value, Mapping):
        return {valid(key): valid(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [valid(item) for item in value]
    return value


def document(stored: StoredDocument) -> dict[str, Any]:
    """Without its text; instants are ms UTC."""
    state = stored.state
    return stored.document.to_dict() | {
        "pinned": state.pinned,
        "snoozed_until": state.snoozed_until,
        "hidden": list(state.veils),
    }


def session(found: Session | SessionDetail) -> dict[str, Any]:
    """Without where a transcript lies on this machine."""
    return {name: value for name, value in found.to_dict().items() if name not in ("transcript", "watermark")}
