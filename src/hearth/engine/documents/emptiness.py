"""Why a vault holds nothing that could answer."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.errors import Guidance, Remedy
from hearth.ports import Skipped

_NAMED = 3


def why_empty(unread: Sequence[Skipped]) -> Guidance:
    """``unread``: the files that could not be indexed."""
    if not unread:
        return Guidance("the vault is empty", Remedy("bootstrap FOLDER", "fill", "add notes with: "))
    files = "file is" if len(unread) == 1 else "files are"
    reasons = ", ".join(list(dict.fromkeys(one.reason for one in unread))[:_NAMED])
    fact = f"no note can be read: {len(unread):,} {files} left out ({reasons})"
    return Guidance(fact, Remedy("status --all", "status", "see: "))
