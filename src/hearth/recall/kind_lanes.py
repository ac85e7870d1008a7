"""The kind and rule lanes: memories of the kind a question asks for, and rules that govern an instruction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from hearth.core.document import TEAM, Document
from hearth.core.types import RULES
from hearth.language.voices import split_output
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.interfaces import CandidateColumns, Context, Lane, Vote, Votes
from hearth.recall.lexicon import Lexicon
from hearth.recall.ranking.weights import FUSION
from hearth.text.asked_kinds import find_concerns, is_instruction, rules_on
from hearth.text.common_words import is_listed
from hearth.text.language import stem
from hearth.text.lines import split_sentences
from hearth.text.related_words import LANGUAGES, translate
from hearth.text.terms import Packed
from hearth.text.words import cues
from hearth.vault.documents import find_commitments
from hearth.vault.validity import may_rule

_TYPES = {"decided": ("decision",), "user": ("profile", "preference"), "rules": RULES}
# Most documents read, newest first; and how many are shown for a question that names only the kind.
_DOCUMENTS = 400
_SHOWN = 5
_STEP = 0.1
# The score of a fragment of the right kind that matches the subject of the question by its words, or by its meaning
# alone. Both suffice to show it where nobody asked.
KIND_BY_WORDS, KIND_BY_MEANING = 0.9, 0.55
# A fragment is on the subject if it shares half of the names and telling words, or lies this near by the static table:
# "database" lies at 0.42 to a sentence on SQLite, "mattress" at 0.33 to one on a bed, and fragments on other subjects
# below 0.15.
_TELLING_NATS = 3.0
_SHARED = 0.5
_NEAR = 0.16


class KindLane(Lane):
    """Finds nothing unless the question asks for a kind of memory."""

    name = "kind"

    def __init__(self, context: Context) -> None:
        question = context.question
        self._scores: dict[int, float] = {}
        if question.kind:
            stored = _list_kind(context)
            self._scores = dict(_list_any(context, stored) if question.any_of_kind else _list_near(context, stored))

    def find(self) -> Iterable[int]:
        return self._scores

    def judge(self, columns: CandidateColumns) -> Votes | None:
        if not self._scores:
            return None
        return Votes.collect(self._vote(self._scores.get(fragment)) for fragment in columns.fragments)

    def _vote(self, score: float | None) -> Vote:
        """A fragment that is near in meaning alone must not outweigh the words of others."""
        if score is None:
            return Vote()
        return Vote(score, FUSION.keyword if score == KIND_BY_MEANING else FUSION.name, 1.0, leads=True)


def _list_kind(context: Context) -> Iterator[StoredDocument]:
    """The documents of the kind that may be shown here: promises by their day, all others newest first."""
    reader = context.reader
    if context.question.kind == "owed":
        found = [one for one in find_commitments(reader) if not one.state.expired(context.query.at)]
    else:
        types = _TYPES[context.question.kind]
        of_team = context.question.kind == "decided"
        found = [
            one
            for one in reader.each_document(replace(context.question.within, types=types))
            if may_rule(one.document) or (of_team and one.document.trust == TEAM)
        ]
        found.sort(key=lambda stored: (types.index(stored.document.content_type), stored.document.newest_first))
    yield from context.keep_visible(found[:_DOCUMENTS])


def _list_any(context: Context, known: Iterable[StoredDocument]) -> Iterator[tuple[int, float]]:
    """The first meaningful fragment of each of the first documents, scored a little lower from one to the next."""
    for place, stored in enumerate(islice(known, _SHOWN)):
        first = next(filter(_says_something, context.reader.fragments_of(stored.id)), None)
        if first is not None:
            yield first.id, 1 / (1 + _STEP * place)


def _list_near(context: Context, known: Iterable[StoredDocument]) -> Iterator[tuple[int, float]]:
    """Fragments that share most of the question's words, or are near it in meaning."""
    fragments = [f for stored in known for f in context.reader.fragments_of(stored.id) if _says_something(f)]
    postings = context.reader.postings([fragment.id for fragment in fragments], context.question.within)
    terms = ((posting.fragment, frozenset(Packed(posting.packed).ids())) for posting in postings)
    sharing = {fragment for fragment, terms_here in terms if _shares(context.lexicon, terms_here)}
    texts = [fragment.text for fragment in fragments]
    cosines = context.nearness(texts, context.question.about) or [0.0] * len(texts)
    for fragment, cosine in zip(fragments, cosines, strict=True):
        if fragment.id in sharing:
            yield fragment.id, KIND_BY_WORDS
        elif cosine >= _NEAR:
            yield fragment.id, KIND_BY_MEANING


