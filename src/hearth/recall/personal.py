"""Questions about the person who asks: what may tell of them, and what merely shares a word."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.core.lazy import regex
from hearth.recall.interfaces import Context
from hearth.recall.ranking.candidate import Candidate
from hearth.text.lines import split_sentences
from hearth.text.terms import terms
from hearth.text.words import cues
from hearth.vault.validity import is_memory

_TABLE = "asking"
# Code, addresses, and the targets of links: they name things of all the world.
_CODE = regex(
    r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`|^(?: {4}|\t).*$|^ {0,3}\[[^\]\n]+\]:.*$|\]\([^)\n]*\)|\w+://\S+"
)
_WORD = regex(r"\w+")
# What a label or a sentence may give as the answer: a figure, what follows a colon, a name.
_VALUE = regex(r"\d|:|(?<=\w )[A-ZÀ-Þ]")
# A word that tells so much, and in so many first words a sentence or a label says what it is about.
_TELLING_NATS = 2.0
# What a word tells that no note has: what only begins like it is another word.
_UNKNOWN = 8.0
_FIRST_WORDS = 3


def is_personal(text: str) -> bool:
    """Whether it asks about the person themself: "what is my rent?", but not "how do I rename my branch?"."""
    return cues(_TABLE, "personal").search(text) is not None and cues(_TABLE, "howto").search(text) is None


def tells_of_person(context: Context, candidates: Iterable[Candidate]) -> bool:
    """Whether one of the fragments may say it: a memory, a fragment that is called what is asked for, or a sentence
    that begins with it and gives a value, speaks of the person too, or holds all of several words."""
    weights = context.lexicon.idf_by_term
    same = (frozenset((*w.variants, *(b.term for b in w.bridges if b.same))) for w in context.question.words if w.asked)
    weight_by_forms = {
        forms: max((weights[form] for form in forms if form in weights), default=_UNKNOWN) for forms in same
    }
    asked = [forms for forms, nats in weight_by_forms.items() if nats >= _TELLING_NATS]
    return not asked or any(_tells(candidate, asked) for candidate in candidates)


def _tells(candidate: Candidate, asked: list[frozenset[str]]) -> bool:
    document = candidate.document.document
    if is_memory(document):
        return True
    forms = frozenset[str]().union(*asked)
    called = terms("\n".join((document.title, *document.aliases, *candidate.fragment.headings)), document.language)
    if not forms.isdisjoint(called):
        return True
    text = _CODE.sub(" ", candidate.fragment.text)
    return any(_tells_it(sentence, document.language, asked, forms) for sentence in split_sentences(text))


def _tells_it(sentence: str, language: str, asked: list[frozenset[str]], forms: frozenset[str]) -> bool:
    words = frozenset(terms(sentence, language))
    if forms.isdisjoint(words):
        return False
    first = " ".join(_WORD.findall(sentence)[:_FIRST_WORDS])
    whole = len(asked) > 1 and all(not each.isdisjoint(words) for each in asked)
    about = _VALUE.search(sentence) is not None and not forms.isdisjoint(terms(first, language))
    return whole or about or cues(_TABLE, "self").search(sentence) is not None
