"""Bridges: other words that stand for a word of the question, where a passage puts it differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hearth.ranking.weights import BRIDGE
from hearth.text.neighbours import neighbours_of
from hearth.text.stem import stem


class Bridge(NamedTuple):
    """An index term that counts ``strength`` times as much as the word; ``why`` is what joins them."""

    term: str
    strength: float
    why: str


def find_bridges(
    word: str, stems: tuple[str, ...], synonyms: Mapping[str, Sequence[str]], *, named: bool
) -> list[Bridge]:
    """``word`` in lower case, as written."""
    found: dict[str, Bridge] = {}
    for bridge in _all(word, synonyms, named):
        if bridge.term not in found or found[bridge.term].strength < bridge.strength:
            found[bridge.term] = bridge
    return list(found.values())


def _all(word, synonyms, named):
    if named: return
    for other, cosine in neighbours_of(stem(word, 'en')):
        if cosine > BRIDGE.close:
            yield Bridge(other, BRIDGE.meaning * (cosine - BRIDGE.close) / (1 - BRIDGE.close), "meaning")
