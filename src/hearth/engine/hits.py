"""From a stored passage to the hit that every surface shows."""

from __future__ import annotations

from hearth.model.query import Explanation, Hit
from hearth.ports import StoredDocument, StoredFragment


def as_hit(
    stored: StoredDocument, fragment: StoredFragment, score: float, snippet: str, explain: Explanation | None
) -> Hit:
    """``score`` is calibrated to [0, 1]; ``snippet`` is what to show of the fragment."""
    document = stored.document
    return Hit(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        start_line=fragment.start_line,
        end_line=fragment.end_line,
        title=document.title,
        score=score,
        content_type=document.content_type,
        modified_at=document.modified_at,
        authored_at=document.dated_at,
        fragment=fragment.kind,
        snippet=snippet,
        text=fragment.text,
        headings=fragment.headings,
        trust=document.trust,
        hidden=stored.state.veils,
        explain=explain,
    )
