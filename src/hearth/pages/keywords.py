"""What a single document is about: keywords, and the sentence that says most of them. Pure.

Weights are those of tf-idf (Salton and Buckley, 1988), with the logarithm of the frequency in the text; how a note of
keywords, tags and context serves an agent's memory: Xu et al., A-MEM, 2025.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from hearth.core.graph import CONTEXT_CHARS, LEAST_KEYWORDS, MOST_KEYWORDS
from hearth.core.lazy import dataclass, regex
from hearth.text.common_words import background_share, idle_words, stop_words
from hearth.text.language import detect
from hearth.text.lines import cut_line, split_sentences, without_code
from hearth.text.terms import chunks, terms, whole_form

_LEAST_LETTERS = 4
_COMMON = 0.05
"""A word in so large a share of ordinary texts is no keyword."""
_BACKGROUND = 1_000
# A name says more of a text than another word, and so do two words that stand together again and again.
_NAME, _PAIR = 1.3, 1.4
_EDGE = ".-_:'’\"&~/"
_UNITS = frozenset(["kb", "mb", "gb", "tb", "kib", "mib", "gib", "ms", "am", "pm"])
_BREAK = regex(r"[,;!?()\[\]\n|]+|[.:](?=\s|$)")
# A remark on a picture, or a row of a table.
_ASIDE = regex(r"\[[^\]]*\]$|\|")


@dataclass
class KeywordCounts:
    """What a text holds: index term -> its spellings; how often two follow each other; which are names."""

    forms: dict[str, Counter[str]] = field(default_factory=dict)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    named: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, text: str) -> KeywordCounts:
        counts = cls()
        plain = without_code(text)
        language = detect(plain)
        for run in _BREAK.split(plain):
            before: str | None = None
            for at, chunk in enumerate(chunks(run)):
                word = chunk.strip(_EDGE)
                term = _term(word, language)
                if term is not None:
                    counts.forms.setdefault(term, Counter())[word] += 1
                    counts.named |= {term} if _is_name(word, first=at == 0) else set()
                    if before is not None and before != term:
                        counts.pairs[before, term] += 1
                before = term
        return counts

    def spelled(self, term: str) -> str:
        forms = self.forms[term]
        return min(forms, key=lambda form: (-forms[form], form))


def keywords(counts: KeywordCounts, df: Mapping[str, float], total: float) -> list[str]:
    """Three to seven, the weightiest first; fewer where the text has fewer. ``df`` says how many of the ``total``
    fragments of the vault hold a term."""

    def idf(term: str) -> float:
        rare = df.get(term, 0) + _BACKGROUND * background_share(term)
        return math.log((total + _BACKGROUND + 1) / (rare + 0.5))

    def weigh(term: str) -> float:
        return (1 + math.log(counts.forms[term].total())) * idf(term) * (_NAME if term in counts.named else 1)

    weights: dict[tuple[str, ...], float] = {(term,): weigh(term) for term in counts.forms}
    for (one, other), count in counts.pairs.items():
        if count > 1:
            weights[one, other] = (1 + math.log(count)) * (idf(one) + idf(other)) / 2 * _PAIR
    chosen: list[tuple[str, ...]] = []
    for found in sorted(weights, key=lambda key: (-weights[key], key)):
        if len(chosen) < MOST_KEYWORDS and not any(set(found) & set(other) for other in chosen):
            chosen.append(found)
    if not chosen:
        return []
    # Beyond three only what weighs half as much as the first.
    half = weights[chosen[0]] / 2
    kept = [one for at, one in enumerate(chosen) if at < LEAST_KEYWORDS or weights[one] >= half]
    return [" ".join(map(counts.spelled, one)) for one in kept]


def context(heads: Iterable[str | None], text: str, words: Sequence[str]) -> str:
    """On one line of at most 240 characters: what kind of document it is, and its sentence with most keywords, the
    first of them counting most."""
    head = ", ".join(filter(None, heads))
    sentence = _telling(text, words)
    return cut_line(f"{head}: {sentence}" if head and sentence else head or sentence, CONTEXT_CHARS)


def find_spelling(counts: KeywordCounts, keyword: str, language: str) -> str | None:
    """A keyword as a text spells it; ``None`` where it does not hold all words of it."""
    found = [_term(word, language) for word in keyword.split()]
    return (
        None if any(term not in counts.forms for term in found) else " ".join(map(counts.spelled, filter(None, found)))
    )


def _telling(text: str, words: Sequence[str]) -> str:
    weights = {word.casefold(): len(words) - at for at, word in enumerate(words)}
    best, most = "", 0.0
    for sentence in split_sentences(without_code(text)):
        line = " ".join(sentence.strip(" -*+>#").split())
        low = line.casefold()
        weight = sum(weight for word, weight in weights.items() if word in low) / math.log(8 + len(line))
        if weight > most and not _ASIDE.match(line):
            best, most = line, weight
    return best


def _term(word: str, language: str) -> str | None:
    """The index term of a word that may be a keyword."""
    lower = word.lower()
    if (
        not any(map(str.isalpha, word))
        or any(sign in word for sign in "'’/")
        or lower in _UNITS
        or lower in idle_words()
        or any(lower in listed for listed in stop_words().values())
    ):
        return None
    found = terms(word, language)
    whole = whole_form(word)
    if whole is not None and len(word) > 1:
        return whole if whole.startswith("=") else f"={whole}"
    term = next((one for one in found if not one.startswith("=")), None)
    if term is None or background_share(term) > _COMMON:
        return None
    ascii_word = word.isascii()
    return term if not ascii_word or len(word) >= _LEAST_LETTERS or word.isupper() else None


def _is_name(word: str, *, first: bool) -> bool:
    return word[1:] != word[1:].lower() or (not first and word != word.lower()) or any(map(str.isdigit, word))
