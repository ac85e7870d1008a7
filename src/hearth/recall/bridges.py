"""Bridges: other words that stand for a word of the question, where a fragment puts it differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from hearth.core.lazy import dataclass
from hearth.recall.ranking.weights import BRIDGE
from hearth.text.language import is_listed, stem
from hearth.text.related_words import LANGUAGES, neighbours_of, respell, synonyms_of, translate

_SHORTEST_PART = 2


class Bridge(NamedTuple):
    """An index term that counts ``strength`` times what the word counts; ``why`` says what joins them. ``same`` where
    both say one thing, so that an index without the word knows it by this name."""

    term: str
    strength: float
    why: str
    same: bool = True


@dataclass(frozen=True, slots=True)
class Speech:
    """``spoken`` is the language that the question is in as far as it shows, ``languages`` those of the index;
    ``synonyms`` are its owner's. Where ``sure``, only these count, and translations of what is plainly in another
    language: what nobody asked for, found by words alone."""

    spoken: str
    languages: tuple[str, ...]
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sure: bool = False

    def bridge(self, word: str, *, named: bool) -> tuple[Bridge, ...]:
        """The strongest bridge to each term; ``word`` in lower case as written. A name says who or what is meant: for
        it only the owner's synonyms count."""
        found: dict[str, Bridge] = {}
        for bridge in self._find(word, named):
            if bridge.term not in found or found[bridge.term].strength < bridge.strength:
                found[bridge.term] = bridge
        return tuple(found.values())

    def join(self, one: str, other: str) -> tuple[Bridge, ...]:
        """Two words written as one, which then counts for both."""
        if self.sure or min(len(one), len(other)) < _SHORTEST_PART:
            return ()
        terms = dict.fromkeys(stem(one + other, language) for language in self.languages)
        return tuple(Bridge(term, BRIDGE.spelling, "compound") for term in terms)

    def _find(self, word: str, named: bool) -> Iterator[Bridge]:
        for synonym in synonyms_of(word, self.synonyms):
            for language in self.languages:
                yield Bridge(stem(synonym, language), BRIDGE.synonym, "synonym")
        if named:
            return
        if self.sure:
            for term in translate(word, self.spoken, self.languages) if self.spoken in LANGUAGES else ():
                yield Bridge(term, BRIDGE.translation, "translation")
            return
        for other in respell(word):
            yield Bridge(stem(other, "en"), BRIDGE.spelling, "spelling")
        english = stem(word, "en")
        known = is_listed(english)
        sources = (self.spoken,) if self.spoken in LANGUAGES else () if known else LANGUAGES
        for source in (*sources, "en"):
            for term in translate(word, source, self.languages):
                yield Bridge(term, BRIDGE.translation, "translation")
        if self.spoken in LANGUAGES:
            return
        for term, cosine in neighbours_of(english):
            if cosine > BRIDGE.close:
                strength = BRIDGE.meaning * (cosine - BRIDGE.close) / (1 - BRIDGE.close)
                yield Bridge(term, strength, "meaning", same=False)
