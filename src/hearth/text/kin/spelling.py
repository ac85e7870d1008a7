"""How else a word may be spelled: British and American forms, and slips of the hand."""

from __future__ import annotations

from hearth.lazy import regex

# Each pair both ways, at a place in the word that tells; what comes out may be no word, which no index then has.
_FORMS = (
    (regex(r"(?<=[a-z]{2})our(?=(?:s|ed|ing|ful|ites?|able|hood|less)?$)"), "or"),
    (regex(r"(?<=[a-z]{2})or(?=(?:s|ed|ing|ful|ites?|able|hood|less)?$)"), "our"),
    (regex(r"(?<=[a-z]{3})is(?=(?:e[drs]?|ing|ations?|ers)$)"), "iz"),
    (regex(r"(?<=[a-z]{3})iz(?=(?:e[drs]?|ing|ations?|ers)$)"), "is"),
    (regex(r"(?<=[a-z]{2}l)ys(?=(?:e[drs]?|ing)$)"), "yz"),
    (regex(r"(?<=[a-z]{2}l)yz(?=(?:e[drs]?|ing)$)"), "ys"),
    (regex(r"(?<=[a-z]{2}[tb])re(?=s?$)"), "er"),
    (regex(r"(?<=[a-z]{2}[tb])er(?=s?$)"), "re"),
    (regex(r"(?<=[a-z]{2})ogue(?=s?$)"), "og"),
    (regex(r"(?<=[a-z]{2})og(?=s?$)"), "ogue"),
    (regex(r"(?<=[a-z][aeiou])ll(?=(?:ed|ing|ers?)$)"), "l"),
    (regex(r"(?<=[a-z][aeiou])l(?=(?:ed|ing|ers?)$)"), "ll"),
    (regex(r"(?<=[a-z]{2}en)ce(?=s?$)"), "se"),
    (regex(r"(?<=[a-z]{2}en)se(?=s?$)"), "ce"),
)
_EXACT, _ONE_SLIP = 4, 8
"""Shorter words than these are never slips, and those with one slip at most."""


def respell(word: str) -> tuple[str, ...]:
    """The British forms of an American word and the other way round, in lower case; never ``word``."""
    found = (form.sub(other, word) for form, other in _FORMS)
    return tuple(dict.fromkeys(other for other in found if other != word))


def is_slip(word: str, meant: str) -> bool:
    """Whether one or, in a word of eight letters or more, two letters too many, missing, wrong or swapped make the
    other word. Short words differ by a letter and mean different things: never."""
    shorter = min(len(word), len(meant))
    return word != meant and shorter >= _EXACT and _within(word, meant, 1 if shorter < _ONE_SLIP else 2)


def _within(one: str, other: str, edits: int) -> bool:
    """Optimal string alignment distance, at most ``edits``."""
    if abs(len(one) - len(other)) > edits:
        return False
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[at:], other[at:]
    if not one or not other:
        return True
    if not edits:
        return False
    swapped = one[:2] == other[1::-1] and len(one) > 1 and _within(one[2:], other[2:], edits - 1)
    return (
        swapped
        or _within(one[1:], other[1:], edits - 1)
        or _within(one[1:], other, edits - 1)
        or _within(one, other[1:], edits - 1)
    )
