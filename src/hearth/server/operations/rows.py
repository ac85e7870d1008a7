"""The engine's values as JSON, the same names as everywhere."""

from __future__ import annotations

from typing import Any

from hearth.model.host.session import Session, SessionDetail
from hearth.ports import Skipped, StoredDocument


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


def skipped(file: Skipped) -> dict[str, str]:
    return {"collection": file.collection, "path": file.path, "reason": file.reason}
