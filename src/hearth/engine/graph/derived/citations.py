"""Documents that a text names: by docid, or by their path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from hearth.lazy import regex
from hearth.model.document import Document
from hearth.model.graph.relation import LINKED, TEXT, DocumentRelation, EvidencePlace, hash_passage
from hearth.model.identity import docid, is_docid, normal_path
from hearth.ports import StoredFragment

MOST = 200
_DOCID = regex(r"(?<![\w#/.-])#?([0-9a-hjkmnp-tv-z]{16})(?!\w)")
_PATH = regex(r"(?<![\w./~-])([\w.~-][\w./~-]*?\.(?:md|markdown|mdx|mdown))(?![\w/~-])")


def find_citations(document: Document, fragments: Iterable[StoredFragment]) -> list[DocumentRelation]:
    """What it names may come later, or never: it relates the document to nothing before."""
    found: dict[str, DocumentRelation] = {}
    for part in fragments:
        place: tuple[EvidencePlace, ...] = ()
        for target in _targets(document, part.text):
            if len(found) == MOST:
                return list(found.values())
            if target == document.docid or target in found:
                continue
            place = place or (EvidencePlace(document.docid, part.start_line, part.end_line, hash_passage(part.text)),)
            found[target] = DocumentRelation(document.docid, "references", target, LINKED, origin=TEXT, evidence=place)
    return list(found.values())


def _targets(document: Document, text: str) -> Iterator[str]:
    for name in _DOCID.findall(text):
        # No docid comes without a digit, and words have none.
        if is_docid(name) and not name.isalpha():
            yield name
    if ".m" not in text:
        return
    folder = str(PurePosixPath(document.path).parent)
    for found in _PATH.findall(text):
        path = normal_path(found).removeprefix("./")
        if "/" in path:
            collection, _, rest = path.partition("/")
            yield docid(collection, rest)
        yield docid(document.collection, path)
        if folder != ".":
            yield docid(document.collection, f"{folder}/{path}")
