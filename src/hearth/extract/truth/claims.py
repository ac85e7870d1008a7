"""What a single statement claims: attributes with their values, and the words by which others tell the same."""

from __future__ import annotations

from itertools import islice

from hearth.extract.truth.statement import MOST, language_for, read
from hearth.extract.truth.tables import tellings
from hearth.extract.truth.tokens import Keys
from hearth.language.sentences import sentences
from hearth.model.truth.judgement import Claim


def claims(text: str) -> tuple[Claim, ...]:
    """In a form for comparing: of two statements that claim the same, all three parts are equal."""
    language = language_for(text, text)
    found = read(text, language).claims
    return tuple(Claim(_form(one.before), one.attribute, _form(one.value)) for one in found)


def changes(text: str) -> bool:
    """Whether it tells of a change, and not only how something is."""
    return bool(read(text, language_for(text, text)).flags & {"now", "change", "from", "swap", "end"})


def statements(text: str, most: int) -> list[str]:
    """Of a longer text the sentences that tell a value or name an attribute, or that something changed, in order."""
    fit = (sentence for sentence in sentences(text) if len(sentence) <= MOST and _is_definite(sentence))
    return list(islice(fit, most))


def wordings_of(text: str) -> frozenset[str]:
    """Words in which another statement may tell the same attributes."""
    language = language_for(text, text)
    told = {one.attribute for one in read(text, language).claims}
    return frozenset().union(*(tellings(attribute, language) for attribute in told))


def _is_definite(sentence: str) -> bool:
    found = read(sentence, language_for(sentence, sentence))
    return bool(found.claims or found.values or found.nouns or found.olds or found.flags & {"now", "change", "end"})


def _form(keys: Keys) -> str:
    return " ".join(sorted(f"{kind}:{form}" if kind else form for kind, form in keys))
