"""Documents that a text names: by docid, or by their path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from hearth.model.document import Document
from hearth.model.graph.relation import LINKED, TEXT, DocumentRelation, EvidencePlace, hash_passage
from hearth.model.identity import docid, is_docid, normal_path
from hearth.ports import StoredFragment

MOST = 200
_NAME = re.compile(
    r"(?<![\w#/.-])#?(?P<docid>[0-9a-hjkmnp-tv-z]{16})(?!\w)|(?P<path>[\w.~-][\w./~-]*\.(?:md|markdown|mdx|mdown))\b"
)


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
    for match in _NAME.finditer(text):
        if match["docid"] is not None:
            # Words have no digits, and no docid comes without one.
            if is_docid(match["docid"]) and re.search(r"\d", match["docid"]):
                yield match["docid"]
            continue
        path = normal_path(match["path"]).removeprefix("./")
        if "/" in path:
            collection, _, rest = path.partition("/")
            yield docid(collection, rest)
        yield docid(document.collection, path)
        folder = PurePosixPath(document.path).parent
        if str(folder) != ".":
            yield docid(document.collection, f"{folder}/{path}")
