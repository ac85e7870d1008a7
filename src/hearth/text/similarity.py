"""When two texts say the same: judged by their words, since vectors can't tell "A over B" from "B over A"."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from hearth.core.lazy import regex
from hearth.text.language import background_share, detect, stem, stop_words
from hearth.text.terms import chunks, terms, whole_form

NEAR_IDENTICAL = 0.9
SIMILAR = 0.6
_LEAST_SHARED = 3
# Of so many content words one may be another.
_OFTEN = 5
# Rarer in ordinary text than this: more likely the name of something, whatever its case ("redis").
_RARE = 0.0008
_EDGE = ".-_:'’\"&~"
_UNSPACED = regex("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_NEGATION_WORDS = """
no not never none nor neither without cannot nothing nobody
nunca jamás sin ni tampoco nada nadie ningún ninguno ninguna
ne pas jamais sans aucun aucune rien
nicht kein keine keinen keiner nie niemals ohne nichts
non mai senza nessuno não nem sem niet geen nooit
не нет ни никогда без
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())


def normalised(text: str) -> str:
    """NFKC, lower case, white space collapsed: texts equal in this form are one text."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def near_identical(one: str, other: str) -> bool:
    """Whether nothing is lost by keeping one of the two.

    Normalised texts are equal, or the Jaccard index of their word bigrams, repeats counted, is at least 0.9 while
    names, identifiers, numbers and negations come in the same order. Texts in scripts without spaces must be equal but
    for punctuation, since names can't be told from other words there.
    """
    if normalised(one) == normalised(other):
        return True
    if overlap(one, other) < NEAR_IDENTICAL:
        return False
    first, second = _words(one), _words(other)
    # What one of them writes as a name is one in both, whatever its case there.
    fixed = {*_protect(first), *_protect(second)}
    return [word for word in map(str.lower, first) if word in fixed] == [
        word for word in map(str.lower, second) if word in fixed
    ]


def overlap(one: str, other: str) -> float:
    """The Jaccard index of the word bigrams of two texts, case aside and repeats counted, in [0, 1]."""
    return _jaccard(Counter(_bigrams(_words(one))), Counter(_bigrams(_words(other))))


def similar(one: str, other: str) -> bool:
    """Whether two texts are about the same thing: most content words shared, or all of the shorter one's, three at
    least. Negations are left out, since advice and its reason negate differently."""
    first, second = content_words(one), content_words(other)
    shared = len(first & second)
    if shared < _LEAST_SHARED:
        return False
    return shared >= SIMILAR * len(first | second) or shared == min(len(first), len(second))


def protected(text: str) -> list[str]:
    """What two texts that say the same must share in this order: names, identifiers, numbers and negations."""
    return _protect(_words(text))


def names(text: str) -> frozenset[str]:
    """Names, identifiers and numbers of a text, in lower case."""
    return frozenset(word for word in protected(text) if not _negates(word))


def shared(one: str, other: str) -> float:
    """The share of the content words of ``one`` that ``other`` has, too; 0 where there are fewer than two."""
    first = content_words(one)
    return len(first & content_words(other)) / len(first) if len(first) > 1 else 0.0


def repeats(one: str, other: str, frame: re.Pattern[str] | None = None) -> bool:
    """Whether two texts say the same in near words: the content words of the one that has fewer stand in the other, all
    but one in five, in the same order, all its numbers and capital names among them, and both negate alike. Words that
    are the ``frame`` (lower case) don't count. For what is shown once, not for what may be dropped for good."""
    first, second = _find_content_words(one, frame), _find_content_words(other, frame)
    few, many = sorted((first, second), key=len)
    if len(few) < _LEAST_SHARED or negated(one) != negated(other):
        return False
    rest = iter(term for term, _ in many)
    if not all(term in rest for term, name in few if name):
        return False
    return _in_order([term for term, _ in few], [term for term, _ in many]) >= len(few) - len(few) // _OFTEN


def _find_content_words(text: str, frame: re.Pattern[str] | None) -> list[tuple[str, bool]]:
    """Content words in order, each once, and whether they are numbers or names."""
    language, found = detect(text), dict[str, bool]()
    for at, word in enumerate(_words(text)):
        lower = word.lower()
        if (frame is not None and frame.fullmatch(lower)) or _is_stop(lower) or _negates(word):
            continue
        name = any(char.isdigit() for char in word) or (word if at else word[1:]) != (lower if at else lower[1:])
        for term in terms(word, language):
            if not term.startswith("="):
                found[term] = found.get(term, False) or name
    return list(found.items())


def _in_order(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for term in one:
        before = 0
        for at, wanted in enumerate(other, 1):
            before, row[at] = row[at], before + 1 if term == wanted else max(row[at], row[at - 1])
    return row[-1]


def covers(one: str, other: str) -> bool:
    """Whether ``one`` says all that ``other`` does: its content words, and as many negations."""
    return content_words(other) <= content_words(one) and negated(one) == negated(other)


def _words(text: str) -> list[str]:
    """Words as written, without punctuation around them."""
    found = (chunk.strip(_EDGE) for chunk in chunks(unicodedata.normalize("NFKC", text)))
    return [word for word in found if word]


def _bigrams(words: list[str]) -> list[tuple[str, str]]:
    """Each word with the one before it; the first one with nothing, so that a single word counts too."""
    lower = [word.lower() for word in words]
    return list(zip(["", *lower], lower, strict=False))


def _jaccard(one: Counter[object], other: Counter[object]) -> float:
    union = (one | other).total()
    return (one & other).total() / union if union else 1.0


def _protect(words: list[str]) -> list[str]:
    return [word.lower() for word in words if _matters(word)]


def _matters(word: str) -> bool:
    """A negation, a number, an identifier, a name; any word of a script without spaces."""
    if _negates(word) or _UNSPACED.search(word):
        return True
    if any(char.isdigit() for char in word) or (len(word) > 1 and whole_form(word) is not None):
        return True
    lower = word.lower()
    if _is_stop(lower):
        return False
    return word != lower or background_share(stem(lower, "en")) < _RARE


def _negates(word: str) -> bool:
    lower = word.lower()
    return lower in _NEGATIONS or lower.endswith(("n't", "n’t"))


def negated(text: str) -> int:
    """How many words negate."""
    return sum(map(_negates, _words(text)))


def _is_stop(lower: str) -> bool:
    return any(lower in words for words in stop_words().values())


def content_words(text: str) -> frozenset[str]:
    language = detect(text)
    words = (word for word in _words(text) if not _is_stop(word.lower()) and not _negates(word))
    return frozenset(term for word in words for term in terms(word, language) if not term.startswith("="))


def flatten(text: str) -> str:
    """A text without case and line breaks, to look for a phrase in."""
    return " ".join(text.casefold().split())
