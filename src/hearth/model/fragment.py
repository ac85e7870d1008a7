"""A fragment: the unit of retrieval, a window of a document with its exact place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

KINDS = ("full", "section", "list", "code", "table", "frontmatter", "turn")


@dataclass(frozen=True, slots=True)
class Fragment:
    """Lines are 1-based and inclusive; ``start_char``/``end_char`` are a half-open range of the document's text.

    ``headings`` is the path of headings above the fragment, outermost first. ``context`` is text that helps to
    find the fragment but is not part of it (the neighbouring turns of a conversation).
    """

    seq: int
    kind: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    text: str
    headings: tuple[str, ...] = ()
    context: str = ""


class TermCounts(NamedTuple):
    """How often each field of a fragment holds a term: its text, the headings above it, and what its document is called
    (title, path, aliases, tags). A tuple, since a document makes hundreds."""

    body: int = 0
    heading: int = 0
    meta: int = 0


@dataclass(frozen=True, slots=True)
class AnalyzedFragment:
    """A fragment with its index terms; ``length`` is the number of term occurrences in the body.

    ``start_byte``/``end_byte`` are a half-open range of the original file, before redaction.
    """

    fragment: Fragment
    terms: Mapping[str, TermCounts]
    length: int
    start_byte: int
    end_byte: int
