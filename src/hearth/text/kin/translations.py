"""Spanish, German, French and Portuguese stems and the English ones that they translate, both ways.

The table is made by ``tools/make_translations.py``: a line each of language, stem, English stems.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hearth.text.stem import stem

LANGUAGES = ("es", "de", "fr", "pt")

_Table = dict[str, dict[str, tuple[str, ...]]]


@cache
def _to_english() -> _Table:
    """Language -> stem -> English stems."""
    table: _Table = {language: {} for language in LANGUAGES}
    for line in Path(__file__).with_name("translations.tsv").read_text(encoding="utf-8").splitlines():
        language, foreign, english = line.split("\t")
        table[language][foreign] = tuple(english.split(" "))
    return table


@cache
def _from_english() -> _Table:
    """Language -> English stem -> stems."""
    table: dict[str, dict[str, list[str]]] = {language: {} for language in LANGUAGES}
    for language, words in _to_english().items():
        for foreign, english in words.items():
            for term in english:
                table[language].setdefault(term, []).append(foreign)
    return {language: {term: tuple(found) for term, found in words.items()} for language, words in table.items()}


def translate(word: str, source: str, targets: tuple[str, ...]) -> Iterator[str]:
    """Stems of the target languages that translate a lower-case word of ``source``; between two languages other than
    English by way of English. Repeats are possible."""
    term = stem(word, source)
    english = (term,) if source == "en" else _to_english().get(source, {}).get(term, ())
    for target in targets:
        if target == source:
            continue
        if target == "en":
            yield from english
        elif english and target in LANGUAGES:
            there = _from_english()[target]
            for each in english:
                yield from there.get(each, ())
