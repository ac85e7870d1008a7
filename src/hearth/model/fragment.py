"""A fragment: the unit of retrieval, a window of a document with its exact place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hearth.lazy import dataclass

SAID = "said"
"""The kind of a fragment that holds the person's own words in a conversation."""
KINDS = ("full", "section", "list", "code", "table", "frontmatter", "turn", SAID)


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


class FragmentTerms(NamedTuple):
    """``length`` is the number of term occurrences in the body."""

    counts: Mapping[str, TermCounts]
    length: int


class AnalyzedFragment:
    """A fragment with its index terms, which may be counted only when somebody asks for them: of a long file that grew
    by a line most stand in the index already.

    ``start_byte``/``end_byte`` are a half-open range of the original file, before redaction.
    """

    __slots__ = ("_counted", "end_byte", "fragment", "start_byte")

    def __init__(
        self, fragment: Fragment, counted: FragmentTerms | Callable[[], FragmentTerms], start_byte: int, end_byte: int
    ) -> None:
        self.fragment = fragment
        self.start_byte = start_byte
        self.end_byte = end_byte
        self._counted = counted

    @property
    def counted(self) -> FragmentTerms:
        if not isinstance(self._counted, FragmentTerms):
            self._counted = self._counted()
        return self._counted

    @property
    def terms(self) -> Mapping[str, TermCounts]:
        return self.counted.counts

    @property
    def length(self) -> int:
        return self.counted.length
