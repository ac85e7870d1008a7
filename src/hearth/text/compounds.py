"""Compounds: words written as one, of which the last part says what the whole is ("Kündigungsfrist" is a "Frist").

Beside each long word of such a language the index has a term for its end: the word spelled backwards behind ``MARK``,
so that the words with a certain end are those that begin alike. No text analyzes to such a term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hearth.core.fragment import TermCounts

LANGUAGES = frozenset({"de", "nl", "sv"})
"""Languages that write compounds as one word. Danish and Norwegian are detected as Swedish."""
MARK = "~"
SHORTEST_TAIL = 4
_SHORTEST_HEAD = 3
_SHORTEST = 8
_VOWELS = frozenset("aeiouyåäöæøü")


def reverse_term(term: str) -> str:
    """The index term of words that end with ``term``; longer ones begin with it."""
    return MARK + term[::-1]


def find_ends(counts: Mapping[str, TermCounts], language: str) -> Iterator[tuple[str, TermCounts]]:
    """The terms for the ends of the long words among those that are counted, counted as these are."""
    if language in LANGUAGES:
        yield from (
            (reverse_term(term), count) for term, count in counts.items() if len(term) >= _SHORTEST and term.isalpha()
        )


def is_compound(end: str, tail: str) -> bool:
    """Whether the term for a word's end is that of a compound with this tail: what stands before it may be a word."""
    head = end[len(MARK) + len(tail) :]
    return end.startswith(reverse_term(tail)) and len(head) >= _SHORTEST_HEAD and not _VOWELS.isdisjoint(head)
