"""The identities under which a document was used: a moved document keeps what it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hearth.ports import StateReader

MAX_HOPS = 32


def former(reader: StateReader, docid: str) -> list[str]:
    """The document and what it was before, latest first; a circle ends where it began."""
    found = [docid]
    while len(found) < MAX_HOPS:
        before = reader.registers(found[-1], "moved_from").get("moved_from")
        if not isinstance(before, str) or before in found:
            break
        found.append(before)
    return found


def moves(reader: StateReader) -> dict[str, list[str]]:
    """Former docid -> what it became; two machines may have moved a document to two places."""
    found: dict[str, list[str]] = {}
    for docid, before in reader.holders("moved_from").items():
        if isinstance(before, str):
            found.setdefault(before, []).append(docid)
    return found


def present(docid: str, moved: Mapping[str, Iterable[str]]) -> list[str]:
    """The document and all that it became."""
    found = [docid]
    for name in found:
        found.extend(later for later in moved.get(name, ()) if later not in found)
    return found
