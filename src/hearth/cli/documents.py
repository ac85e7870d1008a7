"""A document as a row of JSON."""

from __future__ import annotations

from typing import Any

from hearth.model.document import Document


def row(document: Document) -> dict[str, Any]:
    """Without its text; instants are ms UTC."""
    return {
        "docid": document.docid,
        "collection": document.collection,
        "path": document.path,
        "title": document.title,
        "content_type": document.content_type,
        "authored_at": document.authored_at,
        "modified_at": document.modified_at,
        "size": document.size,
        "tags": list(document.tags),
        "language": document.language,
        "trust": document.trust,
    }
