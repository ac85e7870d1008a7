"""Succession: documents that give way to others, because the others' frontmatter says so (``supersedes``).

It is kept among the links, so that it lasts as long as the file says it; the journal's ``supersede`` is for what no
file says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from hearth.markdown.links import stems
from hearth.model.document import Document
from hearth.model.identity import docid, is_docid
from hearth.ports import Reader

KEY = "supersedes"
_PREFIX = f"{KEY}:"
_WIKI = re.compile(r"\[\[([^\]|#]*)[^\]]*\]\]")
_MOST = 32


def targets(document: Document, resolve: Callable[[str], str | None]) -> tuple[str, ...]:
    """Docids of what a document supersedes. It names them by docid, by a link that ``resolve`` turns into a docid, or
    as ``collection/path``."""
    found = dict.fromkeys(_docid(name, resolve) for name in _names(document))
    return tuple(other for other in found if other != document.docid)


def mentions(document: Document) -> frozenset[str]:
    """The stems of what a document may supersede."""
    return frozenset(stem for name in _names(document) for stem in stems(name, document.path))


def _names(document: Document) -> Iterator[str]:
    for part in document.facts.get(KEY, "").split(",")[:_MOST]:
        name = part.strip().strip("\"'").removeprefix("hearth://")
        if wiki := _WIKI.fullmatch(name):
            name = wiki[1].strip()
        if name:
            yield name


def as_links(docids: Iterable[str]) -> tuple[str, ...]:
    """Entries for ``Writer.set_links``."""
    return tuple(_PREFIX + other for other in docids)


def named_in(links: Iterable[str]) -> tuple[str, ...]:
    """The docids of ``as_links``."""
    return tuple(link.removeprefix(_PREFIX) for link in links if link.startswith(_PREFIX))


def superseder(reader: Reader, identity: str) -> str | None:
    """What supersedes a document. Documents that supersede each other in a circle leave each other alone."""
    return next((other for other in _direct(reader, identity) if not _reaches(reader, other, identity)), None)


def _docid(name: str, resolve: Callable[[str], str | None]) -> str:
    if is_docid(name.removeprefix("#")):
        return name.removeprefix("#")
    linked = resolve(name)
    if linked is not None:
        return linked
    collection, _, path = name.partition("/")
    return docid(collection, path)


def _direct(reader: Reader, identity: str) -> list[str]:
    return reader.links_to(_PREFIX + identity)


def _reaches(reader: Reader, start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting and len(seen) <= _MOST:
        for other in _direct(reader, waiting.pop()):
            if other == goal:
                return True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False
