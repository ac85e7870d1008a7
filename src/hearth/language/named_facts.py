"""Facts of two things with names of their own, in people's prose and in the fields of a note."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hearth.core.document import Document
from hearth.core.lazy import regex
from hearth.language.statements import sentences
from hearth.language.triples import FactTriple, define, find_triples, unlink
from hearth.text.common_words import is_stop_word
from hearth.text.language import fold
from hearth.text.names import name_key

_JOINING = frozenset(("of", "and", "&", "de", "del", "la", "du", "von", "di", "do"))
_LEADING = frozenset(("since", "because", "while", "when", "although", "though", "once", "after", "before", "if"))
# German writes every noun as others write names.
_NOUNS_LIKE_NAMES = "de"
_NUMBER = regex(r"v?\d[\d.]*\+?")
# Of what is no name: "I've", "Version control:", code.
_MARK = regex(r"[:;|{}<>\[\]()]|[^\W_]['’](?:m|s|re|ve|ll|d)$", re.IGNORECASE)
_WORD = regex(r"[^\W_]+")
_ORDER = regex(r"^\W*(?:move|migrate|switch|use|replace|see)\b", re.IGNORECASE)
# Before a word that only begins its sentence, or its line.
_BEGINS = r"(?:^|[.!?:;|]\s+|[*\-#>•(\[\"“]\s*|\d[.)]\s+|\n\s*)"


def find_named_triples(
    paragraph: str, wanted: str, text: Callable[[], str], document: Document
) -> Iterator[FactTriple]:
    """Of the sentences that hold the words of the key of a name; ``text`` gives that of the whole document, for which
    few ask."""
    needed = wanted.split()
    if paragraph.islower() or not _holds(paragraph, needed):
        return
    for sentence in sentences(paragraph):
        told = define(sentence, lambda name: _spell(name) == needed) if _holds(sentence, needed) else None
        if told is not None:
            yield told
            continue
        names = sum(not word.islower() for word in sentence.split())
        if names > 1 and _holds(sentence, needed):
            yield from (one for one in find_triples(sentence) if _is_named(one, text, document))


def _spell(name: str) -> list[str]:
    return _WORD.findall(fold(name.casefold()))


def _holds(text: str, words: list[str]) -> bool:
    folded = fold(text.casefold())
    return all(word in folded for word in words)


def _is_named(triple: FactTriple, text: Callable[[], str], document: Document) -> bool:
    """A capital tells of a name, but not of a noun in German, nor where it may only begin the sentence."""
    if _ORDER.match(triple.quote):
        return False
    opening = triple.quote.lstrip('*_`[("“ ')
    for phrase in (triple.subject, triple.object):
        words = phrase.split()
        if not _is_name(words, document.language):
            return False
        if _is_coined(words[0]) or name_key(phrase) == name_key(document.title):
            continue
        begins = opening.startswith(phrase) and not _stands_within(phrase, text())
        if begins or document.language == _NOUNS_LIKE_NAMES:
            return False
    return True


def _is_name(words: list[str], language: str) -> bool:
    first = words[0].casefold()
    if any(_MARK.search(word) for word in words) or first in _LEADING or is_stop_word(first, ("en", language)):
        return False
    written = [_is_capital(word) or _NUMBER.fullmatch(word) is not None for word in words]
    between = [known or word in _JOINING for known, word in zip(written, words, strict=True)]
    return _is_capital(words[0]) and written[-1] and all(between)


def _stands_within(phrase: str, text: str) -> bool:
    """Whether it stands elsewhere than at the beginning of a sentence or a line."""
    there = len(re.findall(rf"(?<!\w){re.escape(phrase)}(?!\w)", text))
    return there > len(re.findall(rf"{_BEGINS}{re.escape(phrase)}(?!\w)", text, re.MULTILINE))


def _is_capital(word: str) -> bool:
    return word[0].isupper() or _is_coined(word)


def _is_coined(word: str) -> bool:
    """A capital inside, or digits among letters: nothing that a sentence begins with looks so."""
    return any(map(str.isupper, word[1:])) or (any(map(str.isdigit, word)) and any(map(str.isalpha, word)))


_FIELDS = {"owner": "owned_by"} | {one: one for one in ("owned_by", "depends_on", "uses", "runs_on")}
_MOST_WORDS = 12
"""A longer title names nothing."""
# A link and what stands in quotes may hold a comma.
_PART = regex(r"""\s*((?:\[\[[^\[\]]*\]\]|"[^"]*"|'[^']*'(?=\s*(?:,|$))|[^,])+)""")
_NOTHING = frozenset({"", "~", "null"})
# What a template leaves to be filled in.
_PLACEHOLDER = ("{{", "<%")


def field_triples(key: str, value: str, title: str, *, whole: bool = True) -> Iterator[FactTriple]:
    """What a field says of the note of this title; unless ``whole``, its value may name several, apart by commas."""
    predicate = _FIELDS.get(key.strip().casefold())
    if predicate is None or len(title.split()) > _MOST_WORDS or value.startswith(_PLACEHOLDER):
        return
    for part in [value] if whole else _PART.findall(value):
        said = " ".join(unlink(part).split()).strip(" \"'")
        if said.casefold() not in _NOTHING:
            yield FactTriple(title, predicate, said, f"{key}: {value}")


def row_triples(row: str, title: str) -> Iterator[FactTriple]:
    """What a line ``key:: value`` of a text says of its note."""
    key, _, value = row.replace("::", ":", 1).partition(":")
    value = value.strip()
    listed = value.startswith("[") and not value.startswith("[[")
    for triple in field_triples(key.strip(" -*"), value.strip(" []") if listed else value, title, whole=False):
        yield triple._replace(quote=row.strip())
