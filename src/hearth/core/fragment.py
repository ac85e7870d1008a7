"""A fragment: the unit of retrieval, a window of a document with its exact place, and text without its secrets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from hearth.core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """``start``/``end`` are a half-open range of the original text; ``placeholder`` stands there now."""

    rule: str
    start: int
    end: int
    placeholder: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """``secrets`` are disjoint and ordered by ``start``."""

    text: str
    secrets: tuple[Secret, ...] = ()
    _starts: Sequence[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts, shift = [], 0
        for secret in self.secrets:
            starts.append(secret.start + shift)
            shift += len(secret.placeholder) - (secret.end - secret.start)
        object.__setattr__(self, "_starts", tuple(starts))

    def original_offset(self, position_in_redacted: int) -> int:
        """Where that character stood before: exact outside secrets, within the secret's range inside a placeholder.

        Never decreases as the position grows.
        """
        index = bisect_right(self._starts, position_in_redacted) - 1
        if index < 0:
            return position_in_redacted
        secret = self.secrets[index]
        inside = position_in_redacted - self._starts[index]
        beyond = inside - len(secret.placeholder)
        return secret.end + beyond if beyond >= 0 else min(secret.start + inside, secret.end)


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


@dataclass(frozen=True, slots=True)
class Curve:
    """P(relevant | cosine) = 1 / (1 + exp(-(slope * cosine + intercept))), Platt's logistic curve."""

    slope: float
    intercept: float
