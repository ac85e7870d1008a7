"""Sentences of a longer text that say how something is, and statements that say again what was said before."""

from __future__ import annotations

from itertools import islice

from hearth.extract.rules.units import sentences
from hearth.extract.truth.judge import judge
from hearth.language.change import CHANGES, find_cues
from hearth.language.slots import MOST, find_language, read_statement
from hearth.model.truth.judgement import Relation, Said

_TOLD = frozenset({*CHANGES, "now"})


def find_statements(text: str, most: int) -> list[str]:
    """Of a longer text the sentences that name a value or an attribute, or tell that something changed, in order."""
    fit = (sentence for sentence in sentences(text) if len(sentence) <= MOST and _is_definite(sentence))
    return list(islice(fit, most))


def says_again(earlier: str, later: str) -> bool:
    """Whether the later statement says what the earlier one said, and tells of no change."""
    verdict = judge(Said(earlier), Said(later))
    return verdict.relation is Relation.SAME and _is_definite(later) and not tells_change(later)


def tells_change(text: str) -> bool:
    """Whether it tells of a change, and not only how something is."""
    return bool(find_cues(text, find_language(text)).keys() & _TOLD)


def _is_definite(sentence: str) -> bool:
    found = read_statement(sentence)
    named = any(not value.plain for value in found.values)
    return bool(named or found.attributes or found.figures) or tells_change(sentence)