def _shares(lexicon: Lexicon, terms: frozenset[int]) -> bool:
    """Whether a fragment with these terms has most of the names and telling words of the question, by their idf."""
    named = frozenset(chain.from_iterable(lexicon.names))
    telling = [word for word in lexicon.words if word.idf >= _TELLING_NATS or not named.isdisjoint(word.ids)]
    shared = sum(word.idf for word in telling if not terms.isdisjoint(word.ids))
    return bool(telling) and shared >= _SHARED * sum(word.idf for word in telling)


def _says_something(fragment: StoredFragment) -> bool:
    return fragment.kind != "frontmatter" and bool(fragment.text.strip())


# Decisions are read as well as rules: some of their sentences say how things are done.
_RULES_TYPES = (*RULES, "decision")
_SHORT_CHARS = 300
# Most fragments found, from the newest documents.
_FOUND = 12
# The score of a rule: enough to show it where nobody asked, lower than for a fragment with the very words.
_SURE = 0.55
# How telling a word must be that an instruction shares with a rule in another language.
_RULES_TELLING_NATS = 4.5


class RuleLane(Lane):
    """Finds nothing unless the question is a short instruction about something that rules can govern."""

    name = "rule"

    def __init__(self, context: Context) -> None:
        # The output of a program is no instruction: "IndexError: list index out of range".
        concerns = find_concerns(split_output(context.question.text)[0])
        names = None if concerns else _find_things(context)
        self._ruling = dict.fromkeys(_find_ruling(context, concerns, names)) if concerns or names else {}

    def find(self) -> Iterable[int]:
        return self._ruling

    def judge(self, columns: CandidateColumns) -> Votes | None:
        if not self._ruling:
            return None
        rules, other = Vote(_SURE, FUSION.name, 1.0, leads=True), Vote()
        return Votes.collect(rules if fragment in self._ruling else other for fragment in columns.fragments)


def _find_things(context: Context) -> re.Pattern[str] | None:
    """A word that an instruction shares with notes in another language is a name or as good as one: pandas, Loader."""
    question, idf = context.question, context.lexicon.idf_by_term
    words = [word for word in question.words if word.asked and word.surface]
    if not (words and is_instruction(question.text) and (question.foreign or _is_foreign(words[0].surface))):
        return None
    shared = [word.surface for word in words[1:] if max(idf.get(v, 0.0) for v in word.variants) >= _RULES_TELLING_NATS]
    parts = "|".join(map(re.escape, shared))
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)", re.IGNORECASE) if parts else None


def _is_foreign(verb: str) -> bool:
    """Whether a word is not plain English but one that a table translates. The first word of a short instruction shows
    its language."""
    return not is_listed(stem(verb, "en")) and any(any(translate(verb, tongue, ("en",))) for tongue in LANGUAGES)


def _find_ruling(context: Context, concerns: tuple[str, ...], names: re.Pattern[str] | None) -> Iterator[int]:
    reader, within = context.reader, context.question.within
    if within.types and not set(within.types) & set(_RULES_TYPES):
        return
    known = [one for one in reader.each_document(replace(within, types=_RULES_TYPES)) if _may_govern(one.document)]
    known.sort(key=lambda stored: stored.document.newest_first)
    found = 0
    for stored in known[:_DOCUMENTS]:
        plain = stored.document.content_type in RULES
        for fragment in reader.fragments_of(stored.id):
            full_text = f"{stored.document.title}\n{fragment.text}" if not fragment.seq else fragment.text
            stated = () if fragment.kind == "frontmatter" else tuple(_state(full_text, plain=plain))
            if any(rules_on(text, concerns) or (names is not None and names.search(text)) for text in stated):
                yield fragment.id
                found += 1
                if found == _FOUND:
                    return


def _may_govern(document: Document) -> bool:
    """Only the person's own rules govern; decisions may also be their team's."""
    return may_rule(document) or (document.trust == TEAM and document.content_type not in RULES)


def _state(text: str, *, plain: bool) -> Iterator[str]:
    """The sentences of a text that say how things are done."""
    if len(text) <= _SHORT_CHARS:
        yield text
        return
    binds = cues("recall/routes", "binds")
    yield from (sentence for sentence in split_sentences(text) if plain or binds.search(sentence))
