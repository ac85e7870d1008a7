"""What the texts of documents say of others. Pure: it may be done in another process."""

from __future__ import annotations

from hearth.engine.documents.texts import DocumentTexts
from hearth.engine.graph.causal.sentences import CausalStatement, find_statements
from hearth.engine.graph.derived.citations import find_citations
from hearth.lazy import dataclass
from hearth.model.graph.relation import DocumentRelation


@dataclass(frozen=True, slots=True)
class TextFindings:
    """Of one document. ``statements`` tell causes, of documents that are yet to be found."""

    citations: list[DocumentRelation]
    statements: list[CausalStatement]


def find_in_texts(texts: DocumentTexts) -> list[TextFindings]:
    """Of each document, in order."""
    return [
        TextFindings(find_citations(document, fragments), find_statements(document, fragments))
        for document, fragments in texts.documents
    ]
