"""Names that are known, found in a text however they are written: one trie of words, read once along the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hearth.core.graph import NamedEntity
from hearth.core.lazy import regex
from hearth.language.entities.markup import hide_markup
from hearth.language.entities.words import LANGUAGES, is_ordinary
from hearth.text.common_words import is_stop_word

MOST_WORDS = 8
_LEAST_CHARS = 3
_WORD = regex(r"[^\W_]+")
# Between the words of a name.
_GAPS = frozenset((" ", "-", "\n", "'", "’"))
# Where a name ends.
_END = ""


class KnownTrie:
    """``names`` are spellings with whom each means. One that is a word of everyday language, or has signs that a text
    may do without, is not looked for."""

    def __init__(self, names: Mapping[str, NamedEntity]) -> None:
        self._root: dict[str, Any] = {}
        for spelled, entity in names.items():
            if is_distinctive(spelled):
                node = self._root
                for word in _WORD.findall(spelled):
                    node = node.setdefault(word.casefold(), {})
                node[_END] = entity

    def find(self, text: str) -> Iterator[NamedEntity]:
        """At each place the longest name, each as often as it is there."""
        if not self._root:
            return
        plain = hide_markup(text)
        if self._root.keys().isdisjoint(map(str.casefold, _WORD.findall(plain))):
            return
        words = list(_WORD.finditer(plain))
        end = 0
        for at, word in enumerate(words):
            if at >= end and word[0].casefold() in self._root:
                found, end = self._read(plain, words, at)
                if found is not None:
                    yield found

    def _read(self, text: str, words: Sequence[re.Match[str]], at: int) -> tuple[NamedEntity | None, int]:
        """The longest name from a word on, and the word behind it."""
        node, found, end = self._root, None, at
        for step in range(at, len(words)):
            node = node.get(words[step][0].casefold(), {})
            found, end = (node[_END], step + 1) if _END in node else (found, end)
            if not node or (step + 1 < len(words) and not _goes_on(text, words[step], words[step + 1])):
                break
        return found, end


def _goes_on(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    gap = text[word.end() : following.start()]
    return gap in _GAPS or (gap in (".", ". ") and len(word[0]) == 1)


def is_distinctive(name: str) -> bool:
    """Whether a name is one in lower case, too: several words that say something, or one that is no ordinary word."""
    words = [word.casefold() for word in _WORD.findall(name)]
    if not words or len(words) > MOST_WORDS or any(not (char.isalnum() or char in " -.'’") for char in name):
        return False
    if len(words) == 1:
        return len(words[0]) >= _LEAST_CHARS and not is_ordinary(words[0])
    return not all(is_stop_word(word, LANGUAGES) for word in words)
