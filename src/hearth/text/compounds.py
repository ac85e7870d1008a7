"""Compounds: words written as one, of which the last part says what the whole is ("Kündigungsfrist" is a "Frist").

Beside each long word of such a language the index has a term for its end: the word spelled backwards behind ``MARK``,
so that the words with a certain end are those that begin alike. No text analyzes to such a term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hearth.core.fragment import TermCounts

LANGUAGES = frozenset({"de", "nl", "sv"})
"""Those that write compounds as one word, as far as languages are told apart: Danish and Norwegian count as Swedish."""
MARK = "~"
SHORTEST_TAIL = 4
_SHORTEST_HEAD = 3
_SHORTEST = 8
_VOWELS = frozenset("aeiouyåäöæøü")


def turn(term: str) -> str:
    """The term of all words that end with a word's term, where more follows."""
    return MARK + term[::-1]


def find_ends(counts: Mapping[str, TermCounts], language: str) -> Iterator[tuple[str, TermCounts]]:
    """The terms for the ends of the long words among those that are counted, counted as these are."""
    if language in LANGUAGES:
        yield from ((turn(term), count) for term, count in counts.items() if len(term) >= _SHORTEST and term.isalpha())


def is_compound(end: str, tail: str) -> bool:
    """Whether the term for a word's end is that of a compound with this tail: what stands before it may be a word."""
    head = end[len(MARK) + len(tail) :]
    return end.startswith(turn(tail)) and len(head) >= _SHORTEST_HEAD and not _VOWELS.isdisjoint(head)
