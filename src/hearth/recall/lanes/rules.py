"""The rule lane: preferences, decisions and pitfalls that govern what an instruction is about, whatever its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hearth.core.document import TEAM, Document
from hearth.core.lazy import regex
from hearth.core.types import RULES
from hearth.language.voices import split_output
from hearth.memory.history.validity import may_rule
from hearth.recall.candidates import Context
from hearth.recall.interfaces import IndexedPassage, Lane, Vote
from hearth.recall.ranking.weights import FUSION
from hearth.text.asked_kinds import Concern, find_concerns, is_instruction, rules_on
from hearth.text.common_words import is_listed
from hearth.text.language import stem
from hearth.text.lines import split_sentences
from hearth.text.related_words import LANGUAGES, translate

# Beside short rules the sentences of decisions that say how things are done.
_TYPES = (*RULES, "decision")
_SHORT_CHARS = 300
# Documents looked at and passages found, at most; the newest first.
_DOCUMENTS = 400
_FOUND = 12
# How sure it is: enough to be shown where nobody asked, less than what says the very words.
_SURE = 0.55
# What a word that an instruction shares with a rule must tell, where the rest of it is in another language.
_TELLING_NATS = 4.5
_BINDS = regex(
    r"\b(?:always|never|must|only|instead|rather|avoid|prefer\w*|use[ds]?|no\s+longer|chose|decided|over|siempre|nunca|usar?|"
    r"immer|nie(?:mals)?|nur|toujours|jamais|sempre|altijd|nooit|alltid|aldrig|всегда|никогда)\b",
    re.IGNORECASE,
)


class RuleLane(Lane):
    """It looks at nothing unless the question is a short instruction about something that rules are made for."""

    name = "rule"

    def __init__(self, context: Context) -> None:
        # What a program prints instructs nobody: "IndexError: list index out of range".
        concerns = find_concerns(split_output(context.question.text)[0])
        names = None if concerns else _find_things(context)
        self._ruling = dict.fromkeys(_find_ruling(context, concerns, names)) if concerns or names else {}

    def find(self) -> Iterable[int]:
        return self._ruling

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        if not self._ruling:
            return super().judge(passages)
        rules, other = Vote(_SURE, FUSION.name, 1.0, leads=True), Vote()
        return [rules if passage.posting.fragment in self._ruling else other for passage in passages]


def _find_things(context: Context) -> re.Pattern[str] | None:
    """What an instruction in a language that the notes are not in has in common with them is a name or as good as one:
    pandas, Loader."""
    question, idf = context.question, context.lexicon.idf_by_term
    words = [word for word in question.words if word.asked and word.surface]
    if not (words and is_instruction(question.text) and (question.foreign or _is_foreign(words[0].surface))):
        return None
    shared = [word.surface for word in words[1:] if max(idf.get(v, 0.0) for v in word.variants) >= _TELLING_NATS]
    parts = "|".join(map(re.escape, shared))
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)", re.IGNORECASE) if parts else None


def _is_foreign(verb: str) -> bool:
    """Whether a word is none of ordinary English, and one that a table translates: a short instruction shows its
    language by what it begins with."""
    return not is_listed(stem(verb, "en")) and any(any(translate(verb, tongue, ("en",))) for tongue in LANGUAGES)


def _find_ruling(context: Context, concerns: tuple[Concern, ...], names: re.Pattern[str] | None) -> Iterator[int]:
    reader, within = context.reader, context.question.within
    if within.types and not set(within.types) & set(_TYPES):
        return
    known = [one for one in reader.find_documents(replace(within, types=_TYPES)) if _may_govern(one.document)]
    known.sort(key=lambda stored: stored.document.newest_first)
    found = 0
    for stored in known[:_DOCUMENTS]:
        plain = stored.document.content_type in RULES
        for fragment in reader.fragments_of(stored.id):
            said = f"{stored.document.title}\n{fragment.text}" if not fragment.seq else fragment.text
            stated = () if fragment.kind == "frontmatter" else tuple(_state(said, plain=plain))
            if any(rules_on(text, concerns) or (names is not None and names.search(text)) for text in stated):
                yield fragment.id
                found += 1
                if found == _FOUND:
                    return


def _may_govern(document: Document) -> bool:
    """Rules are the person's; what was decided may be their team's, too."""
    return may_rule(document) or (document.trust == TEAM and document.content_type not in RULES)


def _state(text: str, *, plain: bool) -> Iterator[str]:
    """The sentences of a text that say how things are done."""
    if len(text) <= _SHORT_CHARS:
        yield text
        return
    yield from (sentence for sentence in split_sentences(text) if plain or _BINDS.search(sentence))
